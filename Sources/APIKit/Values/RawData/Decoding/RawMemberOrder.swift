/// Where the members of an object are, for a type that reads one object after another.
///
/// The rows of a list have the same names in the same order, and a type asks for them in the same order. So the names of
/// an object are compared once with those of the object before, and then each key costs one comparison: with the key that
/// followed the last one there. What is not as it was before is searched, and remembered for the next object.
///
/// An order belongs to one session of a decoder, and to one type of coding keys.
struct RawMemberOrder {
  /// A key that was asked for, and the position of its member.
  private struct Ask {
    static var none: Int { -1 }
    static var unknown: Int { -2 }
    let name: String
    var position: Int
  }

  /// The type of the coding keys.
  let keys: ObjectIdentifier
  /// The tape index of the object; -1 for none.
  private var object = -1
  private var count = 0
  /// The tape indexes of the object's values, by position, counted from that of the object.
  private let values: UnsafeMutablePointer<UInt32>
  private let asks: UnsafeMutablePointer<Ask>
  private var askCount = 0
  /// The ask that is expected next.
  private var next = 0

  init(keys: ObjectIdentifier) {
    self.keys = keys
    values = .allocate(capacity: RawIndexes.threshold)
    asks = .allocate(capacity: RawIndexes.threshold)
  }

  /// Frees the memory. The order must not be used afterwards.
  func free() {
    values.deallocate()
    asks.deinitialize(count: askCount)
    asks.deallocate()
  }

  /// Makes an object of at most `RawIndexes.threshold` members the one whose members are looked up.
  mutating func move(to object: Int, in document: RawDocument) {
    next = 0
    guard object != self.object else { return }
    if self.object >= 0, document.isRow(object, like: self.object) { return self.object = object }
    let count = document.node(object).length
    let isComparable = self.object >= 0 && count == self.count
    var name = object + 2
    var position = 0
    while position < count {
      // The value of the same member in the object before, whose name stands in front of it.
      if isComparable, !document.namesAreEqual(name, value(position) - 1) { break }
      values[position] = UInt32(truncatingIfNeeded: name + 1 - object)
      name = document.next(after: name + 1)
      position += 1
    }
    (self.object, self.count) = (object, count)
    guard !isComparable || position < count else { return }
    while position < count {
      values[position] = UInt32(truncatingIfNeeded: name + 1 - object)
      name = document.next(after: name + 1)
      position += 1
    }
    for index in 0..<askCount { asks[index].position = Ask.unknown }
  }

  /// The tape index of the value of the object's member at a position.
  @inline(__always)
  private func value(_ position: Int) -> Int { object + Int(values[position]) }

  /// The tape index of the value of a key that is asked for in the same order as before; -1 when the object has none, nil
  /// when that is not known.
  @inline(__always)
  mutating func value(of name: String, in object: Int) -> Int? {
    guard object == self.object, next < askCount, Self.areIdentical(name, asks[next].name) else { return nil }
    let position = asks[next].position
    guard position != Ask.unknown else { return nil }
    next += 1
    return position == Ask.none ? -1 : value(position)
  }

  /// The same for a key that is asked for in any order; `search` is asked for one that is not known.
  mutating func value(of name: String, search: (String) -> Int) -> Int {
    var ask = 0
    while ask < askCount, !Self.areIdentical(name, asks[ask].name) { ask += 1 }
    next = ask + 1
    if ask < askCount, asks[ask].position != Ask.unknown {
      return asks[ask].position == Ask.none ? -1 : value(asks[ask].position)
    }
    let index = search(name)
    var position = Ask.none
    if index >= 0 {
      position = 0
      while position < count - 1, value(position) != index { position += 1 }
    }
    if ask < askCount {
      asks[ask].position = position
    } else if askCount < RawIndexes.threshold {
      (asks + askCount).initialize(to: Ask(name: name, position: position))
      askCount += 1
    }
    return index
  }

  /// Whether two texts are the same words in memory, as those of a coding key are each time. One that is kept does not
  /// change, so these have the same bytes; others may have them too.
  @inline(__always)
  private static func areIdentical(_ left: String, _ right: String) -> Bool {
    withUnsafeBytes(of: left) { left in
      withUnsafeBytes(of: right) { right in
        // The second word overlaps the first where a string is smaller than two.
        let second = MemoryLayout<String>.size - 8
        return left.loadUnaligned(as: UInt64.self) == right.loadUnaligned(as: UInt64.self)
          && left.loadUnaligned(fromByteOffset: second, as: UInt64.self)
            == right.loadUnaligned(fromByteOffset: second, as: UInt64.self)
      }
    }
  }
}
