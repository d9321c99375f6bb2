/// Appends values in the form that ``ByteReader`` reads. Inlinable, because the rows of a queue are written in another module.
///
/// Its room is filled with zeros ahead of what is written, so that a value is stored in place: appending each to an array
/// takes twice as long.
@usableFromInline package struct ByteWriter: Sendable {
  @usableFromInline var room: [UInt8] = []
  /// How many bytes have been written.
  @usableFromInline package var count = 0

  @inlinable package init(reserving count: Int) { room = [UInt8](repeating: 0, count: count) }

  /// What has been written. A copy; ``finish()`` makes none.
  @inlinable package var bytes: ArraySlice<UInt8> { room[..<count] }

  /// What has been written, as the last thing that is asked of the writer.
  @inlinable package consuming func finish() -> [UInt8] {
    room.removeLast(room.count - count)
    return room
  }

  @inlinable package mutating func append(_ number: UInt64) {
    write(8) { $0.storeBytes(of: number.littleEndian, as: UInt64.self) }
  }

  @inlinable package mutating func append(_ number: Double) { append(number.bitPattern) }

  /// One byte, such as the number of a case.
  @inlinable package mutating func append(byte: UInt8) { write(1) { $0[0] = byte } }

  @inlinable package mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append(counted: UnsafeRawBufferPointer($0)) }
  }

  @inlinable package mutating func append(_ text: String?) {
    append(UInt64(text == nil ? 0 : 1))
    if let text { append(text) }
  }

  /// Bytes behind their count.
  @inlinable package mutating func append(_ more: [UInt8]) {
    more.withUnsafeBytes { append(counted: $0) }
  }

  /// Bytes without their count.
  @inlinable package mutating func append(contentsOf more: [UInt8]) {
    write(more.count) { $0.copyBytes(from: more) }
  }

  mutating func append(_ texts: [String]) {
    append(UInt64(texts.count))
    for text in texts { append(text) }
  }

  /// Writes a number over what stands at a place.
  @inlinable package mutating func replace(at place: Int, with number: UInt64) {
    precondition(place >= 0 && place + 8 <= count)
    room.withUnsafeMutableBytes {
      $0.storeBytes(of: number.littleEndian, toByteOffset: place, as: UInt64.self)
    }
  }

  @inlinable mutating func append(counted more: UnsafeRawBufferPointer) {
    write(8 + more.count) {
      $0.storeBytes(of: UInt64(more.count).littleEndian, as: UInt64.self)
      UnsafeMutableRawBufferPointer(rebasing: $0[8...]).copyMemory(from: more)
    }
  }

  /// Makes room for so many further bytes, and has them written.
  @inlinable @inline(__always) mutating func write(
    _ length: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    if length > room.count - count { grow(by: length) }
    let start = count
    room.withUnsafeMutableBytes {
      body(UnsafeMutableRawBufferPointer(rebasing: $0[start..<start + length]))
    }
    count += length
  }

  /// Makes room for so many further bytes, and at least doubles it.
  @usableFromInline package mutating func grow(by length: Int) {
    room += repeatElement(0, count: max(length, room.count))
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
