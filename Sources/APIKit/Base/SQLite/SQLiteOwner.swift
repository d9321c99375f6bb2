/// A database that several processes may share: opened with its tables when it is first used, and again where its file was
/// removed, cut or migrated while it was open. What is done about damage, its store says.
///
/// Not locked: its store uses it from one place at a time.
package final class SQLiteOwner<Connection> {
  package let path: String
  private let schema: SQLiteSchema
  private let patience: Int32
  private let isPrecious: Bool
  private let maximumPages: Int?
  private var open: (connection: Connection, database: SQLiteDatabase)?
  /// Why the database must be left alone: it belongs to a later version, or to others. Known once it was used.
  package private(set) var refusal: SQLiteSchema.Refusal?

  /// - Parameters:
  ///   - patience: How long a call waits for another process's lock, in milliseconds.
  ///   - isPrecious: Whether a database whose migration fails is left alone; else it counts as damaged, and so does
  ///     one with a flipped bit in the numbers that say whose it is.
  ///   - maximumPages: A bound of the database, for tests of a full disk.
  package init(
    path: String, _ schema: SQLiteSchema, patience: Int32, isPrecious: Bool, maximumPages: Int? = nil
  ) {
    (self.path, self.schema, self.patience) = (path, schema, patience)
    (self.isPrecious, self.maximumPages) = (isPrecious, maximumPages)
  }

  /// Nil where none is open.
  package var connection: Connection? { open?.connection }

  /// Ends the connection. The next use makes another one.
  package func close() { open = nil }

  /// Ends a connection whose file was removed or replaced: what it wrote would be lost with the file.
  ///
  /// - Returns: Whether there was such a connection.
  package func closeIfRemoved() -> Bool {
    guard open?.database.isRemoved == true else { return false }
    close()
    return true
  }

  /// Does the work; again after damage was mended, the second time although the database looked whole.
  ///
  /// - Parameters:
  ///   - isChecked: Whether it is asked first for its version, which another process may have changed.
  ///   - prepare: Is called before a database is opened.
  ///   - connect: Makes the connection of a database that was opened.
  ///   - mend: Mends a damaged database, of which nothing is open here: the failure that shows it, and whether it is to be done
  ///     although the database looks whole.
  package func use<Value>(
    _ work: (Connection) throws(SQLiteFailure) -> Value, isChecked: Bool = true,
    opening prepare: () throws(SQLiteFailure) -> Void = {},
    connecting connect: (SQLiteDatabase) throws(SQLiteFailure) -> Connection,
    mending mend: (_ damage: SQLiteFailure, _ isForced: Bool) throws(SQLiteFailure) -> Void
  ) throws(SQLiteFailure) -> Value {
    // Another process may have migrated it to a later version, or emptied it and not filled it yet.
    if isChecked, let open, (try? open.database.number("PRAGMA user_version")) != schema.version {
      let isCut = !open.database.hasHeader
      close()
      if isCut { try mend(.damage("it was cut while it was open"), true) }
    }
    if open == nil { try prepare() }
    if open == nil, isCutAndHeld() { try mend(.damage("it was cut while another process has it open"), true) }
    for isForced in [false, true] {
      do throws(SQLiteFailure) { return try work(try opened(connect)) } catch {
        guard error.isMisfit else { throw error }
        close()
        try mend(error, isForced)
      }
    }
    return try work(try opened(connect))
  }

  /// Whether the database was cut, and who has it open does not let go of it: one that is just being made has its header
  /// after a moment.
  private func isCutAndHeld() -> Bool {
    guard SQLiteDatabase.isCut(at: path) else { return false }
    do throws(SQLiteFailure) {
      try SQLiteDatabase(path: path, patience: min(patience, 1_000)).executePatiently(
        "PRAGMA journal_mode = WAL")
      return false
    } catch {
      return error.isBusy && SQLiteDatabase.isCut(at: path)
    }
  }

  private func opened(
    _ connect: (SQLiteDatabase) throws(SQLiteFailure) -> Connection
  ) throws(SQLiteFailure) -> Connection {
    if let open { return open.connection }
    let database = try SQLiteDatabase(path: path, patience: patience)
    if let maximumPages { try database.execute("PRAGMA max_page_count = \(maximumPages)") }
    do throws(SQLiteFailure) { refusal = try schema.prepare(database) } catch {
      guard isPrecious, error.isMisfit, !error.isDamage else { throw error }
      refusal = .unmigrated(error)
    }
    if refusal != nil, !isPrecious, try schema.isDamaged(in: database) {
      throw .damage("its header is damaged")
    }
    switch refusal {
    case .future(let version):
      throw .refused("it has version \(version), and this code knows \(schema.version)")
    case .foreign: throw .refused("it belongs to another application")
    case .unmigrated(let failure): throw .refused(failure.description)
    case nil: break
    }
    let connection = try connect(database)
    open = (connection, database)
    return connection
  }
}
