/// The characters of a token, which methods and header field names consist of.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2>
enum HTTPToken {
  static let characters = ASCIISet(alphanumericsAnd: "!#$%&'*+-.^_`|~")

  /// Whether the byte is allowed in a token.
  static func contains(_ byte: UInt8) -> Bool { characters.contains(byte) }
}
