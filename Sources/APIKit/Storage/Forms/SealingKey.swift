extension CodingUserInfoKey {
  /// The key under which an encoder seals the secrets of settings and parameters, and a decoder opens them: a
  /// ``SigningKey`` of 32 bytes.
  ///
  /// ```swift
  /// let encoder = JSONEncoder()
  /// encoder.userInfo[.sealingKey] = key
  /// ```
  /// Without it, encoding a value that has secrets throws ``APIError/Reason/unwritableForm``, which names them.
  public static let sealingKey = named("APIKit.sealingKey")

  /// A key by its name, for which the initialiser never gives nil.
  static func named(_ name: String) -> CodingUserInfoKey {
    CodingUserInfoKey(rawValue: name).unsafelyUnwrapped
  }
}

extension APIError.Reason {
  /// A setting or its secret has no written form: a closure, an object of the application, or a secret without a key to
  /// seal it.
  public static let unwritableForm = Self("unwritable-form", "it cannot be written")
  /// What is to be read is not the written form of this setting, or is that of another version; the detail says which.
  public static let unreadableForm = Self("unreadable-form", "what was written cannot be read")
}
