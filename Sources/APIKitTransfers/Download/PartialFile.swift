import APIKit
import Foundation

/// The file that a download is written to, with its journal beside it, under a lock that keeps other processes away.
///
/// Bytes are written by one thread at a time, each behind the one before; a checkpoint may be made beside it. The lock is that
/// of the partial file and ends with the process, however it ends.
final class PartialFile: Sendable {
  /// What the journal has: whose download it is, and how far it is.
  struct Journal: Codable {
    var identity: String
    var state: DownloadState
    /// The running of the machine (`SystemBoot`) in which it was written; nil where the system does not say.
    var boot: String?
    /// That the complete file is about to get its name, for a transfer of a queue; nil before, and in earlier versions.
    var end: JournaledEnd?
  }

  static let ending = ".apikit-part"
  static let journalEnding = ".apikit-part.journal"
  private static let longestEnding =
    journalEnding.utf8.count + TransferJournal<Journal>.draftEnding.utf8.count

  private let path: String
  private let identity: String
  private let lock: FolderLock
  private let descriptor: Int32
  /// What the journal said, with no more bytes than the file has; empty for a file of another download.
  ///
  /// Within one running of the machine no byte of a process is lost that has ended early: the file is as far as it is long.
  /// After another start only what a checkpoint has had on the disk counts.
  let found: DownloadState

  private let journal: TransferJournal<Journal>

  /// Opens or makes the partial file of a place.
  ///
  /// - Throws: `APIError.Reason.alreadyLoading` when another download has it, in this process or another.
  init(for path: String, identity: String) throws(APIError) {
    self.path = path + Self.ending
    self.identity = identity
    lock = try Self.lock(self.path)
    descriptor = open(self.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw Self.fault(self.path, "cannot be opened") }
    var status = stat()
    var state = DownloadState()
    journal = Self.journal(of: self.path)
    unlink(journal.draftPath)
    // A damaged journal is none, and the download starts over.
    if fstat(descriptor, &status) == 0, let journal = try? journal.read(), journal.identity == identity,
      (0...Int64(status.st_size)).contains(journal.state.offset),
      journal.end == nil || journal.state.condition != nil
    {
      state = journal.state
      let length = Int64(status.st_size)
      if journal.boot != nil, journal.boot == SystemBoot.identity, length <= state.total ?? .max {
        state.offset = length
      }
    }
    found = state
  }

  deinit { close(descriptor) }

  /// Lets others have the file: nothing is written any more.
  func release() { lock.release() }

  /// Where the partial file of a target is, but for its ending.
  static func place(of target: DownloadTarget, identity: String) -> String {
    switch target {
    case .file(let path, _): PrivateFile.stem(of: path, leaving: longestEnding)
    case .folder(let folder, _): "\(folder)/.\(identity.prefix(32))"
    }
  }

  /// How far the download of a journal is; nil where there is none.
  static func progress(inJournal path: String) -> TransferProgress? {
    guard let journal = try? TransferJournal<Journal>(path, .downloadJournal).read() else { return nil }
    return TransferProgress(received: journal.state.offset, totalToReceive: journal.state.total)
  }

  static func journal(of path: String) -> TransferJournal<Journal> {
    TransferJournal("\(path).journal", .downloadJournal)
  }

  private static func lock(_ path: String) throws(APIError) -> FolderLock {
    for _ in 0..<100 {
      do {
        guard let lock = try FolderLock(ifFree: path) else {
          throw isTaken(path)
        }
        var status = stat()
        if lstat(path, &status) == 0, status.st_nlink > 1 {
          // The complete file has its name, and the process ended before this one was removed.
          journal(of: path).remove()
          unlink(path)
          continue
        }
        return lock
      } catch {
        let code = (error as? POSIXError)?.code.rawValue ?? 0
        throw error as? APIError
          ?? APIError(
            .transport, PrivateFile.Fault.reason(ofCode: code),
            "the partial file \(path.debugDescription) cannot be made: \(String(cString: strerror(code)))",
            underlying: error)
      }
    }
    throw APIError(
      .transport, .fileFailed, "the partial file \(path.debugDescription) is replaced again and again")
  }

  /// Drops all bytes from here on.
  func truncate(to offset: Int64) throws(APIError) {
    // The process may have been suspended meanwhile.
    guard lock.retake() else { throw Self.isTaken(path) }
    guard ftruncate(descriptor, off_t(offset)) == 0 else { throw Self.fault(path, "cannot be cut") }
  }

  /// Takes the room for so many bytes behind the first ones, where the file system can; throws
  /// `APIError.Reason.storageFull` when there is none.
  ///
  /// Cutting the file gives the room back.
  func makeRoom(for count: Int64, at offset: Int64) throws(APIError) {
    var status = statvfs()
    guard count > 0, fstatvfs(descriptor, &status) == 0 else { return }
    let (free, isLarge) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    if !isLarge, free < UInt64(count) {
      throw APIError(
        .transport, .storageFull,
        "\(count) bytes are to come, and \(free) are free at \(path.debugDescription)")
    }
    #if os(Linux)
      // What cannot be taken now may be free later.
      _ = PrivateFile.reserve(descriptor, at: offset, count)
    #endif
  }

  /// Writes bytes behind those that are there.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(APIError) {
    var rest = bytes
    while let start = rest.baseAddress, !rest.isEmpty {
      let count = pwrite(descriptor, start, rest.count, off_t(offset) + off_t(bytes.count - rest.count))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.fault(path, "cannot be written") }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Has the bytes on the disk, then the journal that counts them: in this order, so that it never counts others.
  func checkpoint(_ state: DownloadState) throws(APIError) {
    guard state.condition != nil else {
      // Nothing can be continued, least of all what an earlier journal has counted.
      journal.remove()
      return
    }
    try sync()
    // If somebody has removed the file, no journal may appear.
    guard lock.holds(path) else { return }
    try journal.write(Journal(identity: identity, state: state, boot: SystemBoot.identity))
  }

  /// The SHA-256 or SHA-512 of the file, read from its start, in hexadecimal digits.
  func digest(of count: Int64, isLong: Bool) throws(APIError) -> String {
    var offset: Int64 = 0
    func next() throws -> [UInt8]? {
      let wanted = Int(min(1 << 20, count - offset))
      guard wanted > 0 else { return nil }
      try Task.checkCancellation()
      let chunk = [UInt8](unsafeUninitializedCapacity: wanted) { target, written in
        written = max(0, pread(descriptor, target.baseAddress, wanted, off_t(offset)))
      }
      guard !chunk.isEmpty else { throw Self.fault(path, "cannot be read") }
      offset += Int64(chunk.count)
      return chunk
    }
    do {
      return Hex.encode(isLong ? try Crypto.sha512(reading: next) : try Crypto.sha256(reading: next))
    } catch is CancellationError {
      throw APIError(cancelled: .taskCancelled)
    } catch {
      throw error as? APIError ?? APIError(.transport, .fileFailed, underlying: error)
    }
  }

  /// Gives the complete file its name, and removes the journal. Without `overwrites` a file that is there stays.
  ///
  /// - Parameter key: That of a transfer of a queue: the journal then stays, and says that it has ended, until
  ///   ``JournaledEnd/forget(_:at:)``.
  /// - Returns: Whether it has the name; false when something has it already.
  func commit(
    as target: String, state: DownloadState, overwrites: Bool, sha256: String? = nil, of key: String? = nil
  ) throws(APIError) -> Bool {
    try truncate(to: state.offset)
    try sync()
    guard lock.holds(path) else {
      throw APIError(.transport, .fileFailed, "\(path.debugDescription) was removed by others")
    }
    if let key {
      if !overwrites, PrivateFile.exists(target) { return false }
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw Self.fault(path, "cannot be read") }
      let end = JournaledEnd(
        key: key, path: target, sha256: sha256, inode: FileIdentity(status).inode, count: state.offset)
      try journal.write(Journal(identity: identity, state: state, boot: SystemBoot.identity, end: end))
    }
    if overwrites {
      guard rename(path, target) == 0 else { throw Self.fault(target, "cannot be replaced") }
    } else {
      guard try Self.move(path, to: target) else { return false }
    }
    PrivateFile.syncFolder(of: target)
    if key == nil { journal.remove() }
    return true
  }

  /// Gives a file a name that nothing has yet. False where something has it.
  private static func move(_ path: String, to target: String) throws(APIError) -> Bool {
    // Unlike `rename`, it never replaces.
    if link(path, target) == 0 {
      unlink(path)
      return true
    }
    if PrivateFile.meansNoLinks(errno) {
      // An empty file takes the name first, and is replaced.
      let empty = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if empty >= 0 {
        close(empty)
        if rename(path, target) == 0 { return true }
        let number = errno
        unlink(target)
        errno = number
      }
    }
    if errno == EEXIST { return false }
    throw fault(target, "cannot be made")
  }

  /// Removes the partial file and its journal.
  func discard() {
    journal.remove()
    unlink(path)
  }

  /// Removes all partial files and their journals, also those that are being written: nothing of them stays when that ends.
  static func removeAll(in folder: String) throws(PrivateFile.Fault) {
    for ending in [journalEnding, ending] { try PrivateFile.removeAll(in: folder, endingWith: ending) }
  }

  /// Removes partial files that were not written for so long and that no process is writing.
  static func sweep(_ folder: String, olderThan age: Duration) -> Int {
    var count = 0
    for name in PrivateFile.names(in: folder) {
      guard let end = name.range(of: ending, options: .backwards) else { continue }
      let path = "\(folder)/\(name)"
      let partial = "\(folder)/\(name[..<end.upperBound])"
      guard let file = FileIdentity(path: path, followsLinks: false), file.age > age.inSeconds else {
        continue
      }
      switch name[end.upperBound...] {
      case "":
        guard let lock = try? FileLock(ifFree: path) else { continue }
        journal(of: path).remove()
        if unlink(path) == 0 { count += 1 }
        withExtendedLifetime(lock) {}
      // What a process has left that ended while it wrote a journal, or before it removed one.
      case ".journal" + TransferJournal<Journal>.draftEnding, ".journal":
        if !PrivateFile.exists(partial) { unlink(path) }
      default: continue
      }
    }
    return count
  }

  private func sync() throws(APIError) {
    #if canImport(Darwin)
      let isDone = fsync(descriptor) == 0
    #else
      let isDone = fdatasync(descriptor) == 0
    #endif
    guard isDone else { throw Self.fault(path, "cannot be written to the disk") }
  }

  private static func isTaken(_ path: String) -> APIError {
    APIError(
      .takeoff, .alreadyLoading,
      "\(path.debugDescription) is being written by another download, maybe of another process")
  }

  /// The last failed system call.
  private static func fault(_ path: String, _ what: String) -> APIError {
    let number = errno
    return APIError(
      .transport, PrivateFile.Fault.reason(ofCode: number),
      "\(path.debugDescription) \(what): \(String(cString: strerror(number)))",
      underlying: POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO))
  }
}
