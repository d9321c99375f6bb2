import APIKit
import Foundation

/// What is done with a database that is damaged: it is copied to a name of its own, emptied in place, since other processes
/// may have it open, and filled with what can be read of it.
struct DatabaseRescue {
  /// The database.
  let path: String
  /// Its tables.
  let schema: SQLiteSchema
  /// Whether it can be read as a whole after all, because another process has done this in the meantime.
  let isWhole: (SQLiteDatabase) throws(SQLiteFailure) -> Bool
  /// Reads what can be read; returns what writes it into the empty database.
  let carry: (SQLiteDatabase) -> (SQLiteDatabase) throws(SQLiteFailure) -> Void

  /// - Parameter isForced: Whether it is done although the database looks whole.
  /// - Returns: The path of the copy; nil when nothing was to be done.
  func run(isForced: Bool) throws -> String? {
    try PrivateFile.withLockedFolder(of: path) {
      let database = try SQLiteDatabase(path: path, patience: 10_000)
      if !isForced, (try? isWhole(database)) == true { return nil }
      let copy = "\(path).damaged-\(Hex.encode(Crypto.random(4)))"
      for ending in ["", "-wal"] where PrivateFile.exists(path + ending) {
        try FileManager.default.copyItem(atPath: path + ending, toPath: copy + ending)
        chmod(copy + ending, 0o600)
      }
      let write = try withRepaired(copy, carry)
      try database.reset()
      try write(try SQLiteDatabase(path: path, patience: 10_000))
      return copy
    }
  }

  /// Reads a copy whose list of tables is set right: a database in which that is damaged shows none of its rows.
  private func withRepaired<Value>(_ copy: String, _ read: (SQLiteDatabase) -> Value) throws -> Value {
    let (draft, model) = ("\(copy).draft", "\(copy).model")
    defer { for path in [draft, model] { for ending in ["-wal", "-shm", ""] { unlink(path + ending) } } }
    for ending in ["", "-wal"] where PrivateFile.exists(copy + ending) {
      try FileManager.default.copyItem(atPath: copy + ending, toPath: draft + ending)
    }
    let right = try SQLiteDatabase(path: model, patience: 100)
    _ = try schema.prepare(right)
    let tables = try right.prepare(
      "SELECT type, name, tbl_name, sql, rootpage FROM sqlite_master WHERE sql IS NOT NULL")
    // What does not succeed leaves less to read.
    if let damaged = try? SQLiteDatabase(path: draft, patience: 100),
      (try? damaged.execute("PRAGMA writable_schema = ON")) != nil
    {
      while try tables.step() {
        for condition in ["name = ?2", "rootpage = ?5"] {
          guard
            let change = try? damaged.prepare(
              "UPDATE sqlite_master SET type = ?1, name = ?2, tbl_name = ?3, sql = ?4, rootpage = ?5 WHERE \(condition)"
            )
          else { continue }
          for column in Int32(0)..<4 { change.bind(column + 1, tables.text(column)) }
          change.bind(5, tables.integer(4))
          try? change.run()
        }
      }
    }
    return read(try SQLiteDatabase(path: draft, patience: 100))
  }

  /// The copies that are left of damaged databases.
  static func copies(of path: String) -> [String] {
    let (folder, name) = ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
      .filter { $0.hasPrefix("\(name).damaged-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
      .map { "\(folder)/\($0)" }
  }

  static func removeCopies(of path: String) {
    for copy in copies(of: path) { for ending in ["-wal", "-shm", ""] { unlink(copy + ending) } }
  }

  /// The rows of a table that can be read, each once: from its beginning, and from its end where that breaks off.
  ///
  /// - Parameter columns: The first is the number by which the table is ordered.
  static func rows<Row>(
    of table: String, _ columns: String, in database: SQLiteDatabase, _ read: (SQLiteStatement) -> Row
  ) -> [(id: Int64, row: Row)] {
    let id = columns.prefix { $0 != "," }
    var rows: [Int64: Row] = [:]
    for order in ["ASC", "DESC"] {
      do throws(SQLiteFailure) {
        let statement = try database.prepare(
          "SELECT \(columns) FROM \(table) NOT INDEXED ORDER BY \(id) \(order)")
        while try statement.step() {
          guard rows.updateValue(read(statement), forKey: statement.integer(0)) == nil || order == "ASC"
          else { break }
        }
        if order == "ASC" { break }
      } catch {
        // What lies behind is read from the other end.
      }
    }
    return rows.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

extension SQLiteFailure {
  /// Whether a statement of our own does not fit the database: then it is damaged, whatever its pages look like. Codes 1, 17,
  /// 19, 20 and 25: an unknown table or column, another schema, a constraint, a mismatch of types, a range. Not 1811, a
  /// trigger, of which the tables have none.
  var isMisfit: Bool { isDamage || [1, 17, 19, 20, 25].contains(code & 0xFF) && code != 1811 }
}
