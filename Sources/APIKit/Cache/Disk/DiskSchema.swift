/// The tables of the disk cache.
enum DiskSchema {
  /// Raised with every change of the tables that older code could not work with.
  static let version: Int64 = 1
  /// `APKC`: tells our databases from others that happen to have our name.
  static let application: Int64 = 0x4150_4B43

  /// What opening found.
  enum State {
    case ready
    /// Written by a later version.
    case future(Int64)
    /// Another application's database.
    case foreign

    var isOurs: Bool { if case .ready = self { true } else { false } }
  }

  /// Every connection's settings. WAL lets others read while one writes; NORMAL may lose the last answers
  /// when the power fails, and a lost answer is only a miss.
  private static let settings = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA journal_size_limit = 4194304;
    PRAGMA temp_store = MEMORY;
    PRAGMA trusted_schema = OFF;
    """

  /// `totals` is kept by triggers, so the bound holds whoever writes.
  private static let tables = """
    CREATE TABLE entries (
      id INTEGER PRIMARY KEY, key BLOB NOT NULL, variant BLOB NOT NULL, url INTEGER NOT NULL,
      partition INTEGER NOT NULL, expiry REAL NOT NULL, used REAL NOT NULL, size INTEGER NOT NULL,
      expired INTEGER NOT NULL, sealed INTEGER NOT NULL, file TEXT, checksum INTEGER NOT NULL,
      record BLOB NOT NULL);
    CREATE UNIQUE INDEX entries_key ON entries (key, variant);
    CREATE INDEX entries_url ON entries (url);
    CREATE INDEX entries_expiry ON entries (expiry);
    CREATE INDEX entries_used ON entries (used);
    CREATE TABLE tags (tag TEXT NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY (tag, entry)) WITHOUT ROWID;
    CREATE INDEX tags_entry ON tags (entry);
    CREATE TABLE totals (id INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, count INTEGER NOT NULL, clock REAL NOT NULL);
    INSERT INTO totals VALUES (1, 0, 0, 0);
    CREATE TRIGGER entries_in AFTER INSERT ON entries BEGIN
      UPDATE totals SET bytes = bytes + new.size, count = count + 1; END;
    CREATE TRIGGER entries_out AFTER DELETE ON entries BEGIN
      UPDATE totals SET bytes = bytes - old.size, count = count - 1;
      DELETE FROM tags WHERE entry = old.id; END;
    """

  /// Makes the tables where there are none.
  static func prepare(_ database: SQLiteDatabase) throws(SQLiteFailure) -> State {
    // Of one moment: somebody who makes the tables in between must not look like a stranger.
    let found = try database.snapshot { () throws(SQLiteFailure) in try look(database) }
    // What is not ours is not touched, not even by a setting.
    if let found, !found.isOurs { return found }
    try database.executePatiently(settings)
    if let found { return found }
    return try database.transaction { () throws(SQLiteFailure) in
      // Another process may have been quicker.
      if let state = try look(database) { return state }
      try database.execute(tables)
      try database.execute("PRAGMA application_id = \(application); PRAGMA user_version = \(version);")
      return .ready
    }
  }

  /// Nil for an empty database.
  private static func look(_ database: SQLiteDatabase) throws(SQLiteFailure) -> State? {
    let found = try database.number("PRAGMA user_version")
    let owner = try database.number("PRAGMA application_id")
    if owner == application {
      return found <= version ? .ready : .future(found)
    }
    return try database.number("SELECT count(*) FROM sqlite_master") == 0 ? nil : .foreign
  }
}
