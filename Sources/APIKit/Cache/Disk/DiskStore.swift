/// The operations on the database: one connection, its statements, and the rules of eviction.
///
/// Not locked: ``DiskCache`` has one for reading and one for writing.
final class DiskStore {
  /// A row as a look-up reads it.
  struct Row {
    let id: Int64
    /// Of the record as it should be, its bits inverted where the row has expired. Ids are given again, so this tells a damaged
    /// row from a later one.
    let checksum: UInt64
    let isExpired: Bool
    let isSealed: Bool
    let file: String?
    let record: CacheRecord?
    /// The sealed record; empty when the record is not sealed or is damaged.
    let sealed: [UInt8]
  }

  let database: SQLiteDatabase
  private let process: UInt64
  private let find: SQLiteStatement
  private let count: SQLiteStatement
  private let insert: SQLiteStatement
  private let insertUse: SQLiteStatement
  private let insertTag: SQLiteStatement
  private let removeVariant: SQLiteStatement
  private let touch: SQLiteStatement
  private let version: SQLiteStatement

  init(_ database: SQLiteDatabase, process: UInt64) throws(SQLiteFailure) {
    self.database = database
    self.process = process
    find = try database.prepare(
      "SELECT id, expired, sealed, file, checksum, record FROM entries WHERE key = ? ORDER BY id DESC")
    count = try database.prepare("SELECT EXISTS (SELECT 1 FROM entries WHERE key = ?)")
    insert = try database.prepare(
      """
      INSERT INTO entries (key, variant, url, partition, expiry, size, expired, sealed, file, checksum, record)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    insertUse = try database.prepare("INSERT INTO uses (entry, used) VALUES (?, ?)")
    insertTag = try database.prepare("INSERT OR IGNORE INTO tags (tag, entry) VALUES (?, ?)")
    removeVariant = try database.prepare(
      """
      DELETE FROM entries WHERE key = ?1 AND (variant = ?2 OR variant >> 32 <> ?2 >> 32) RETURNING file
      """)
    touch = try database.prepare("UPDATE uses SET used = ? WHERE entry = ?")
    version = try database.prepare("PRAGMA user_version")
  }

  /// Whether another process has migrated the database to a later version while it was open.
  var isMigrated: Bool {
    defer { version.reset() }
    return (try? version.step()) == true && version.integer(0) > SQLiteSchema.cache.version
  }

  // MARK: Reading

  /// The rows of a key, latest first. A damaged row has neither a record nor a sealed one.
  func rows(of key: CacheKey) throws(SQLiteFailure) -> [Row] {
    defer { find.reset() }
    find.bind(1, key.word)
    var rows: [Row] = []
    while try find.step() {
      let isExpired = find.integer(1) != 0
      let isSealed = find.integer(2) != 0
      let checksum = UInt64(bitPattern: find.integer(4))
      var record: CacheRecord?
      var sealed: [UInt8] = []
      find.withBlob(5) { blob in
        let found = Checksum.of(blob)
        // An earlier version has left that of an expired record as it was.
        guard found == checksum || isExpired && found == ~checksum else { return }
        if isSealed {
          sealed = Array(blob)
        } else {
          record = (try? CacheRecord.envelope.unwrap(blob)).flatMap {
            CacheRecord($0, process: process, isExpired: isExpired)
          }
        }
      }
      rows.append(
        Row(
          id: find.integer(0), checksum: checksum, isExpired: isExpired, isSealed: isSealed,
          file: find.text(3), record: record, sealed: sealed))
    }
    return rows
  }

  /// Whether there are rows of a key.
  func holds(_ key: CacheKey) throws(SQLiteFailure) -> Bool {
    defer { count.reset() }
    count.bind(1, key.word)
    return try count.step() && count.integer(0) != 0
  }

  /// What is stored, and the counts of all processes.
  func totals() throws(SQLiteFailure) -> CacheStatistics.Level {
    let statement = try database.prepare("SELECT bytes, count, hits, misses, stores, evictions FROM totals")
    var numbers = CacheStatistics.Level()
    guard try statement.step() else { return numbers }
    numbers.bytes = Int(statement.integer(0))
    numbers.count = Int(statement.integer(1))
    numbers.hits = Int(statement.integer(2))
    numbers.misses = Int(statement.integer(3))
    numbers.stores = Int(statement.integer(4))
    numbers.evictions = Int(statement.integer(5))
    return numbers
  }

  /// The wall clock at the last write.
  func clock() throws(SQLiteFailure) -> Double {
    let statement = try database.prepare("SELECT clock FROM totals")
    return try statement.step() ? statement.double(0) : 0
  }

  /// The names of all body files in use.
  func files() throws(SQLiteFailure) -> Set<String> {
    let statement = try database.prepare("SELECT file FROM entries WHERE file IS NOT NULL")
    var names: Set<String> = []
    while try statement.step() { if let name = statement.text(0) { names.insert(name) } }
    return names
  }

  // MARK: Writing. Each returns the body files that no row names any more.

  /// One response, prepared for its row.
  struct Prepared {
    let entry: CacheEntry
    let record: [UInt8]
    let isSealed: Bool
    let file: String?
    /// The bytes that count towards the bound.
    let size: Int
  }

  /// Stores a response in place of those of its key that depend on other fields, too: so no two fit the same request, and where
  /// a damaged index hides the latest, none that was stored before is found in its place.
  func store(_ prepared: Prepared, now: Double) throws(SQLiteFailure) -> [String] {
    let entry = prepared.entry
    let (key, variant) = (entry.key.word, entry.vary.word)
    removeVariant.bind(1, key)
    removeVariant.bind(2, variant)
    let dropped = try files(of: removeVariant)
    insert.bind(1, key)
    insert.bind(2, variant)
    insert.bind(3, Int64(bitPattern: entry.url))
    insert.bind(4, Int64(bitPattern: entry.partition))
    insert.bind(5, entry.expiry)
    insert.bind(6, Int64(prepared.size))
    insert.bind(7, Int64(entry.isExpired ? 1 : 0))
    insert.bind(8, Int64(prepared.isSealed ? 1 : 0))
    insert.bind(9, prepared.file)
    let checksum = Checksum.of(prepared.record)
    insert.bind(10, Int64(bitPattern: entry.isExpired ? ~checksum : checksum))
    insert.bind(11, prepared.record)
    try insert.run()
    let id = database.lastRow
    insertUse.bind(1, id)
    insertUse.bind(2, now)
    try insertUse.run()
    for tag in entry.tags {
      insertTag.bind(1, tag)
      insertTag.bind(2, id)
      try insertTag.run()
    }
    guard !entry.vary.fields.isEmpty else { return dropped }
    return try dropped
      + remove("key = ?1 AND id NOT IN (SELECT id FROM entries WHERE key = ?1 ORDER BY id DESC LIMIT 8)") {
        $0.bind(1, key)
      }
  }

  func remove(_ key: CacheKey) throws(SQLiteFailure) -> [String] {
    try remove("key = ?") { $0.bind(1, key.word) }
  }

  func remove(partition: UInt64) throws(SQLiteFailure) -> [String] {
    try remove("partition = ?") { $0.bind(1, Int64(bitPattern: partition)) }
  }

  /// Removes one row by its id, if it still exists.
  func remove(row: Int64) throws(SQLiteFailure) -> [String] { try remove("id = ?") { $0.bind(1, row) } }

  /// Removes one row, unless its id has been given to another response since.
  func remove(row: Int64, checksum: UInt64) throws(SQLiteFailure) -> [String] {
    try remove("id = ? AND checksum = ?") {
      $0.bind(1, row)
      $0.bind(2, Int64(bitPattern: checksum))
    }
  }

  /// Removes everything and sets the counts to zero.
  func removeAll() throws(SQLiteFailure) -> [String] {
    try database.execute("UPDATE totals SET hits = 0, misses = 0, stores = 0, evictions = 0")
    return try remove("true") { _ in }
  }

  /// Marks rows as expired. The checksum says it as well, so that a flipped bit does not make one fresh again.
  private static let expiry =
    "UPDATE entries SET expired = 1, expiry = 0, checksum = ~checksum WHERE expired = 0"

  func expire(tag: String) throws(SQLiteFailure) {
    try update(
      "\(Self.expiry) AND id IN (SELECT entry FROM tags WHERE tag = ?)"
    ) {
      $0.bind(1, tag)
    }
  }

  func expire(url: UInt64) throws(SQLiteFailure) {
    try update("\(Self.expiry) AND url = ?") {
      $0.bind(1, Int64(bitPattern: url))
    }
  }

  func touch(_ row: Int64, at now: Double) throws(SQLiteFailure) {
    touch.bind(1, now)
    touch.bind(2, row)
    try touch.run()
  }

  /// Stores the wall clock. When it was set back, the ages of stored responses are unknown, so all of them
  /// become stale.
  func note(clock now: Double) throws(SQLiteFailure) {
    if now < (try clock()) - 1 { try database.execute(Self.expiry) }
    try update("UPDATE totals SET clock = ?") { $0.bind(1, now) }
  }

  /// Adds a process's counts.
  func add(_ counts: DiskCounts) throws(SQLiteFailure) {
    try update(
      """
      UPDATE totals SET hits = hits + ?, misses = misses + ?, stores = stores + ?, evictions = evictions + ?
      """
    ) {
      $0.bind(1, Int64(counts.hits))
      $0.bind(2, Int64(counts.misses))
      $0.bind(3, Int64(counts.stores))
      $0.bind(4, Int64(counts.evictions))
    }
  }

  /// Evicts responses until the bound holds: first the expired, earliest first; then the least recently
  /// used.
  ///
  /// - Returns: The files to remove, and how many responses were evicted.
  func evict(to maximumBytes: Int, now: Double) throws(SQLiteFailure) -> (files: [String], count: Int) {
    var files: [String] = []
    var count = 0
    let sum = try totals().bytes
    if sum < 0 || sum / 2 > maximumBytes { files = try correctSum(maximumBytes) }
    for selection in [
      "SELECT id, size FROM entries WHERE expiry <= ?1 ORDER BY expiry LIMIT 32",
      // By now no expired row is left; the condition is there so that both statements take the same
      // parameter.
      "SELECT entry, size FROM uses JOIN entries ON id = entry WHERE expiry > ?1 ORDER BY used LIMIT 32",
    ] {
      while true {
        var excess = try totals().bytes - maximumBytes
        if excess <= 0 { return (files, count) }
        let oldest = try database.prepare(selection)
        oldest.bind(1, now)
        var rows: [Int64] = []
        while excess > 0, try oldest.step() {
          rows.append(oldest.integer(0))
          excess -= Int(oldest.integer(1))
        }
        oldest.reset()
        if rows.isEmpty { break }
        for row in rows { files += try remove(row: row) }
        count += rows.count
      }
    }
    // Nothing is left, and there is too much.
    return (try files + correctSum(maximumBytes), count)
  }

  /// Corrects the sum of the sizes, which a flipped bit may have changed: with a wrong one nothing would be kept, or nothing
  /// evicted. Rows with a size that none has go first.
  private func correctSum(_ maximumBytes: Int) throws(SQLiteFailure) -> [String] {
    let files = try remove("size < 0 OR size > ?") { $0.bind(1, Int64(maximumBytes)) }
    try database.execute(
      """
      UPDATE totals SET bytes = (SELECT coalesce(sum(size), 0) FROM entries),
      count = (SELECT count(*) FROM entries)
      """)
    return files
  }

  // MARK: Insides

  private func remove(
    _ condition: String, _ bind: (SQLiteStatement) -> Void
  ) throws(SQLiteFailure) -> [String] {
    let statement = try database.prepare("DELETE FROM entries WHERE \(condition) RETURNING file")
    bind(statement)
    return try files(of: statement)
  }

  private func files(of statement: SQLiteStatement) throws(SQLiteFailure) -> [String] {
    defer { statement.reset() }
    var files: [String] = []
    while try statement.step() { if let file = statement.text(0) { files.append(file) } }
    return files
  }

  private func update(_ sql: String, _ bind: (SQLiteStatement) -> Void) throws(SQLiteFailure) {
    let statement = try database.prepare(sql)
    bind(statement)
    try statement.run()
  }
}
