import Foundation

/// The files of a database: its own, its log, and the index of the log; before it has these, its journal.
extension SQLiteDatabase {
  private static func files(of path: String) -> [String] {
    ["-wal", "-shm", "-journal", ""].map { path + $0 }
  }

  /// Removes the files where that can be done: what they have is of no use.
  package static func discardFiles(of path: String) { for file in files(of: path) { unlink(file) } }

  /// Removes the files so that they are gone after a loss of power, too.
  package static func removeFiles(of path: String) throws(PrivateFile.Fault) {
    for file in files(of: path) { try PrivateFile.remove(file) }
  }

  /// Copies the database and its log in place of others. Where that fails nothing is left: a part of a copy would only fill the
  /// disk.
  package static func copyFiles(of path: String, to copy: String) throws {
    discardFiles(of: copy)
    do {
      for ending in ["", "-wal"] where PrivateFile.exists(path + ending) {
        try FileManager.default.copyItem(atPath: path + ending, toPath: copy + ending)
        chmod(copy + ending, 0o600)
      }
    } catch {
      discardFiles(of: copy)
      throw error
    }
  }

  /// Gives a copy, which nothing has open, another name.
  package static func moveFiles(of copy: String, to name: String) throws(PrivateFile.Fault) {
    for ending in ["-wal", ""] where PrivateFile.exists(copy + ending) {
      guard rename(copy + ending, name + ending) == 0 else { throw .system("renamed") }
    }
  }
}

extension SQLiteFailure {
  /// This damage with the reason why it is not mended, which it would not say.
  package func unmended(because error: any Error) -> SQLiteFailure {
    if let failure = error as? SQLiteFailure { return failure }
    let fault = error as? PrivateFile.Fault ?? PrivateFile.Fault(error, "copied")
    let message = "\(message); it \(fault)"
    return fault.reason == .storageFull ? .full(message) : SQLiteFailure(code: code, message: message)
  }
}
