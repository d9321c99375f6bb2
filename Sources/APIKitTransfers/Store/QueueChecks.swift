import APIKit

/// The checksum of a row of the table of items: what is kept of an item and never changes, but by a rewriting.
struct RowChecksum {
  /// That of the columns which the items of a series share.
  private let shared: UInt64

  init(_ entry: QueueStore.QueueEntry, expiry: Double?) {
    self.init(
      lane: entry.lane, type: entry.type, recipient: entry.recipient, user: entry.user, expiry: expiry)
  }

  init(_ row: QueueStore.Row) {
    self.init(lane: row.lane, type: row.type, recipient: row.recipient, user: row.user, expiry: row.expiry)
  }

  init(lane: String? = nil, type: String = "", recipient: String, user: String, expiry: Double? = nil) {
    shared = Checksum.combined(
      Self.of(lane), Checksum.of(type), Checksum.of(recipient), Checksum.of(user), expiry?.bitPattern ?? 1)
  }

  func value(id: Int64, spool: String?, size: Int64, payload: UnsafeRawBufferPointer) -> Int64 {
    Int64(
      bitPattern: Checksum.combined(
        shared, UInt64(bitPattern: id), Self.of(spool), UInt64(bitPattern: size), Checksum.of(payload)))
  }

  func value(id: Int64, spool: String?, size: Int64, payload: [UInt8]) -> Int64 {
    payload.withUnsafeBytes { value(id: id, spool: spool, size: size, payload: $0) }
  }

  /// No text differs from an empty one.
  private static func of(_ text: String?) -> UInt64 { text.map { Checksum.of($0) } ?? 1 }
}

/// Seals what a queue keeps of its items, where there is a key: bound to the user whose they are.
struct QueueSeal: Sendable {
  /// Nil keeps contents readable.
  let key: StorageKey?
  /// Why nothing can be kept: the key that was given is none.
  let fault: String?

  init(_ given: SecretKey? = nil) {
    key = given.flatMap { StorageKey($0.bytes) }
    fault = given == nil || key != nil ? nil : "a storageKey has 32 bytes, not \(given?.bytes.count ?? 0)"
  }

  /// With the code of SQLITE_INTERNAL, which is no sign of damage.
  static let failure = SQLiteFailure(code: 2, message: "the content cannot be sealed")

  /// The bytes to keep.
  func close(
    _ content: [UInt8], _ kind: Envelope.EnvelopeKind, of user: String
  ) throws(SQLiteFailure) -> [UInt8] {
    guard let key else { return content }
    guard let sealed = Envelope(kind: kind).seal(content, under: key, at: user.utf8) else {
      throw Self.failure
    }
    return sealed
  }

  /// What was kept; nil when it does not open. Content that was kept before there was a key is open.
  func open(_ bytes: [UInt8], _ kind: Envelope.EnvelopeKind, of user: String) -> [UInt8]? {
    let envelope = Envelope(kind: kind)
    guard envelope.isSealed(bytes) else { return bytes }
    guard let key else { return nil }
    return try? envelope.open(bytes, under: key, at: user.utf8)
  }
}

extension QueueStore {
  /// A row as it was kept, with its content opened; marked where either fails.
  func opened(_ row: Row, checksum: Int64?) -> Row {
    var row = row
    let expected = RowChecksum(row).value(id: row.id, spool: row.spool, size: row.size, payload: row.payload)
    row.isDamaged = checksum.map { $0 != expected } ?? !isCheckingOlderRows
    guard !row.isDamaged, let content = seal.open(row.payload, .queuedItem, of: row.user) else {
      row.isDamaged = true
      row.payload = []
      return row
    }
    row.payload = content
    return row
  }

  /// Gives rows of an earlier version their checksums, once.
  func checkOlderRows() throws(SQLiteFailure) {
    guard try database.number("SELECT unchecked FROM totals") != 0 else { return }
    isCheckingOlderRows = true
    defer { isCheckingOlderRows = false }
    try write { () throws(SQLiteFailure) in
      for row in try rows("WHERE checksum IS NULL") { try replacePayload(of: row, with: row.payload) }
      for landing in try landings(of: nil) { try keep(landing) }
      try database.execute("UPDATE totals SET unchecked = 0")
    }
  }

  /// Whether the counts are those of the rows, and nothing holds up an item that waits for nothing.
  func addsUp() throws(SQLiteFailure) -> Bool {
    try database.number(
      """
      SELECT (SELECT count(*) = (SELECT count FROM totals) AND total(size) = (SELECT bytes FROM totals) FROM items)
      AND NOT EXISTS (SELECT 1 FROM items WHERE id <= 0 OR state < 2 AND lane IS NULL AND head <> 1)
      AND NOT EXISTS (
        SELECT 1 FROM items WHERE state < 2 AND lane IS NOT NULL GROUP BY lane HAVING max(head) <> 1)
      AND NOT EXISTS (
        SELECT 1 FROM items WHERE needs <> (SELECT count(*) FROM needs WHERE child = items.id))
      """) != 0
  }

  /// Another content of an item.
  func replacePayload(of row: Row, with content: [UInt8]) throws(SQLiteFailure) {
    let payload = try seal.close(content, .queuedItem, of: row.user)
    let checksum = RowChecksum(row).value(id: row.id, spool: row.spool, size: row.size, payload: payload)
    try database.run("UPDATE items SET payload = ?, checksum = ? WHERE id = ?", payload, checksum, row.id)
  }
}
