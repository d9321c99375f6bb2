/// A binary heap of indices by the time they expire, earliest first. Outdated entries stay until they are
/// popped or filtered; the caller recognises them by their generation.
struct ExpiryQueue {
  struct Expiry {
    var expiry: Double
    var index: Int32
    var generation: UInt32
  }

  private var items: [Expiry] = []

  var count: Int { items.count }
  var first: Expiry? { items.first }

  mutating func push(_ expiry: Double, index: Int32, generation: UInt32) {
    items.append(Expiry(expiry: expiry, index: index, generation: generation))
    var child = items.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard items[child].expiry < items[parent].expiry else { break }
      items.swapAt(child, parent)
      child = parent
    }
  }

  mutating func pop() {
    guard let last = items.popLast(), !items.isEmpty else { return }
    items[0] = last
    sink(0)
  }

  /// Removes the items that do not fit.
  mutating func keep(_ fits: (Expiry) -> Bool) {
    items.removeAll { !fits($0) }
    for parent in stride(from: items.count / 2 - 1, through: 0, by: -1) { sink(parent) }
  }

  private mutating func sink(_ start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < items.count && items[child].expiry < items[least].expiry { least = child }
      guard least != parent else { return }
      items.swapAt(parent, least)
      parent = least
    }
  }
}
