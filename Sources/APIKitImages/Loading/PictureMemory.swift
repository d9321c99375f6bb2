import APIKit

/// Decoded images in memory, bounded in bytes; the least recently used go first. Every operation takes constant time for
/// each picture that it finds, keeps or drops.
struct PictureMemory<Key: Hashable, Picture> {
  private struct Slot {
    let key: Key
    var picture: Picture
    var cost: Int
  }

  /// The most bytes of all pictures together. The bound holds after every operation.
  let maximumBytes: Int
  /// The bytes of all pictures together.
  private(set) var bytes = 0

  private var slots: [Slot?] = []
  private var free: [Int32] = []
  private var indices: [Key: Int32] = [:]
  private var uses = RecencyList()

  init(maximumBytes: Int) { self.maximumBytes = max(maximumBytes, 0) }

  /// How many pictures are kept.
  var count: Int { indices.count }

  /// A picture, which is then the one used last; nil where it is not kept.
  mutating func find(_ key: Key) -> Picture? {
    guard let index = indices[key] else { return nil }
    uses.touch(index)
    return slots[Int(index)]?.picture
  }

  /// Keeps a picture in the place of the one with its key. One that is larger than the bound is not kept.
  mutating func keep(_ picture: Picture, bytes cost: Int, for key: Key) {
    if let index = indices[key] { drop(index) }
    guard cost <= maximumBytes else { return }
    while bytes > maximumBytes - cost, let oldest = uses.oldest { drop(oldest) }
    let slot = Slot(key: key, picture: picture, cost: cost)
    let index: Int32
    if let reused = free.popLast() {
      index = reused
      slots[Int(reused)] = slot
    } else {
      index = Int32(slots.count)
      slots.append(slot)
    }
    indices[key] = index
    uses.insert(index)
    bytes += cost
  }

  /// Drops all pictures.
  mutating func removeAll() { self = Self(maximumBytes: maximumBytes) }

  private mutating func drop(_ index: Int32) {
    guard let slot = slots[Int(index)] else { return }
    indices[slot.key] = nil
    slots[Int(index)] = nil
    uses.remove(index)
    free.append(index)
    bytes -= slot.cost
  }
}
