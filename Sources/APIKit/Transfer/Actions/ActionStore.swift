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
  private static let schema = QueueSchema(migrations: [tables], application: 0x4150_4B41)

  private let folder: String
  private var opened: SQLiteDatabase?

  init(folder: String) { self.folder = folder }

  /// Keeps an action. Beyond the limit the oldest that wait go, and are counted.
  ///
  /// - Returns: How many wait for a batch.
  func append(_ payload: [UInt8], limit: Int) throws -> Int {
    let database = try open()
    return try database.transaction { () throws(SQLiteFailure) in
      let insert = try database.prepare("INSERT INTO events (batch, payload) VALUES (0, ?)")
      insert.bind(1, payload)
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
    let database = try open()
    return try database.transaction { () throws(SQLiteFailure) -> Batch? in
      let oldest = try database.prepare("SELECT id, key FROM batches ORDER BY id LIMIT 1")
      if try oldest.step() {
        let batch = Batch(id: oldest.integer(0), key: oldest.text(1) ?? "", events: [])
        oldest.reset()
        return try Self.filled(batch, database)
      }
      let waiting = try database.number("SELECT count(*) FROM events WHERE batch = 0")
      guard waiting >= Int64(max(1, least)) else { return nil }
      let id = try Self.makeBatch(database)
      try database.run(
        """
        UPDATE events SET batch = ?1 WHERE sequence IN
        (SELECT sequence FROM events WHERE batch = 0 ORDER BY sequence LIMIT \(size))
        """, id.id)
      return try Self.filled(id, database)
    }
  }

  /// A batch is at the server.
  func finish(_ batch: Batch) throws {
    let database = try open()
    try database.transaction { () throws(SQLiteFailure) in
      try database.run("DELETE FROM events WHERE batch = ?", batch.id)
      try database.run("DELETE FROM batches WHERE id = ?", batch.id)
    }
  }

  /// A batch is too large, or has a member that the server refuses: its halves go as batches of their own. One alone is parked.
  func halve(_ batch: Batch) throws {
    let database = try open()
    try database.transaction { () throws(SQLiteFailure) in
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
    let database = try open()
    return (
      Int(try database.number("SELECT count(*) FROM events WHERE batch >= 0")),
      Int(try database.number("SELECT count(*) FROM events WHERE batch < 0")),
      Int(try database.number("SELECT dropped FROM counts"))
    )
  }

  /// Removes all of it, from the database and its log.
  func erase() throws {
    let database = try open()
    try database.transaction { () throws(SQLiteFailure) in
      try database.execute("DELETE FROM events; DELETE FROM batches; UPDATE counts SET dropped = 0;")
    }
    let statement = try database.prepare("PRAGMA wal_checkpoint(TRUNCATE)")
    _ = try statement.step()
  }

  // MARK: Insides

  private static func makeBatch(_ database: SQLiteDatabase) throws(SQLiteFailure) -> Batch {
    let key = Nonce.make()
    try database.run("INSERT INTO batches (key) VALUES (?)", text: key)
    return Batch(id: database.lastRow, key: key, events: [])
  }

  private static func filled(_ batch: Batch, _ database: SQLiteDatabase) throws(SQLiteFailure) -> Batch {
    var batch = batch
    let statement = try database.prepare(
      "SELECT sequence, payload FROM events WHERE batch = ? ORDER BY sequence")
    statement.bind(1, batch.id)
    while try statement.step() {
      batch.events.append((statement.integer(0), statement.withBlob(1) { Array($0) }))
    }
    return batch
  }

  private func open() throws -> SQLiteDatabase {
    if let opened { return opened }
    try PrivateFile.makeFolder(folder)
    let database = try SQLiteDatabase(path: folder + "/actions.sqlite", patience: 10_000)
    if let refusal = try Self.schema.prepare(database) {
      throw APIError(.takeoff, .outboxUnusable, "the action log in \(folder) cannot be used: \(refusal)")
    }
    opened = database
    return database
  }
}
