import APIKit
import Foundation

/// A database that outlives the process, and that several processes may share: where it is damaged, what
/// can be read of it is carried over to an empty one.
///
/// Not locked: the actor that has it uses it from one place at a time.
final class DurableDatabase<Connection> {
  typealias Fault = DurableQueue.Fault

  private let owner: SQLiteOwner<Connection>
  private let folder: String
  private let rescue: DatabaseRescue
  private let seal: QueueSeal

  init(
    _ name: String, in folder: String, _ schema: SQLiteSchema, remains: DatabaseRescue.Remains,
    sealedBy seal: QueueSeal
  ) {
    let path = "\(folder)/\(name)"
    (self.folder, self.seal) = (folder, seal)
    owner = SQLiteOwner(path: path, schema, patience: 10_000, isPrecious: true)
    rescue = DatabaseRescue(path: path, schema: schema, remains: remains)
  }

  var path: String { owner.path }
  /// The connection; nil where there is none.
  var opened: Connection? { owner.connection }
  /// Why the database must be left alone; nil where it need not. Known once it was used.
  var refusal: SQLiteSchema.Refusal? { owner.refusal }

  /// Does the work.
  ///
  /// - Parameters:
  ///   - connect: Makes the connection of a database that was opened.
  ///   - tellOfDamage: Is told of the copy of a damaged database, and how the damage was seen.
  func use<Value>(
    _ work: (Connection) throws(SQLiteFailure) -> Value,
    connecting connect: (SQLiteDatabase) throws(SQLiteFailure) -> Connection,
    onDamage tellOfDamage: (String, SQLiteFailure) -> Void
  ) throws(Fault) -> Value {
    func mend(_ damage: SQLiteFailure, isForced: Bool) throws(SQLiteFailure) {
      do { if let copy = try rescue.run(isForced: isForced) { tellOfDamage(copy, damage) } } catch {
        throw damage.unmended(because: error)
      }
    }
    closeIfRemoved()
    if opened == nil { try makeFolder() }
    // What a process has left that ended while it carried rows over. That may have emptied the database while it was open here.
    var unknown: Fault?
    func finishMending() throws(SQLiteFailure) {
      do throws(Fault) { guard try hasUnfinishedCopy() else { return } } catch {
        unknown = error
        throw .refused("a repair may be unfinished")
      }
      try mend(.damage("a repair was not finished"), isForced: false)
    }
    do throws(SQLiteFailure) {
      return try owner.use(work, opening: finishMending, connecting: connect, mending: mend)
    } catch {
      throw unknown ?? .failed(error)
    }
  }

  /// Ends the connection. The next use makes another one.
  func close() { owner.close() }

  /// Ends a connection whose file was removed or replaced.
  func closeIfRemoved() {
    guard owner.closeIfRemoved() else { return }
    DeveloperNotice.give("\(path) was removed or replaced while it was open: what it had kept is lost")
  }

  func makeFolder() throws(Fault) {
    if let fault = seal.fault { throw .unusable(fault) }
    do throws(PrivateFile.Fault) { try TransferFolder.make(folder) } catch {
      throw .unusable("the folder \(folder) \(error)")
    }
  }

  /// The copies of damaged databases, of earlier launches too.
  var copies: [String] { DatabaseRescue.copies(of: path) }
  func removeCopies() throws(Fault) {
    do throws(PrivateFile.Fault) { try DatabaseRescue.removeCopies(of: path) } catch {
      throw .unusable("copies of a damaged database may be left: \(error)")
    }
  }
  /// Whether one of them has rows that are still to be carried over.
  func hasUnfinishedCopy() throws(Fault) -> Bool {
    do throws(PrivateFile.Fault) { return try DatabaseRescue.unfinished(of: path) != nil } catch {
      throw .unusable("whether a repair is to be finished is unknown: \(error)")
    }
  }
}
