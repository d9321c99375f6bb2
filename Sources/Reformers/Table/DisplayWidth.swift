/// How many columns of a terminal a text takes, and texts cut and filled to a number of columns.
///
/// Characters of East Asian width W and F and emoji take two columns, combining marks none (Unicode
/// Standard Annex 11). Control characters would move the cursor: they are replaced before anything is shown.
public enum DisplayWidth {
  /// The columns that a text takes.
  public static func of(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  /// The columns that a character takes: 0, 1 or 2.
  public static func of(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    if first.value < 0x300 { return isControl(first) ? 0 : 1 }
    if first.properties.isEmojiPresentation || isWide(first.value) { return 2 }
    if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator: return 0
    default: return 1
    }
  }

  /// The text in exactly so many columns: filled with spaces, or cut with an ellipsis.
  public static func fit(_ text: String, to columns: Int, alignment: TextAlignment = .left) -> String {
    let cut = truncate(text, to: columns)
    let spaces = String(repeating: " ", count: max(0, columns - of(cut)))
    return alignment == .left ? cut + spaces : spaces + cut
  }

  /// The text in at most so many columns; what does not fit is cut and an ellipsis put in its place.
  public static func truncate(_ text: String, to columns: Int) -> String {
    guard of(text) > columns else { return text }
    guard columns > 0 else { return "" }
    var kept = ""
    var used = 1
    for character in text {
      used += of(character)
      if used > columns { break }
      kept.append(character)
    }
    return kept + "…"
  }

  /// The text with control characters, line ends among them, replaced by U+FFFD: what a server sends must
  /// not command the terminal.
  public static func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var safe = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { safe.append(isUnsafe(scalar) ? "\u{FFFD}" : scalar) }
    return String(safe)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
  }

  /// Controls, line separators, and the marks that turn the direction of writing.
  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// The blocks of East Asian width W and F.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}

/// Which side of its column a text stands at.
public enum TextAlignment: Sendable, Hashable {
  /// Text.
  case left
  /// Numbers.
  case right
}
