import Synchronization

/// What makes look-ups in the large containers of one document fast; each is made at the first one.
///
/// Most objects have a dozen members and a scan of the tape is the fastest look-up there is; an object of
/// ten thousand members, or a table view that asks a large array for its rows by position, would make the
/// reading of all quadratic.
struct RawIndexes {
  /// Objects with more members than this get an index, and so do arrays at a position beyond it.
  static let threshold = 40

  /// The tape indexes of the elements of arrays.
  private var byArray: [Int: [UInt32]] = [:]
  /// The tape indexes of the names of objects, by open addressing with linear probing; 0 means empty (index 0 is
  /// the root and never a name). The number of slots is a power of two.
  private var byObject: [Int: [UInt32]] = [:]

  /// The tape index of the element at a position that the array has.
  mutating func element(_ position: Int, of array: Int, in document: RawDocument) -> Int {
    if let elements = byArray[array] { return Int(elements[position]) }
    var elements: [UInt32] = []
    elements.reserveCapacity(document.count(of: array))
    var index = array + 2
    let end = document.end(of: array)
    while index < end {
      elements.append(UInt32(index))
      index = document.next(after: index)
    }
    byArray[array] = elements
    return Int(elements[position])
  }

  /// The tape index of the value of the last member of a name.
  mutating func value(
    of key: UnsafeBufferPointer<UInt8>, in object: Int, of document: RawDocument,
    bytes: UnsafeBufferPointer<UInt8>
  ) -> Int? {
    if byObject[object] == nil { byObject[object] = Self.index(object, of: document, bytes: bytes) }
    guard let slots = byObject[object] else { return nil }
    var slot = Self.hash(key) & (slots.count - 1)
    while slots[slot] != 0 {
      let candidate = Int(slots[slot])
      if document.matches(candidate, key, bytes) { return candidate + 1 }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  private static func index(
    _ object: Int, of document: RawDocument, bytes: UnsafeBufferPointer<UInt8>
  ) -> [UInt32] {
    var capacity = 64
    while capacity < document.count(of: object) * 2 { capacity *= 2 }
    var slots = [UInt32](repeating: 0, count: capacity)
    let mask = capacity - 1
    var name = object + 2
    let end = document.end(of: object)
    while name < end {
      let node = document.node(name)
      if node.tag == .string {
        insert(node.text(in: bytes))
      } else {
        RawText.unescaped(bytes, node).withUnsafeBufferPointer { insert($0) }
      }
      name = document.next(after: name + 1)
    }
    return slots

    /// Puts the current name in; a later member of the same name takes the earlier one's slot.
    func insert(_ key: UnsafeBufferPointer<UInt8>) {
      var slot = hash(key) & mask
      while slots[slot] != 0, !document.matches(Int(slots[slot]), key, bytes) { slot = (slot + 1) & mask }
      slots[slot] = UInt32(name)
    }
  }

  /// Seeded by the process (as all of Swift's hashing), so that a server cannot choose names that collide.
  private static func hash(_ key: UnsafeBufferPointer<UInt8>) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(key))
    return hasher.finalize()
  }
}

extension RawDocument {
  @inline(never)
  func indexedElement(_ position: Int, of array: Int) -> Int {
    indexes.withLock { $0.element(position, of: array, in: self) }
  }

  @inline(never)
  func indexedValue(of key: UnsafeBufferPointer<UInt8>, in object: Int) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      // The pointers are used inside the lock's body only; the lock is never taken twice.
      nonisolated(unsafe) let key = key
      nonisolated(unsafe) let bytes = bytes
      return indexes.withLock { $0.value(of: key, in: object, of: self, bytes: bytes) }
    }
  }
}
