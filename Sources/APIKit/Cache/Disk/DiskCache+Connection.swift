/// Opens the database, and decides what a failed call means for the connection.
extension DiskCache {
  /// Uses a connection, and reports its faults when its lock is left.
  func use<Value: Sendable>(
    _ lock: borrowing Mutex<Connection>, _ work: (inout Connection) -> Value
  ) -> Value {
    let (value, faults) = lock.withLock { connection in
      defer { connection.faults = [] }
      return (work(&connection), connection.faults)
    }
    faults.forEach(report)
    return value
  }

  /// Works with the database; again after a damaged one was made anew, the second time although it looks whole. Nil when it
  /// cannot be opened.
  func withStore<Value>(
    over connection: inout Connection, _ work: (DiskStore) throws(SQLiteFailure) -> Value
  ) throws(SQLiteFailure) -> Value? {
    for isForced in [false, true] {
      do throws(SQLiteFailure) { return try once(over: &connection, work) } catch {
        guard error.isMisfit, case .open(_, let age) = connection.state else {
          note(error, on: &connection)
          throw error
        }
        connection.state = .closed
        // Some damage can be mended only where nothing else has the file open. The writer may wait for the reader.
        if connection.isWriter { reader.withLock { $0.state = .closed } }
        _ = remake(&connection, seen: age, isForced: isForced, patience: 250, after: error)
      }
    }
    do throws(SQLiteFailure) { return try once(over: &connection, work) } catch {
      note(error, on: &connection)
      throw error
    }
  }

  /// A function of its own, so that nothing of a damaged database is in use after it.
  private func once<Value>(
    over connection: inout Connection, _ work: (DiskStore) throws(SQLiteFailure) -> Value
  ) throws(SQLiteFailure) -> Value? {
    guard let store = open(&connection) else { return nil }
    return try work(store)
  }

  /// The path of the database.
  var database: String { configuration.folder + "/responses.sqlite" }

  func open(_ connection: inout Connection) -> DiskStore? {
    var age = remakes.withLock { $0 }
    switch connection.state {
    // The reader sees with the next age what the writer sees here: each read would pay for it.
    case .open(let store, age) where connection.isWriter && store.database.isRemoved:
      connection.state = .closed
      age = remakes.withLock { remakes in
        remakes += 1
        return remakes
      }
      connection.report("it was removed while it was open", .damagedDatabase)
    case .open(let store, age) where connection.isWriter && store.isMigrated: connection.state = .closed
    case .open(let store, age): return store
    // The database was made anew over the other connection.
    case .open: connection.state = .closed
    case .failed(let until) where time.now < until: return nil
    case .failed, .closed: break
    }
    do throws(PrivateFile.Fault) {
      try PrivateFile.makeFolder(configuration.folder)
      try bodies.makeFolder()
    } catch {
      fail(&connection, "the folder \(configuration.folder) \(error)")
      return nil
    }
    do throws(SQLiteFailure) {
      // Who has a database open that was cut does not let go of it.
      let patience = SQLiteDatabase.isCut(at: database) ? 250 : connection.patience
      let store = try connect(&connection, patience: patience)
      connection.state = store.map { .open($0, age: age) } ?? .failed(until: .seconds(Int64.max / 2))
      return store
    } catch {
      // Another process that makes the database holds its lock only for a moment.
      let isCut = error.isBusy && SQLiteDatabase.isCut(at: database)
      if error.isBusy, !isCut {
        connection.report("another process holds the database: \(error)")
        return nil
      }
      for isForced in [false, true] where error.isMisfit || isCut {
        // The first try has changed the count, unless the other connection has.
        let seen = isForced ? remakes.withLock { $0 } : age
        let patience = connection.patience
        if let store = remake(&connection, seen: seen, isForced: isForced, patience: patience, after: error) {
          return store
        }
      }
      fail(&connection, "the database cannot be opened: \(error)")
      return nil
    }
  }

  /// Nil when the database belongs to a later version or another application and must be left alone.
  private func connect(
    _ connection: inout Connection, patience: Int32
  ) throws(SQLiteFailure) -> DiskStore? {
    let database = try SQLiteDatabase(path: database, patience: patience)
    if let limit = configuration.maximumPages { try database.execute("PRAGMA max_page_count = \(limit)") }
    let refusal = try SQLiteSchema.cache.prepare(database)
    if refusal != nil, try SQLiteSchema.cache.isDamaged(in: database) {
      throw .damage("its header is damaged")
    }
    switch refusal {
    case nil: return DiskStore(database, process: process)
    case .future(let version):
      disable(
        &connection, "the database has schema \(version), this version writes \(SQLiteSchema.cache.version)",
        kind: .futureSchema)
    case .foreign: disable(&connection, "the database belongs to something else")
    }
    return nil
  }

  private func disable(
    _ connection: inout Connection, _ detail: String, kind: CacheFault.Kind = .unusable
  ) {
    let isFirst = state.withLock { state in
      defer { state.isDisabled = true }
      return !state.isDisabled
    }
    if isFirst { connection.report(detail, kind) }
  }

  /// Makes a damaged database anew, unless the other connection has already done so, and opens it.
  ///
  /// - Parameters:
  ///   - seen: The value of ``remakes`` when the damaged connection was opened.
  ///   - isForced: Whether it is done although the database looks whole.
  private func remake(
    _ connection: inout Connection, seen: Int, isForced: Bool, patience: Int32, after damage: SQLiteFailure
  ) -> DiskStore? {
    connection.state = .closed
    let (age, isEmptied) = remakes.withLock { remakes in
      guard remakes == seen else { return (remakes, false) }
      let isEmptied = makeAnew(isForced: isForced, patience: patience)
      remakes += 1
      return (remakes, isEmptied)
    }
    if isEmptied { connection.report("it was emptied: \(damage)", .damagedDatabase) }
    guard let store = try? connect(&connection, patience: patience) else { return nil }
    connection.state = .open(store, age: age)
    return store
  }

  /// Empties the database in place; false where that was not needed, or not possible now.
  ///
  /// Its files are not removed: another process that has them open would continue with files that no other
  /// process sees.
  private func makeAnew(isForced: Bool, patience: Int32) -> Bool {
    do throws(SQLiteFailure) {
      let database = try SQLiteDatabase(path: database, patience: patience)
      // Another process may have made it anew since the damage was found; its new contents must stay.
      if !isForced, (try? database.isSound()) == true { return false }
      try database.reset()
      return true
    } catch {
      return false
    }
  }

  /// Reports a failed call that has another cause than damage, or for which making the database anew was no remedy.
  private func note(_ failure: SQLiteFailure, on connection: inout Connection) {
    // A lock that another process holds too long is no reason to open the database anew.
    let what = failure.isBusy ? "another process holds the database" : "the database cannot be used"
    connection.report("\(what): \(failure)")
  }

  private func fail(_ connection: inout Connection, _ detail: String) {
    connection.state = .failed(until: time.now + .seconds(10))
    connection.report(detail)
  }
}
