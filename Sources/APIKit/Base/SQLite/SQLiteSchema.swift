/// The tables of a database, and how those of an earlier version become them.
package struct SQLiteSchema: Sendable {
  /// The nth makes the tables of version n from those of version n - 1; the first from nothing.
  package var migrations: [String]
  /// What tells our databases from others of the same name: the bytes of a text of four letters.
  private let application: Int64
  /// The settings of its connections besides ``commonSettings``.
  private let settings: String

  /// The settings of every connection. WAL allows reading while another connection writes.
  private static let commonSettings = """
    PRAGMA journal_mode = WAL;
    PRAGMA journal_size_limit = 4194304;
    PRAGMA temp_store = MEMORY;
    PRAGMA trusted_schema = OFF;
    """

  package init(migrations: [String], application: Int64, settings: String) {
    (self.migrations, self.application, self.settings) = (migrations, application, settings)
  }

  /// The version that this code writes.
  package var version: Int64 { Int64(migrations.count) }

  /// Why a database cannot be used, and must be left alone.
  package enum Refusal: Sendable {
    /// Written by a later version.
    case future(Int64)
    /// Another application's database.
    case foreign
    /// Its migration failed.
    case unmigrated(SQLiteFailure)
  }

  /// Makes the tables where they do not exist, and brings older ones up to date: all steps or none.
  ///
  /// - Returns: Why the database must be left alone; nil when it may be used.
  package func prepare(_ database: SQLiteDatabase) throws(SQLiteFailure) -> Refusal? {
    // One snapshot: tables that another process makes in between must not look like a foreign database.
    let (seen, refusal) = try database.snapshot { () throws(SQLiteFailure) in try look(database) }
    // A database that is not ours is not changed, not even by a setting.
    guard refusal == nil else { return refusal }
    try database.executePatiently(Self.commonSettings + settings)
    guard seen < version else { return nil }
    return try database.transaction { () throws(SQLiteFailure) in
      // Another process may have made or migrated the tables in the meantime.
      let (found, refusal) = try look(database)
      guard refusal == nil, found < version else { return refusal }
      for step in migrations[Int(found)...] { try database.execute(step) }
      try database.execute("PRAGMA application_id = \(application); PRAGMA user_version = \(version);")
      return nil
    }
  }

  /// Whether a database that is refused is one of this version with a flipped bit in one of the numbers that say so: its
  /// tables are as the migrations make them.
  package func isDamaged(in database: SQLiteDatabase) throws(SQLiteFailure) -> Bool {
    let others = [
      try database.number("PRAGMA application_id") ^ application,
      try database.number("PRAGMA user_version") ^ version,
    ]
    guard others.reduce(0, { $0 + UInt32(truncatingIfNeeded: $1).nonzeroBitCount }) == 1 else { return false }
    // An index of the primary key has none.
    let tables = try database.texts("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    let made = migrations.joined()
    return !tables.isEmpty && tables.allSatisfy { made.contains($0) }
  }

  private func look(_ database: SQLiteDatabase) throws(SQLiteFailure) -> (found: Int64, refusal: Refusal?) {
    let found = try database.number("PRAGMA user_version")
    guard try database.number("PRAGMA application_id") == application else {
      return (0, try database.number("SELECT count(*) FROM sqlite_master") == 0 ? nil : .foreign)
    }
    // A negative one is none that any version writes.
    return (found, (0...version).contains(found) ? nil : .future(found))
  }
}
