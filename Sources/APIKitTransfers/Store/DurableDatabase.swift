import APIKit
import Foundation

/// A database that outlives the process, and that several processes may share: opened with its tables when it is first used. Where
/// it is damaged, what can be read of it is carried over to an empty one.
///
/// Not locked: the actor that has it uses it from one place at a time.
final class DurableDatabase<Connection> {
  let path: String
  private let folder: String
  private let schema: SQLiteSchema
  private let remains: DatabaseRescue.Remains
  private let seal: QueueSeal
  /// The statement reads the version, which another process may change.
  private var open: (connection: Connection, database: SQLiteDatabase, version: SQLiteStatement)?
  /// Why the database must be left alone: it belongs to a later version, or to others. Known once it was used.
  private(set) var refusal: String?

  init(
    _ name: String, in folder: String, _ schema: SQLiteSchema, remains: DatabaseRescue.Remains,
    sealedBy seal: QueueSeal
  ) {
    (path, self.folder, self.schema) = ("\(folder)/\(name)", folder, schema)
    (self.remains, self.seal) = (remains, seal)
  }

  /// Does the work.
  ///
  /// - Parameters:
  ///   - connect: Makes the connection of a database that was opened.
  ///   - tellOfDamage: Is told of the copy of a damaged database, and how the damage was seen.
  func use<Value>(
    _ work: (Connection) throws(SQLiteFailure) -> Value,
    connecting connect: (SQLiteDatabase) throws(SQLiteFailure) -> Connection,
    onDamage tellOfDamage: (String, SQLiteFailure) -> Void
  ) throws(DurableQueue.Fault) -> Value {
    closeIfRemoved()
    if open.map({ isCurrent($0.version) }) == false {
      let isCut = open?.database.hasHeader == false
      close()
      if isCut, let copy = try rescue(isForced: true, because: Self.cut) { tellOfDamage(copy, Self.cut) }
    }
    if open == nil {
      try makeFolder()
      // What a process has left that ended while it carried rows over.
      if hasUnfinishedCopy, let copy = try rescue(isForced: false, because: Self.unfinished) {
        tellOfDamage(copy, Self.unfinished)
      }
    }
    for isForced in [false, true] {
      do throws(SQLiteFailure) { return try work(try connection(connect)) } catch {
        guard error.isMisfit else { throw .failed(error) }
        if let copy = try rescue(isForced: isForced, because: error) { tellOfDamage(copy, error) }
      }
    }
    do throws(SQLiteFailure) { return try work(try connection(connect)) } catch { throw .failed(error) }
  }

  /// The connection; nil where there is none.
  var opened: Connection? { open?.connection }

  /// Ends the connection. The next use makes another one.
  func close() { open = nil }

  /// Ends a connection whose file was removed or replaced: what it wrote would be lost with the file.
  func closeIfRemoved() {
    guard let open, open.database.isRemoved else { return }
    DeveloperNotice.give("\(path) was removed or replaced while it was open: what it had kept is lost")
    close()
  }

  func makeFolder() throws(DurableQueue.Fault) {
    if let fault = seal.fault { throw .unusable(fault) }
    do throws(PrivateFile.Fault) { try TransferFolder.make(folder) } catch {
      throw .unusable("the folder \(folder) \(error)")
    }
  }

  /// The copies of damaged databases, of earlier launches too.
  var copies: [String] { DatabaseRescue.copies(of: path) }
  func removeCopies() { DatabaseRescue.removeCopies(of: path) }
  /// Whether one of them has rows that are still to be carried over.
  var hasUnfinishedCopy: Bool { DatabaseRescue.unfinished(of: path) != nil }

  private func rescue(
    isForced: Bool, because failure: SQLiteFailure
  ) throws(DurableQueue.Fault) -> String? {
    close()
    do {
      return try DatabaseRescue(path: path, schema: schema, remains: remains).run(isForced: isForced)
    } catch let error as SQLiteFailure {
      throw .failed(error)
    } catch {
      // SQLITE_FULL; the damage alone would not say why it is not mended.
      let isFull = (error as? CocoaError)?.code == .fileWriteOutOfSpace
      throw .failed(
        SQLiteFailure(
          code: isFull ? 13 : failure.code,
          message: "\(failure.message); it cannot be copied: \(error.localizedDescription)"))
    }
  }

  /// SQLITE_CORRUPT.
  private static var unfinished: SQLiteFailure {
    SQLiteFailure(code: 11, message: "a repair was not finished")
  }
  private static var cut: SQLiteFailure {
    SQLiteFailure(code: 11, message: "it was cut while it was open")
  }

  private func connection(
    _ connect: (SQLiteDatabase) throws(SQLiteFailure) -> Connection
  ) throws(SQLiteFailure) -> Connection {
    if let open { return open.connection }
    let database = try SQLiteDatabase(path: path, patience: 10_000)
    do throws(SQLiteFailure) {
      refusal =
        switch try schema.prepare(database) {
        case .future(let version): "it has version \(version), and this code knows \(schema.version)"
        case .foreign: "it belongs to another application"
        case nil: nil
        }
    } catch {
      // A step that does not run is no damage.
      guard error.isMisfit, !error.isDamage else { throw error }
      refusal = error.description
    }
    if let refusal { throw SQLiteFailure(code: Self.refused, message: refusal) }
    let connection = try connect(database)
    open = (connection, database, try database.prepare("PRAGMA user_version"))
    return connection
  }

  /// Whether no other process has migrated the open database to a later version, or emptied it and not filled it yet.
  private func isCurrent(_ version: SQLiteStatement) -> Bool {
    defer { version.reset() }
    return (try? version.step()) == true && version.integer(0) == schema.version
  }

  /// SQLITE_CANTOPEN, for what this code refuses itself.
  private static var refused: Int32 { 14 }
}
