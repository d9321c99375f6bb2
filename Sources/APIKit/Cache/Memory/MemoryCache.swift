/// Stored responses in memory, bounded in bytes and in number.
///
/// A look-up hashes one word. At a bound, expired entries are evicted first, then the least recently used.
/// The bounds hold after every store.
final class MemoryCache: Sendable {
  let maximumBytes: Int
  let maximumCount: Int
  private let state = Mutex(MemoryStore())
  private let hits = AtomicInt()
  private let misses = AtomicInt()

  init(maximumBytes: Int, maximumCount: Int) {
    self.maximumBytes = maximumBytes
    self.maximumCount = maximumCount
  }

  var statistics: CacheStatistics.Level {
    var numbers = state.withLock { $0.numbers }
    numbers.hits = hits.load()
    numbers.misses = misses.load()
    return numbers
  }

  /// The stored response for a call, of its type and version, and of the variant that its header fields
  /// select.
  func find(_ query: CacheQuery) -> CacheEntry? {
    let variants = state.withLock { state -> [CacheEntry]? in
      guard let index = state.indices[query.key] else { return nil }
      state.uses.touch(index)
      return state.slots[Int(index)].variants
    }
    // Matching may call the service for header fields, so it is done outside the lock.
    let entry = variants?.first(where: query.matches)
    if entry == nil {
      misses.add(1)
    } else {
      hits.add(1)
    }
    return entry
  }

  /// Stores a response in the place of the same variant.
  ///
  /// - Parameter now: The wall clock's time; entries that have expired by then are evicted first.
  func store(_ entry: CacheEntry, now: Double) {
    let cost = entry.memoryCost
    // Storing it would evict a quarter of the other responses; it is better read from disk.
    guard cost <= maximumBytes / 4, maximumCount > 0 else { return remove(entry.key) }
    // The evicted entries are released outside the lock.
    let dropped = state.withLock { state in
      var dropped = state.put(entry, cost: cost, upTo: maximumCount, maximumBytes / 4)
      while state.numbers.bytes > maximumBytes || state.numbers.count > maximumCount {
        guard let entries = state.evict(now: now, sparing: entry.key) else { break }
        dropped += entries
      }
      return dropped
    }
    _ = consume dropped
  }

  /// Removes all variants of a key.
  func remove(_ key: CacheKey) {
    _ = state.withLock { state in state.indices[key].map { state.remove($0) } }
  }

  /// Removes the responses of a partition.
  func remove(partition: UInt64) {
    let dropped = state.withLock { state in
      let keys = state.indices.filter {
        state.slots[Int($0.value)].variants.contains { $0.partition == partition }
      }
      return keys.values.flatMap { state.remove($0) }
    }
    _ = consume dropped
  }

  /// Makes the responses with one of the tags stale.
  func expire(tags: Set<String>) {
    state.withLock { state in
      for tag in tags {
        for key in state.byTag[tag] ?? [] { state.expire(key) { !$0.tags.isDisjoint(with: tags) } }
      }
    }
  }

  /// Makes the responses from a URL stale. It scans every slot: unsafe requests are few, and an index would
  /// cost time at every store.
  func expire(url: UInt64) {
    state.withLock { state in
      for slot in state.slots where slot.variants.contains(where: { $0.url == url }) {
        state.expire(slot.key) { $0.url == url }
      }
    }
  }

  /// Removes everything.
  func removeAll() {
    let dropped = state.withLock { state in
      let old = state.slots
      let numbers = state.numbers
      state = MemoryStore()
      state.numbers = numbers
      state.numbers.count = 0
      state.numbers.bytes = 0
      return old
    }
    _ = consume dropped
  }
}

/// The criteria of one look-up.
struct CacheQuery {
  let key: CacheKey
  let type: String
  let version: Int
  /// The request's header fields; read only for responses that depend on some.
  let headers: () -> HTTPHeaders

  func matches(_ entry: CacheEntry) -> Bool {
    entry.version == version && entry.type == type
      && (entry.vary.fields.isEmpty || entry.vary.matches(headers()))
  }
}
