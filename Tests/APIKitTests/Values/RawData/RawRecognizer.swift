import APIKit

/// RFC 8259 as plainly as it can be written, to judge the parser by.
struct RawRecognizer {
  private let text: [Unicode.Scalar]
  private var index = 0

  static func accepts(_ bytes: [UInt8]) -> Bool {
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    guard let string = String(wellFormed: bytes, as: UTF8.self) else { return false }
    var recognizer = RawRecognizer(text: Array(string.unicodeScalars))
    recognizer.space()
    guard recognizer.value() else { return false }
    recognizer.space()
    return recognizer.index == recognizer.text.count
  }

  private init(text: [Unicode.Scalar]) { self.text = text }

  private var current: Unicode.Scalar { index < text.count ? text[index] : "\u{FFFF}" }

  private mutating func take(_ scalars: String) -> Bool {
    guard index < text.count, scalars.unicodeScalars.contains(current) else { return false }
    index += 1
    return true
  }

  private mutating func word(_ word: String) -> Bool {
    word.unicodeScalars.allSatisfy { take(String($0)) }
  }

  private mutating func space() { while take(" \t\r\n") {} }

  private mutating func value() -> Bool {
    switch current {
    case "{": return list("}") { $0.string() && $0.colon() && $0.value() }
    case "[": return list("]") { $0.value() }
    case "\"": return string()
    case "t": return word("true")
    case "f": return word("false")
    case "n": return word("null")
    default: return number()
    }
  }

  private mutating func colon() -> Bool {
    space()
    guard take(":") else { return false }
    space()
    return true
  }

  private mutating func list(_ end: String, _ item: (inout RawRecognizer) -> Bool) -> Bool {
    index += 1
    space()
    if take(end) { return true }
    repeat {
      space()
      guard item(&self) else { return false }
      space()
    } while take(",")
    return take(end)
  }

  private mutating func string() -> Bool {
    guard take("\"") else { return false }
    while index < text.count {
      if take("\"") { return true }
      if take("\\") {
        if take("u") {
          for _ in 0..<4 { guard take("0123456789abcdefABCDEF") else { return false } }
        } else if !take("\"\\/bfnrt") {
          return false
        }
      } else {
        guard current.value >= 0x20 else { return false }
        index += 1
      }
    }
    return false
  }

  private mutating func digits() -> Bool {
    guard take("0123456789") else { return false }
    while take("0123456789") {}
    return true
  }

  private mutating func number() -> Bool {
    _ = take("-")
    if !take("0") { guard digits() else { return false } }
    if take(".") { guard digits() else { return false } }
    if take("eE") {
      _ = take("+-")
      guard digits() else { return false }
    }
    return true
  }
}
