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
