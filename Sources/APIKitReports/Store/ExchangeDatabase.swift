import APIKit
import Foundation

/// How much a store of exchanges keeps.
struct ExchangeLimits: Sendable {
  var maximumBytes: Int64 = 64 << 20
  var maximumAge: Duration = .seconds(7 * 86_400)
}

/// The database of kept exchanges: opened when it is first used, and begun anew where it is damaged.
struct ExchangeDatabase {
  /// Why something could not be done.
  enum Fault: Error {
    case failed(SQLiteFailure)
    /// The folder or the database must be left alone.
    case unusable(String)

    var told: APIError {
      switch self {
      case .failed(let failure):
        APIError(
          .transport, failure.isFull ? .storageFull : .fileFailed,
          "the kept exchanges cannot be used: \(failure)")
      case .unusable(let why): APIError(.transport, .fileFailed, "the kept exchanges cannot be used: \(why)")
      }
    }
  }

  private let owner: SQLiteOwner<Connection>
  private let key: StorageKey
  private let limits: ExchangeLimits

  init(path: String, key: StorageKey, limits: ExchangeLimits, maximumPages: Int?) {
    (self.key, self.limits) = (key, limits)
    owner = SQLiteOwner(
      path: path, .exchanges, patience: 5_000, isPrecious: false, maximumPages: maximumPages)
  }

  private var path: String { owner.path }
  /// The copy of the database that was damaged last.
  private var copy: String { path + ".damaged" }

  /// Does work with the database; again after a damaged one was copied and emptied. `tell` is called with the reason then, and
  /// where the file was removed.
  func use<Value>(
    _ work: (Connection) throws(SQLiteFailure) -> Value, onDamage tell: (String) -> Void
  ) throws(Fault) -> Value {
    if owner.closeIfRemoved() { tell("were removed while they were in use") }
    do throws(SQLiteFailure) {
      if owner.connection == nil { try makeFolder() }
      return try owner.use(work, connecting: connect) { damage, isForced throws(SQLiteFailure) in
        if try setAside(damage, isForced: isForced) { tell("were damaged (\(damage)); a copy is \(copy)") }
      }
    } catch {
      throw .failed(error)
    }
  }

  /// Ends the connection. The next use makes another one.
  func close() { owner.close() }

  private func makeFolder() throws(SQLiteFailure) {
    let folder = PrivateFile.folder(of: path)
    do throws(PrivateFile.Fault) { try PrivateFile.makeFolder(folder) } catch {
      throw .refused("the folder \(folder) \(error)")
    }
  }

  private func connect(_ database: SQLiteDatabase) throws(SQLiteFailure) -> Connection {
    let made = Connection(database, key: key, limits: limits)
    try made.checkSizes()
    try finishErasures(made)
    return made
  }

  /// Copies a damaged database beside it and empties it in place, because other processes may have it open.
  ///
  /// - Parameter isForced: Whether it is done although the database looks whole.
  /// - Returns: Whether that was needed: another process may have done it.
  private func setAside(_ failure: SQLiteFailure, isForced: Bool) throws(SQLiteFailure) -> Bool {
    do {
      return try PrivateFile.withLockedFolder(of: path) {
        let database = try SQLiteDatabase(path: path, patience: 5_000)
        if !isForced, (try? database.isSound()) == true { return false }
        try SQLiteDatabase.copyFiles(of: path, to: copy)
        try database.reset()
        return true
      }
    } catch {
      throw failure.unmended(because: error)
    }
  }

  // MARK: Erasing

  /// The mark of a user whose exchanges are to be erased; its name does not say who that is.
  static func mark(of user: String, at path: String) -> ErasureMark {
    ErasureMark(path: "\(path)\(marking)\(user)")
  }

  private func clearMarks(of users: Set<String>) {
    for user in users { Self.mark(of: user, at: path).clear() }
  }

  private static let marking = ".leaving-"

  /// The users whose exchanges are to be erased, by their marks.
  static func marked(at path: String) throws(PrivateFile.Fault) -> Set<String> {
    let beginning = (path as NSString).lastPathComponent + marking
    let names = try PrivateFile.list(PrivateFile.folder(of: path))
    return Set(names.filter { $0.hasPrefix(beginning) }.map { String($0.dropFirst(beginning.count)) })
  }

  /// Erases what marks say, of this launch or of an earlier one.
  private func finishErasures(_ connection: Connection) throws(SQLiteFailure) {
    let marked: Set<String>
    do throws(PrivateFile.Fault) { marked = try Self.marked(at: path) } catch {
      throw .refused("whose exchanges are to be erased is unknown: \(error)")
    }
    guard !marked.isEmpty else { return }
    try connection.erase(marked)
    removeCopy()
    clearMarks(of: marked)
  }

  private func removeCopy() { SQLiteDatabase.discardFiles(of: copy) }

  /// Removes the exchanges of users, or all of them, and the copy of a damaged database. Where the database cannot be written
  /// its files are removed: on a full disk other processes can keep nothing either.
  ///
  /// - Parameter users: What stands for them; nil for all.
  func erase(_ users: Set<String>?) throws(Fault) {
    removeCopy()
    if PrivateFile.exists(path) {
      do throws(Fault) {
        try use { (connection) throws(SQLiteFailure) in
          try connection.erase(users)
        } onDamage: { _ in
        }
      } catch {
        guard case .failed(let failure) = error, !failure.isBusy, !failure.isRefusal else {
          throw error
        }
        try removeFiles()
      }
      removeCopy()
    }
    clearMarks(of: users ?? (try? Self.marked(at: path)) ?? [])
  }

  private func removeFiles() throws(Fault) {
    owner.close()
    do throws(PrivateFile.Fault) { try SQLiteDatabase.removeFiles(of: path) } catch {
      throw .unusable("\(path) \(error)")
    }
  }
}

extension SQLiteSchema {
  /// The tables of kept exchanges: `APKX`. What is searched has a table of its own, so that a search does not read past the
  /// contents. Triggers maintain the sum, so that the bound holds for all processes.
  static let exchanges = SQLiteSchema(
    migrations: [
      """
      CREATE TABLE exchanges (
        id INTEGER PRIMARY KEY AUTOINCREMENT, launch TEXT NOT NULL, number INTEGER NOT NULL, begun REAL NOT NULL,
        took REAL NOT NULL, flight INTEGER NOT NULL, service TEXT NOT NULL, api TEXT NOT NULL,
        method TEXT NOT NULL, host TEXT NOT NULL, path TEXT NOT NULL, status INTEGER NOT NULL,
        failure TEXT NOT NULL, sent INTEGER NOT NULL, received INTEGER NOT NULL, size INTEGER NOT NULL);
      CREATE INDEX exchanges_begun ON exchanges (begun);
      CREATE INDEX exchanges_flight ON exchanges (flight);
      CREATE TABLE contents (id INTEGER PRIMARY KEY, content BLOB NOT NULL);
      CREATE TABLE totals (id INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);
      INSERT INTO totals VALUES (1, 0);
      CREATE TRIGGER exchanges_in AFTER INSERT ON exchanges BEGIN
        UPDATE totals SET bytes = bytes + new.size; END;
      CREATE TRIGGER exchanges_out AFTER DELETE ON exchanges BEGIN
        UPDATE totals SET bytes = bytes - old.size;
        DELETE FROM contents WHERE id = old.id; END;
      """,
      // What stands for the user of the load. Rows of before name nobody.
      "ALTER TABLE exchanges ADD COLUMN user TEXT NOT NULL DEFAULT '';",
    ], application: 0x4150_4B58,
    settings: "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192; PRAGMA secure_delete = ON;")
}
