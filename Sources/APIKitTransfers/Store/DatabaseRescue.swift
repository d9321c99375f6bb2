import APIKit
import Foundation

/// What is done with a database that is damaged: it is copied to a name of its own, emptied in place, since other processes
/// may have it open, and filled with what can be read of it.
struct DatabaseRescue {
  /// The database.
  let path: String
  let schema: SQLiteSchema
  let remains: Remains

  /// What is kept of a damaged database.
  struct Remains: Sendable {
    /// The tables of which the rows are carried over; the first has what is kept.
    let tables: [String]
    /// Brings what could be read of them in order.
    let repair: String
  }

  /// Where the process ends meanwhile, or the disk is full, it is continued by the next call: until the rows are carried over
  /// a mark names the copy that has them.
  ///
  /// - Parameter isForced: Whether it is done although the database looks whole.
  /// - Returns: The path of the copy; nil when nothing was to be done.
  func run(isForced: Bool) throws -> String? {
    try PrivateFile.withLockedFolder(of: path) {
      // No connection stays open beside the next: it would keep that from its lock.
      func open() throws(SQLiteFailure) -> SQLiteDatabase { try SQLiteDatabase(path: path, patience: 10_000) }
      if let copy = try Self.unfinished(of: path) {
        let tables = try? open().number(Self.tables)
        guard let tables, tables > 0 else { return try carryOver(try read(copy), from: copy) }
        // The process ended before the database was emptied, or when all was done.
        Self.mark(of: copy).clear()
      }
      // Another process may have done it in the meantime.
      if !isForced, (try? isWhole(open())) == true { return nil }
      // The draft has one name: processes that end while they make it leave one.
      let (draft, new) = ("\(path)\(Self.marking)new", "\(path)\(Self.marking)\(Nonce.make())")
      let readable: DatabaseContent
      do {
        let database = try open()
        // What another process commits behind the copy would be lost. A database whose damage prevents that is copied as it is.
        // One without a header takes no commits, and a process that has it open would keep this one from the lock.
        do throws(SQLiteFailure) { if database.hasHeader { try database.execute("BEGIN IMMEDIATE") } } catch {
          guard !error.isBusy else { throw error }
        }
        try SQLiteDatabase.copyFiles(of: path, to: draft)
        readable = try read(draft)
        try SQLiteDatabase.moveFiles(of: draft, to: new)
        try Self.mark(of: new).set()
        try? database.execute("COMMIT")
        try database.reset()
      } catch {
        // The database is as it was; each further try would leave another copy.
        for copy in [draft, new] { Self.remove(copy) }
        throw error
      }
      return try carryOver(readable, from: new)
    }
  }

  /// Fills the empty database with what was read of a copy. Its tables come with their rows, or not at all: without tables it is
  /// not filled yet.
  private func carryOver(_ content: DatabaseContent, from copy: String) throws -> String {
    let new = try SQLiteDatabase(path: path, patience: 10_000)
    try new.executePatiently("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    try new.transaction { () throws(SQLiteFailure) in
      // Another process may have made them in the meantime.
      if try new.number(Self.tables) == 0 { try new.execute(content.schema) }
      for table in content.rows { try table.write(to: new) }
      try new.execute(remains.repair)
    }
    Self.mark(of: copy).clear()
    return copy
  }

  private static let tables = "SELECT count(*) FROM sqlite_master"

  /// Reads all there is.
  private func isWhole(_ database: SQLiteDatabase) throws(SQLiteFailure) -> Bool {
    for table in remains.tables { _ = try database.prepare("SELECT * FROM \(table)").all { _ in } }
    return try database.isSound()
  }

  /// Reads a copy whose list of tables is set right: a database in which that is damaged shows none of its rows.
  private func read(_ copy: String) throws -> DatabaseContent {
    let (draft, model) = ("\(copy).draft", "\(copy).model")
    func removeDrafts() { for path in [draft, model] { SQLiteDatabase.discardFiles(of: path) } }
    // Those of a process that has ended.
    removeDrafts()
    defer { removeDrafts() }
    try SQLiteDatabase.copyFiles(of: copy, to: draft)
    let right = try SQLiteDatabase(path: model, patience: 100)
    _ = try schema.prepare(right)
    let tables = try right.prepare(
      "SELECT type, name, tbl_name, sql, rootpage FROM sqlite_master WHERE sql IS NOT NULL")
    // Each statement that fails only leaves less to read.
    if let damaged = try? SQLiteDatabase(path: draft, patience: 100),
      (try? damaged.execute("PRAGMA writable_schema = ON")) != nil
    {
      while try tables.step() {
        for condition in ["name = ?2", "rootpage = ?5"] {
          try? damaged.run(
            "UPDATE sqlite_master SET type = ?1, name = ?2, tbl_name = ?3, sql = ?4, rootpage = ?5 WHERE \(condition)",
            tables.text(0), tables.text(1), tables.text(2), tables.text(3), tables.integer(4))
        }
      }
    }
    let old = try SQLiteDatabase(path: draft, patience: 100)
    let statements =
      try right.texts(
        "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY rowid")
      + ["application_id", "user_version"].map { (name) throws(SQLiteFailure) in
        "PRAGMA \(name) = \(try right.number("PRAGMA \(name)"))"
      }
    // A row that every such database has may be among those that were lost.
    return DatabaseContent(
      schema: statements.joined(separator: ";\n"),
      rows: try [right, old].flatMap { database throws(SQLiteFailure) in
        try remains.tables.map { (table) throws(SQLiteFailure) in
          try TableRemains(of: table, like: right, in: database)
        }
      })
  }

  // MARK: Copies

  private static let marking = ".damaged-"

  /// Set while the rows of a copy are in no database.
  private static func mark(of copy: String) -> ErasureMark { ErasureMark(path: "\(copy).unfinished") }

  /// The copy whose rows are still to be carried over; nil for none.
  static func unfinished(of path: String) throws(PrivateFile.Fault) -> String? {
    try list(of: path).first { mark(of: $0).isSet }
  }

  /// The copies that are left of damaged databases; none where the folder cannot be listed.
  static func copies(of path: String) -> [String] { (try? list(of: path)) ?? [] }

  private static func list(of path: String) throws(PrivateFile.Fault) -> [String] {
    let (folder, name) = (PrivateFile.folder(of: path), (path as NSString).lastPathComponent)
    let beginning = name + marking
    return try PrivateFile.list(folder)
      .filter { $0.hasPrefix(beginning) && $0.dropFirst(beginning.count).allSatisfy(\.isHexDigit) }.sorted()
      .map { "\(folder)/\($0)" }
  }

  static func removeCopies(of path: String) throws(PrivateFile.Fault) {
    let (folder, name) = (PrivateFile.folder(of: path), (path as NSString).lastPathComponent)
    for copy in try PrivateFile.list(folder) where copy.hasPrefix(name + marking) {
      try PrivateFile.remove("\(folder)/\(copy)")
    }
  }

  private static func remove(_ copy: String) {
    mark(of: copy).clear()
    SQLiteDatabase.discardFiles(of: copy)
  }
}

/// What makes a database of the same content.
private struct DatabaseContent {
  let schema: String
  let rows: [TableRemains]
}

/// The rows of a table that can be read of a damaged database, each once: from its beginning, and from its end where that
/// breaks off. A value that is not of its column's type is taken as one.
private struct TableRemains {
  private struct Column {
    let name, type: String
    let isOptional, isKey: Bool
  }

  private let table: String
  private let columns: [Column]
  private var rows: [[Int64]: [any SQLiteValue]] = [:]

  /// - Parameter model: A database of the same tables, which is whole.
  init(of table: String, like model: SQLiteDatabase, in old: SQLiteDatabase) throws(SQLiteFailure) {
    self.table = table
    columns = try model.prepare("PRAGMA table_info(\(table))").all { row in
      Column(
        name: row.text(1) ?? "", type: row.text(2) ?? "", isOptional: row.integer(3) == 0,
        isKey: row.integer(5) > 0)
    }
    let keys = columns.indices.filter { columns[$0].isKey }
    for order in ["ASC", "DESC"] {
      let ordered = keys.map { "\(columns[$0].name) \(order)" }.joined(separator: ", ")
      do throws(SQLiteFailure) {
        let statement = try old.prepare("SELECT \(names) FROM \(table) ORDER BY \(ordered)")
        while try statement.step() {
          let key = keys.map { statement.integer(Int32($0)) }
          guard rows.updateValue(values(of: statement), forKey: key) == nil || order == "ASC" else { break }
        }
        if order == "ASC" { break }
      } catch {
        // The rows behind the damage are read from the other end.
      }
    }
  }

  private var names: String { columns.map(\.name).joined(separator: ", ") }

  private func values(of row: SQLiteStatement) -> [any SQLiteValue] {
    columns.indices.map { (position) -> any SQLiteValue in
      let (column, index) = (columns[position], Int32(position))
      if column.isOptional, !column.isKey, row.isNull(index) { return String?.none }
      switch column.type {
      case "INTEGER": return row.integer(index)
      case "REAL": return row.double(index)
      case "TEXT": return row.text(index) ?? ""
      default: return row.withBlob(index) { Array($0) }
      }
    }
  }

  func write(to database: SQLiteDatabase) throws(SQLiteFailure) {
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    let insert = try database.prepare("INSERT OR REPLACE INTO \(table) (\(names)) VALUES (\(places))")
    for (_, values) in rows.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      for (index, value) in values.enumerated() { value.bind(to: insert, at: Int32(index + 1)) }
      try insert.run()
    }
  }
}
