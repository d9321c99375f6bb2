import APIKit

/// Writes structured fields by the algorithms of RFC 9651, 4.1; nil for what has no text.
enum StructuredFieldWriter {
  typealias Value = StructuredFields.Value
  typealias FieldItem = StructuredFields.FieldItem
  typealias Parameter = StructuredFields.Parameter
  typealias Member = StructuredFields.Member
  typealias DictionaryMember = StructuredFields.DictionaryMember

  static let keyStart = ASCIISet("abcdefghijklmnopqrstuvwxyz*".utf8)
  static let keyCharacters = ASCIISet("abcdefghijklmnopqrstuvwxyz0123456789_-.*".utf8)
  static let tokenStart = ASCIISet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz*".utf8)
  static let tokenCharacters = ASCIISet(alphanumericsAnd: "!#$%&'*+-.^_`|~:/")

  /// A list; nil for an empty one, which is no field at all.
  static func text(_ list: [Member]) -> String? {
    guard !list.isEmpty else { return nil }
    var output = ""
    for (index, one) in list.enumerated() {
      if index > 0 { output += ", " }
      guard append(one, to: &output) else { return nil }
    }
    return output
  }

  /// A dictionary; nil for an empty one.
  static func text(_ dictionary: [DictionaryMember]) -> String? {
    guard !dictionary.isEmpty else { return nil }
    var output = ""
    for (index, entry) in dictionary.enumerated() {
      if index > 0 { output += ", " }
      guard append(key: entry.key, to: &output) else { return nil }
      if case .item(let item) = entry.member, item.value == .bool(true) {
        guard append(item.parameters, to: &output) else { return nil }
        continue
      }
      output += "="
      guard append(entry.member, to: &output) else { return nil }
    }
    return output
  }

  static func text(_ item: FieldItem) -> String? {
    var output = ""
    return append(item, to: &output) ? output : nil
  }

  static func text(_ member: Member) -> String? {
    var output = ""
    return append(member, to: &output) ? output : nil
  }

  // MARK: Parts

  private static func append(_ member: Member, to output: inout String) -> Bool {
    switch member {
    case .item(let item): return append(item, to: &output)
    case .innerList(let items, let parameters):
      output += "("
      for (index, item) in items.enumerated() {
        if index > 0 { output += " " }
        guard append(item, to: &output) else { return false }
      }
      output += ")"
      return append(parameters, to: &output)
    }
  }

  private static func append(_ item: FieldItem, to output: inout String) -> Bool {
    append(item.value, to: &output) && append(item.parameters, to: &output)
  }

  static func append(_ parameters: [Parameter], to output: inout String) -> Bool {
    for parameter in parameters {
      output += ";"
      guard append(key: parameter.key, to: &output) else { return false }
      if parameter.value == .bool(true) { continue }
      output += "="
      guard append(parameter.value, to: &output) else { return false }
    }
    return true
  }

  private static func append(key: String, to output: inout String) -> Bool {
    guard let first = key.utf8.first, keyStart.contains(first), key.utf8.allSatisfy(keyCharacters.contains)
    else { return false }
    output += key
    return true
  }

  private static func append(_ value: Value, to output: inout String) -> Bool {
    switch value {
    case .integer(let number): return append(number, to: &output)
    case .decimal(let thousandths):
      guard thousandths.magnitude < 1_000_000_000_000_000 else { return false }
      let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
      var fraction = String(String(rest + 1000).dropFirst())
      while fraction.utf8.count > 1, fraction.last == "0" { fraction.removeLast() }
      output += "\(thousandths < 0 ? "-" : "")\(whole).\(fraction)"
    case .string(let text):
      guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return false }
      output += "\""
      if text.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
        for character in text.unicodeScalars {
          if character == "\"" || character == "\\" { output += "\\" }
          output.unicodeScalars.append(character)
        }
      } else {
        output += text
      }
      output += "\""
    case .token(let text):
      guard let first = text.utf8.first, tokenStart.contains(first),
        text.utf8.allSatisfy(tokenCharacters.contains)
      else { return false }
      output += text
    case .bytes(let bytes): output += ":\(Base64.encode(bytes)):"
    case .bool(let bool): output += bool ? "?1" : "?0"
    case .date(let seconds):
      output += "@"
      return append(seconds, to: &output)
    case .display(let text):
      output += "%\""
      for byte in text.utf8 {
        if byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\"") || !(0x20...0x7E).contains(byte) {
          output += "%" + Hex.encode([byte])
        } else {
          output.unicodeScalars.append(Unicode.Scalar(byte))
        }
      }
      output += "\""
    }
    return true
  }

  private static func append(_ number: Int, to output: inout String) -> Bool {
    guard number.magnitude < 1_000_000_000_000_000 else { return false }
    output += String(number)
    return true
  }
}
