extension SecretMask {
  /// JSON with the values of secret names replaced, whatever their type, and those of `{"name": "password", "value": …}`.
  /// Strings that are JSON, forms or URLs themselves are masked as that. Text that is not JSON is read as far as it is.
  func json(_ bytes: [UInt8]) -> [UInt8] {
    var reader = MaskReader(bytes)
    var groups = JSONGroups(mask: self)
    while let byte = reader.next {
      switch byte {
      case UInt8(ascii: "\""):
        takeString(&reader, &groups)
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard groups.open() else {
          reader.replaceJSON(to: Self.endOfValue(bytes, reader.index), by: self)
          continue
        }
      case UInt8(ascii: "}"), UInt8(ascii: "]"): groups.close(&reader)
      case UInt8(ascii: ","): groups.endMember(reader)
      default: break
      }
      reader.take(to: reader.index + 1)
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
      return reader.replace(to: end, by: nested(string: text))
    }
    let name = Self.unescaped(text)
    let value = Self.skipSpace(bytes, colon + 1)
    if let name, Self.isLabel(name), bytes[value...].first == UInt8(ascii: "\"") {
      // A label that cannot be read may be any.
      let label = Self.unescaped(bytes[value..<Self.endOfString(bytes, value)])
      if label.map(hides) ?? true { groups.nameSecret() }
    }
    guard name.map(hides) ?? true else {
      reader.take(to: value)
      if let name, Self.isLabelled(name) { groups.beginMember(reader) }
      return
    }
    reader.take(to: end)
    reader.replace(to: value, by: ":".utf8)
    reader.replaceJSON(to: Self.endOfValue(bytes, value), by: self)
  }

  /// Whether the value of a member is the name of another member's value.
  static func isLabel(_ name: String) -> Bool { ["name", "key", "id", "field"].contains(name.lowercased()) }

  /// Whether a member has the value whose name another member says.
  static func isLabelled(_ name: String) -> Bool { ["value", "values"].contains(name.lowercased()) }

  /// A string in quotes with its content masked.
  private func nested(string: ArraySlice<UInt8>) -> [UInt8] {
    guard string.contains(where: { "=:<%\\".utf8.contains($0) }) else { return Array(string) }
    guard let text = Self.unescaped(string) else {
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

  /// The text of a string in quotes, `"pass\u0077ord"` as `password`; nil when it cannot be read. A string that was cut is
  /// read up to there, or up to its last escape.
  private static func unescaped(_ string: ArraySlice<UInt8>) -> String? {
    guard let last = string.lastIndex(of: UInt8(ascii: "\\")) else {
      let text = string.dropFirst()
      return String(decoding: text.last == UInt8(ascii: "\"") ? text.dropLast() : text, as: UTF8.self)
    }
    let isCut = RawText.closingQuote(in: string, from: string.startIndex) == nil
    let forms = isCut ? [string + "\"".utf8, string[..<last] + "\"".utf8] : [string]
    return forms.lazy.compactMap { (try? RawData(parsing: Array($0)))?.string }.first
  }

  private static func skipSpace(_ bytes: [UInt8], _ start: Int) -> Int {
    bytes[start...].firstIndex { $0 > 0x20 } ?? bytes.count
  }

  /// The index after the closing quote of a string that opens at `start`.
  private static func endOfString(_ bytes: [UInt8], _ start: Int) -> Int {
    RawText.closingQuote(in: bytes, from: start).map { $0 + 1 } ?? bytes.count
  }

  /// The index after a value: a string, a whole array or object, or everything up to a comma or a closing bracket.
  private static func endOfValue(_ bytes: [UInt8], _ start: Int) -> Int {
    var (index, depth) = (start, 0)
    while index < bytes.count {
      var next = index + 1
      switch bytes[index] {
      case UInt8(ascii: "\""):
        next = endOfString(bytes, index)
        if depth == 0 { return next }
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth < 2 { return index + depth }
        depth -= 1
      case UInt8(ascii: ",") where depth == 0: return index
      default: break
      }
      index = next
    }
    return index
  }
}

extension MaskReader {
  /// Replaces the JSON up to an index.
  fileprivate mutating func replaceJSON(to end: Int, by mask: SecretMask) {
    replace(to: end, by: mask.replacement(json: bytes[index..<max(index, end)]))
  }
}

/// The objects and arrays around an index of JSON, and the text around all of them. Of each it keeps where the members `value`
/// stand in the output, to be replaced at the end: its name may come behind it.
private struct JSONGroups {
  private struct JSONGroup {
    var isSecret = false
    var begin: (output: Int, bytes: Int)?
    var values: [(output: Range<Int>, bytes: Range<Int>)] = []
  }

  let mask: SecretMask
  private var groups = [JSONGroup()]
  private var last: JSONGroup {
    get { groups[groups.count - 1] }
    _modify { yield &groups[groups.count - 1] }
  }

  init(mask: SecretMask) { self.mask = mask }

  /// Opens an object or an array; false for one that is deeper than any document.
  mutating func open() -> Bool {
    guard groups.count <= RawData.Limits.hardMaximumDepth else { return false }
    groups.append(JSONGroup())
    return true
  }

  /// The group's member `name` has a secret name.
  mutating func nameSecret() { last.isSecret = true }

  mutating func beginMember(_ reader: MaskReader) { last.begin = (reader.output.count, reader.index) }

  mutating func endMember(_ reader: MaskReader) {
    guard let begin = last.begin else { return }
    // Space behind it was copied as it is.
    let space = reader.bytes[begin.bytes..<reader.index].reversed().prefix { $0 <= 0x20 }.count
    let end = reader.output.count - min(space, reader.output.count - begin.output)
    last.values.append((begin.output..<end, begin.bytes..<reader.index - space))
    last.begin = nil
  }

  mutating func close(_ reader: inout MaskReader) {
    endMember(reader)
    let group = groups.removeLast()
    if groups.isEmpty { groups = [JSONGroup()] }
    guard group.isSecret else { return }
    // From the last on, so that the places of the others stay right.
    for value in group.values.reversed() {
      reader.output.replaceSubrange(value.output, with: mask.replacement(json: reader.bytes[value.bytes]))
    }
  }

  /// Text that was cut has no end.
  mutating func closeAll(_ reader: inout MaskReader) { for _ in groups { close(&reader) } }
}
