import Foundation

/// A parsed document: the bytes as received and the tape that describes them. Shared by all its cursors.
@usableFromInline
final class RawDocument: Sendable {
  let bytes: [UInt8]
  /// The tape. It is written by the parser before the document exists, never changed, and freed only in
  /// `deinit`, so every thread that holds the document may read it.
  nonisolated(unsafe) let tape: UnsafePointer<UInt64>
  let wordCount: Int
  /// Its arrays and objects are nested no deeper than this.
  let depthLimit: Int
  /// Whether it was XML: an element that stands once is read as an array of one, and one with attributes by its text.
  let isXML: Bool
  let misses = Mutex(RawMisses())
  let indexes = Mutex(RawIndexes())

  /// Takes ownership of a tape allocated by `malloc`.
  init(
    bytes: [UInt8], tape: UnsafeMutablePointer<UInt64>, wordCount: Int, depthLimit: Int, isXML: Bool = false
  ) {
    self.bytes = bytes
    self.tape = UnsafePointer(tape)
    self.wordCount = wordCount
    self.depthLimit = depthLimit
    self.isXML = isXML
  }

  deinit { free(UnsafeMutablePointer(mutating: tape)) }

  /// The size of the tape in bytes.
  var memory: Int { wordCount * MemoryLayout<UInt64>.stride }
}

// MARK: Walking

extension RawDocument {
  /// The node at a tape index. Every index is the root 0 or comes from the functions below, which stay
  /// inside the skip link of their container, so it is in bounds.
  @inline(__always)
  func node(_ index: Int) -> RawNode { RawNode(word: tape[index]) }

  /// The index after a value and all its descendants.
  @inline(__always)
  func next(after index: Int) -> Int {
    node(index).isContainer ? end(of: index) : index + 1
  }

  /// The index after the last descendant of a container.
  @inline(__always)
  func end(of container: Int) -> Int { Int(tape[container + 1] & 0xFFFF_FFFF) }

  /// The number of children of a container.
  func count(of container: Int) -> Int {
    let node = node(container)
    if node.length < RawNode.lengthLimit { return node.length }
    var count = 0
    var index = container + 2
    let end = end(of: container)
    while index < end {
      index = next(after: node.tag == .object ? index + 1 : index)
      count += 1
    }
    return count
  }

  /// The index of an array's element; nil when there is none.
  func element(_ position: Int, of array: Int) -> Int? {
    guard position >= 0, position < count(of: array) else { return nil }
    var index = array + 2
    // Elements without descendants have one word each, so an array without containers need not be walked.
    if end(of: array) - index == count(of: array) { return index + position }
    if position > RawIndexes.threshold { return indexedElement(position, of: array) }
    for _ in 0..<position { index = next(after: index) }
    return index
  }

  /// The index of the value of an object's last member with a name; nil when there is none.
  @inline(__always)
  func value(of key: String, in object: Int) -> Int? {
    let found = key.utf8.withContiguousStorageIfAvailable { value(of: $0, in: object) }
    if let found { return found }
    return Array(key.utf8).withUnsafeBufferPointer { value(of: $0, in: object) }
  }

  /// The same for a name in UTF-8. Names are compared byte by byte.
  func value(of key: UnsafeBufferPointer<UInt8>, in object: Int) -> Int? {
    if node(object).length > RawIndexes.threshold { return indexedValue(of: key, in: object) }
    return bytes.withUnsafeBufferPointer { bytes in
      var found: Int?
      var index = object + 2
      let end = end(of: object)
      while index < end {
        if matches(index, key, in: bytes) { found = index + 1 }
        index = next(after: index + 1)
      }
      return found
    }
  }

  /// Whether the text of the string at an index is the given UTF-8.
  @inline(__always)
  func matches(
    _ index: Int, _ text: UnsafeBufferPointer<UInt8>, in bytes: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    let node = node(index)
    if node.tag == .string {
      guard node.length == text.count else { return false }
      // In bounds, because the parser stored offset and length of a complete string. An empty text has no
      // base address, and nothing to compare.
      guard let text = text.baseAddress, let bytes = bytes.baseAddress else { return true }
      return sameBytes(bytes + node.offset, text, count: node.length)
    }
    return node.tag == .escapedString && RawText.unescaped(bytes, node).elementsEqual(text)
  }
}

/// Compares two runs of `count` readable bytes.
@inline(__always)
func sameBytes(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, count: Int) -> Bool {
  let left = UnsafeRawPointer(left)
  let right = UnsafeRawPointer(right)
  guard count >= 8 else {
    for offset in 0..<count
    where left.load(fromByteOffset: offset, as: UInt8.self)
      != right.load(fromByteOffset: offset, as: UInt8.self)
    { return false }
    return true
  }
  var offset = 0
  while offset + 8 < count {
    if left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      != right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    {
      return false
    }
    offset += 8
  }
  // The last eight bytes, which may overlap the previous ones.
  return left.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    == right.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
}
