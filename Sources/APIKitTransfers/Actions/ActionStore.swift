import APIKit

/// The actions on the disk: recorded, gathered in batches, gone when a server has them. An actor, since a commit waits for
/// the disk.
actor ActionStore {
  /// Actions that go in one request, with a key that is theirs until they are answered.
  struct Batch: Sendable {
    var id: Int64
    var key: String
    /// In the order in which they were recorded.
    var events: [(sequence: Int64, payload: [UInt8])] = []
  }

  /// Sequences are never given twice. An event without a batch waits for one; that of a parked event is -1.
  private static let tables = """
    CREATE TABLE events (sequence INTEGER PRIMARY KEY AUTOINCREMENT, batch INTEGER NOT NULL, payload BLOB NOT NULL);
    CREATE INDEX events_batch ON events (batch, sequence);
    CREATE TABLE batches (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL);
    CREATE TABLE counts (id INTEGER PRIMARY KEY, dropped INTEGER NOT NULL);
    INSERT INTO counts VALUES (1, 0);
    """
  /// NULL in rows of an earlier version, which are gone once they were sent.
  private static let checksums = "ALTER TABLE events ADD COLUMN checksum INTEGER;"
  private static let schema = SQLiteSchema(
    migrations: [tables, checksums], application: 0x4150_4B41, settings: SQLiteSchema.durable)
  /// Members of a batch that was lost wait for another one.
  private static let remains = DatabaseRescue.Remains(
    tables: ["events", "batches", "counts"],
    repair: """
      DELETE FROM counts WHERE id <> 1;
      UPDATE events SET batch = 0 WHERE batch > 0 AND batch NOT IN (SELECT id FROM batches);
      """)

  private let folder: String
  private let seal: QueueSeal
  private let database: DurableDatabase<SQLiteDatabase>

  init(folder: String, seal: QueueSeal = QueueSeal()) {
    (self.folder, self.seal) = (folder, seal)
    database = DurableDatabase(
      "actions.sqlite", in: folder, Self.schema, remains: Self.remains, sealedBy: seal)
  }

  /// Keeps an action. Beyond the limit the oldest that wait go, and are counted.
  ///
  /// - Returns: How many wait for a batch.
  func append(_ payload: [UInt8], limit: Int) throws -> Int {
    try write { (database) throws(SQLiteFailure) in
      let payload = try seal.close(payload, .queuedItem, of: "")
      try database.run(
        "INSERT INTO events (batch, payload, checksum) VALUES (0, ?, ?)", payload,
        Int64(bitPattern: Checksum.of(payload)))
      let excess = try database.number("SELECT count(*) FROM events") - Int64(limit)
      if excess > 0 {
        try database.run(
          """
          DELETE FROM events WHERE sequence IN
          (SELECT sequence FROM events WHERE batch <= 0 ORDER BY sequence LIMIT ?)
          """, excess)
        try database.run("UPDATE counts SET dropped = dropped + ?", Int64(database.changes))
      }
      return Int(try database.number("SELECT count(*) FROM events WHERE batch = 0"))
    }
  }

  /// What goes next: a batch that was not answered, with the members and the key it had; else a new one of so many, or of fewer
  /// when `atLeast` of them are enough. Nil when nothing is to go.
  func next(size: Int, atLeast least: Int) throws -> Batch? {
    try write { (database) throws(SQLiteFailure) -> Batch? in
      let oldest = try database.all("SELECT id, key FROM batches ORDER BY id LIMIT 1") { row in
        Batch(id: row.integer(0), key: row.text(1) ?? "")
      }
      if let batch = oldest.first { return try filled(batch, database) }
      // There is no batch: an action that names one was damaged, and would never be sent.
      try database.execute("UPDATE events SET batch = 0 WHERE batch > 0")
      let waiting = try database.number("SELECT count(*) FROM events WHERE batch = 0")
      guard waiting >= Int64(max(1, least)) else { return nil }
      let batch = try Self.makeBatch(database)
      try database.run(
        """
        UPDATE events SET batch = ?1 WHERE sequence IN
        (SELECT sequence FROM events WHERE batch = 0 ORDER BY sequence LIMIT ?2)
        """, batch.id, Int64(size))
      // The index names rows that are not there: they would be asked for without end.
      guard database.changes > 0 else { throw .damage("actions are missing") }
      return try filled(batch, database)
    }
  }

  /// A batch is at the server.
  func finish(_ batch: Batch) throws {
    try write { (database) throws(SQLiteFailure) in
      try database.run("DELETE FROM events WHERE batch = ?", batch.id)
      try database.run("DELETE FROM batches WHERE id = ?", batch.id)
    }
  }

  /// A batch is too large, or has a member that the server refuses: its halves go as batches of their own. One alone is parked.
  func halve(_ batch: Batch) throws {
    try write { (database) throws(SQLiteFailure) in
      // Another process has sent the same batch, and its halves may be on their way already.
      guard try database.number("SELECT count(*) FROM batches WHERE id = ?", batch.id) > 0 else { return }
      let middle = batch.events.count / 2
      if middle == 0 {
        try database.run("UPDATE events SET batch = -1 WHERE batch = ?", batch.id)
      } else {
        for half in [batch.events[..<middle], batch.events[middle...]] {
          let id = try Self.makeBatch(database).id
          for event in half {
            try database.run("UPDATE events SET batch = ? WHERE sequence = ?", id, event.sequence)
          }
        }
      }
      try database.run("DELETE FROM batches WHERE id = ?", batch.id)
    }
  }

  /// How many wait, how many are parked, how many the limit has dropped.
  func counts() throws -> (waiting: Int, parked: Int, dropped: Int) {
    try use { (database) throws(SQLiteFailure) in
      (
        Int(try database.number("SELECT count(*) FROM events WHERE batch >= 0")),
        Int(try database.number("SELECT count(*) FROM events WHERE batch < 0")),
        Int(try database.number("SELECT dropped FROM counts"))
      )
    }
  }

  /// Says that all of it is to be erased, until ``erase()`` has done that: should the process end, whoever opens it next does.
  nonisolated func markErasure() throws { try mark.set() }

  private nonisolated var mark: ErasureMark { ErasureMark(path: folder + "/erasing") }

  /// Removes all of it, from the database and its log. Where they cannot be written, their files are removed: on a full disk
  /// other processes can record nothing either.
  func erase() throws {
    guard PrivateFile.exists(database.path) else {
      // A process may have ended before it removed them, or while it mended the database.
      try database.removeCopies()
      return mark.clear()
    }
    try markErasure()
    do throws(DurableQueue.Fault) {
      try connected { (database) throws(SQLiteFailure) in
        try database.transaction { () throws(SQLiteFailure) in
          try database.execute("DELETE FROM events; DELETE FROM batches; UPDATE counts SET dropped = 0;")
        }
        try database.emptyLog()
      }
    } catch {
      // The next use begins with it: later it would take what is recorded from now on.
      database.close()
      guard case .failed(let failure) = error, !failure.isBusy, database.refusal == nil else {
        throw named(error)
      }
      try SQLiteDatabase.removeFiles(of: database.path)
    }
    try database.removeCopies()
    mark.clear()
  }

  // MARK: Insides

  private static func makeBatch(_ database: SQLiteDatabase) throws(SQLiteFailure) -> Batch {
    let key = Nonce.make()
    try database.run("INSERT INTO batches (key) VALUES (?)", key)
    return Batch(id: database.lastRow, key: key)
  }

  /// A batch with its actions; those that are damaged are parked.
  private func filled(_ batch: Batch, _ database: SQLiteDatabase) throws(SQLiteFailure) -> Batch {
    var batch = batch
    let events = try database.all(
      "SELECT sequence, payload, checksum FROM events WHERE batch = ? ORDER BY sequence", batch.id
    ) { row in (sequence: row.integer(0), payload: opened(row)) }
    for event in events {
      if let payload = event.payload {
        batch.events.append((event.sequence, payload))
      } else {
        try database.run("UPDATE events SET batch = -1 WHERE sequence = ?", event.sequence)
      }
    }
    return batch
  }

  /// Nil for an action that was damaged.
  private func opened(_ row: SQLiteStatement) -> [UInt8]? {
    let payload = row.withBlob(1) { Array($0) }
    guard row.isNull(2) || row.integer(2) == Int64(bitPattern: Checksum.of(payload)) else { return nil }
    return seal.open(payload, .queuedItem, of: "")
  }

  private func write<Value>(_ work: (SQLiteDatabase) throws(SQLiteFailure) -> Value) throws -> Value {
    try use { (database) throws(SQLiteFailure) in
      try database.transaction { () throws(SQLiteFailure) in try work(database) }
    }
  }

  private func use<Value>(_ work: (SQLiteDatabase) throws(SQLiteFailure) -> Value) throws -> Value {
    if database.opened == nil, mark.isSet { try erase() }
    do throws(DurableQueue.Fault) { return try connected(work) } catch { throw named(error) }
  }

  private func connected<Value>(
    _ work: (SQLiteDatabase) throws(SQLiteFailure) -> Value
  ) throws(DurableQueue.Fault) -> Value {
    try database.use(work) {
      $0
    } onDamage: { copy, failure in
      DeveloperNotice.give("action log: the database was damaged (\(failure)); its copy is \(copy)")
    }
  }

  private func named(_ fault: DurableQueue.Fault) -> APIError {
    APIError(fault, of: "action log", in: folder)
  }
}
