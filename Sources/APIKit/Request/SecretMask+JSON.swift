extension SecretMask {
  /// JSON with the values of secret names replaced, whatever their type. Text that is no JSON is read as far as it is.
  func json(_ bytes: [UInt8]) -> [UInt8] {
    var reader = MaskReader(bytes)
    while let byte = reader.next {
      guard byte == UInt8(ascii: "\"") else {
        reader.take(to: reader.index + 1)
        continue
      }
      let end = Self.endOfString(bytes, reader.index)
      let text = bytes[reader.index..<end]
      reader.take(to: end)
      let colon = Self.skipSpace(bytes, end)
      guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":"), isSecret(name: text) else {
        continue
      }
      let value = Self.skipSpace(bytes, colon + 1)
      let valueEnd = Self.endOfValue(bytes, value)
      reader.output.append(UInt8(ascii: ":"))
      reader.output += replacement(json: bytes[value..<max(value, valueEnd)])
      reader.skip(to: valueEnd)
    }
    return reader.output
  }

  /// Whether a name in quotes is secret, `"pass\u0077ord"` as `password`. One that cannot be read may be any.
  private func isSecret(name: ArraySlice<UInt8>) -> Bool {
    guard name.contains(UInt8(ascii: "\\")) else {
      return hides(String(decoding: name.dropFirst().dropLast(), as: UTF8.self))
    }
    guard let text = (try? RawData(parsing: Array(name)))?.string else { return true }
    return hides(text)
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
