extension String {
  /// The string without spaces and tabs at its ends.
  package func trimmingSpaces() -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    guard let first = utf8.firstIndex(where: { !isSpace($0) }),
      let last = utf8.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(self[first...last])
  }

  /// The elements of a list in a header field, separated by commas, without white space around them.
  package var listElements: [String] { split(separator: ",").map { String($0).trimmingSpaces() } }
}

extension String {
  /// Whether both have the same UTF-8.
  ///
  /// `==` also holds for texts of different bytes, such as é composed and decomposed. JSON (RFC 8259, 8.3) and
  /// URLs tell these apart, and so do all names here.
  func equalsExactly(_ other: String) -> Bool {
    // `==` first: it tells most texts apart at their first bytes.
    utf8.count == other.utf8.count && self == other && utf8.elementsEqual(other.utf8)
  }
}

extension Sequence<String> {
  /// Whether one of the texts has the same UTF-8.
  func containsExactly(_ text: String) -> Bool { contains { $0.equalsExactly(text) } }
}

/// A text as the key of a set or a dictionary, compared by its UTF-8; see `equalsExactly(_:)`.
struct ExactText: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: Self, right: Self) -> Bool { left.text.equalsExactly(right.text) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
