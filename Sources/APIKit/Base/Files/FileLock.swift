import Foundation

/// A lock on a file that excludes other holders in this process and in others (`flock`).
///
/// The system releases it when the process ends, however it ends. Released with the object.
package final class FileLock: Sendable {
  private let file: Int32

  /// Waits for the lock on a private folder, which is made where it is missing; for changes that take a moment, since it
  /// holds the thread. The folder itself is locked, so that no file is left for it.
  ///
  /// Throws when the wait is longer than `patience`: a process may have been suspended while it holds the lock.
  init(folder: String, patience: Duration = .seconds(10)) throws(PrivateFile.Fault) {
    try PrivateFile.makeFolder(folder)
    file = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { throw .system("opened") }
    // Time for which this process is suspended itself does not count.
    let due = SuspendingClock.now + patience
    while flock(file, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw .system("locked") }
      guard SuspendingClock.now < due else {
        throw PrivateFile.Fault(
          "cannot be locked: another process has held it for \(patience.shortText)", code: EWOULDBLOCK)
      }
      usleep(1_000)  // flock takes no time limit, so it is asked again
    }
  }

  /// Takes the lock on a file if it is free; nil when it is held. The file is made, with mode 0600.
  ///
  /// The holder before may have renamed or removed the file between opening and locking. The lock is then on a
  /// file without a name, which excludes no one, and the path is opened anew.
  package convenience init?(ifFree path: String) throws {
    for _ in 0..<100 {
      let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard file >= 0 else { throw Self.lastError }
      while flock(file, LOCK_EX | LOCK_NB) != 0 {
        let code = errno
        if code == EINTR { continue }
        close(file)
        if code == EWOULDBLOCK { return nil }
        throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
      }
      if Self.names(path, file) {
        self.init(file)
        return
      }
      close(file)
    }
    return nil
  }

  private init(_ file: Int32) { self.file = file }

  /// Ends the lock before the object is released, which may be held a moment longer by work that has ended.
  package func release() { flock(file, LOCK_UN) }

  /// Whether the path still names the locked file: it was neither removed nor replaced.
  package func holds(_ path: String) -> Bool { Self.names(path, file) }

  /// Whether a path names an open file.
  private static func names(_ path: String, _ file: Int32) -> Bool {
    var (own, named) = (stat(), stat())
    return fstat(file, &own) == 0 && lstat(path, &named) == 0 && own.st_ino == named.st_ino
      && own.st_dev == named.st_dev
  }

  deinit { if file >= 0 { close(file) } }

  private static var lastError: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
