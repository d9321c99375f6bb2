import CAPIKit

/// One connection to an SQLite database; the only file that uses the library.
///
/// Not locked and not `Sendable`: its owner must use it from one place at a time.
package final class SQLiteDatabase {
  private let handle: OpaquePointer
  private let path: String
  /// The file that it has open.
  private let file: FileIdentity?
  private let patience: Int32
  /// Whether the file can be written, whatever its header says.
  private let isWritable: Bool
  /// The statements that are used again, by their texts.
  private var statements: [String: SQLiteStatement] = [:]

  /// Opens a database, creating the file where it does not exist. Others get no rights to it; a symbolic link
  /// in its place is refused.
  ///
  /// - Parameter patience: How long a call waits for another process's lock, in milliseconds.
  package init(path: String, patience: Int32) throws(SQLiteFailure) {
    do throws(PrivateFile.Fault) {
      // The log and the index have the rights of the database when SQLite makes them; earlier ones may be open.
      for suffix in ["-wal", "-shm"] where PrivateFile.exists(path + suffix) {
        try PrivateFile.claim(path + suffix)
      }
      // Another process that makes the database may have one for a moment.
      try PrivateFile.requireFile(ifAny: path + "-journal")
      try PrivateFile.claim(path)
    } catch {
      throw .refused("\(path) \(error)")
    }
    var opened: OpaquePointer?
    // SQLite refuses a link in any part of the path, and the folder may be reached through one.
    let code = sqlite3_open_v2(
      PrivateFile.realPath(path), &opened,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, nil)
    guard code == SQLITE_OK, let opened else {
      let failure = SQLiteFailure(code: code, message: opened.map(Self.message) ?? "out of memory")
      sqlite3_close_v2(opened)
      throw failure
    }
    handle = opened
    self.path = path
    file = FileIdentity(path: path, followsLinks: false)
    self.patience = patience
    isWritable = sqlite3_db_readonly(opened, "main") == 0
    sqlite3_extended_result_codes(opened, 1)
    sqlite3_busy_timeout(opened, patience)
  }

  deinit {
    statements = [:]
    sqlite3_close_v2(handle)
  }

  /// Whether its file was removed or replaced: what is written is lost with it.
  package var isRemoved: Bool { FileIdentity(path: path, followsLinks: false)?.isFile(file) != true }

  /// Runs statements that return no rows.
  package func execute(_ sql: String) throws(SQLiteFailure) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// Runs statements for which SQLite's own busy timeout does not apply, such as a change of the journal
  /// mode.
  package func executePatiently(_ sql: String) throws(SQLiteFailure) {
    let due = ContinuousClock.now + .milliseconds(Int(patience))
    while true {
      do throws(SQLiteFailure) {
        return try execute(sql)
      } catch {
        // A lock for which the timeout does apply was waited for already.
        guard error.isBusy, ContinuousClock.now < due else { throw error }
        sqlite3_sleep(2)
      }
    }
  }

  /// A statement that is prepared once for all its uses; reset it after each of them.
  package func statement(_ sql: String) throws(SQLiteFailure) -> SQLiteStatement {
    if let known = statements[sql] { return known }
    let statement = try prepare(sql)
    statements[sql] = statement
    return statement
  }

  /// Prepares a statement that the caller keeps.
  package func prepare(_ sql: String) throws(SQLiteFailure) -> SQLiteStatement {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
    guard let statement else { throw SQLiteFailure(code: SQLITE_MISUSE, message: "an empty statement") }
    return SQLiteStatement(statement, isWritable: isWritable)
  }

  /// Reads several values from one snapshot, whatever other connections commit meanwhile.
  package func snapshot<Value>(_ work: () throws(SQLiteFailure) -> Value) throws(SQLiteFailure) -> Value {
    try transaction("BEGIN", work)
  }

  /// Does all of the work, or none of it when it throws.
  package func transaction<Value>(_ work: () throws(SQLiteFailure) -> Value) throws(SQLiteFailure) -> Value {
    try transaction("BEGIN IMMEDIATE", work)
  }

  private func transaction<Value>(
    _ begin: String, _ work: () throws(SQLiteFailure) -> Value
  ) throws(SQLiteFailure) -> Value {
    try statement(begin).run()
    do throws(SQLiteFailure) {
      let value = try work()
      try statement("COMMIT").run()
      return value
    } catch {
      // A failed statement may have rolled back already; then this one fails, which is harmless.
      try? execute("ROLLBACK")
      throw error
    }
  }

  /// The number of rows that the last statement changed.
  package var changes: Int { Int(sqlite3_changes(handle)) }

  /// The id of the row inserted last.
  package var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Empties the log, in which what was deleted may stand still. Fails as busy while another connection reads what is in it:
  /// SQLite says that in a row, and not as an error.
  package func emptyLog() throws(SQLiteFailure) {
    let checkpoint = try prepare("PRAGMA wal_checkpoint(TRUNCATE)")
    guard try checkpoint.step(), checkpoint.integer(0) != 0 else { return }
    throw SQLiteFailure(code: SQLITE_BUSY, message: "another connection reads the log")
  }

  /// Whether the database's pages are consistent, and there are some. It reads all of them.
  ///
  /// - Parameter withIndexes: Whether the indexes are compared with their tables as well, which takes longer.
  package func isSound(withIndexes: Bool = false) throws(SQLiteFailure) -> Bool {
    guard hasHeader else { return false }
    let check = try prepare("PRAGMA \(withIndexes ? "integrity" : "quick")_check(1)")
    return try check.step() && check.text(0) == "ok"
  }

  /// Empties a damaged database in place, because other processes may have it open. One that has lost its header is removed:
  /// their locks would keep it from getting another, and ``isRemoved`` tells them. The next connection finds it empty.
  package func reset() throws(SQLiteFailure) {
    guard hasHeader else { return Self.discardFiles(of: path) }
    // Where the log is empty SQLite would do it without, which needs the file for itself.
    if let version = try? number("PRAGMA user_version") { try? execute("PRAGMA user_version = \(version)") }
    try check(apikit_sqlite3_reset(handle, 1))
    defer { _ = apikit_sqlite3_reset(handle, 0) }
    try execute("VACUUM")
  }

  /// Whether the file is long enough for the header of a database.
  package var hasHeader: Bool { FileIdentity(path: path, followsLinks: false).map { $0.size >= 100 } == true }

  /// Whether a file has lost its header while a process had it open, or has it open now: there is an index, which is made behind
  /// the header. Who has it open keeps others from making it anew.
  package static func isCut(at path: String) -> Bool {
    FileIdentity(path: path, followsLinks: false).map { $0.size < 100 } == true
      && PrivateFile.exists(path + "-shm")
  }

  private func check(_ code: Int32) throws(SQLiteFailure) {
    try Self.check(code, of: handle, isWritable: isWritable)
  }

  fileprivate static func check(
    _ code: Int32, of handle: OpaquePointer, isWritable: Bool
  ) throws(SQLiteFailure) {
    guard code != SQLITE_OK else { return }
    // A flipped bit in the header makes a database one that must not be written.
    let isDamage = code == SQLITE_READONLY && isWritable
    throw SQLiteFailure(code: isDamage ? SQLITE_CORRUPT : code, message: message(of: handle))
  }

  private static func message(of handle: OpaquePointer) -> String { String(cString: sqlite3_errmsg(handle)) }
}

/// One prepared statement. Parameters are bound from 1, columns are read from 0; reset it after use.
package final class SQLiteStatement {
  private let handle: OpaquePointer
  /// Whether the database's file can be written.
  private let isWritable: Bool
  /// Whether a value was too long to be bound: NULL stands in its place.
  private var isTooLong = false

  fileprivate init(_ handle: OpaquePointer, isWritable: Bool) {
    (self.handle, self.isWritable) = (handle, isWritable)
  }

  deinit { sqlite3_finalize(handle) }

  package func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }
  package func bind(_ index: Int32, _ value: Double) { sqlite3_bind_double(handle, index, value) }
  package func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

  package func bind(_ index: Int32, _ bytes: [UInt8]) {
    // An empty array has no address, and a blob without an address would be NULL.
    guard !bytes.isEmpty else { return _ = sqlite3_bind_zeroblob(handle, index, 0) as Int32 }
    bytes.withUnsafeBytes { bytes in
      bind(bytes.count) { apikit_sqlite3_bind_blob(handle, index, bytes.baseAddress, $0) }
    }
  }

  /// Binds bytes without a copy: they must stay where they are until the statement is run or ``forget()`` is called.
  package func bind(_ index: Int32, inPlace bytes: UnsafeRawBufferPointer) {
    bind(bytes.count) { sqlite3_bind_blob(handle, index, bytes.baseAddress, $0, nil) }
  }

  /// Takes back all that was bound.
  package func forget() {
    sqlite3_clear_bindings(handle)
    isTooLong = false
  }

  package func bind(_ index: Int32, _ text: String?) {
    guard var text else { return _ = sqlite3_bind_null(handle, index) as Int32 }
    text.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { text in
        bind(text.count) { apikit_sqlite3_bind_text(handle, index, text.baseAddress, $0) }
      }
    }
  }

  /// Binds a value of so many bytes: SQLite takes 1,000,000,000, unless it was built otherwise.
  private func bind(_ count: Int, _ bind: (Int32) -> Int32) {
    if Int32(exactly: count).map(bind) ?? SQLITE_TOOBIG == SQLITE_TOOBIG { isTooLong = true }
  }

  /// Takes one step; true when there is a row to read.
  ///
  /// Throws where a value was too long, which is bound anew then.
  package func step() throws(SQLiteFailure) -> Bool {
    guard !isTooLong else {
      isTooLong = false
      throw SQLiteFailure(code: SQLITE_TOOBIG, message: String(cString: sqlite3_errstr(SQLITE_TOOBIG)))
    }
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      // The reset gives the database's message.
      let reset = sqlite3_reset(handle)
      // The library keeps a connection until its last statement is gone.
      if let database = sqlite3_db_handle(handle) {
        try SQLiteDatabase.check(reset, of: database, isWritable: isWritable)
      }
      throw SQLiteFailure(code: code, message: String(cString: sqlite3_errstr(code)))
    }
  }

  /// Runs a statement that returns no rows, and resets it.
  package func run() throws(SQLiteFailure) {
    _ = try step()
    reset()
  }

  package func reset() { sqlite3_reset(handle) }

  package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
  package func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }
  package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  package func text(_ column: Int32) -> String? {
    sqlite3_column_text(handle, column).map { String(cString: $0) }
  }

  /// The bytes of a blob, valid only inside the closure.
  package func withBlob<Value>(_ column: Int32, _ read: (UnsafeRawBufferPointer) -> Value) -> Value {
    let start = sqlite3_column_blob(handle, column)
    return read(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }
}

/// A failed call of SQLite.
package struct SQLiteFailure: Error, Sendable, CustomStringConvertible {
  /// The extended result code.
  package let code: Int32
  package let message: String

  package init(code: Int32, message: String) { (self.code, self.message) = (code, message) }

  private var primary: Int32 { code & 0xFF }

  /// Whether the file is damaged, or is not a database.
  package var isDamage: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }
  /// Whether a statement of our own does not fit the database: then it is damaged, whatever its pages look like. Codes 1, 17,
  /// 19, 20 and 25: an unknown table or column, another schema, a constraint, a mismatch of types, a range. Not 1811, a
  /// trigger, of which the tables have none that fails.
  package var isMisfit: Bool { isDamage || [1, 17, 19, 20, 25].contains(primary) && code != 1811 }
  /// Whether another connection holds a lock.
  package var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }
  /// Whether there is no room on the disk. Codes 778, 1034 and 4874: a write, a sync or a change of the length that fails.
  package var isFull: Bool { primary == SQLITE_FULL || [778, 1034, 4874].contains(code) }
  /// Whether the database cannot be opened, or must not be.
  package var isRefusal: Bool { code == SQLITE_CANTOPEN }

  /// Damage that a store finds itself.
  package static func damage(_ message: String) -> SQLiteFailure {
    SQLiteFailure(code: SQLITE_CORRUPT, message: message)
  }
  /// What a store refuses itself.
  package static func refused(_ message: String) -> SQLiteFailure {
    SQLiteFailure(code: SQLITE_CANTOPEN, message: message)
  }
  /// A full disk that something else than SQLite has met.
  package static func full(_ message: String) -> SQLiteFailure {
    SQLiteFailure(code: SQLITE_FULL, message: message)
  }

  /// `database or disk is full (13)`
  package var description: String { "\(message) (\(code))" }
}
