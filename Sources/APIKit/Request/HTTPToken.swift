/// The characters of a token: methods and header names are made of them.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2>
enum HTTPToken {
  static let characters = ASCIISet(alphanumericsAnd: "!#$%&'*+-.^_`|~")

  /// Whether the byte may stand in a token.
  static func contains(_ byte: UInt8) -> Bool { characters.contains(byte) }
}
