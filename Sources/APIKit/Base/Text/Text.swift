extension Substring {
  /// The text without spaces and tabs at its ends.
  package func trimmingSpaces() -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    guard let first = utf8.firstIndex(where: { !isSpace($0) }),
      let last = utf8.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(self[first...last])
  }
}

extension String {
  /// The text without spaces and tabs at its ends.
  package func trimmingSpaces() -> String {
    // Nearly every text has none.
    guard let first = utf8.first, let last = utf8.last else { return self }
    let hasSpaces = first == 0x20 || first == 0x09 || last == 0x20 || last == 0x09
    return hasSpaces ? self[...].trimmingSpaces() : self
  }
}

extension String {
  /// The text on one line: what ends a line, controls a terminal or changes the direction of writing is a space.
  package var onOneLine: String {
    func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
      default: false
      }
    }
    // By scalars: CR and LF are one character.
    guard unicodeScalars.contains(where: isUnsafe) else { return self }
    var line = UnicodeScalarView()
    for scalar in unicodeScalars { line.append(isUnsafe(scalar) ? " " : scalar) }
    return String(line)
  }
}

// MARK: Values of header fields (RFC 9110, 5.6)

extension String {
  /// The elements of a list, without white space around them.
  package var listElements: [String] { fieldParts(at: ",") }

  /// The parts between separators that stand outside of quoted strings, without white space around them. Empty ones are left
  /// out.
  ///
  /// - Parameter hasTargets: Whether a separator between `<` and `>` does not count either, as in `Link` (RFC 8288, 3).
  package func fieldParts(at separator: Unicode.Scalar, hasTargets: Bool = false) -> [String] {
    var text = self
    return text.withUTF8 { bytes in
      var parts: [String] = []
      var (start, isQuoted, isEscaped, isTarget) = (0, false, false, false)
      func end(at index: Int) {
        let part = Self.trimmed(bytes[start..<index])
        if !part.isEmpty { parts.append(part) }
        start = index + 1
      }
      for index in bytes.indices {
        switch bytes[index] {
        case _ where isEscaped: isEscaped = false
        case UInt8(ascii: "\\") where isQuoted: isEscaped = true
        case UInt8(ascii: "\"") where !isTarget: isQuoted.toggle()
        case UInt8(ascii: "<") where hasTargets && !isQuoted: isTarget = true
        case UInt8(ascii: ">") where isTarget: isTarget = false
        case UInt8(ascii: separator) where !isQuoted && !isTarget: end(at: index)
        default: break
        }
      }
      end(at: bytes.count)
      return parts
    }
  }

  /// The parameters behind the first part: of `form-data; name="a"` the one with the name `name`.
  package var fieldParameters: [(name: String, value: String?)] {
    fieldParts(at: ";").dropFirst().map(\.fieldParameter)
  }

  /// The text as a parameter or a directive: its name in lower case, and its value without the marks of a quoted string; nil
  /// without an equals sign.
  package var fieldParameter: (name: String, value: String?) {
    var text = self
    return text.withUTF8 { bytes in
      let equals = bytes.firstIndex(of: UInt8(ascii: "="))
      let name = Self.trimmed(bytes[..<(equals ?? bytes.count)]).lowercased()
      guard let equals else { return (name, nil) }
      let value = Self.trimmed(bytes[(equals + 1)...])
      return (name, value.utf8.first == UInt8(ascii: "\"") ? value.unquoted : value)
    }
  }

  /// Text without spaces and tabs at its ends.
  private static func trimmed(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    var bytes = bytes
    while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
    return String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
  }

  /// What a quoted string stands for.
  private var unquoted: String {
    var text: [UInt8] = []
    var rest = utf8.dropFirst()
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      // A quoted pair is a backslash and the character that it stands for.
      text.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension String {
  /// Whether both have the same UTF-8.
  ///
  /// `==` also holds for texts of different bytes, such as é composed and decomposed. JSON (RFC 8259, 8.3) and
  /// URLs tell these apart, and so do all names here.
  package func equalsExactly(_ other: String) -> Bool {
    // `==` first: it tells most texts apart at their first bytes.
    utf8.count == other.utf8.count && self == other && utf8.elementsEqual(other.utf8)
  }
}

extension Optional<String> {
  /// Whether both are nil, or have the same UTF-8.
  package func equalsExactly(_ other: String?) -> Bool { map(ExactText.init) == other.map(ExactText.init) }
}

extension Sequence<String> {
  /// Whether one of the texts has the same UTF-8.
  package func containsExactly(_ text: String) -> Bool { contains { $0.equalsExactly(text) } }
}

/// A text as the key of a set or a dictionary, compared by its UTF-8; see `equalsExactly(_:)`.
package struct ExactText: Hashable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (left: Self, right: Self) -> Bool { left.text.equalsExactly(right.text) }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension FixedWidthInteger {
  /// A number of decimal digits alone, as protocols write it; nil for any other text, such as one with a sign.
  package init?(digits text: some StringProtocol) {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    self.init(text)
  }
}
