import APIKit

/// Reads structured fields by the algorithms of RFC 9651, 4.2.
struct StructuredFieldReader {
  typealias Value = StructuredFields.Value
  typealias FieldItem = StructuredFields.FieldItem
  typealias Parameter = StructuredFields.Parameter
  typealias Member = StructuredFields.Member
  typealias DictionaryMember = StructuredFields.DictionaryMember

  private let bytes: [UInt8]
  private var index = 0
  /// Whether a key may stand twice in a dictionary or among parameters; the last one then counts.
  private let allowsRepeatedKeys: Bool

  init(_ text: String, allowsRepeatedKeys: Bool = true) {
    bytes = Array(text.utf8)
    self.allowsRepeatedKeys = allowsRepeatedKeys
  }

  // MARK: Fields

  mutating func list() -> [Member]? {
    var members: [Member] = []
    return isRead {
      $0.members { reader in
        guard let member = reader.member() else { return false }
        members.append(member)
        return true
      }
    } ? members : nil
  }

  mutating func dictionary() -> [DictionaryMember]? {
    var entries: [DictionaryMember] = []
    var places: [String: Int] = [:]
    let isRead = isRead {
      $0.members { reader in
        guard let key = reader.key() else { return false }
        var member: Member?
        if reader.take("=") {
          member = reader.member()
        } else if let parameters = reader.parameters() {
          member = .item(FieldItem(value: .bool(true), parameters: parameters))
        }
        guard let member else { return false }
        if let place = places[key] {
          guard reader.allowsRepeatedKeys else { return false }
          entries[place].member = member
        } else {
          places[key] = entries.count
          entries.append(DictionaryMember(key: key, member: member))
        }
        return true
      }
    }
    return isRead ? entries : nil
  }

  mutating func singleItem() -> FieldItem? {
    var item: FieldItem?
    return isRead {
      item = $0.item()
      return item != nil
    } ? item : nil
  }

  /// Reads the whole text, with spaces at its ends.
  private mutating func isRead(_ body: (inout Self) -> Bool) -> Bool {
    skipSpaces()
    guard body(&self) else { return false }
    skipSpaces()
    return index == bytes.count
  }

  /// Members separated by commas; no comma at the end.
  private mutating func members(_ one: (inout Self) -> Bool) -> Bool {
    while index < bytes.count {
      guard one(&self) else { return false }
      skipWhiteSpace()
      if index == bytes.count { return true }
      guard take(",") else { return false }
      skipWhiteSpace()
      guard index < bytes.count else { return false }
    }
    return true
  }

  // MARK: Members

  private mutating func member() -> Member? {
    guard take("(") else { return item().map(Member.item) }
    var items: [FieldItem] = []
    while index < bytes.count {
      skipSpaces()
      if take(")") { return parameters().map { .innerList(items, $0) } }
      guard let item = item() else { return nil }
      items.append(item)
      guard current == UInt8(ascii: " ") || current == UInt8(ascii: ")") else { return nil }
    }
    return nil
  }

  private mutating func item() -> FieldItem? {
    guard let value = value(), let parameters = parameters() else { return nil }
    return FieldItem(value: value, parameters: parameters)
  }

  private mutating func parameters() -> [Parameter]? {
    var parameters: [Parameter] = []
    var places: [String: Int] = [:]
    while take(";") {
      skipSpaces()
      guard let key = key() else { return nil }
      var value: Value? = .bool(true)
      if take("=") { value = self.value() }
      guard let value else { return nil }
      if let place = places[key] {
        guard allowsRepeatedKeys else { return nil }
        parameters[place].value = value
      } else {
        places[key] = parameters.count
        parameters.append(Parameter(key, value))
      }
    }
    return parameters
  }

  private mutating func key() -> String? {
    guard let first = current, StructuredFieldWriter.keyStart.contains(first) else { return nil }
    return run(of: StructuredFieldWriter.keyCharacters)
  }

  // MARK: Values

  private mutating func value() -> Value? {
    guard let first = current else { return nil }
    switch first {
    case UInt8(ascii: "\""): return string().map { .string($0) }
    case UInt8(ascii: ":"): return base64().map { .bytes($0) }
    case UInt8(ascii: "?"): return bool()
    case UInt8(ascii: "@"): return date()
    case UInt8(ascii: "%"): return display().map { .display($0) }
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
    case _ where StructuredFieldWriter.tokenStart.contains(first):
      return .token(run(of: StructuredFieldWriter.tokenCharacters))
    default: return nil
    }
  }

  private mutating func number() -> Value? {
    let isNegative = take("-")
    var number = 0
    var digits = 0
    var fraction: Int?
    while let byte = current {
      if (0x30...0x39).contains(byte) {
        number = number * 10 + Int(byte - 0x30)
        digits += 1
        if fraction != nil { fraction? += 1 }
      } else if byte == UInt8(ascii: "."), fraction == nil {
        guard (1...12).contains(digits) else { return nil }
        fraction = 0
      } else {
        break
      }
      index += 1
      guard digits <= 15 else { return nil }
    }
    let sign = isNegative ? -1 : 1
    guard let fraction else { return digits > 0 ? .integer(sign * number) : nil }
    switch fraction {
    case 1: return .decimal(thousandths: sign * number * 100)
    case 2: return .decimal(thousandths: sign * number * 10)
    case 3: return .decimal(thousandths: sign * number)
    default: return nil
    }
  }

  private mutating func string() -> String? {
    index += 1
    var text: [UInt8] = []
    while let byte = current {
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let next = current, next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") else { return nil }
        index += 1
        text.append(next)
      case 0x20...0x7E: text.append(byte)
      default: return nil
      }
    }
    return nil
  }

  private mutating func base64() -> [UInt8]? {
    index += 1
    guard let end = bytes[index...].firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let text = bytes[index..<end]
    // RFC 9651, 4.2.7: missing padding and unused bits are accepted; the alphabet of URLs is not.
    guard !text.contains(UInt8(ascii: "-")), !text.contains(UInt8(ascii: "_")),
      let decoded = text.withUnsafeBufferPointer({ Base64.decode(lenient: $0, allowsUnusedBits: true) })
    else { return nil }
    index = end + 1
    return decoded
  }

  private mutating func bool() -> Value? {
    index += 1
    if take("1") { return .bool(true) }
    return take("0") ? .bool(false) : nil
  }

  private mutating func date() -> Value? {
    index += 1
    guard case .integer(let seconds)? = number() else { return nil }
    return .date(seconds)
  }

  private mutating func display() -> String? {
    index += 1
    guard take("\"") else { return nil }
    var text: [UInt8] = []
    while let byte = current {
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return String(wellFormed: text, as: UTF8.self)
      case UInt8(ascii: "%"):
        guard index + 1 < bytes.count, let high = Self.lowerHex(bytes[index]),
          let low = Self.lowerHex(bytes[index + 1])
        else { return nil }
        text.append(high << 4 | low)
        index += 2
      case 0x20...0x7E: text.append(byte)
      default: return nil
      }
    }
    return nil
  }

  private static func lowerHex(_ byte: UInt8) -> UInt8? {
    (0x41...0x46).contains(byte) ? nil : Hex.value(of: byte)
  }

  // MARK: Bytes

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func run(of set: ASCIISet) -> String {
    let start = index
    while let byte = current, set.contains(byte) { index += 1 }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func skipSpaces() { while take(" ") {} }

  private mutating func skipWhiteSpace() { while take(" ") || take("\t") {} }
}
