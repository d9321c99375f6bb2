/// What the disk is still to be told: the work in order, and what it means for look-ups meanwhile.
///
/// A look-up asks the backlog first, so an answer can be read, and a removal counts, before it is written.
struct DiskBacklog {
  /// One piece of work of the writer.
  enum Work {
    case store(CacheEntry)
    case remove(CacheKey)
    case removePartition(UInt64)
    case removeAll
    case expireTags(Set<String>)
    case expireURL(UInt64)
    /// What this process has counted is to stand in the database.
    case keepCounts
    /// A damaged row, with what is wrong.
    case dropRow(Int64, String, CacheFault.Kind)

    /// Whether look-ups would be wrong without it.
    var isRemoval: Bool {
      switch self {
      case .remove, .removePartition, .removeAll, .expireTags, .expireURL: true
      case .store, .keepCounts, .dropRow: false
      }
    }
  }

  /// What a look-up learns.
  enum Word {
    /// This answer is about to be written.
    case entry(CacheEntry)
    /// Nothing of the key is to be found.
    case gone
    /// Ask the database, and pass over what these say is stale.
    case ask
  }

  private(set) var work: [Work] = []
  /// When which row was used last.
  private(set) var uses: [Int64: Double] = [:]
  /// Bytes of the answers that wait.
  private(set) var bytes = 0
  private var entries: [CacheKey: [CacheEntry]] = [:]
  private var removed: Set<CacheKey> = []
  private(set) var changes = Changes()

  /// What is to be removed and made stale beside single keys.
  struct Changes {
    fileprivate var isCleared = false
    fileprivate var partitions: Set<UInt64> = []
    fileprivate var tags: Set<String> = []
    fileprivate var urls: Set<UInt64> = []

    /// An answer from the database as it will be when these are written; nil when it will be gone.
    func applied(to entry: CacheEntry) -> CacheEntry? {
      if isCleared || partitions.contains(entry.partition) { return nil }
      guard urls.contains(entry.url) || !tags.isDisjoint(with: entry.tags) else { return entry }
      return entry.expired()
    }
  }

  var isEmpty: Bool { work.isEmpty && uses.isEmpty }
  /// Whether there is more than notes of use, which can wait for other work: many of them dirty no more of the
  /// database's pages than some.
  var isPressing: Bool { !work.isEmpty || uses.count >= 4096 }

  /// Notes that a row was used.
  mutating func note(use row: Int64, at moment: Double) { uses[row] = moment }

  mutating func add(_ piece: Work) {
    work.append(piece)
    switch piece {
    case .store(let entry):
      bytes += entry.http.bytes.count
      entries[entry.key, default: []].removeAll { $0.vary == entry.vary }
      entries[entry.key, default: []].insert(entry, at: 0)
    case .remove(let key):
      entries[key] = nil
      removed.insert(key)
    case .removePartition(let partition):
      drop { $0.partition == partition }
      changes.partitions.insert(partition)
    case .removeAll:
      entries = [:]
      changes.isCleared = true
    case .expireTags(let tags):
      changes.tags.formUnion(tags)
      expire { !$0.tags.isDisjoint(with: tags) }
    case .expireURL(let url):
      changes.urls.insert(url)
      expire { $0.url == url }
    case .keepCounts, .dropRow: break
    }
  }

  /// What is known of a look-up before the database is asked.
  func word(on query: CacheQuery) -> Word {
    if let entry = entries[query.key]?.first(where: query.matches) { return .entry(entry) }
    return changes.isCleared || removed.contains(query.key) ? .gone : .ask
  }

  /// An answer that an earlier backlog has, as it will be when this one is written; nil when it will be gone.
  func judged(_ entry: CacheEntry) -> CacheEntry? {
    removed.contains(entry.key) ? nil : changes.applied(to: entry)
  }

  /// What is left of a backlog that could not be written, to be tried again: its removals, and that what its
  /// answers were to replace is outdated. More than a few thousand count as the removal of everything.
  func removals() -> DiskBacklog {
    var kept = DiskBacklog()
    guard work.count <= Self.maximumRemovals else {
      kept.add(.removeAll)
      return kept
    }
    for piece in work {
      if case .store(let entry) = piece {
        kept.add(.remove(entry.key))
      } else if piece.isRemoval {
        kept.add(piece)
      }
    }
    return kept
  }

  private static let maximumRemovals = 4096

  private mutating func expire(where fits: (CacheEntry) -> Bool) {
    for (key, variants) in entries { entries[key] = variants.map { fits($0) ? $0.expired() : $0 } }
  }

  private mutating func drop(where fits: (CacheEntry) -> Bool) {
    for (key, variants) in entries { entries[key] = variants.filter { !fits($0) } }
  }
}
