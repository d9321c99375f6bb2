/// The tables of the disk cache.
enum DiskSchema {
  /// Raised with every change of the tables that older code could not work with.
  static let version: Int64 = 2
  /// `APKC`: tells our databases from others that happen to have our name.
  static let application: Int64 = 0x4150_4B43

  /// What opening came to.
  enum State {
    case ready
    /// Written by a later version.
    case future(Int64)
    /// Another application's database.
    case foreign
  }

  private enum Finding {
    case empty
    /// Written by an earlier version: a cache is not worth a migration, its answers are dropped.
    case outdated
    case settled(State)
  }

  /// Every connection's settings. WAL lets others read while one writes; NORMAL may lose the last answers
  /// when the power fails, and a lost answer is only a miss. The page cache holds the indexes of 100,000 answers;
  /// it grows as they are used. No mapping into memory: a file that is cut short would end the process.
  private static let settings = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA journal_size_limit = 4194304;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -8192;
    PRAGMA trusted_schema = OFF;
    """

  /// `key` and `variant` are the first words of their digests, so that the index of many answers stays small;
  /// the record has the whole. Times of use stand apart from the answers: noting one writes a few bytes of a
  /// small table. `totals` is kept by triggers, so the bound holds whoever writes; it also has what all
  /// processes have counted.
  private static let tables = """
    CREATE TABLE entries (
      id INTEGER PRIMARY KEY, key INTEGER NOT NULL, variant INTEGER NOT NULL, url INTEGER NOT NULL,
      partition INTEGER NOT NULL, expiry REAL NOT NULL, size INTEGER NOT NULL,
      expired INTEGER NOT NULL, sealed INTEGER NOT NULL, file TEXT, checksum INTEGER NOT NULL,
      record BLOB NOT NULL);
    CREATE UNIQUE INDEX entries_key ON entries (key, variant);
    CREATE INDEX entries_url ON entries (url);
    CREATE INDEX entries_expiry ON entries (expiry);
    CREATE TABLE uses (entry INTEGER PRIMARY KEY, used REAL NOT NULL);
    CREATE INDEX uses_used ON uses (used);
    CREATE TABLE tags (tag TEXT NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY (tag, entry)) WITHOUT ROWID;
    CREATE INDEX tags_entry ON tags (entry);
    CREATE TABLE totals (
      id INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, count INTEGER NOT NULL, clock REAL NOT NULL,
      hits INTEGER NOT NULL, misses INTEGER NOT NULL, stores INTEGER NOT NULL, evictions INTEGER NOT NULL);
    INSERT INTO totals VALUES (1, 0, 0, 0, 0, 0, 0, 0);
    CREATE TRIGGER entries_in AFTER INSERT ON entries BEGIN
      UPDATE totals SET bytes = bytes + new.size, count = count + 1; END;
    CREATE TRIGGER entries_out AFTER DELETE ON entries BEGIN
      UPDATE totals SET bytes = bytes - old.size, count = count - 1;
      DELETE FROM uses WHERE entry = old.id;
      DELETE FROM tags WHERE entry = old.id; END;
    """

  /// Leaves nothing of an earlier version; the bodies' files are swept up as those that nobody names.
  private static let removal = """
    DROP TABLE IF EXISTS entries; DROP TABLE IF EXISTS uses; DROP TABLE IF EXISTS tags;
    DROP TABLE IF EXISTS totals;
    """

  /// Makes the tables where there are none.
  static func prepare(_ database: SQLiteDatabase) throws(SQLiteFailure) -> State {
    // Of one moment: somebody who makes the tables in between must not look like a stranger.
    let found = try database.snapshot { () throws(SQLiteFailure) in try look(database) }
    switch found {
    // What is not ours is not touched, not even by a setting.
    case .settled(.future(let version)): return .future(version)
    case .settled(.foreign): return .foreign
    case .settled(.ready), .empty, .outdated: try database.executePatiently(settings)
    }
    if case .settled(let state) = found { return state }
    return try database.transaction { () throws(SQLiteFailure) in
      // Another process may have been quicker.
      switch try look(database) {
      case .settled(let state): return state
      case .outdated: try database.execute(removal)
      case .empty: break
      }
      try database.execute(tables)
      try database.execute("PRAGMA application_id = \(application); PRAGMA user_version = \(version);")
      return .ready
    }
  }

  private static func look(_ database: SQLiteDatabase) throws(SQLiteFailure) -> Finding {
    let found = try database.number("PRAGMA user_version")
    let owner = try database.number("PRAGMA application_id")
    guard owner == application else {
      return try database.number("SELECT count(*) FROM sqlite_master") == 0 ? .empty : .settled(.foreign)
    }
    return found == version ? .settled(.ready) : found < version ? .outdated : .settled(.future(found))
  }
}
