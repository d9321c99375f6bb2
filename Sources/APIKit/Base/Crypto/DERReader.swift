/// Reads elements of DER one after another (X.690).
struct DERReader {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  var isAtEnd: Bool { bytes.isEmpty }

  /// The content of the next element when it has this tag; otherwise nil, and the reader stays.
  mutating func read(_ tag: UInt8) -> ArraySlice<UInt8>? {
    guard bytes.first == tag else { return nil }
    return readAny()?.content
  }

  /// The next element with its tag and length, when it has this tag.
  mutating func readWhole(_ tag: UInt8) -> ArraySlice<UInt8>? {
    let start = bytes.startIndex, before = bytes
    guard let content = read(tag) else { return nil }
    return before[start..<content.endIndex]
  }

  mutating func readAny() -> (tag: UInt8, content: ArraySlice<UInt8>)? {
    guard let tag = bytes.first, let first = bytes.dropFirst().first else { return nil }
    var rest = bytes.dropFirst(2)
    var length = Int(first)
    if first >= 0x80 {
      // No certificate has an element of 16 MiB.
      let count = Int(first & 0x7F)
      guard (1...3).contains(count), rest.count >= count else { return nil }
      length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(count)
    }
    guard rest.count >= length else { return nil }
    bytes = rest.dropFirst(length)
    return (tag, rest.prefix(length))
  }

  /// A UTCTime or GeneralizedTime in the only form that RFC 5280 (4.1.2.5) allows, as seconds since 1970.
  mutating func readTime() -> Double? {
    guard let (tag, content) = readAny(), content.last == UInt8(ascii: "Z") else { return nil }
    let digits = content.dropLast().compactMap { (48...57).contains($0) ? Int($0) - 48 : nil }
    guard digits.count == content.count - 1, digits.count == (tag == 0x17 ? 12 : 14),
      tag == 0x17 || tag == 0x18
    else { return nil }
    let pairs = stride(from: 0, to: digits.count, by: 2).map { (at: Int) -> Int in
      10 * digits[at] + digits[at + 1]
    }
    let year = tag == 0x17 ? pairs[0] + (pairs[0] < 50 ? 2000 : 1900) : pairs[0] * 100 + pairs[1]
    let rest = Array(pairs.suffix(5))
    let date = CivilDate(
      year: year, month: rest[0], day: rest[1], hour: rest[2], minute: rest[3], second: rest[4])
    return date.secondsSince1970.map { Double($0) }
  }
}
