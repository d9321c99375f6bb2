/// Which parameters contain secrets.
enum SecretParameter {
  /// Whether a parameter of this name is masked: the names of ``HTTPHeaders/isSecret(_:)``, and those that
  /// sign-in forms and OAuth use.
  static func matches(_ name: String) -> Bool {
    if HTTPHeaders.isSecret(name) { return true }
    let name = name.lowercased()
    return exact.contains(name)
      || ["passwd", "passcode", "credential", "assertion"].contains { name.contains($0) }
  }

  private static let exact: Set<String> = [
    "pwd", "pass", "pin", "otp", "code", "code_verifier", "sign", "session", "sid", "ticket", "captcha",
  ]
}

extension HTTPURL {
  /// Whether its query has a secret parameter.
  var hasSecretParameters: Bool { query?.split(separator: "&").contains(where: Self.isSecret) == true }

  /// The URL without the secret parameters of its query.
  var withoutSecretParameters: HTTPURL {
    var url = self
    url.query = query?.split(separator: "&").filter { !Self.isSecret($0) }.joined(separator: "&")
    return url
  }

  private static func isSecret(_ pair: Substring) -> Bool {
    let name = pair.prefix { $0 != "=" }
    return SecretParameter.matches(PercentEncoding.decode(name, plusIsSpace: true) ?? String(name))
  }
}
