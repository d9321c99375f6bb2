import APIKit

/// The tables of a durable queue, and how those of an earlier version become them.
struct QueueSchema: Sendable {
  /// The nth makes the tables of version n from those of version n - 1; the first from nothing.
  var migrations = [first, second]
  /// What tells our databases from others of the same name; by default the text `APKQ`.
  var application: Int64 = 0x4150_4B51

  /// The version that this code writes.
  var version: Int64 { Int64(migrations.count) }

  /// Why a database cannot be used, and must be left alone.
  enum Refusal: Sendable, Hashable {
    /// Written by a later version.
    case future(Int64)
    /// Another application's database.
    case foreign
  }

  /// The settings of every connection. FULL: what was committed has left the machine's memory. WAL needs one sync for a
  /// commit, and lets others read meanwhile. What is deleted is overwritten, for it may be of a user who has left.
  private static let settings = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA secure_delete = ON;
    PRAGMA journal_size_limit = 4194304;
    PRAGMA temp_store = MEMORY;
    PRAGMA trusted_schema = OFF;
    """

  /// `head` marks the earliest item of a lane that is not parked, `needs` counts the items that must be done before; the
  /// index `items_ready` so has exactly what may be sent, and finding the next costs the same with any number of items. A
  /// lane that is NULL is the item's own. All times are those of ``QueueClock``. Ids are never given twice, so a lower id
  /// than the highest that is not there is of an item that is done. Nothing is counted by triggers: the counts are written
  /// once for many items.
  private static let first = """
    CREATE TABLE items (
      id INTEGER PRIMARY KEY, lane TEXT, state INTEGER NOT NULL, head INTEGER NOT NULL,
      needs INTEGER NOT NULL, due REAL NOT NULL, owner TEXT, attempts INTEGER NOT NULL,
      deaths INTEGER NOT NULL, size INTEGER NOT NULL, expiry REAL, type TEXT NOT NULL,
      recipient TEXT NOT NULL, user TEXT NOT NULL, spool TEXT, reason TEXT, blame INTEGER,
      payload BLOB NOT NULL);
    CREATE INDEX items_ready ON items (due, id) WHERE state = 0 AND head = 1 AND needs = 0;
    CREATE INDEX items_lane ON items (lane, id) WHERE state < 2 AND lane IS NOT NULL;
    CREATE INDEX items_owner ON items (owner) WHERE state = 1;
    CREATE INDEX items_expiry ON items (expiry) WHERE expiry IS NOT NULL;
    CREATE INDEX items_spool ON items (spool) WHERE spool IS NOT NULL;
    CREATE INDEX items_blame ON items (blame) WHERE blame IS NOT NULL;
    CREATE TABLE needs (
      parent INTEGER NOT NULL, child INTEGER NOT NULL, PRIMARY KEY (parent, child)) WITHOUT ROWID;
    CREATE INDEX needs_child ON needs (child);
    CREATE TABLE landings (
      id INTEGER PRIMARY KEY, recipient TEXT NOT NULL, user TEXT NOT NULL, payload BLOB NOT NULL);
    CREATE INDEX landings_recipient ON landings (recipient);
    CREATE TABLE totals (
      id INTEGER PRIMARY KEY, count INTEGER NOT NULL, bytes INTEGER NOT NULL, highest INTEGER NOT NULL);
    INSERT INTO totals VALUES (1, 0, 0, 0);
    CREATE TABLE clock (
      id INTEGER PRIMARY KEY, boot TEXT NOT NULL, steady REAL NOT NULL, wall REAL NOT NULL,
      time REAL NOT NULL);
    """

  /// A checksum of what a row keeps, NULL in rows of an earlier version until `unchecked` is 0.
  private static let second = """
    ALTER TABLE items ADD COLUMN checksum INTEGER;
    ALTER TABLE landings ADD COLUMN checksum INTEGER;
    ALTER TABLE totals ADD COLUMN unchecked INTEGER NOT NULL DEFAULT 1;
    """

  /// Makes the tables where they do not exist, and brings older ones up to date: all steps or none.
  ///
  /// - Returns: Why the database must be left alone; nil when it may be used.
  func prepare(_ database: SQLiteDatabase) throws(SQLiteFailure) -> Refusal? {
    // A database that is not ours is not changed, not even by a setting.
    if let refusal = try database.snapshot({ () throws(SQLiteFailure) in try look(database).refusal }) {
      return refusal
    }
    try database.executePatiently(Self.settings)
    return try database.transaction { () throws(SQLiteFailure) in
      // Another process may have made or migrated the tables in the meantime.
      let (found, refusal) = try look(database)
      guard refusal == nil, found < version else { return refusal }
      for step in migrations[Int(found)...] { try database.execute(step) }
      try database.execute("PRAGMA application_id = \(application); PRAGMA user_version = \(version);")
      return nil
    }
  }

  private func look(_ database: SQLiteDatabase) throws(SQLiteFailure) -> (found: Int64, refusal: Refusal?) {
    let found = try database.number("PRAGMA user_version")
    guard try database.number("PRAGMA application_id") == application else {
      return (0, try database.number("SELECT count(*) FROM sqlite_master") == 0 ? nil : .foreign)
    }
    return (found, found > version ? .future(found) : nil)
  }
}
