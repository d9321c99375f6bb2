/// Measures how many columns of a terminal a text takes, and truncates or fills texts to a number of
/// columns.
///
/// Characters of East Asian width W and F and emoji take two columns, combining marks none (Unicode
/// Standard Annex 11). Control characters count as none; replace them with ``printable(_:)`` before a text
/// is shown, because they move the cursor.
public enum DisplayWidth {
  /// How many columns a text takes.
  public static func of(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  /// How many columns a character takes: 0, 1 or 2.
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

  /// The text in exactly this many columns: filled with spaces, or truncated with an ellipsis.
  public static func fit(_ text: String, to columns: Int, alignment: TextAlignment = .left) -> String {
    let cut = truncate(text, to: columns)
    let spaces = String(repeating: " ", count: max(0, columns - of(cut)))
    return alignment == .left ? cut + spaces : spaces + cut
  }

  /// The text in at most this many columns, truncated with an ellipsis where it is longer.
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

  /// The text with control characters, line breaks included, replaced by U+FFFD, so that text of a server
  /// cannot control the terminal.
  public static func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var safe = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { safe.append(isUnsafe(scalar) ? "\u{FFFD}" : scalar) }
    return String(safe)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
  }

  /// Control characters, line separators, and the marks that change the direction of writing.
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

/// The side of its column at which a text is shown.
public enum TextAlignment: Sendable, Hashable {
  /// At the left, for text.
  case left
  /// At the right, for numbers.
  case right
}
