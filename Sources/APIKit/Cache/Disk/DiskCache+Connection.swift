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

  /// Works with the database; again after a damaged one was made anew. Nil when it is not ready.
  func withStore<Value>(
    over connection: inout Connection, _ work: (DiskStore) throws(SQLiteFailure) -> Value
  ) throws(SQLiteFailure) -> Value? {
    guard isReady(&connection) else { return nil }
    let (owner, isWriter) = (connection.owner, connection.isWriter)
    do throws(SQLiteFailure) {
      // Only the writer asks for the version first: it would cost each look-up a statement.
      return try owner.use(work, isChecked: isWriter) {
        DiskStore($0, process: process)
      } mending: { damage, isForced in
        remake(&connection, after: damage, isForced: isForced)
      }
    } catch {
      switch owner.refusal {
      case .future(let version):
        disable(
          &connection,
          "the database has schema \(version), this version writes \(SQLiteSchema.cache.version)",
          kind: .futureSchema)
      case .some: disable(&connection, "the database belongs to something else")
      // A lock that another process holds too long is no reason to open the database anew.
      case nil where error.isBusy: connection.report("another process holds the database: \(error)")
      case nil where owner.connection == nil: fail(&connection, "the database cannot be opened: \(error)")
      case nil: connection.report("the database cannot be used: \(error)")
      }
      throw error
    }
  }

  /// Whether the database is open, or may be opened.
  func isReady(_ connection: inout Connection) -> Bool {
    let owner = connection.owner
    // Only the writer looks, since it would cost each look-up a system call; the reader sees that `remakes` has changed.
    if connection.isWriter, owner.closeIfRemoved() {
      remakes.withLock { $0 += 1 }
      connection.report("it was removed while it was open", .damagedDatabase)
    }
    let age = remakes.withLock { $0 }
    // The database was made anew over the other connection.
    if connection.age != age { owner.close() }
    connection.age = age
    if owner.connection != nil { return true }
    guard time.now >= connection.closedUntil, !state.withLock({ $0.isDisabled }) else { return false }
    do throws(PrivateFile.Fault) {
      try PrivateFile.makeFolder(configuration.folder)
      try PrivateFile.makeFolder(bodies.folder)
      return true
    } catch {
      fail(&connection, "the folder \(configuration.folder) \(error)")
      return false
    }
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

  private func fail(_ connection: inout Connection, _ detail: String) {
    connection.closedUntil = time.now + .seconds(10)
    connection.report(detail)
  }

  /// Makes a damaged database anew, unless the other connection has already done so.
  ///
  /// - Parameter isForced: Whether it is done although the database looks whole.
  private func remake(_ connection: inout Connection, after damage: SQLiteFailure, isForced: Bool) {
    // Some damage can be mended only where nothing else has the file open. The writer may wait for the reader.
    if connection.isWriter { reader.withLock { $0.close() } }
    let (path, seen) = (connection.owner.path, connection.age)
    let (age, isEmptied) = remakes.withLock { remakes in
      guard remakes == seen else { return (remakes, false) }
      remakes += 1
      return (remakes, makeAnew(path, isForced: isForced))
    }
    connection.age = age
    if isEmptied { connection.report("it was emptied: \(damage)", .damagedDatabase) }
  }

  /// Empties the database in place; false where that was not needed, or not possible now.
  ///
  /// Its files are not removed: another process that has them open would continue with files that no other
  /// process sees.
  private func makeAnew(_ path: String, isForced: Bool) -> Bool {
    do throws(SQLiteFailure) {
      let database = try SQLiteDatabase(path: path, patience: 250)
      // Another process may have made it anew since the damage was found; its new contents must stay.
      if !isForced, (try? database.isSound()) == true { return false }
      try database.reset()
      return true
    } catch {
      return false
    }
  }
}
