/// The indexes for look-ups in the large containers of one document, each created on the first look-up.
///
/// Most objects have a dozen members, for which scanning the tape is fastest. In an object with ten
/// thousand members, or in a large array whose rows a table view reads by position, reading everything by
/// scans would take quadratic time.
struct RawIndexes {
  /// Objects with more members than this get an index, as do containers when the position of a later child is
  /// read or asked for.
  static let threshold = 40

  /// The tape indexes of the elements of arrays, and of the names of objects.
  private var byContainer: [Int: [UInt32]] = [:]
  /// The tape indexes of the names of objects, in hash tables with open addressing and linear probing; 0
  /// means empty (index 0 is the root and never a name). The number of slots is a power of two.
  private var byObject: [Int: [UInt32]] = [:]

  /// The tape index of the element at a position, which must exist.
  mutating func element(_ position: Int, of array: Int, in document: RawDocument) -> Int {
    Int(children(of: array, in: document)[position])
  }

  /// The position and the tape index of the child that contains a descendant of a container.
  mutating func child(
    with descendant: Int, of container: Int, in document: RawDocument
  ) -> (position: Int, index: Int) {
    let children = children(of: container, in: document)
    // The last child that does not begin after the descendant.
    var (low, high) = (0, children.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if children[middle] <= descendant { low = middle } else { high = middle - 1 }
    }
    return (low, Int(children[low]))
  }

  private mutating func children(of container: Int, in document: RawDocument) -> [UInt32] {
    if let children = byContainer[container] { return children }
    var children: [UInt32] = []
    children.reserveCapacity(document.count(of: container))
    let isObject = document.node(container).tag == .object
    var index = container + 2
    let end = document.end(of: container)
    while index < end {
      children.append(UInt32(index))
      index = document.next(after: isObject ? index + 1 : index)
    }
    byContainer[container] = children
    return children
  }

  /// The tape index of the value of the last member with a name.
  mutating func value(
    of key: UnsafeBufferPointer<UInt8>, in object: Int, of document: RawDocument
  ) -> Int? {
    if byObject[object] == nil { byObject[object] = Self.index(object, of: document) }
    guard let slots = byObject[object] else { return nil }
    var slot = Self.hash(key) & (slots.count - 1)
    while slots[slot] != 0 {
      let candidate = Int(slots[slot])
      if document.matches(candidate, key) { return candidate + 1 }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  private static func index(_ object: Int, of document: RawDocument) -> [UInt32] {
    let bytes = document.buffer
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

    /// Inserts the current name. A later member with the same name replaces the earlier one.
    func insert(_ key: UnsafeBufferPointer<UInt8>) {
      var slot = hash(key) & mask
      while slots[slot] != 0, !document.matches(Int(slots[slot]), key) { slot = (slot + 1) & mask }
      slots[slot] = UInt32(name)
    }
  }

  /// The hash is seeded per process, as all hashing in Swift, so a server cannot choose names that collide.
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

  func indexedChild(with descendant: Int, of container: Int) -> (position: Int, index: Int) {
    indexes.withLock { $0.child(with: descendant, of: container, in: self) }
  }

  @inline(never)
  func indexedValue(of key: UnsafeBufferPointer<UInt8>, in object: Int) -> Int? {
    // The pointer is only used in the closure of the lock, and the lock is never acquired recursively.
    nonisolated(unsafe) let key = key
    return indexes.withLock { $0.value(of: key, in: object, of: self) }
  }
}
