import Dispatch

/// The writer: work is gathered and done on one queue, many pieces in one transaction.
extension DiskCache {
  /// Whether a response may be written to this disk.
  func accepts(_ entry: CacheEntry) -> Bool {
    if key == nil, entry.isSensitive || entry.vary.hasSecrets { return false }
    return entry.http.bytes.count <= min(configuration.maximumBytes / 2, Self.largestBody)
  }

  /// Adds work for the writer, and starts the writer where needed.
  func enqueue(_ work: DiskBacklog.Work) {
    var overrun = false
    let mustSchedule = state.withLock { state in
      // Nothing is read from a disabled database, so nothing needs to be removed from it.
      if state.isDisabled { return false }
      if case .store(let entry) = work, state.next.bytes > configuration.maximumPendingBytes {
        overrun = true
        // The response that was to be replaced must not be found again.
        state.next.add(.remove(entry.key))
      } else {
        state.next.add(work)
      }
      return state.mustSchedule
    }
    if mustSchedule { queue.async { self.workOff() } }
    if overrun {
      report(
        CacheFault(
          kind: .overrun, detail: "\(configuration.maximumPendingBytes) bytes wait for the disk already"))
    }
  }

  /// Records that a row was used; it is written together with the next work.
  func enqueue(use row: Int64, at moment: Double) {
    let mustSchedule = state.withLock { state in
      state.next.note(use: row, at: moment)
      return state.mustSchedule
    }
    if mustSchedule { queue.async { self.workOff() } }
  }

  /// Returns when all work added before is written, or has failed.
  func flush() async {
    let hasCounted = counts.withLock { $0 } != keptCounts.withLock { $0 }
    await withCheckedContinuation { continuation in
      state.withLock { state in
        if hasCounted, !state.isDisabled { state.next.add(.keepCounts) }
        state.waiters.append(continuation)
        state.isScheduled = true
      }
      queue.async { self.workOff() }
    }
  }

  private func workOff() {
    while true {
      // These callers wait for this batch or an earlier one.
      let (batch, waiters) = state.withLock { state -> (DiskBacklog?, [CheckedContinuation<Void, Never>]) in
        defer { state.waiters = [] }
        guard state.next.isPressing || !state.waiters.isEmpty && !state.next.isEmpty else {
          state.isScheduled = false
          return (nil, state.waiters)
        }
        state.current = state.next
        state.next = DiskBacklog()
        return (state.current, state.waiters)
      }
      let isWritten = batch.map(write) ?? false
      if let batch {
        let rest = isWritten ? DiskBacklog() : removals(of: batch)
        state.withLock { state in
          // Removals that could not be written stay in the backlog, where look-ups see them; the next batch
          // tries again.
          if !isWritten {
            var kept = rest
            for work in state.next.work { kept.add(work) }
            state.next = kept
            state.isScheduled = false
          }
          state.current = DiskBacklog()
        }
      }
      for waiter in waiters { waiter.resume() }
      guard isWritten else { return }
    }
  }

  /// What is tried again of a batch that could not be written. A disk that is full can be read.
  private func removals(of batch: DiskBacklog) -> DiskBacklog {
    let removals = use(reader) { connection in
      try? withStore(over: &connection) { (store) throws(SQLiteFailure) in
        try batch.removals { key throws(SQLiteFailure) in try store.holds(key) }
      }
    }
    return removals ?? batch.removals { _ in true }
  }

  /// Writes a batch in one transaction; false when nothing of it was written.
  private func write(_ batch: DiskBacklog) -> Bool {
    var written: [String] = []
    let dropped = use(writer) { connection -> [String]? in
      do throws(SQLiteFailure) {
        // Files come first, so that a row never names an incomplete file.
        let work = isReady(&connection) ? batch.work : []
        let prepared = work.compactMap { work -> DiskStore.Prepared? in
          guard case .store(let entry) = work else { return nil }
          return prepare(entry, over: &connection, &written)
        }
        let outcome = try withStore(over: &connection) { (store) throws(SQLiteFailure) in
          let outcome = try store.database.transaction { () throws(SQLiteFailure) in
            try apply(batch, prepared, to: store)
          }
          // Where another process is in the way, the mark stays.
          do throws(SQLiteFailure) { try settleRemovals(of: batch, store) } catch {
            guard error.isBusy else { throw error }
          }
          return outcome
        }
        if let outcome {
          counts.withLock { counts in
            counts.stores += prepared.count
            counts.evictions += outcome.evicted
          }
          keptCounts.withLock { $0 = outcome.counts }
          connection.faults += outcome.faults
          return outcome.files
        }
      } catch {
        if error.isBusy || error.isDamage && connection.owner.connection != nil { return nil }
      }
      guard batch.removesLastingly, !state.withLock({ $0.isDisabled }) else { return nil }
      removeFiles(&connection, for: batch)
      return written
    }
    for file in dropped ?? written { bodies.remove(file) }
    return dropped != nil
  }

  /// What a transaction has done: files without a row, responses evicted, damage found.
  fileprivate struct Outcome {
    var files: [String] = []
    var evicted = 0
    var faults: [CacheFault] = []
    /// This process's counts as they stand in the database now.
    var counts = DiskCounts()
  }

  private func apply(
    _ batch: DiskBacklog, _ prepared: [DiskStore.Prepared], to store: DiskStore
  ) throws(SQLiteFailure) -> Outcome {
    let now = time.wallClock
    var outcome = Outcome()
    var stored = prepared.makeIterator()
    var upcoming = stored.next()
    try store.note(clock: now)
    outcome.counts = counts.withLock { $0 }
    outcome.counts.stores += prepared.count
    try store.add(outcome.counts - keptCounts.withLock { $0 })
    for work in batch.work {
      switch work {
      case .store(let entry):
        guard let next = upcoming, next.entry === entry else {
          // Preparing it failed; the response that was to be replaced must not be found again.
          outcome.files += try store.remove(entry.key)
          continue
        }
        outcome.files += try store.store(next, now: now)
        upcoming = stored.next()
      case .remove(let key): outcome.files += try store.remove(key)
      case .removePartition(let partition): outcome.files += try store.remove(partition: partition)
      case .removeAll: outcome.files += try store.removeAll()
      case .expireTags(let tags): for tag in tags { try store.expire(tag: tag) }
      case .expireURL(let url): try store.expire(url: url)
      case .keepCounts: break
      case .dropRow(let row, let checksum, let detail, let kind):
        outcome.files += try store.remove(row: row, checksum: checksum)
        // Another process may have removed it already, which is not a fault.
        if store.database.changes > 0 { outcome.faults.append(CacheFault(kind: kind, detail: detail)) }
      }
    }
    for (row, moment) in batch.uses.sorted(by: { $0.key < $1.key }) { try store.touch(row, at: moment) }
    let made = try store.evict(to: configuration.maximumBytes, now: now)
    outcome.files += made.files
    outcome.evicted = made.count
    var evicted = DiskCounts()
    evicted.evictions = made.count
    try store.add(evicted)
    outcome.counts.evictions += made.count
    return outcome
  }

  /// Prepares a response for its row and writes its body's file; nil when that fails.
  private func prepare(
    _ entry: CacheEntry, over connection: inout Connection, _ written: inout [String]
  ) -> DiskStore.Prepared? {
    let body = entry.http.bytes
    let hasSecrets = entry.hasSecretFields
    let key = entry.isSensitive || hasSecrets ? key : nil
    func inEnvelope(_ content: [UInt8], _ envelope: Envelope) -> [UInt8]? {
      guard let key else { return envelope.wrap(content) }
      let sealed = envelope.seal(content, under: key, at: entry.key.bytes)
      if sealed == nil {
        connection.report("a sensitive response could not be encrypted, and was not written")
      }
      return sealed
    }
    var file: String?
    var checksum: UInt64?
    if body.count > min(configuration.bodyFileThreshold, Self.largestInlineBody) {
      checksum = Checksum.of(body)
      guard let bytes = inEnvelope(body, CacheRecord.bodyEnvelope) else { return nil }
      switch bodies.write(bytes) {
      case .success(let name):
        file = name
        written.append(name)
      case .failure(let failure):
        connection.report("a body of \(body.count) bytes was not written: \(failure)")
        return nil
      }
    }
    let content = CacheRecord.encode(
      hasSecrets && key == nil ? entry.withoutSecretFields() : entry, process: process, bodyInFile: checksum)
    guard let record = inEnvelope(content, CacheRecord.envelope) else { return nil }
    return DiskStore.Prepared(
      entry: entry, record: record, isSealed: key != nil, file: file,
      size: record.count + (file == nil ? 0 : body.count) + Self.rowOverhead)
  }

  /// Lengths in a record and in SQLite's calls have 31 bits.
  fileprivate static let largestBody = 1 << 30
  private static let largestInlineBody = 16 << 20

  /// An estimate of what a row takes besides its record: columns, indexes, half-empty pages.
  fileprivate static let rowOverhead = 512

  /// Removes the body files of processes that ended while they were writing.
  func sweep() {
    let names = use(writer) { connection in
      try? withStore(over: &connection) { (store) throws(SQLiteFailure) in try store.files() }
    }
    // Those that cannot be removed are removed by a later process.
    if let names { try? bodies.sweep(keeping: names, olderThan: configuration.orphanAge) }
  }
}
