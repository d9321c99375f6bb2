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

  init(_ database: SQLiteDatabase, process: UInt64) {
    (self.database, self.process) = (database, process)
  }

  // MARK: Reading

  /// The rows of a key, latest first. A damaged row has neither a record nor a sealed one.
  func rows(of key: CacheKey) throws(SQLiteFailure) -> [Row] {
    try database.all(
      "SELECT id, expired, sealed, file, checksum, record FROM entries WHERE key = ? ORDER BY id DESC",
      key.word
    ) { row in
      let isExpired = row.integer(1) != 0
      let isSealed = row.integer(2) != 0
      let checksum = UInt64(bitPattern: row.integer(4))
      var record: CacheRecord?
      var sealed: [UInt8] = []
      row.withBlob(5) { blob in
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
      return Row(
        id: row.integer(0), checksum: checksum, isExpired: isExpired, isSealed: isSealed,
        file: row.text(3), record: record, sealed: sealed)
    }
  }

  /// Whether there are rows of a key.
  func holds(_ key: CacheKey) throws(SQLiteFailure) -> Bool {
    try database.number("SELECT EXISTS (SELECT 1 FROM entries WHERE key = ?)", key.word) != 0
  }

  /// What is stored, and the counts of all processes.
  func totals() throws(SQLiteFailure) -> CacheStatistics.Level {
    try database.all("SELECT bytes, count, hits, misses, stores, evictions FROM totals") { row in
      var numbers = CacheStatistics.Level()
      numbers.bytes = Int(row.integer(0))
      numbers.count = Int(row.integer(1))
      numbers.hits = Int(row.integer(2))
      numbers.misses = Int(row.integer(3))
      numbers.stores = Int(row.integer(4))
      numbers.evictions = Int(row.integer(5))
      return numbers
    }.first ?? CacheStatistics.Level()
  }

  /// The wall clock at the last write.
  func clock() throws(SQLiteFailure) -> Double {
    try database.all("SELECT clock FROM totals") { $0.double(0) }.first ?? 0
  }

  /// The names of all body files in use.
  func files() throws(SQLiteFailure) -> Set<String> {
    Set(try database.texts("SELECT file FROM entries WHERE file IS NOT NULL"))
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
    let dropped = try remove("key = ?1 AND (variant = ?2 OR variant >> 32 <> ?2 >> 32)", key, variant)
    let checksum = Checksum.of(prepared.record)
    try database.run(
      """
      INSERT INTO entries (key, variant, url, partition, expiry, size, expired, sealed, file, checksum, record)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, key, variant, Int64(bitPattern: entry.url), Int64(bitPattern: entry.partition), entry.expiry,
      Int64(prepared.size), Int64(entry.isExpired ? 1 : 0), Int64(prepared.isSealed ? 1 : 0), prepared.file,
      Int64(bitPattern: entry.isExpired ? ~checksum : checksum), prepared.record)
    let id = database.lastRow
    try database.run("INSERT INTO uses (entry, used) VALUES (?, ?)", id, now)
    for tag in entry.tags {
      try database.run("INSERT OR IGNORE INTO tags (tag, entry) VALUES (?, ?)", tag, id)
    }
    guard !entry.vary.fields.isEmpty else { return dropped }
    return try dropped
      + remove(
        "key = ?1 AND id NOT IN (SELECT id FROM entries WHERE key = ?1 ORDER BY id DESC LIMIT 8)", key)
  }

  func remove(_ key: CacheKey) throws(SQLiteFailure) -> [String] { try remove("key = ?", key.word) }

  func remove(partition: UInt64) throws(SQLiteFailure) -> [String] {
    try remove("partition = ?", Int64(bitPattern: partition))
  }

  /// Removes one row by its id, if it still exists.
  func remove(row: Int64) throws(SQLiteFailure) -> [String] { try remove("id = ?", row) }

  /// Removes one row, unless its id has been given to another response since.
  func remove(row: Int64, checksum: UInt64) throws(SQLiteFailure) -> [String] {
    try remove("id = ? AND checksum = ?", row, Int64(bitPattern: checksum))
  }

  /// Removes everything and sets the counts to zero.
  func removeAll() throws(SQLiteFailure) -> [String] {
    try database.execute("UPDATE totals SET hits = 0, misses = 0, stores = 0, evictions = 0")
    return try remove("true")
  }

  /// Marks rows as expired. The checksum says it as well, so that a flipped bit does not make one fresh again.
  private static let expiry =
    "UPDATE entries SET expired = 1, expiry = 0, checksum = ~checksum WHERE expired = 0"

  func expire(tag: String) throws(SQLiteFailure) {
    try database.run("\(Self.expiry) AND id IN (SELECT entry FROM tags WHERE tag = ?)", tag)
  }

  func expire(url: UInt64) throws(SQLiteFailure) {
    try database.run("\(Self.expiry) AND url = ?", Int64(bitPattern: url))
  }

  func touch(_ row: Int64, at now: Double) throws(SQLiteFailure) {
    try database.run("UPDATE uses SET used = ? WHERE entry = ?", now, row)
  }

  /// Stores the wall clock. When it was set back, the ages of stored responses are unknown, so all of them
  /// become stale.
  func note(clock now: Double) throws(SQLiteFailure) {
    if now < (try clock()) - 1 { try database.execute(Self.expiry) }
    try database.run("UPDATE totals SET clock = ?", now)
  }

  /// Adds a process's counts.
  func add(_ counts: DiskCounts) throws(SQLiteFailure) {
    try database.run(
      """
      UPDATE totals SET hits = hits + ?, misses = misses + ?, stores = stores + ?, evictions = evictions + ?
      """, Int64(counts.hits), Int64(counts.misses), Int64(counts.stores), Int64(counts.evictions))
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
        let oldest = try database.all(selection, now) { (id: $0.integer(0), size: Int($0.integer(1))) }
        if oldest.isEmpty { break }
        for row in oldest where excess > 0 {
          files += try remove(row: row.id)
          excess -= row.size
          count += 1
        }
      }
    }
    // Nothing is left, and there is too much.
    return (try files + correctSum(maximumBytes), count)
  }

  /// Corrects the sum of the sizes, which a flipped bit may have changed: with a wrong one nothing would be kept, or nothing
  /// evicted. Rows with a size that none has go first.
  private func correctSum(_ maximumBytes: Int) throws(SQLiteFailure) -> [String] {
    let files = try remove("size < 0 OR size > ?", Int64(maximumBytes))
    try database.execute(
      """
      UPDATE totals SET bytes = (SELECT coalesce(sum(size), 0) FROM entries),
      count = (SELECT count(*) FROM entries)
      """)
    return files
  }

  // MARK: Insides

  private func remove<each Value: SQLiteValue>(
    _ condition: String, _ values: repeat each Value
  ) throws(SQLiteFailure) -> [String] {
    try database.all("DELETE FROM entries WHERE \(condition) RETURNING file", repeat each values) {
      $0.text(0)
    }
    .compactMap { $0 }
  }
}
