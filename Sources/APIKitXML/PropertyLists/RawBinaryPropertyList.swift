import APIKit

/// Converts a binary property list into JSON text.
///
/// The format: objects in any place, a table of their offsets, and a trailer of 32 bytes with the width of
/// offsets and references, the number of objects and the number of the top object. Objects refer to others
/// by number, so a short list can expand without bound; cycles are refused and the output is limited.
struct RawBinaryPropertyList {
  private let bytes: [UInt8]
  private let maximumDepth: Int
  private let maximumOutput: Int
  private var offsetSize = 0
  private var referenceSize = 0
  private var objectCount = 0
  private var table = 0
  /// Whether an object is being written; a reference to it would be a cycle.
  private var isOpen: [Bool] = []
  private var output: [UInt8] = []

  init(_ bytes: [UInt8], _ limits: RawData.Limits) {
    self.bytes = bytes
    maximumDepth = limits.depth
    // Lists share equal texts, so the output may be longer than the input. Growth beyond this limit is
    // treated as an attack.
    maximumOutput = min(RawData.Limits.hardMaximumBytes, max(1 << 20, bytes.count * 64))
  }

  mutating func json() throws(APIError) -> [UInt8] {
    guard bytes.count >= 40 else { throw fault(0, "the property list is too short") }
    let trailer = bytes.count - 32
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else {
      throw fault(trailer, "the trailer of the property list is damaged")
    }
    objectCount = try integer(trailer + 8, 8)
    let top = try integer(trailer + 16, 8)
    table = try integer(trailer + 24, 8)
    // The offsets are between the header and the trailer, which also limits their number.
    guard table >= 8, table <= trailer, objectCount <= (trailer - table) / offsetSize else {
      throw fault(trailer, "the trailer of the property list is damaged")
    }
    isOpen = [Bool](repeating: false, count: objectCount)
    try write(object: top, depth: 0)
    return output
  }

  private mutating func write(object: Int, depth: Int) throws(APIError) {
    guard object < objectCount else { throw fault(table, "a reference to an object that is not there") }
    guard !isOpen[object] else { throw fault(table, "an object that contains itself") }
    guard output.count <= maximumOutput else {
      throw APIError(
        .response, .bodyLimitExceeded, "the property list unfolds to more than \(maximumOutput) bytes")
    }
    let offset = try integer(table + object * offsetSize, offsetSize)
    let marker = try byte(offset)
    let low = Int(marker & 0x0F)
    switch marker >> 4 {
    case 0x0 where marker == 0x00: output += "null".utf8
    case 0x0 where marker == 0x08: output += "false".utf8
    case 0x0 where marker == 0x09: output += "true".utf8
    case 0x1: try writeInteger(offset, 1 << low)
    case 0x2: try writeReal(offset, 1 << low)
    case 0x3: try writeDate(offset)
    case 0x4:
      let content = try content(offset, low, width: 1)
      RawWriter.append(string: Base64.encode(bytes[content]).utf8, to: &output)
    case 0x5, 0x6: RawWriter.append(string: try text(offset).utf8, to: &output)
    case 0x8:
      output += "{\"CF$UID\":\(try integer(offset + 1, low + 1))}".utf8
    case 0xA, 0xC, 0xD:
      guard depth < maximumDepth else {
        throw APIError(
          .response, .bodyLimitExceeded, "byte \(offset): nested deeper than \(maximumDepth) levels")
      }
      isOpen[object] = true
      // The depth of the list is not known before.
      try DeepStack.run(depth: depth == DeepStack.shallowDepth ? maximumDepth : 0) { () throws(APIError) in
        try writeContainer(offset, low, isDictionary: marker >> 4 == 0xD, depth: depth)
      }
      isOpen[object] = false
    default: throw fault(offset, "an object of an unknown kind")
    }
  }

  private mutating func writeContainer(
    _ offset: Int, _ low: Int, isDictionary: Bool, depth: Int
  ) throws(APIError) {
    let references = try content(offset, low, width: isDictionary ? 2 * referenceSize : referenceSize)
    let count = references.count / referenceSize / (isDictionary ? 2 : 1)
    output.append(isDictionary ? UInt8(ascii: "{") : UInt8(ascii: "["))
    for position in 0..<count {
      var value = references.lowerBound + position * referenceSize
      if isDictionary {
        let key = try integer(value, referenceSize)
        guard key < objectCount else { throw fault(value, "a reference to an object that is not there") }
        RawWriter.append(name: try text(try integer(table + key * offsetSize, offsetSize)), to: &output)
        value += count * referenceSize
      } else {
        RawWriter.separate(&output)
      }
      try write(object: try integer(value, referenceSize), depth: depth + 1)
    }
    output.append(isDictionary ? UInt8(ascii: "}") : UInt8(ascii: "]"))
  }

  // MARK: Leaves

  private mutating func writeInteger(_ offset: Int, _ size: Int) throws(APIError) {
    guard size <= 16, offset + size < bytes.count else { throw fault(offset, "an integer of \(size) bytes") }
    // Up to four bytes are unsigned, eight are signed, sixteen are for values that eight cannot represent.
    let whole = bytes[(offset + 1)...(offset + size)]
    let low = whole.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let signed = Int64(bitPattern: low)
    let high = whole.dropLast(8)
    if size == 8 || size == 16 && signed < 0 && high.allSatisfy({ $0 == 0xFF }) {
      output += "\(signed)".utf8
    } else {
      guard high.allSatisfy({ $0 == 0 }) else { throw fault(offset, "an integer beyond 64 bits") }
      output += "\(low)".utf8
    }
  }

  private mutating func writeReal(_ offset: Int, _ size: Int) throws(APIError) {
    guard size == 4 || size == 8 else { throw fault(offset, "a real of \(size) bytes") }
    let bits = try bits(offset + 1, size)
    let value = size == 4 ? Double("\(Float(bitPattern: UInt32(bits)))") ?? .nan : Double(bitPattern: bits)
    output += (value.isFinite ? "\(value)" : "null").utf8
  }

  private mutating func writeDate(_ offset: Int) throws(APIError) {
    // Seconds since 2001.
    let seconds = Double(bitPattern: try bits(offset + 1, 8)) + 978_307_200
    guard seconds.isFinite, let text = ISO8601.text(secondsSince1970: seconds, milliseconds: .asNeeded) else {
      throw fault(offset, "a date that no calendar has")
    }
    RawWriter.append(string: text.utf8, to: &output)
  }

  private func text(_ offset: Int) throws(APIError) -> String {
    let marker = try byte(offset)
    switch marker >> 4 {
    case 0x5:
      let text = bytes[try content(offset, Int(marker & 0x0F), width: 1)]
      guard text.allSatisfy({ $0 < 0x80 }) else { throw fault(offset, "an ASCII string with other bytes") }
      return String(decoding: text, as: UTF8.self)
    case 0x6:
      let text = try content(offset, Int(marker & 0x0F), width: 2)
      let units = stride(from: text.lowerBound, to: text.upperBound, by: 2).map {
        UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
      }
      return String(decoding: units, as: UTF16.self)
    default: throw fault(offset, "a name that is not a string")
    }
  }

  // MARK: Bytes

  /// The range of the content of an object with a count, checked to be in bounds.
  private func content(_ offset: Int, _ low: Int, width: Int) throws(APIError) -> Range<Int> {
    var start = offset + 1
    var count = low
    if low == 0x0F {
      let marker = try byte(start)
      guard marker >> 4 == 1, marker & 0x0F <= 3 else { throw fault(start, "a count that is not an integer") }
      let size = 1 << Int(marker & 0x0F)
      count = try integer(start + 1, size)
      start += 1 + size
    }
    guard start <= bytes.count, count <= (bytes.count - start) / width else {
      throw fault(offset, "an object that is longer than the property list")
    }
    return start..<start + count * width
  }

  private func byte(_ offset: Int) throws(APIError) -> UInt8 {
    guard offset >= 0, offset < bytes.count else {
      throw fault(bytes.count, "an offset outside the property list")
    }
    return bytes[offset]
  }

  private func bits(_ offset: Int, _ size: Int) throws(APIError) -> UInt64 {
    guard offset >= 0, size <= bytes.count, offset <= bytes.count - size else {
      throw fault(bytes.count, "an offset outside the property list")
    }
    return bytes[offset..<offset + size].reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func integer(_ offset: Int, _ size: Int) throws(APIError) -> Int {
    guard let value = Int(exactly: size <= 8 ? try bits(offset, size) : .max), value <= Int(Int32.max) else {
      throw fault(offset, "a number that is too large")
    }
    return value
  }

  private func fault(_ offset: Int, _ text: String) -> APIError {
    APIError(.response, .malformedBody, "byte \(offset) of a binary property list: \(text)")
  }
}
