/// The bookkeeping of ``MemoryCache``: the place of each response, the order of use and the times of
/// expiry.
///
/// Slots linked in order of use, with an index by key. Not locked itself.
struct MemoryBooks {
  struct Slot {
    var key: CacheKey
    /// The variants that `Vary` tells apart, latest first; usually one.
    var variants: [CacheEntry]
    var cost: Int
    var newer: Int32
    var older: Int32
    /// Raised with each change of the slot, so that outdated items of the expiry queue can be recognised.
    var generation: UInt32
  }

  var slots: [Slot] = []
  var free: [Int32] = []
  var places: [CacheKey: Int32] = [:]
  var byTag: [String: Set<CacheKey>] = [:]
  var newest: Int32 = -1
  var oldest: Int32 = -1
  var expiries = ExpiryQueue()
  var numbers = CacheStatistics.Level()
}

extension MemoryBooks {
  /// The most variants that are kept of one key.
  private static var maximumVariants: Int { 8 }

  mutating func touch(_ place: Int32) {
    guard newest != place else { return }
    unlink(place)
    link(place)
  }

  mutating func put(_ entry: CacheEntry, cost: Int) -> [CacheEntry] {
    numbers.stores += 1
    var dropped: [CacheEntry] = []
    let place: Int32
    if let old = places[entry.key] {
      place = old
      var slot = slots[Int(old)]
      forget(slot.variants, of: entry.key)
      var kept: [CacheEntry] = []
      for other in slot.variants {
        let isReplaced = other.vary == entry.vary || kept.count + 1 >= Self.maximumVariants
        if isReplaced || other.type != entry.type || other.version != entry.version {
          dropped.append(other)
        } else {
          kept.append(other)
        }
      }
      numbers.bytes -= slot.cost
      numbers.count -= slot.variants.count
      slot.variants = [entry] + kept
      slot.cost = cost + kept.reduce(0) { $0 + $1.memoryCost }
      slot.generation &+= 1
      slots[Int(old)] = slot
      touch(place)
    } else {
      let slot = Slot(
        key: entry.key, variants: [entry], cost: cost, newer: -1, older: -1, generation: 0)
      if let reused = free.popLast() {
        place = reused
        let generation = slots[Int(reused)].generation &+ 1
        slots[Int(reused)] = slot
        slots[Int(reused)].generation = generation
      } else {
        place = Int32(slots.count)
        slots.append(slot)
      }
      places[entry.key] = place
      link(place)
    }
    let slot = slots[Int(place)]
    numbers.bytes += slot.cost
    numbers.count += slot.variants.count
    for variant in slot.variants { note(variant) }
    expiries.push(slot.variants.map(\.expiry).max() ?? 0, place: place, generation: slot.generation)
    compactExpiries()
    return dropped
  }

  /// Evicts the slot that expired first, otherwise the least recently used one; nil when there is no other
  /// slot.
  mutating func evict(now: Double, sparing key: CacheKey) -> [CacheEntry]? {
    while let first = expiries.first, first.expiry <= now {
      expiries.pop()
      let slot = slots[Int(first.place)]
      guard slot.generation == first.generation, !slot.variants.isEmpty, slot.key != key else { continue }
      numbers.evictions += slot.variants.count
      return remove(first.place)
    }
    guard oldest >= 0, slots[Int(oldest)].key != key else { return nil }
    numbers.evictions += slots[Int(oldest)].variants.count
    return remove(oldest)
  }

  @discardableResult
  mutating func remove(_ place: Int32) -> [CacheEntry] {
    let slot = slots[Int(place)]
    forget(slot.variants, of: slot.key)
    unlink(place)
    places[slot.key] = nil
    numbers.bytes -= slot.cost
    numbers.count -= slot.variants.count
    slots[Int(place)].variants = []
    slots[Int(place)].generation &+= 1
    free.append(place)
    return slot.variants
  }

  mutating func expire(_ key: CacheKey, where fits: (CacheEntry) -> Bool) {
    guard let place = places[key] else { return }
    slots[Int(place)].variants = slots[Int(place)].variants.map {
      fits($0) && !$0.isExpired ? $0.expired() : $0
    }
    slots[Int(place)].generation &+= 1
    let slot = slots[Int(place)]
    expiries.push(
      slot.variants.map(\.expiry).max() ?? 0, place: place, generation: slot.generation)
    compactExpiries()
  }

  // MARK: Books

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

  private mutating func compactExpiries() {
    guard expiries.count > 64 + 2 * slots.count else { return }
    expiries.keep {
      slots[Int($0.place)].generation == $0.generation && !slots[Int($0.place)].variants.isEmpty
    }
  }

  private mutating func link(_ place: Int32) {
    slots[Int(place)].newer = -1
    slots[Int(place)].older = newest
    if newest >= 0 { slots[Int(newest)].newer = place }
    newest = place
    if oldest < 0 { oldest = place }
  }

  private mutating func unlink(_ place: Int32) {
    let (newer, older) = (slots[Int(place)].newer, slots[Int(place)].older)
    if newer >= 0 { slots[Int(newer)].older = older } else { newest = older }
    if older >= 0 { slots[Int(older)].newer = newer } else { oldest = newer }
  }
}
