import APIKit

/// The actions on the disk: recorded, gathered in batches, gone when a server has them. An actor, since a commit waits for
/// the disk.
actor ActionStore {
  /// Actions that go in one request, with a key that is theirs until they are answered.
  struct Batch: Sendable, Equatable {
    var id: Int64
    var key: String
    /// In the order in which they were recorded.
    var events: [(sequence: Int64, payload: [UInt8])]

    static func == (left: Batch, right: Batch) -> Bool {
      left.id == right.id && left.key == right.key
        && left.events.map(\.sequence) == right.events.map(\.sequence)
    }
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

  private let folder: String
  private let seal: QueueSeal
  private var opened: SQLiteDatabase?

  init(folder: String, seal: QueueSeal = QueueSeal()) { (self.folder, self.seal) = (folder, seal) }

  /// Keeps an action. Beyond the limit the oldest that wait go, and are counted.
  ///
  /// - Returns: How many wait for a batch.
  func append(_ payload: [UInt8], limit: Int) throws -> Int {
    try write { (database) throws(SQLiteFailure) in
      guard let payload = seal.close(payload, .queuedItem, of: "") else { throw QueueSeal.failure }
      let insert = try database.prepare("INSERT INTO events (batch, payload, checksum) VALUES (0, ?, ?)")
      insert.bind(1, payload)
      insert.bind(2, Int64(bitPattern: Checksum.of(payload)))
      try insert.run()
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
      let oldest = try database.prepare("SELECT id, key FROM batches ORDER BY id LIMIT 1")
      if try oldest.step() {
        let batch = Batch(id: oldest.integer(0), key: oldest.text(1) ?? "", events: [])
        oldest.reset()
        return try filled(batch, database)
      }
      let waiting = try database.number("SELECT count(*) FROM events WHERE batch = 0")
      guard waiting >= Int64(max(1, least)) else { return nil }
      let id = try Self.makeBatch(database)
      try database.run(
        """
        UPDATE events SET batch = ?1 WHERE sequence IN
        (SELECT sequence FROM events WHERE batch = 0 ORDER BY sequence LIMIT \(size))
        """, id.id)
      return try filled(id, database)
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
      let middle = batch.events.count / 2
      if middle == 0 {
        try database.run("UPDATE events SET batch = -1 WHERE batch = ?", batch.id)
      } else {
        for half in [batch.events[..<middle], batch.events[middle...]] {
          let id = try Self.makeBatch(database).id
          for event in half {
            try database.run("UPDATE events SET batch = \(id) WHERE sequence = ?", event.sequence)
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
    guard PrivateFile.exists(path) else { return mark.clear() }
    try markErasure()
    do {
      try use { (database) throws(SQLiteFailure) in try Self.erase(database) }
    } catch let error as SQLiteFailure where !error.isBusy {
      opened = nil
      for ending in ["-wal", "-shm", ""] { try PrivateFile.remove(path + ending) }
    }
    DatabaseRescue.removeCopies(of: path)
    mark.clear()
  }

  private static func erase(_ database: SQLiteDatabase) throws(SQLiteFailure) {
    try database.transaction { () throws(SQLiteFailure) in
      try database.execute("DELETE FROM events; DELETE FROM batches; UPDATE counts SET dropped = 0;")
    }
    try database.emptyLog()
  }

  // MARK: Insides

  private static func makeBatch(_ database: SQLiteDatabase) throws(SQLiteFailure) -> Batch {
    let key = Nonce.make()
    try database.run("INSERT INTO batches (key) VALUES (?)", text: key)
    return Batch(id: database.lastRow, key: key, events: [])
  }

  /// A batch with its actions; those that are damaged are parked.
  private func filled(_ batch: Batch, _ database: SQLiteDatabase) throws(SQLiteFailure) -> Batch {
    var batch = batch
    let statement = try database.prepare(
      "SELECT sequence, payload, checksum FROM events WHERE batch = ? ORDER BY sequence")
    statement.bind(1, batch.id)
    var damaged: [Int64] = []
    while try statement.step() {
      let payload = statement.withBlob(1) { Array($0) }
      let isWhole = statement.isNull(2) || statement.integer(2) == Int64(bitPattern: Checksum.of(payload))
      if isWhole, let content = seal.open(payload, .queuedItem, of: "") {
        batch.events.append((statement.integer(0), content))
      } else {
        damaged.append(statement.integer(0))
      }
    }
    for sequence in damaged { try database.run("UPDATE events SET batch = -1 WHERE sequence = ?", sequence) }
    return batch
  }

  private var path: String { folder + "/actions.sqlite" }

  private func write<Value>(_ work: (SQLiteDatabase) throws(SQLiteFailure) -> Value) throws -> Value {
    try use { (database) throws(SQLiteFailure) in
      try database.transaction { () throws(SQLiteFailure) in try work(database) }
    }
  }

  /// Does the work. Where the database is damaged, what can be read of it is carried over to an empty one, and the work done
  /// with that.
  private func use<Value>(_ work: (SQLiteDatabase) throws(SQLiteFailure) -> Value) throws -> Value {
    for isForced in [false, true] {
      do { return try work(try open()) } catch let error as SQLiteFailure where error.isMisfit {
        opened = nil
        if let copy = try rescue.run(isForced: isForced) {
          DeveloperNotice.give("action log: the database was damaged (\(error)); its copy is \(copy)")
        }
      }
    }
    return try work(try open())
  }

  private var rescue: DatabaseRescue {
    DatabaseRescue(path: path, schema: Self.schema) { (database) throws(SQLiteFailure) in
      for table in ["events", "batches", "counts"] {
        let all = try database.prepare("SELECT * FROM \(table)")
        while try all.step() {}
      }
      return try database.isSound()
    } carry: { old in
      let events = DatabaseRescue.rows(of: "events", "sequence, batch, payload, checksum", in: old) { row in
        (row.integer(1), row.withBlob(2) { Array($0) }, row.isNull(3) ? nil : row.integer(3))
      }
      let batches = DatabaseRescue.rows(of: "batches", "id, key", in: old) { $0.text(1) ?? "" }
      let dropped = (try? old.number("SELECT dropped FROM counts")) ?? 0
      return { (new) throws(SQLiteFailure) in
        guard try Self.schema.prepare(new) == nil else { return }
        try new.transaction { () throws(SQLiteFailure) in
          let insert = try new.prepare(
            "INSERT INTO events (sequence, batch, payload, checksum) VALUES (?, ?, ?, ?)")
          for (sequence, (batch, payload, checksum)) in events {
            insert.bind(1, sequence)
            // Members of a batch that was lost wait for another one.
            insert.bind(2, batch > 0 && !batches.contains { $0.id == batch } ? 0 : batch)
            insert.bind(3, payload)
            if let checksum { insert.bind(4, checksum) } else { insert.bindNull(4) }
            try insert.run()
          }
          for (id, key) in batches { try new.run("INSERT INTO batches (id, key) VALUES (?1, ?2)", id, key) }
          try new.run("UPDATE counts SET dropped = ?", dropped)
        }
      }
    }
  }

  private func open() throws -> SQLiteDatabase {
    if let opened { return opened }
    if let fault = seal.fault { throw APIError(.takeoff, .misconfigured, fault) }
    try PrivateFile.makeFolder(folder)
    let database = try SQLiteDatabase(path: path, patience: 10_000)
    if let refusal = try Self.schema.prepare(database) {
      throw APIError(.takeoff, .outboxUnusable, "the action log in \(folder) cannot be used: \(refusal)")
    }
    opened = database
    if mark.isSet { try erase() }
    return try opened ?? open()
  }
}
