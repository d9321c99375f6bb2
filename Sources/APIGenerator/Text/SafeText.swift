/// Makes text of a document harmless where it is put into sources, reports and messages.
enum SafeText {
  /// Whether a character may stand in a comment or a report: no control characters, no line separators, nothing that changes
  /// the direction of the text or cannot be seen.
  static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }

  /// Whether a text may be the name of a header field or of a cookie (RFC 9110, 5.6.2).
  static func isToken(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
  }

  /// A text on one line: white space becomes one space, what cannot be seen is left out.
  static func line(_ text: String, limit: Int = 4096) -> String {
    var result = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
      guard count < limit else {
        result.append("…")
        break
      }
      if scalar.properties.isWhitespace {
        if result.last != " " && !result.isEmpty { result.append(" ") }
      } else if isVisible(scalar) {
        result.append(scalar)
      } else {
        continue
      }
      count += 1
    }
    if result.last == " " { result.removeLast() }
    return String(result)
  }

  /// A text in double quotes, on one line, for messages.
  static func quoted(_ text: String) -> String { "\"\(line(text, limit: 120))\"" }

  /// A text as a string literal of Swift.
  static func literal(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case " "..."~": result.unicodeScalars.append(scalar)
      default:
        // A letter stands as it is where no other spelling of it exists, so that the literal keeps its bytes.
        if scalar.properties.isAlphabetic, scalar.properties.canonicalCombiningClass == .notReordered,
          isVisible(scalar)
        {
          result.unicodeScalars.append(scalar)
        } else {
          result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        }
      }
    }
    return result + "\""
  }

  /// Lines of a documentation comment, at most `limit` characters of text.
  static func comment(_ text: String, indent: String = "", limit: Int = 500) -> [String] {
    var lines: [String] = []
    var current = ""
    for word in line(text, limit: limit).split(separator: " ") {
      if !current.isEmpty, current.count + word.count + indent.count + 5 > 110 {
        lines.append("\(indent)/// \(current)")
        current = ""
      }
      current += (current.isEmpty ? "" : " ") + word
    }
    if !current.isEmpty { lines.append("\(indent)/// \(current)") }
    return lines
  }

  /// A text in a report: on one line, without the characters that Markdown and HTML read.
  static func markdown(_ text: String) -> String {
    var result = ""
    for scalar in line(text, limit: 1000).unicodeScalars {
      switch scalar {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      case "`", "*", "_", "[", "]", "|", "\\": result += "\\\(scalar)"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// A text as code in a report or a comment; what would end the code is left out.
  static func code(_ text: String) -> String {
    // By scalars: a mark behind a backtick makes one character with it.
    var kept = String.UnicodeScalarView()
    for scalar in line(text, limit: 400).unicodeScalars where scalar != "`" { kept.append(scalar) }
    return "`\(String(kept))`"
  }
}
