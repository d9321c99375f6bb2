/// The characters of a token, which methods and header field names consist of.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2>
package enum HTTPToken {
  private static let characters = ASCIISet(alphanumericsAnd: "!#$%&'*+-.^_`|~")

  /// Whether the byte is allowed in a token.
  package static func contains(_ byte: UInt8) -> Bool { characters.contains(byte) }

  /// Whether a text is a token.
  package static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(characters.contains)
  }
}
