/// What the bytes of a file must give: SHA-256 or SHA-512, in hexadecimal digits.
struct FileDigest: Sendable, Hashable, Codable {
  /// Whether it is SHA-512.
  var isLong = false
  var hex: String

  /// The SHA-256 that a caller states.
  init(sha256 hex: String) { self.hex = hex.lowercased() }

  /// A member `sha-256=:…:` or `sha-512=:…:` of `Repr-Digest` (RFC 9530); nil for any other.
  init?(member: String) {
    let name = member.prefix { $0 != "=" }.lowercased()
    guard name == "sha-256" || name == "sha-512", member.dropFirst(name.count).hasPrefix("=:"),
      member.hasSuffix(":"), member.count > name.count + 3,
      let bytes = Base64.decode(String(member.dropFirst(name.count + 2).dropLast()))
    else { return nil }
    isLong = name == "sha-512"
    guard bytes.count == (isLong ? 64 : 32) else { return nil }
    hex = Hex.encode(bytes)
  }

  /// The algorithm's name.
  var name: String { isLong ? "SHA-512" : "SHA-256" }
}
