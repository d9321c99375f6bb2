/// The writer's pending work in order, and its effect on look-ups until it is written.
///
/// A look-up checks the backlog first: a stored response can be read, and a removal takes effect, before it
/// is written.
struct DiskBacklog {
  /// One piece of work for the writer.
  enum Work {
    case store(CacheEntry)
    case remove(CacheKey)
    case removePartition(UInt64)
    case removeAll
    case expireTags(Set<String>)
    case expireURL(UInt64)
    /// Adds this process's counts to those in the database.
    case keepCounts
    /// Removes a damaged row; with its id and checksum, what is wrong, and the kind of fault.
    case dropRow(Int64, checksum: UInt64, String, CacheFault.Kind)

    /// Whether look-ups would return wrong responses without it.
    var isRemoval: Bool {
      switch self {
      case .remove, .removePartition, .removeAll, .expireTags, .expireURL: true
      case .store, .keepCounts, .dropRow: false
      }
    }
  }

  /// The result of a look-up in the backlog.
  enum Word {
    /// This response is about to be written.
    case entry(CacheEntry)
    /// No response of the key may be found.
    case gone
    /// The database decides; ``Changes`` apply to what it returns.
    case ask
  }

  private(set) var work: [Work] = []
  /// The time of the last use, by row.
  private(set) var uses: [Int64: Double] = [:]
  /// The bytes of the bodies that wait.
  private(set) var bytes = 0
  private var entries: [CacheKey: [CacheEntry]] = [:]
  private var removed: Set<CacheKey> = []
  private(set) var changes = Changes()

  /// Removals and expiries that concern more than single keys.
  struct Changes {
    fileprivate(set) var isCleared = false
    fileprivate(set) var partitions: Set<UInt64> = []
    fileprivate var tags: Set<String> = []
    fileprivate var urls: Set<UInt64> = []

    /// A response from the database as it will be when the changes are written; nil when it will be
    /// removed.
    func applied(to entry: CacheEntry) -> CacheEntry? {
      if isCleared || partitions.contains(entry.partition) { return nil }
      guard urls.contains(entry.url) || !tags.isDisjoint(with: entry.tags) else { return entry }
      return entry.expired()
    }
  }

  var isEmpty: Bool { work.isEmpty && uses.isEmpty }
  /// Whether the writer should start. Up to 4096 times of use wait for other work, as writing many of them
  /// changes few more database pages than writing some.
  var isPressing: Bool { !work.isEmpty || uses.count >= 4096 }

  /// Records that a row was used.
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

  /// What concerns look-ups of a key.
  func part(of key: CacheKey) -> DiskBacklog {
    var part = DiskBacklog()
    part.entries[key] = entries[key]
    if removed.contains(key) { part.removed = [key] }
    part.changes = changes
    return part
  }

  /// What this backlog and the one before it, which is being written, say about a look-up.
  func word(on query: CacheQuery, after older: DiskBacklog) -> Word {
    let newest = word(on: query)
    guard case .ask = newest else { return newest }
    let before = older.word(on: query)
    guard case .entry(let entry) = before else { return before }
    // As it will be when this backlog is written.
    guard !removed.contains(entry.key), let judged = changes.applied(to: entry) else { return .gone }
    return .entry(judged)
  }

  /// What the backlog says about a look-up, before the database is read.
  private func word(on query: CacheQuery) -> Word {
    if let entry = entries[query.key]?.first(where: query.matches) { return .entry(entry) }
    return changes.isCleared || removed.contains(query.key) ? .gone : .ask
  }

  /// The part of an unwritten backlog that is tried again: its removals, and the removal of what its
  /// responses were to replace, each once. More than 4096 pieces become the removal of everything.
  ///
  /// - Parameter isStored: Whether there is a response of a key; there is nothing to remove otherwise.
  func removals<Fault>(where isStored: (CacheKey) throws(Fault) -> Bool) throws(Fault) -> DiskBacklog {
    var kept = DiskBacklog()
    for piece in work {
      var removal = piece
      if case .store(let entry) = piece { removal = .remove(entry.key) }
      if case .remove(let key) = removal, try !isStored(key) { continue }
      if removal.isRemoval, !kept.covers(removal) { kept.add(removal) }
    }
    guard kept.work.count > Self.maximumRemovals else { return kept }
    var all = DiskBacklog()
    all.add(.removeAll)
    return all
  }

  private static let maximumRemovals = 4096

  /// Whether such a removal is among the work.
  private func covers(_ removal: Work) -> Bool {
    switch removal {
    case .remove(let key): changes.isCleared || removed.contains(key)
    case .removePartition(let partition): changes.isCleared || changes.partitions.contains(partition)
    case .removeAll: changes.isCleared
    case .expireTags(let tags): changes.isCleared || changes.tags.isSuperset(of: tags)
    case .expireURL(let url): changes.isCleared || changes.urls.contains(url)
    case .store, .keepCounts, .dropRow: false
    }
  }

  private mutating func expire(where fits: (CacheEntry) -> Bool) {
    for (key, variants) in entries { entries[key] = variants.map { fits($0) ? $0.expired() : $0 } }
  }

  private mutating func drop(where fits: (CacheEntry) -> Bool) {
    for (key, variants) in entries { entries[key] = variants.filter { !fits($0) } }
  }
}
