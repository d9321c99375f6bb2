import Foundation

/// A parsed document: the bytes as received and the tape that describes them. Shared by all its cursors.
@usableFromInline
final class RawDocument: Sendable {
  let bytes: [UInt8]
  /// The tape. It is written by the parser before the document exists, never changed, and freed only in
  /// `deinit`, so every thread that holds the document may read it.
  nonisolated(unsafe) let tape: UnsafePointer<UInt64>
  let wordCount: Int
  /// Where `bytes` begin. The storage of an array stays where it is while the array is kept and not changed, and `bytes` is
  /// never changed; whoever reads here holds the document.
  nonisolated(unsafe) let base: UnsafePointer<UInt8>
  /// Its arrays and objects are nested no deeper than this.
  let depthLimit: Int
  /// Whether it was XML: an element that stands once is read as an array of one, and one with attributes by its text.
  let isXML: Bool
  let misses = Mutex(RawMisses())
  let indexes = Mutex(RawIndexes())

  /// Takes ownership of a tape allocated by `malloc`. The bytes are at `base`.
  init(
    bytes: [UInt8], base: UnsafePointer<UInt8>, tape: UnsafeMutablePointer<UInt64>, wordCount: Int,
    depthLimit: Int, isXML: Bool = false
  ) {
    self.bytes = bytes
    self.base = base
    self.tape = UnsafePointer(tape)
    self.wordCount = wordCount
    self.depthLimit = depthLimit
    self.isXML = isXML
  }

  deinit { free(UnsafeMutablePointer(mutating: tape)) }

  /// The bytes, for as long as the document is held.
  @inline(__always)
  var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base, count: bytes.count) }

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
  func end(of container: Int) -> Int { Int(tape[container &+ 1] & 0xFFFF_FFFF) }

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

  /// The index of the value of an object's last member with a name; -1 when there is none.
  @inline(__always)
  func value(of key: String, in object: Int) -> Int {
    let found = key.utf8.withContiguousStorageIfAvailable { value(of: $0, in: object) }
    if let found { return found }
    return Array(key.utf8).withUnsafeBufferPointer { value(of: $0, in: object) }
  }

  /// The same for a name in UTF-8. Names are compared byte by byte.
  @inline(__always)
  func value(of key: UnsafeBufferPointer<UInt8>, in object: Int) -> Int {
    let count = node(object).length
    if count > RawIndexes.threshold { return indexedValue(of: key, in: object) ?? -1 }
    let (first, end) = (object + 2, end(of: object))
    let isDistinct = tape[object + 1] & RawNode.distinctNames != 0
    if end - first == count * 2 {
      return isDistinct
        ? distinctValue(of: key, from: first, to: end) : flatValue(of: key, from: first, to: end)
    }
    var (found, name) = (-1, first)
    while name < end {
      let value = name &+ 1
      if node(name).mayBeString(length: key.count), matches(name, key) {
        found = value
        if isDistinct { break }
      }
      name = node(value).isContainer ? self.end(of: value) : name &+ 2
    }
    return found
  }

  /// The same in an object without arrays and objects: each member has two words, so the last one of a name is the first
  /// from the end.
  @inline(__always)
  private func flatValue(of key: UnsafeBufferPointer<UInt8>, from first: Int, to end: Int) -> Int {
    var name = end - 2
    while name > first {
      // Two names at once: most are of another length.
      if node(name).mayBeString(length: key.count) || node(name &- 2).mayBeString(length: key.count) {
        if matches(name, key) { return name + 1 }
        if matches(name - 2, key) { return name - 1 }
      }
      name -= 4
    }
    return name == first && matches(name, key) ? name + 1 : -1
  }

  /// The same in one whose names are distinct, where the first that is found is the only one. A type asks for the
  /// members of each row in one order, so the next four after the member that this thread found last are tried first: where
  /// that was, in whichever object, is a guess only.
  @inline(__always)
  private func distinctValue(of key: UnsafeBufferPointer<UInt8>, from first: Int, to end: Int) -> Int {
    var name = first + 2 * ThreadHint.nextMember
    if name >= end { name = first }
    let last = min(name + 2 * 4, end)
    while name < last {
      if node(name).isString(length: key.count), matches(name, key) {
        ThreadHint.nextMember = (name - first) / 2 + 1
        return name + 1
      }
      name &+= 2
    }
    let value = flatValue(of: key, from: first, to: end)
    if value >= 0 { ThreadHint.nextMember = (value - first) / 2 + 1 }
    return value
  }

  /// Whether the text of the string at an index is the given UTF-8.
  @inline(__always)
  func matches(_ index: Int, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let node = node(index)
    if node.isString(length: text.count) {
      // In bounds, because the parser stored offset and length of a complete string. An empty text has no
      // base address, and nothing to compare.
      guard let text = text.baseAddress else { return true }
      return sameBytes(base + node.offset, text, count: node.length)
    }
    return node.tag == .escapedString && matchesEscaped(node, text)
  }

  /// Whether an object is known to have the names of another in their order, and both have leaves only: both have
  /// ``RawNode/distinctNames``, and one begins where the other ends. So could one within the element before, but that element
  /// has neither arrays nor objects.
  @inline(__always)
  func isRow(_ object: Int, like before: Int) -> Bool {
    object == end(of: before) && tape[object + 1] & tape[before + 1] & RawNode.distinctNames != 0
  }

  /// Whether two names are written alike, with their escapes.
  @inline(__always)
  func namesAreEqual(_ left: Int, _ right: Int) -> Bool {
    let (left, right) = (node(left), node(right))
    return left.word >> 32 == right.word >> 32
      && sameBytes(base + left.offset, base + right.offset, count: left.length)
  }

  @inline(never)
  private func matchesEscaped(_ node: RawNode, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    RawText.unescaped(buffer, node).elementsEqual(text)
  }
}

/// Compares two runs of `count` readable bytes.
@inline(__always)
package func sameBytes(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, count: Int) -> Bool {
  let (left, right) = (UnsafeRawPointer(left), UnsafeRawPointer(right))
  @inline(__always)
  func same<Word: FixedWidthInteger & BitwiseCopyable>(_ type: Word.Type, at offset: Int) -> Bool {
    left.loadUnaligned(fromByteOffset: offset, as: type)
      == right.loadUnaligned(fromByteOffset: offset, as: type)
  }
  // The last word may overlap the one before it.
  if count >= 8 {
    var offset = 0
    while offset + 8 < count {
      guard same(UInt64.self, at: offset) else { return false }
      offset += 8
    }
    return same(UInt64.self, at: count - 8)
  }
  if count >= 4 { return same(UInt32.self, at: 0) && same(UInt32.self, at: count - 4) }
  if count >= 2 { return same(UInt16.self, at: 0) && same(UInt16.self, at: count - 2) }
  return count == 0 || same(UInt8.self, at: 0)
}
