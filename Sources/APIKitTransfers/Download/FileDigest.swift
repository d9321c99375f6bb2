import APIKit

/// What the bytes of a file must give: SHA-256 or SHA-512, in hexadecimal digits.
struct FileDigest: Sendable, Hashable, Codable {
  /// Whether it is SHA-512.
  var isLong = false
  var hex: String

  /// The SHA-256 that a caller states.
  ///
  /// - Throws: `APIError.Reason.invalidParameters` for what is not 64 hexadecimal digits: no file could have it.
  init(sha256 hex: String) throws(APIError) {
    self.hex = hex.lowercased()
    guard isWellFormed else {
      throw APIError(
        .parameters, .invalidParameters,
        "the SHA-256 \(hex.debugDescription) has \(hex.count) characters, and 64 hexadecimal digits are needed"
      )
    }
  }

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

  /// Whether it has the length of its algorithm, in lower-case digits.
  var isWellFormed: Bool {
    hex.utf8.count == (isLong ? 128 : 64)
      && hex.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// The algorithm's name.
  var name: String { isLong ? "SHA-512" : "SHA-256" }
}
