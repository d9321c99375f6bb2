// Apple platforms only: type-checked by Scripts/apple, never run here.
#if canImport(Security)
  import Security

  /// How a client identity is imported without being put into a keychain.
  enum MemoryOnlyImport {
    /// What `SecPKCS12Import` is given beside the password.
    ///
    /// Other systems than macOS import into memory in any case. Throws ``APIError/Reason/unsupportedCapability`` on macOS 13 and
    /// 14, which would put the key into the user's keychain, where it stays.
    /// - SeeAlso: <https://developer.apple.com/documentation/security/secpkcs12import(_:_:_:)>
    static func options() throws(APIError) -> [String: Any] {
      if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
        return [kSecImportToMemoryOnly as String: true]
      }
      #if os(macOS)
        throw APIError(
          unsupported:
            "client identities in PKCS#12 before macOS 15, which would put them into the user's keychain; use one "
            + "that is in the keychain")
      #else
        return [:]
      #endif
    }
  }
#endif
