import Dispatch
import Synchronization

/// Stored answers on disk: an SQLite database, and files for large bodies.
///
/// Look-ups read on the caller's thread, over a connection of their own; everything else is written by one
/// queue, many answers in one transaction. Whatever goes wrong with the disk is a miss and a fault, never an
/// error of a load. Several processes may use one folder.
final class DiskCache: Sendable {
  private struct State {
    /// What has not been begun to be written.
    var next = DiskBacklog()
    /// What is being written.
    var current = DiskBacklog()
    var isScheduled = false
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// The latest wall clock a look-up has seen; one that goes back is not trusted with ages.
    var clock: Double = 0
    var isDisabled = false

    func word(on query: CacheQuery) -> DiskBacklog.Word {
      let newest = next.word(on: query)
      guard case .ask = newest else { return newest }
      let older = current.word(on: query)
      guard case .entry(let entry) = older else { return older }
      return next.judged(entry).map { .entry($0) } ?? .gone
    }
  }

  private enum Connection {
    case closed
    case open(DiskStore)
    /// Not tried again before this time of the steady clock.
    case failed(until: Duration)
  }

  let place: CacheDisk
  private let cipher: CacheCipher?
  private let bodies: BodyFiles
  private let time: any TimeSource
  private let report: @Sendable (CacheFault) -> Void
  /// Tells the steady clock of this process from others'.
  private let process = UInt64.random(in: .min ... .max)
  private let state = Mutex(State())
  private let reader = Mutex(Connection.closed)
  private let writer = Mutex(Connection.closed)
  private let queue = DispatchQueue(label: "APIKit.DiskCache", qos: .utility)

  private let hits = Atomic<Int>(0)
  private let misses = Atomic<Int>(0)
  private let stores = Atomic<Int>(0)
  private let evictions = Atomic<Int>(0)

  init(_ place: CacheDisk, time: any TimeSource, report: @escaping @Sendable (CacheFault) -> Void) {
    self.place = place
    self.time = time
    self.report = report
    cipher = place.encryptionKey.flatMap(CacheCipher.init)
    bodies = BodyFiles(folder: place.folder + "/bodies")
    queue.async { [weak self] in self?.sweep() }
  }

  // MARK: Reading

  /// The answer for a call, with its body but not parsed.
  func find(_ query: CacheQuery) -> CacheEntry? {
    let now = time.wallClock
    let (word, isSetBack, isDisabled) = state.withLock { state in
      let isSetBack = now < state.clock - 1
      state.clock = max(state.clock, now)
      return (state.word(on: query), isSetBack, state.isDisabled)
    }
    var found: CacheEntry?
    switch word {
    case .entry(let entry): found = entry
    case .gone: break
    case .ask: if !isDisabled { found = read(query, isSetBack: isSetBack, now: now) }
    }
    if found == nil {
      misses.add(1, ordering: .relaxed)
    } else {
      hits.add(1, ordering: .relaxed)
    }
    return found
  }

  private func read(_ query: CacheQuery, isSetBack: Bool, now: Double) -> CacheEntry? {
    var rows: [DiskStore.Row] = []
    var faults: [CacheFault] = []
    reader.withLock { connection in
      guard let store = open(&connection, patience: 250, &faults) else { return }
      do throws(SQLiteFailure) {
        rows = try store.rows(of: query.key)
      } catch {
        note(error, &connection, &faults)
      }
    }
    faults.forEach(report)
    for row in rows {
      guard let entry = entry(of: row, key: query.key), query.matches(entry) else { continue }
      enqueue(.touch(row: row.id, at: now))
      let judged = state.withLock { state in
        state.current.judged(entry).flatMap { state.next.judged($0) }
      }
      // After the clock was set back the ages of other processes' answers mean nothing.
      return isSetBack && entry.arrival.steady == nil ? judged?.expired() : judged
    }
    return nil
  }

  /// The answer of a row, with its body; nil, and the row dropped, when it is damaged.
  private func entry(of row: DiskStore.Row, key: CacheKey) -> CacheEntry? {
    var found = row.record
    if row.isSealed, !row.sealed.isEmpty {
      guard let plain = cipher?.open(row.sealed, for: key, part: "record") else {
        drop(row, "a sealed answer does not open with the key at hand", .undecipherable)
        return nil
      }
      found = plain.withUnsafeBytes { CacheRecord($0, process: process, isExpired: row.isExpired) }
    }
    guard var record = found, record.entry.key == key else {
      drop(row, "the record of an answer is damaged")
      return nil
    }
    guard let checksum = record.bodyChecksum else { return record.entry }
    guard let name = row.file,
      var body = bodies.read(name, count: record.bodyCount + (row.isSealed ? CacheCipher.overhead : 0))
    else {
      drop(row, "the file of a body of \(record.bodyCount) bytes is missing or truncated")
      return nil
    }
    if row.isSealed {
      guard let plain = cipher?.open(body, for: key, part: "body") else {
        drop(row, "a sealed body does not open with the key at hand", .undecipherable)
        return nil
      }
      body = plain
    }
    guard Checksum.of(body) == checksum else {
      drop(row, "the file of a body of \(record.bodyCount) bytes is damaged")
      return nil
    }
    record.entry = record.entry.with(body: body)
    return record.entry
  }

  private func drop(_ row: DiskStore.Row, _ detail: String, _ kind: CacheFault.Kind = .damagedEntry) {
    enqueue(.dropRow(row.id, detail, kind))
  }

  /// Counts and bounds; the database is asked for what is there.
  var statistics: CacheStatistics.Level {
    var numbers = CacheStatistics.Level()
    numbers.hits = hits.load(ordering: .relaxed)
    numbers.misses = misses.load(ordering: .relaxed)
    numbers.stores = stores.load(ordering: .relaxed)
    numbers.evictions = evictions.load(ordering: .relaxed)
    var faults: [CacheFault] = []
    reader.withLock { connection in
      guard let store = open(&connection, patience: 250, &faults), let totals = try? store.totals() else {
        return
      }
      numbers.bytes = totals.bytes
      numbers.count = totals.count
    }
    faults.forEach(report)
    return numbers
  }

  // MARK: Writing

  /// Whether the answer may go to this disk at all.
  func accepts(_ entry: CacheEntry) -> Bool {
    if entry.isSensitive, cipher == nil { return false }
    return entry.http.bytes.count <= place.maximumBytes / 2
  }

  /// Has work done by the writer, later.
  func enqueue(_ work: DiskBacklog.Work) {
    var overrun = false
    let mustSchedule = state.withLock { state in
      if case .store = work, state.next.bytes > place.maximumPendingBytes {
        overrun = true
        return false
      }
      if state.isDisabled, !work.isRemoval { return false }
      state.next.add(work)
      guard state.next.isPressing, !state.isScheduled else { return false }
      state.isScheduled = true
      return true
    }
    if mustSchedule { queue.async { self.workOff() } }
    if overrun {
      report(
        CacheFault(kind: .overrun, detail: "\(place.maximumPendingBytes) bytes wait for the disk already"))
    }
  }

  /// Returns when everything handed over before is written, or has failed to be.
  func flush() async {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        state.waiters.append(continuation)
        state.isScheduled = true
      }
      queue.async { self.workOff() }
    }
  }

  private func workOff() {
    while true {
      let (batch, waiters) = state.withLock { state -> (DiskBacklog?, [CheckedContinuation<Void, Never>]) in
        guard !state.next.isEmpty else {
          state.isScheduled = false
          defer { state.waiters = [] }
          return (nil, state.waiters)
        }
        state.current = state.next
        state.next = DiskBacklog()
        return (state.current, [])
      }
      for waiter in waiters { waiter.resume() }
      guard let batch else { return }
      let isWritten = write(batch)
      state.withLock { state in
        // Removals that could not be written go on counting for look-ups, until the process ends.
        if !isWritten {
          var kept = batch.removals()
          for work in state.next.work { kept.add(work) }
          state.next = kept
          state.isScheduled = false
        }
        state.current = DiskBacklog()
      }
      if !isWritten {
        let waiters = state.withLock { state in
          defer { state.waiters = [] }
          return state.waiters
        }
        for waiter in waiters { waiter.resume() }
        return
      }
    }
  }

  /// Writes a batch in one transaction. False when nothing of it is written.
  private func write(_ batch: DiskBacklog) -> Bool {
    var faults: [CacheFault] = []
    defer { faults.forEach(report) }
    var written: [String] = []
    let dropped = writer.withLock { connection -> [String]? in
      guard open(&connection, patience: 5000, &faults) != nil else { return nil }
      // Files first: a row never names a file that is not whole.
      let prepared = batch.work.compactMap { work -> DiskStore.Prepared? in
        guard case .store(let entry) = work else { return nil }
        return prepare(entry, &written, &faults)
      }
      // A database found damaged is made anew, and takes the batch the second time.
      for _ in 0..<2 {
        guard let store = open(&connection, patience: 5000, &faults) else { return nil }
        do throws(SQLiteFailure) {
          let outcome = try store.database.transaction { () throws(SQLiteFailure) in
            try apply(batch, prepared, to: store)
          }
          stores.add(prepared.count, ordering: .relaxed)
          evictions.add(outcome.evicted, ordering: .relaxed)
          faults += outcome.faults
          return outcome.files
        } catch {
          note(error, &connection, &faults)
          guard error.isDamage else { return nil }
        }
      }
      return nil
    }
    for file in dropped ?? written { bodies.remove(file) }
    return dropped != nil
  }

  /// What a transaction has done: files that nobody names any more, answers evicted, damage met.
  private struct Outcome {
    var files: [String] = []
    var evicted = 0
    var faults: [CacheFault] = []
  }

  private func apply(
    _ batch: DiskBacklog, _ prepared: [DiskStore.Prepared], to store: DiskStore
  ) throws(SQLiteFailure) -> Outcome {
    let now = time.wallClock
    var outcome = Outcome()
    var stored = prepared.makeIterator()
    var upcoming = stored.next()
    try store.note(clock: now)
    for work in batch.work {
      switch work {
      case .store(let entry):
        guard let next = upcoming, next.entry === entry else { continue }
        outcome.files += try store.store(next, now: now)
        upcoming = stored.next()
      case .remove(let key): outcome.files += try store.remove(key)
      case .removePartition(let partition): outcome.files += try store.remove(partition: partition)
      case .removeAll: outcome.files += try store.removeAll()
      case .expireTags(let tags): for tag in tags { try store.expire(tag: tag) }
      case .expireURL(let url): try store.expire(url: url)
      case .touch(let row, let moment): try store.touch(row, at: moment)
      case .dropRow(let row, let detail, let kind):
        outcome.files += try store.remove(row: row)
        // Somebody else may have dropped it already, which is no fault.
        if store.database.changes > 0 { outcome.faults.append(CacheFault(kind: kind, detail: detail)) }
      }
    }
    let made = try store.evict(to: place.maximumBytes, now: now)
    outcome.files += made.files
    outcome.evicted = made.count
    return outcome
  }

  /// An answer in the form of its row; its body's file is written. Nil when that fails.
  private func prepare(
    _ entry: CacheEntry, _ written: inout [String], _ faults: inout [CacheFault]
  ) -> DiskStore.Prepared? {
    let body = entry.http.bytes
    let cipher = entry.isSensitive ? cipher : nil
    var file: String?
    var checksum: UInt64?
    if body.count > place.bodyFileThreshold {
      checksum = Checksum.of(body)
      guard let bytes = cipher == nil ? body : cipher?.seal(body, for: entry.key, part: "body") else {
        return nil
      }
      switch bodies.write(bytes) {
      case .success(let name):
        file = name
        written.append(name)
      case .failure(let failure):
        faults.append(
          CacheFault(kind: .unusable, detail: "a body of \(body.count) bytes was not written: \(failure)"))
        return nil
      }
    }
    var record = CacheRecord.encode(entry, process: process, bodyInFile: checksum)
    if let cipher {
      guard let sealed = cipher.seal(record, for: entry.key, part: "record") else { return nil }
      record = sealed
    }
    return DiskStore.Prepared(
      entry: entry, record: record, isSealed: cipher != nil, file: file,
      size: record.count + (file == nil ? 0 : body.count) + Self.rowOverhead)
  }

  /// What a row takes beside its record: columns, indexes, half-empty pages.
  private static let rowOverhead = 512

  // MARK: Connections

  private func open(_ connection: inout Connection, patience: Int32, _ faults: inout [CacheFault])
    -> DiskStore?
  {
    switch connection {
    case .open(let store): return store
    case .failed(let until) where time.now < until: return nil
    case .failed, .closed: break
    }
    guard bodies.makeFolder() else {
      fail(
        &connection, CacheFault(kind: .unusable, detail: "the folder \(place.folder) cannot be made"), &faults
      )
      return nil
    }
    do throws(SQLiteFailure) {
      let store = try connect(patience: patience, &faults)
      if let store { connection = .open(store) } else { connection = .failed(until: .seconds(Int64.max / 2)) }
      return store
    } catch {
      // Another process that makes the database, or makes it anew, holds it only for a moment.
      if error.isBusy {
        faults.append(CacheFault(kind: .unusable, detail: "another process holds the database: \(error)"))
        return nil
      }
      guard error.isDamage, let store = rebuild(patience: patience, error, &faults) else {
        let fault = CacheFault(kind: .unusable, detail: "the database cannot be opened: \(error)")
        fail(&connection, fault, &faults)
        return nil
      }
      connection = .open(store)
      return store
    }
  }

  /// Nil when the database is another's, and to be left alone.
  private func connect(patience: Int32, _ faults: inout [CacheFault]) throws(SQLiteFailure) -> DiskStore? {
    let database = try SQLiteDatabase(path: place.folder + "/responses.sqlite", patience: patience)
    if let limit = place.maximumPages { try database.execute("PRAGMA max_page_count = \(limit)") }
    switch try DiskSchema.prepare(database) {
    case .ready: return try DiskStore(database, process: process)
    case .future(let version):
      disable(
        CacheFault(
          kind: .futureSchema,
          detail: "the database has schema \(version), this version writes \(DiskSchema.version)"), &faults)
    case .foreign:
      disable(CacheFault(kind: .unusable, detail: "the database belongs to something else"), &faults)
    }
    return nil
  }

  private func disable(_ fault: CacheFault, _ faults: inout [CacheFault]) {
    let isFirst = state.withLock { state in
      defer { state.isDisabled = true }
      return !state.isDisabled
    }
    if isFirst { faults.append(fault) }
  }

  /// Makes a damaged database anew, in place where that works.
  private func rebuild(
    patience: Int32, _ damage: SQLiteFailure, _ faults: inout [CacheFault]
  ) -> DiskStore? {
    faults.append(CacheFault(kind: .damagedDatabase, detail: "it was emptied: \(damage)"))
    let path = place.folder + "/responses.sqlite"
    if let database = try? SQLiteDatabase(path: path, patience: patience), (try? database.reset()) != nil,
      case .ready? = try? DiskSchema.prepare(database)
    {
      return try? DiskStore(database, process: process)
    }
    for suffix in ["", "-wal", "-shm"] { removeFile(path + suffix) }
    var ignored: [CacheFault] = []
    return try? connect(patience: patience, &ignored)
  }

  /// What a failed call means for the connection.
  private func note(_ failure: SQLiteFailure, _ connection: inout Connection, _ faults: inout [CacheFault]) {
    guard failure.isDamage else {
      // Another process that holds the lock too long is no reason to open the database anew.
      let what = failure.isBusy ? "another process holds the database" : "the database cannot be used"
      return faults.append(CacheFault(kind: .unusable, detail: "\(what): \(failure)"))
    }
    connection = .closed
    if let store = rebuild(patience: 250, failure, &faults) { connection = .open(store) }
  }

  private func fail(_ connection: inout Connection, _ fault: CacheFault, _ faults: inout [CacheFault]) {
    connection = .failed(until: time.now + .seconds(10))
    faults.append(fault)
  }

  /// Removes the body files that a process left behind which ended in the middle of writing.
  private func sweep() {
    var faults: [CacheFault] = []
    let names = writer.withLock { connection in
      try? open(&connection, patience: 5000, &faults)?.files()
    }
    faults.forEach(report)
    if let names { bodies.sweep(keeping: names, olderThan: place.orphanAge) }
  }
}
