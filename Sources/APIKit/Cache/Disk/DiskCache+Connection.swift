import Synchronization

/// How the database is opened, and what a failed call means for the connection.
extension DiskCache {
  func open(_ connection: inout Connection, patience: Int32, _ faults: inout [CacheFault])
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
    let path = place.folder + "/responses.sqlite"
    // Somebody else may have made it anew since this connection was opened: that is not to be undone.
    if let database = try? SQLiteDatabase(path: path, patience: patience), (try? database.isSound()) == true,
      case .ready? = try? DiskSchema.prepare(database)
    {
      return try? DiskStore(database, process: process)
    }
    faults.append(CacheFault(kind: .damagedDatabase, detail: "it was emptied: \(damage)"))
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
  func note(_ failure: SQLiteFailure, _ connection: inout Connection, _ faults: inout [CacheFault]) {
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
}
