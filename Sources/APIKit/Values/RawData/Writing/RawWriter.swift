/// Writes JSON text.
package enum RawWriter {
  /// Writes a comma, unless the text ends where a value may follow directly.
  package static func separate(_ output: inout [UInt8]) {
    guard let last = output.last, last != UInt8(ascii: "["), last != UInt8(ascii: "{") else { return }
    if last != UInt8(ascii: ":") { output.append(UInt8(ascii: ",")) }
  }

  /// Writes a member's name and colon, and the comma before them.
  package static func append(name: String, to output: inout [UInt8]) {
    separate(&output)
    append(string: name.utf8, to: &output)
    output.append(UInt8(ascii: ":"))
  }

  /// Writes a string in quotes, with only the escapes that JSON requires.
  package static func append(string: some Collection<UInt8>, to output: inout [UInt8]) {
    let isDone: Void? = string.withContiguousStorageIfAvailable { append(string: $0, to: &output) }
    if isDone == nil { Array(string).withUnsafeBufferPointer { append(string: $0, to: &output) } }
  }

  /// Writes a string in quotes, with only the escapes that JSON requires.
  package static func append(string: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    // Most texts need no escapes and are copied as a whole.
    if string.contains(where: mustEscape) {
      for byte in string { append(byte, to: &output) }
    } else {
      output.append(contentsOf: string)
    }
    output.append(UInt8(ascii: "\""))
  }

  private static func mustEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func append(_ byte: UInt8, to output: inout [UInt8]) {
    guard mustEscape(byte) else { return output.append(byte) }
    output.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: output.append(UInt8(ascii: "b"))
    case 0x09: output.append(UInt8(ascii: "t"))
    case 0x0A: output.append(UInt8(ascii: "n"))
    case 0x0C: output.append(UInt8(ascii: "f"))
    case 0x0D: output.append(UInt8(ascii: "r"))
    case ..<0x20: output += ("u00" + Hex.encode([byte])).utf8
    default: output.append(byte)
    }
  }

  /// Writes JSON text without the white space between its tokens.
  static func append(compact source: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    output.reserveCapacity(output.count + source.count)
    var index = 0
    while index < source.count {
      let start = index
      if source[start] == UInt8(ascii: "\"") {
        index = RawText.closingQuote(in: source, from: start) ?? source.count - 1
        output.append(contentsOf: source[start...index])
      } else if source[start] > 0x20 {
        output.append(source[start])
      }
      index += 1
    }
  }

  /// Writes canonical JSON text: RFC 8785, but numbers keep all their digits.
  static func append(canonical raw: RawData, to output: inout [UInt8]) {
    switch raw.kind {
    case .null, .missing: output += "null".utf8
    case .bool: output += (raw.bool == true ? "true" : "false").utf8
    case .number: output += canonicalNumber(raw).utf8
    case .string: append(string: (raw.string ?? "").utf8, to: &output)
    case .array:
      output.append(UInt8(ascii: "["))
      for element in raw.elements {
        separate(&output)
        append(canonical: element, to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object:
      output.append(UInt8(ascii: "{"))
      var members = Array(raw.members)
      // The library's sort is stable: of several members with one name, the last stays last.
      members.sort { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
      for (index, (key, value)) in members.enumerated() {
        if index + 1 < members.count, members[index + 1].key.equalsExactly(key) { continue }
        append(name: key, to: &output)
        append(canonical: value, to: &output)
      }
      output.append(UInt8(ascii: "}"))
    }
  }

  /// A number with all its digits, in ECMAScript's layout.
  private static func canonicalNumber(_ raw: RawData) -> String {
    let text = raw.numberText ?? "0"
    // Most numbers are short integers, which are written like this already.
    if raw.node.tag == .integer, text.utf8.count <= 18 { return text == "-0" ? "0" : text }
    return RawDigits(text).map(ecmaScript) ?? text
  }

  /// The shortest digits that read back as the double, laid out by ECMAScript's rules (RFC 8785 3.2.2.3).
  package static func ecmaScript(_ double: Double) -> String {
    // Swift produces the same shortest digits; only the layout differs.
    RawDigits("\(double)").map(ecmaScript) ?? "\(double)"
  }

  /// The digits laid out by ECMAScript's rules.
  private static func ecmaScript(_ number: RawDigits) -> String {
    if number.digits.isEmpty { return "0" }
    let all = String(decoding: number.digits, as: UTF8.self)
    let sign = number.isNegative ? "-" : ""
    let count = number.digits.count
    // The value is 0.DIGITS times ten to the power of `position`.
    if let position = (number.exponent + count).int, position > -6, position <= 21 {
      func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
      if count <= position { return sign + all + zeros(position - count) }
      if position > 0 { return sign + all.prefix(position) + "." + all.dropFirst(position) }
      return sign + "0." + zeros(-position) + all
    }
    let power = number.exponent + (count - 1)
    let mantissa = count == 1 ? all : all.prefix(1) + "." + all.dropFirst()
    return sign + mantissa + "e" + (power.isNegative ? "-" : "+") + power.magnitudeText
  }
}

extension RawData {
  /// The value as JSON in UTF-8; a missing value is `null`.
  ///
  /// - Parameter canonical: False, the default, keeps the order of members and the spelling of numbers and
  ///   strings, and only removes white space. True gives values that are equal, and no others, the same text, for
  ///   signatures and cache keys: members sorted by the UTF-16 of their names, the last of several with one name, the
  ///   fewest escapes, and numbers in the layout of RFC 8785 with all their digits, where the RFC rounds to the
  ///   nearest double (`1e400`, and numbers with more digits than JavaScript writes).
  /// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc8785>
  public func jsonBytes(canonical: Bool = false) -> [UInt8] {
    var output: [UInt8] = []
    if canonical {
      DeepStack.run(depth: document.depthLimit) { RawWriter.append(canonical: self, to: &output) }
    } else if let range = sourceRange {
      document.bytes.withUnsafeBufferPointer {
        RawWriter.append(compact: UnsafeBufferPointer(rebasing: $0[range]), to: &output)
      }
    } else {
      output += "null".utf8
    }
    return output
  }

  /// ``jsonBytes(canonical:)`` as a String.
  public func jsonText(canonical: Bool = false) -> String {
    String(decoding: jsonBytes(canonical: canonical), as: UTF8.self)
  }

  /// The range of the value's bytes in the document, including quotes and brackets; nil for a missing
  /// value.
  var sourceRange: Range<Int>? {
    guard let node = existing else { return nil }
    switch node.tag {
    case .object, .array: return node.offset..<Int(document.tape[code + 1] >> 32 & 0x7FFF_FFFF)
    case .string, .escapedString: return node.offset - 1..<node.offset + node.length + 1
    default: return node.offset..<node.offset + node.length
    }
  }
}
