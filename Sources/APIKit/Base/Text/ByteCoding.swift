/// Appends values in the form that ``ByteReader`` reads. Inlinable, because the rows of a queue are written in another module.
@usableFromInline package struct ByteWriter: Sendable {
  @usableFromInline package var bytes: [UInt8] = []

  @inlinable package init(reserving count: Int) { bytes.reserveCapacity(count) }

  @inlinable package mutating func append(_ number: UInt64) { bytes.append(littleEndian: number) }

  @inlinable package mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

  @inlinable package mutating func append(_ number: Double) { append(number.bitPattern) }

  @inlinable package mutating func append(_ text: String) {
    append(UInt64(text.utf8.count))
    // The view itself is appended byte by byte where the text is a short one.
    var text = text
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  @inlinable package mutating func append(_ text: String?) {
    append(UInt64(text == nil ? 0 : 1))
    if let text { append(text) }
  }

  /// Bytes behind their count.
  @inlinable package mutating func append(_ more: [UInt8]) {
    append(UInt64(more.count))
    bytes += more
  }

  mutating func append(_ texts: [String]) {
    append(UInt64(texts.count))
    for text in texts { append(text) }
  }
}

extension [UInt8] {
  /// Appends the eight bytes of a number, the lowest first.
  @inlinable package mutating func append(littleEndian number: UInt64) {
    // As bytes of memory they would be copied one by one.
    withUnsafePointer(to: number.littleEndian) {
      $0.withMemoryRebound(to: UInt8.self, capacity: 8) {
        append(contentsOf: UnsafeBufferPointer(start: $0, count: 8))
      }
    }
  }
}

/// Reads values one after the other; a read past the end returns nil.
package struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private var index = 0

  /// - Parameter bytes: Must stay valid while the reader is used.
  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  package var isAtEnd: Bool { index == bytes.count }

  package mutating func take(_ count: Int) -> [UInt8]? {
    guard count >= 0, count <= bytes.count - index else { return nil }
    defer { index += count }
    return Array(bytes[index..<(index + count)])
  }

  /// Bytes behind their count.
  package mutating func countedBytes() -> [UInt8]? {
    guard let count = number() else { return nil }
    return take(Int(clamping: count))
  }

  package mutating func number() -> UInt64? {
    guard bytes.count - index >= 8 else { return nil }
    defer { index += 8 }
    return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  package mutating func double() -> Double? { number().map(Double.init(bitPattern:)) }

  package mutating func text() -> String? {
    guard let count = number(), count <= UInt64(bytes.count - index) else { return nil }
    defer { index += Int(count) }
    return String(wellFormed: bytes[index..<(index + Int(count))], as: UTF8.self)
  }

  /// A text that may be absent; nil when the bytes end too early.
  package mutating func optionalText() -> (text: String?, Void)? {
    guard let isThere = number() else { return nil }
    guard isThere == 1 else { return (nil, ()) }
    return text().map { ($0, ()) }
  }

  mutating func texts() -> [String]? { list { $0.text() } }

  mutating func pairs() -> [(String, String?)]? {
    list { reader in
      guard let name = reader.text(), let value = reader.optionalText() else { return nil }
      return (name, value.text)
    }
  }

  /// Elements behind their count. Each takes at least so many bytes, so a damaged count cannot ask for more than fit.
  package mutating func list<Element>(
    ofAtLeast least: Int = 8, _ read: (inout ByteReader) -> Element?
  ) -> [Element]? {
    guard let count = number(), count <= UInt64((bytes.count - index) / least) else { return nil }
    var elements: [Element] = []
    for _ in 0..<count {
      guard let element = read(&self) else { return nil }
      elements.append(element)
    }
    return elements
  }
}
