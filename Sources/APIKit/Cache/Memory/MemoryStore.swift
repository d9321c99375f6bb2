/// The bookkeeping of ``MemoryCache``: the index of each response, the order of use and the times of
/// expiry.
///
/// Slots with their order of use, and an index by key. Not locked itself.
struct MemoryStore {
  struct Slot {
    var key: CacheKey
    /// The variants that `Vary` tells apart, latest first; usually one. Empty where the slot is free.
    var variants: [CacheEntry] = []
    var cost = 0
    /// Raised with each change of the slot, so that outdated items of the expiry queue can be recognised.
    var generation: UInt32 = 0
  }

  var slots: [Slot] = []
  var free: [Int32] = []
  var indices: [CacheKey: Int32] = [:]
  var byTag: [String: Set<CacheKey>] = [:]
  var uses = RecencyList()
  var expiries = ExpiryQueue()
  var numbers = CacheStatistics.Level()
}

extension MemoryStore {
  /// The most variants that are kept of one key.
  private static var maximumVariants: Int { 8 }

  /// Stores a response; of its other variants no more stay than these bounds allow. Returns what it replaces.
  mutating func put(
    _ entry: CacheEntry, cost: Int, upTo maximumCount: Int, _ maximumBytes: Int
  ) -> [CacheEntry] {
    numbers.stores += 1
    let index = indices[entry.key] ?? addSlot(for: entry.key)
    let slot = slots[Int(index)]
    forget(slot.variants, of: entry.key)
    var (kept, dropped): ([CacheEntry], [CacheEntry]) = ([entry], [])
    let most = min(Self.maximumVariants, maximumCount)
    var total = cost
    for other in slot.variants {
      let otherCost = other.memoryCost
      let isReplaced = other.vary == entry.vary || kept.count >= most || total + otherCost > maximumBytes
      if isReplaced || other.type != entry.type || other.version != entry.version {
        dropped.append(other)
      } else {
        kept.append(other)
        total += otherCost
      }
    }
    numbers.bytes += total - slot.cost
    numbers.count += kept.count - slot.variants.count
    slots[Int(index)].variants = kept
    slots[Int(index)].cost = total
    uses.touch(index)
    for variant in kept { note(variant) }
    noteChange(of: index)
    return dropped
  }

  /// Evicts the slot that expired first, otherwise the least recently used one; nil when there is no other
  /// slot.
  mutating func evict(now: Double, sparing key: CacheKey) -> [CacheEntry]? {
    while let first = expiries.first, first.expiry <= now {
      expiries.pop()
      let slot = slots[Int(first.index)]
      guard slot.generation == first.generation, !slot.variants.isEmpty, slot.key != key else { continue }
      numbers.evictions += slot.variants.count
      return remove(first.index)
    }
    guard let oldest = uses.oldest, slots[Int(oldest)].key != key else { return nil }
    numbers.evictions += slots[Int(oldest)].variants.count
    return remove(oldest)
  }

  @discardableResult
  mutating func remove(_ index: Int32) -> [CacheEntry] {
    let slot = slots[Int(index)]
    forget(slot.variants, of: slot.key)
    uses.remove(index)
    indices[slot.key] = nil
    numbers.bytes -= slot.cost
    numbers.count -= slot.variants.count
    slots[Int(index)].variants = []
    slots[Int(index)].cost = 0
    slots[Int(index)].generation &+= 1
    free.append(index)
    return slot.variants
  }

  mutating func expire(_ key: CacheKey, where fits: (CacheEntry) -> Bool) {
    guard let index = indices[key] else { return }
    slots[Int(index)].variants = slots[Int(index)].variants.map {
      fits($0) && !$0.isExpired ? $0.expired() : $0
    }
    noteChange(of: index)
  }

  // MARK: Books

  private mutating func addSlot(for key: CacheKey) -> Int32 {
    let index = free.popLast() ?? Int32(slots.count)
    if index < slots.count { slots[Int(index)].key = key } else { slots.append(Slot(key: key)) }
    indices[key] = index
    uses.insert(index)
    return index
  }

  /// A slot has other variants, or they have expired.
  private mutating func noteChange(of index: Int32) {
    slots[Int(index)].generation &+= 1
    let slot = slots[Int(index)]
    expiries.push(
      slot.variants.lazy.map { $0.expiry }.max() ?? 0, index: index, generation: slot.generation)
    guard expiries.count > 64 + 2 * slots.count else { return }
    expiries.keep {
      slots[Int($0.index)].generation == $0.generation && !slots[Int($0.index)].variants.isEmpty
    }
  }

  private mutating func note(_ entry: CacheEntry) {
    for tag in entry.tags { byTag[tag, default: []].insert(entry.key) }
  }

  private mutating func forget(_ entries: [CacheEntry], of key: CacheKey) {
    for entry in entries {
      for tag in entry.tags {
        byTag[tag]?.remove(key)
        if byTag[tag]?.isEmpty == true { byTag[tag] = nil }
      }
    }
  }
}
