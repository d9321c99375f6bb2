extension SecretMask {
  /// JSON with the values of secret names replaced, whatever their type, and those of `{"name": "password", "value": …}`.
  /// Strings that are JSON, forms or URLs themselves are masked as that. Text that is no JSON is read as far as it is.
  func json(_ bytes: [UInt8]) -> [UInt8] {
    var reader = MaskReader(bytes)
    var groups = JSONGroups(mask: self)
    while let byte = reader.next {
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        reader.take(to: reader.index + 1)
        groups.open()
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        groups.close(&reader)
        reader.take(to: reader.index + 1)
      case UInt8(ascii: ","):
        groups.endMember(reader)
        reader.take(to: reader.index + 1)
      case UInt8(ascii: "\""): takeString(&reader, &groups)
      default: reader.take(to: reader.index + 1)
      }
    }
    groups.closeAll(&reader)
    return reader.output
  }

  /// Copies a string; of a name the value is replaced where it is secret.
  private func takeString(_ reader: inout MaskReader, _ groups: inout JSONGroups) {
    let bytes = reader.bytes
    let end = Self.endOfString(bytes, reader.index)
    let text = bytes[reader.index..<end]
    let colon = Self.skipSpace(bytes, end)
    guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else {
      reader.output += nested(string: text, isCut: end == bytes.count)
      return reader.skip(to: end)
    }
    reader.take(to: end)
    let value = Self.skipSpace(bytes, colon + 1)
    let name = Self.unescaped(text)
    if let name, Self.isLabel(name), value < bytes.count, bytes[value] == UInt8(ascii: "\"") {
      // One that cannot be read may be any.
      let end = Self.endOfString(bytes, value)
      let label = Self.unescaped(bytes[value..<end], isCut: end == bytes.count)
      if label.map(hides) ?? true { groups.nameSecret() }
    }
    guard name.map(hides) ?? true else {
      reader.take(to: value)
      if let name, Self.isLabelled(name) { groups.beginMember(reader) }
      return
    }
    let valueEnd = Self.endOfValue(bytes, value)
    reader.output.append(UInt8(ascii: ":"))
    reader.output += replacement(json: bytes[value..<max(value, valueEnd)])
    reader.skip(to: valueEnd)
  }

  /// Whether the value of a member is the name of another member's value.
  static func isLabel(_ name: String) -> Bool { ["name", "key", "id", "field"].contains(name.lowercased()) }

  /// Whether a member has the value whose name another member says.
  static func isLabelled(_ name: String) -> Bool { ["value", "values"].contains(name.lowercased()) }

  /// A string in quotes, what is in it masked.
  private func nested(string: ArraySlice<UInt8>, isCut: Bool) -> [UInt8] {
    guard string.contains(where: { "=:<".utf8.contains($0) || $0 == UInt8(ascii: "\\") }) else {
      return Array(string)
    }
    guard let text = Self.unescaped(string, isCut: isCut) else {
      // Not valid, and perhaps no JSON at all. A reader may take each escape for what follows the backslash.
      let text = String(decoding: string.filter { $0 != UInt8(ascii: "\\") }.dropFirst(), as: UTF8.self)
      return nested(text) == text ? Array(string) : replacement(json: string)
    }
    let masked = nested(text)
    guard masked != text else { return Array(string) }
    var output: [UInt8] = []
    RawWriter.append(string: masked.utf8, to: &output)
    return output
  }

  /// The text of a string in quotes, `"pass\u0077ord"` as `password`; nil when it cannot be read. One that was cut is read
  /// as far as it is there.
  private static func unescaped(_ string: ArraySlice<UInt8>, isCut: Bool = false) -> String? {
    let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
    guard let last = string.lastIndex(of: backslash) else {
      let text = string.dropFirst()
      return String(decoding: text.last == quote ? text.dropLast() : text, as: UTF8.self)
    }
    // It may end within an escape.
    let forms = isCut ? [Array(string), string + [quote], string[..<last] + [quote]] : [Array(string)]
    for bytes in forms { if let text = (try? RawData(parsing: bytes))?.string { return text } }
    return nil
  }

  private static func skipSpace(_ bytes: [UInt8], _ start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
    return index
  }

  /// The index after the closing quote of a string that opens at `start`.
  private static func endOfString(_ bytes: [UInt8], _ start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, bytes.count)
  }

  /// The index after a value: a string, a whole array or object, or everything up to a comma or a closing
  /// bracket.
  private static func endOfValue(_ bytes: [UInt8], _ start: Int) -> Int {
    var index = start
    var depth = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index = endOfString(bytes, index)
        if depth == 0 { return index }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return index }
        depth -= 1
        if depth == 0 { return index + 1 }
      case UInt8(ascii: ",") where depth == 0: return index
      default: break
      }
      index += 1
    }
    return index
  }
}

/// The objects and arrays around a place of JSON. Of each it keeps where the member `value` stands in the output, to be
/// replaced at the end: its name may come behind it.
private struct JSONGroups {
  private struct Group {
    var isSecret = false
    var begin: (output: Int, bytes: Int)?
    var value: (output: Range<Int>, bytes: Range<Int>)?
  }

  let mask: SecretMask
  private var groups: [Group] = []
  /// Those deeper than any document; they are counted alone.
  private var deeper = 0
  private static let mostDepth = 1024

  init(mask: SecretMask) { self.mask = mask }

  mutating func open() {
    if groups.count < Self.mostDepth { groups.append(Group()) } else { deeper += 1 }
  }

  /// The group's member `name` has a secret name.
  mutating func nameSecret() { change { $0.isSecret = true } }

  mutating func beginMember(_ reader: MaskReader) {
    change { $0.begin = (reader.output.count, reader.index) }
  }

  mutating func endMember(_ reader: MaskReader) {
    change { group in
      guard let begin = group.begin else { return }
      // Space behind it was copied as it is.
      let space = reader.bytes[begin.bytes..<reader.index].reversed().prefix { $0 <= 0x20 }.count
      let end = reader.output.count - min(space, reader.output.count - begin.output)
      group.value = (begin.output..<end, begin.bytes..<reader.index - space)
      group.begin = nil
    }
  }

  mutating func close(_ reader: inout MaskReader) {
    endMember(reader)
    guard deeper == 0 else { return deeper -= 1 }
    guard let group = groups.popLast(), group.isSecret, let value = group.value else { return }
    reader.output.replaceSubrange(value.output, with: mask.replacement(json: reader.bytes[value.bytes]))
  }

  /// Text that was cut has no end.
  mutating func closeAll(_ reader: inout MaskReader) {
    deeper = 0
    while !groups.isEmpty { close(&reader) }
  }

  private mutating func change(_ change: (inout Group) -> Void) {
    guard deeper == 0, !groups.isEmpty else { return }
    change(&groups[groups.count - 1])
  }
}
