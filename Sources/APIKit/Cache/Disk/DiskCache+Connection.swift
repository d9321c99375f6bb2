import Synchronization

/// Opens the database, and decides what a failed call means for the connection.
extension DiskCache {
  /// The path of the database.
  var database: String { place.folder + "/responses.sqlite" }

  func open(_ connection: inout Connection, patience: Int32, _ faults: inout [CacheFault])
    -> DiskStore?
  {
    let age = remakes.withLock { $0 }
    switch connection {
    case .open(let store, age): return store
    // The database was made anew over the other connection.
    case .open: connection = .closed
    case .failed(let until) where time.now < until: return nil
    case .failed, .closed: break
    }
    do throws(PrivateFile.Fault) {
      try PrivateFile.makeFolder(place.folder)
      try bodies.makeFolder()
    } catch {
      let fault = CacheFault(kind: .unusable, detail: "the folder \(place.folder) \(error)")
      fail(&connection, fault, &faults)
      return nil
    }
    do throws(SQLiteFailure) {
      let store = try connect(patience: patience, &faults)
      connection = store.map { .open($0, age: age) } ?? .failed(until: .seconds(Int64.max / 2))
      return store
    } catch {
      // Another process that makes the database holds its lock only for a moment.
      if error.isBusy {
        faults.append(CacheFault(kind: .unusable, detail: "another process holds the database: \(error)"))
        return nil
      }
      guard error.isDamage, let store = remake(&connection, age, patience: patience, error, &faults) else {
        let fault = CacheFault(kind: .unusable, detail: "the database cannot be opened: \(error)")
        fail(&connection, fault, &faults)
        return nil
      }
      return store
    }
  }

  /// Nil when the database belongs to a later version or another application and must be left alone.
  private func connect(patience: Int32, _ faults: inout [CacheFault]) throws(SQLiteFailure) -> DiskStore? {
    let database = try SQLiteDatabase(path: database, patience: patience)
    if let limit = place.maximumPages { try database.execute("PRAGMA max_page_count = \(limit)") }
    switch try SQLiteSchema.cache.prepare(database) {
    case nil: return try DiskStore(database, process: process)
    case .future(let version):
      disable(
        CacheFault(
          kind: .futureSchema,
          detail: "the database has schema \(version), this version writes \(SQLiteSchema.cache.version)"),
        &faults)
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

  /// Makes a damaged database anew, unless the other connection has already done so, and opens it.
  ///
  /// - Parameter seen: The value of ``remakes`` when the damaged connection was opened.
  private func remake(
    _ connection: inout Connection, _ seen: Int, patience: Int32, _ damage: SQLiteFailure,
    _ faults: inout [CacheFault]
  ) -> DiskStore? {
    connection = .closed
    let (age, isEmptied) = remakes.withLock { remakes in
      guard remakes == seen else { return (remakes, false) }
      let isEmptied = makeAnew(patience: patience)
      remakes += 1
      return (remakes, isEmptied)
    }
    if isEmptied { faults.append(CacheFault(kind: .damagedDatabase, detail: "it was emptied: \(damage)")) }
    do throws(SQLiteFailure) {
      guard let store = try connect(patience: patience, &faults) else { return nil }
      connection = .open(store, age: age)
      return store
    } catch {
      return nil
    }
  }

  /// Empties the database in place; false where that was not needed, or not possible now.
  ///
  /// Its files are not removed: another process that has them open would go on with files that no other
  /// process sees.
  private func makeAnew(patience: Int32) -> Bool {
    do throws(SQLiteFailure) {
      let database = try SQLiteDatabase(path: database, patience: patience)
      // Another process may have made it anew since the damage was found; its new contents must stay.
      if (try? database.isSound()) == true { return false }
      try database.reset()
      return true
    } catch {
      return false
    }
  }

  /// What a failed call means for the connection.
  func note(_ failure: SQLiteFailure, _ connection: inout Connection, _ faults: inout [CacheFault]) {
    guard failure.isDamage, case .open(_, let age) = connection else {
      // A lock that another process holds too long is no reason to open the database anew.
      let what = failure.isBusy ? "another process holds the database" : "the database cannot be used"
      return faults.append(CacheFault(kind: .unusable, detail: "\(what): \(failure)"))
    }
    _ = remake(&connection, age, patience: 250, failure, &faults)
  }

  private func fail(_ connection: inout Connection, _ fault: CacheFault, _ faults: inout [CacheFault]) {
    connection = .failed(until: time.now + .seconds(10))
    faults.append(fault)
  }
}
