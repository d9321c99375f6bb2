import Dispatch

/// Stored responses on disk: an SQLite database, and files for large bodies.
///
/// A look-up reads on the caller's thread, over a connection of its own. All writing is done on one queue,
/// many responses in one transaction. A failure of the disk is a miss and a fault, never an error of a
/// load. Several processes may use one folder.
final class DiskCache: Sendable {
  struct WriterState {
    /// Work that has not been started.
    var next = DiskBacklog()
    /// The batch that is being written.
    var current = DiskBacklog()
    var isScheduled = false
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// The latest wall clock that a look-up has read; ages are not trusted after it went back.
    var clock: Double = 0
    var isDisabled = false
    /// Whether files of a removal are left, although the mark of it may be missing.
    var isUnerased = false

    /// Whether the caller must start the writer. Reading it marks the writer as started.
    var mustSchedule: Bool {
      mutating get {
        guard next.isPressing, !isScheduled else { return false }
        isScheduled = true
        return true
      }
    }
  }

  struct Connection {
    let owner: SQLiteOwner<DiskStore>
    let isWriter: Bool
    /// The value of ``remakes`` when it was opened.
    var age = 0
    /// Not opened before this time of the steady clock, since that has failed.
    var closedUntil = Duration.zero
    /// The faults to report when the lock is left.
    var faults: [CacheFault] = []

    init(_ configuration: DiskCacheConfiguration, isWriter: Bool) {
      // A look-up waits for another process's lock only for a moment.
      owner = SQLiteOwner(
        path: configuration.folder + "/responses.sqlite", .cache, patience: isWriter ? 5000 : 250,
        isPrecious: false, maximumPages: configuration.maximumPages)
      self.isWriter = isWriter
    }

    mutating func close() {
      owner.close()
      closedUntil = .zero
    }

    mutating func report(_ detail: String, _ kind: CacheFault.Kind = .unusable) {
      faults.append(CacheFault(kind: kind, detail: detail))
    }
  }

  let configuration: DiskCacheConfiguration
  let key: StorageKey?
  let bodies: BodyFiles
  let time: any TimeSource
  let report: @Sendable (CacheFault) -> Void
  /// Identifies this process in records, because each process has its own steady clock.
  let process = UInt64.random(in: .min ... .max)
  let state = Mutex(WriterState())
  /// The marks of removals that other processes have left; nil where that cannot be read.
  let leftMarks: [ErasureMark]?
  /// How often this process has made the database anew, and the lock for doing so: two connections that
  /// find the same damage must not empty it twice.
  let remakes = Mutex(0)
  let reader: Mutex<Connection>
  let writer: Mutex<Connection>
  let queue = DispatchQueue(label: "APIKit.DiskCache", qos: .utility)

  /// This process's counts.
  let counts = Mutex(DiskCounts())
  /// The part of these counts that is in the database; changed only by the writer.
  let keptCounts = Mutex(DiskCounts())

  init(
    _ configuration: DiskCacheConfiguration, time: any TimeSource,
    report: @escaping @Sendable (CacheFault) -> Void
  ) {
    self.configuration = configuration
    self.time = time
    self.report = report
    leftMarks = try? Self.marks(in: configuration.folder)
    key = configuration.storageKey.flatMap { StorageKey($0.bytes) }
    bodies = BodyFiles(folder: configuration.folder + "/bodies")
    reader = Mutex(Connection(configuration, isWriter: false))
    writer = Mutex(Connection(configuration, isWriter: true))
    if let key = configuration.storageKey, self.key == nil {
      report(
        CacheFault(
          kind: .unusable,
          detail:
            "the encryption key has \(key.bytes.count) bytes and not 32: sensitive responses stay in memory"))
    }
    // The removals that an earlier process could not write; no look-up may find those responses.
    if leftMarks?.isEmpty != true { enqueue(.removeAll) }
    queue.async { [weak self] in self?.sweep() }
  }

  // MARK: Reading

  /// The stored response for a call, with its body but not parsed.
  func find(_ query: CacheQuery) -> CacheEntry? {
    let now = time.wallClock
    // Copied before the database is read: the writer may finish and clear them in between. And looked at without the lock,
    // since the service may be asked for header fields.
    let (current, next, isSetBack, isDisabled) = state.withLock { state in
      let isSetBack = now < state.clock - 1
      state.clock = max(state.clock, now)
      return (state.current.part(of: query.key), state.next.part(of: query.key), isSetBack, state.isDisabled)
    }
    var found: CacheEntry?
    switch next.word(on: query, after: current) {
    case .entry(let entry): found = entry
    case .gone: break
    case .ask:
      if !isDisabled { found = read(query, [current.changes, next.changes], isSetBack: isSetBack, now: now) }
    }
    counts.withLock { if found == nil { $0.misses += 1 } else { $0.hits += 1 } }
    return found
  }

  private func read(
    _ query: CacheQuery, _ changes: [DiskBacklog.Changes], isSetBack: Bool, now: Double
  ) -> CacheEntry? {
    let rows = use(reader) { connection in
      try? withStore(over: &connection) { (store) throws(SQLiteFailure) in try store.rows(of: query.key) }
    }
    for row in rows ?? [] {
      guard let entry = entry(of: row, key: query.key), query.matches(entry) else { continue }
      enqueue(use: row.id, at: now)
      let judged = changes.reduce(Optional(entry)) { entry, changes in
        entry.flatMap { changes.applied(to: $0) }
      }
      // After the clock was set back, the ages of other processes' responses are unknown.
      return isSetBack && entry.arrival.steady == nil ? judged?.expired() : judged
    }
    return nil
  }

  /// The response of a row, with its body; nil when it is damaged, and then the row is removed.
  private func entry(of row: DiskStore.Row, key: CacheKey) -> CacheEntry? {
    var found = row.record
    if row.isSealed, !row.sealed.isEmpty {
      guard let plain = opened(row.sealed, in: CacheRecord.envelope, of: row, at: key) else { return nil }
      found = plain.withUnsafeBytes { CacheRecord($0, process: process, isExpired: row.isExpired) }
    }
    guard let record = found, record.entry.key == key else {
      drop(row, "the record of a response is damaged")
      return nil
    }
    guard let checksum = record.bodyChecksum else { return record.entry }
    guard let name = row.file,
      let file = bodies.read(
        name, count: record.bodyCount + (row.isSealed ? Envelope.sealedOverhead : Envelope.headLength))
    else {
      drop(row, "the file of a body of \(record.bodyCount) bytes is missing or truncated")
      return nil
    }
    let body: [UInt8]
    if row.isSealed {
      guard let plain = opened(file, in: CacheRecord.bodyEnvelope, of: row, at: key) else { return nil }
      body = plain
    } else {
      body = file.withUnsafeBytes { (try? CacheRecord.bodyEnvelope.unwrap($0)).map { Array($0) } } ?? []
    }
    guard Checksum.of(body) == checksum else {
      drop(row, "the file of a body of \(record.bodyCount) bytes is damaged")
      return nil
    }
    return record.entry.with { $0.http.body = .bytes(body) }
  }

  /// The content of a sealed part of a row; nil when it does not open, and then the row is removed.
  private func opened(
    _ sealed: [UInt8], in envelope: Envelope, of row: DiskStore.Row, at place: CacheKey
  ) -> [UInt8]? {
    guard let key else {
      drop(row, "a response is sealed, and there is no key", kind: .undecipherable)
      return nil
    }
    do throws(Envelope.Fault) {
      return try envelope.open(sealed, under: key, at: place.bytes)
    } catch {
      drop(row, "a sealed response \(error)", kind: .undecipherable)
      return nil
    }
  }

  private func drop(_ row: DiskStore.Row, _ detail: String, kind: CacheFault.Kind = .damagedEntry) {
    enqueue(.dropRow(row.id, checksum: row.checksum, detail, kind))
  }

  /// This process's counts and those of all processes. It reads the database.
  var statistics: (own: CacheStatistics.Level, overall: CacheStatistics.Level) {
    let totals = use(reader) { connection in
      try? withStore(over: &connection) { (store) throws(SQLiteFailure) in try store.totals() }
    }
    var overall = totals ?? CacheStatistics.Level()
    let counts = counts.withLock { $0 }
    let pending = counts - keptCounts.withLock { $0 }
    var own = overall
    (own.hits, own.misses, own.stores, own.evictions) =
      (counts.hits, counts.misses, counts.stores, counts.evictions)
    overall.hits += pending.hits
    overall.misses += pending.misses
    overall.stores += pending.stores
    overall.evictions += pending.evictions
    return (own, overall)
  }
}

/// The counts of the level on disk.
struct DiskCounts: Hashable {
  var hits = 0
  var misses = 0
  var stores = 0
  var evictions = 0

  static func - (left: Self, right: Self) -> Self {
    DiskCounts(
      hits: left.hits - right.hits, misses: left.misses - right.misses, stores: left.stores - right.stores,
      evictions: left.evictions - right.evictions)
  }
}
