package import Foundation

/// Files that only their owner can read and write, in folders that no other user can change.
package enum PrivateFile {
  /// Why a file or a folder is not used, in words that follow its name.
  package struct Fault: Error, CustomStringConvertible {
    package let description: String
    /// The number of the system's error; 0 where no system call has failed.
    package let code: Int32

    package init(_ description: String, code: Int32 = 0) {
      (self.description, self.code) = (description, code)
    }

    /// The last failed system call.
    package static func system(_ verb: String) -> Fault {
      let code = errno
      return Fault("cannot be \(verb): \(String(cString: strerror(code)))", code: code)
    }

    /// What `FileManager` has thrown.
    package init(_ error: any Error, _ verb: String) {
      let cause = (error as? CocoaError)?.underlying as? POSIXError
      let words = cause.map { String(cString: strerror($0.code.rawValue)) } ?? error.localizedDescription
      self.init("cannot be \(verb): \(words)", code: cause?.code.rawValue ?? 0)
    }

    /// ``APIError/Reason/storageFull`` where there is no room, else ``APIError/Reason/fileFailed``.
    package var reason: APIError.Reason { Self.reason(ofCode: code) }

    /// What the number of a system's error means for a file that is written.
    package static func reason(ofCode code: Int32) -> APIError.Reason {
      [ENOSPC, EDQUOT, EFBIG].contains(code) ? .storageFull : .fileFailed
    }
  }

  /// Replaces a file atomically: a reader sees the old or the new one. A missing folder is made.
  ///
  /// Throws for more bytes than `limit`, with which it is read.
  package static func replace(_ path: String, with bytes: some DataProtocol, limit: Int = .max) throws {
    try makeFolder(folder(of: path))
    try replace(path, with: Array(bytes), by: draft(of: path), limit: limit)
  }

  /// Replaces a file atomically by renaming a draft, which no other thread or process may write meanwhile. The folder is
  /// taken as it is.
  package static func replace(
    _ path: String, with bytes: [UInt8], by draft: String, limit: Int
  ) throws(Fault) {
    guard bytes.count <= limit else {
      throw Fault("is too large: it would have \(bytes.count) bytes of at most \(limit)")
    }
    unlink(draft)
    try FileDraft.write(bytes, as: path, by: draft, .power)
  }

  /// Does the work while no other thread or process does work under the lock of the file's folder.
  package static func withLockedFolder<Value>(of path: String, _ work: () throws -> Value) throws -> Value {
    let lock = try FileLock(folder: folder(of: path))
    defer { lock.release() }
    return try work()
  }

  /// The bytes of a file; nil when there is none.
  ///
  /// Throws for a symbolic link, for a file that belongs to another user or that others may open, and for
  /// one that has more bytes than `limit`.
  package static func read(_ path: String, limit: Int) throws -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if file < 0, errno == ENOENT { return nil }
    guard file >= 0 else { throw Fault.system("opened") }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    var status = stat()
    guard fstat(file, &status) == 0 else { throw Fault.system("examined") }
    try requireOwn(status)
    guard status.st_mode & 0o077 == 0 else {
      throw Fault("may be read by others: it must belong to this user, with mode 0600")
    }
    let bytes = try handle.read(upToCount: limit + 1) ?? Data()
    guard bytes.count <= limit else { throw Fault("is too large") }
    return Array(bytes)
  }

  /// Makes a folder and its parents with mode 0700 where they do not exist.
  ///
  /// Throws for a folder that belongs to another user or that others may change: they could put other files
  /// in the place of its own.
  package static func makeFolder(_ path: String) throws(Fault) {
    let path = path.isEmpty ? "." : path
    var status = stat()
    if stat(path, &status) != 0 {
      guard errno == ENOENT else { throw .system("examined") }
      try makeParents(path)
      guard mkdir(path, 0o700) == 0 || errno == EEXIST, stat(path, &status) == 0 else {
        throw .system("made")
      }
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw Fault("is not a folder") }
    guard status.st_uid == geteuid() else { throw Fault("belongs to another user") }
    guard status.st_mode & 0o022 == 0 else {
      throw Fault("may be changed by others: it must belong to this user, with mode 0700")
    }
  }

  /// Prepares the file of a library that opens it by its path: makes an empty one, or takes the rights of
  /// others from the one that is there. Throws for a symbolic link and for another user's file.
  static func claim(_ path: String) throws(Fault) {
    var status = stat()
    if lstat(path, &status) != 0 {
      guard errno == ENOENT else { throw .system("examined") }
      // Made under another name: closing a descriptor of the file itself would release the locks that this
      // process may hold on it already (fcntl).
      let draft = draft(of: path)
      let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard file >= 0 else { throw .system("made") }
      close(file)
      defer { unlink(draft) }
      guard link(draft, path) == 0 || errno == EEXIST || meansNoLinks(errno) && makeEmpty(path),
        lstat(path, &status) == 0
      else { throw .system("made") }
    }
    try requireOwn(status)
    guard status.st_mode & 0o077 == 0 || chmod(path, 0o600) == 0 else { throw .system("made private") }
  }

  /// Throws for what is no file of this user, such as a FIFO, which a library that opens it by its path would wait for.
  static func requireFile(ifAny path: String) throws(Fault) {
    var status = stat()
    if lstat(path, &status) == 0 { try requireOwn(status) }
  }

  /// Removes a file, and the drafts that processes have left which ended while they wrote it. Needs no room on the disk. After
  /// a loss of power it is gone, too.
  package static func remove(_ path: String) throws(Fault) {
    removeDrafts(of: path)
    guard unlink(path) == 0 || errno == ENOENT else { throw .system("removed") }
    syncFolder(of: path)
  }

  /// Has the names in the folder of a file on the disk, where the file system can.
  package static func syncFolder(of path: String) {
    let folder = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    _ = fsync(folder)
    close(folder)
  }

  /// Removes the drafts of a file.
  static func removeDrafts(of path: String) {
    let (folder, name) = (folder(of: path), (path as NSString).lastPathComponent)
    for draft in names(in: folder) where draft.hasPrefix("\(name).") && draft.hasSuffix(draftEnding) {
      unlink("\(folder)/\(draft)")
    }
  }

  /// Removes the files of a folder that have such an ending, and drafts of them.
  package static func removeAll(in folder: String, endingWith ending: String) throws(Fault) {
    var fault: Fault?
    for name in try list(folder)
    where name.hasSuffix(ending) || name.hasSuffix(draftEnding) && name.contains("\(ending).") {
      guard unlink("\(folder)/\(name)") == 0 || errno == ENOENT else {
        fault = .system("removed")
        continue
      }
    }
    if let fault { throw fault }
  }

  /// The folder of a file or folder; `.` for one without a slash.
  ///
  /// On Linux `deletingLastPathComponent` of NSString ends the process for a path of one character.
  package static func folder(of path: String) -> String {
    let bytes = Array(path.utf8)
    let slash = UInt8(ascii: "/")
    guard let name = bytes.lastIndex(where: { $0 != slash }) else { return path.isEmpty ? "." : "/" }
    guard let end = bytes[..<name].lastIndex(of: slash) else { return "." }
    let folder = bytes[..<end].lastIndex { $0 != slash }.map { bytes[...$0] } ?? [slash]
    return String(decoding: folder, as: UTF8.self)
  }

  /// The path to which the endings of files beside a file are added: its own or, where its name would be too long with so
  /// many bytes more, that of a hidden name with its digest.
  package static func stem(of path: String, leaving count: Int) -> String {
    let name = path.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }.count
    guard name + count > longestName else { return path }
    let digest = Hex.encode(Crypto.sha256(Array(path.utf8.suffix(name)))).prefix(32)
    return "\(String(decoding: path.utf8.dropLast(name), as: UTF8.self)).\(digest)"
  }

  /// In bytes: what the file systems of all platforms take.
  private static let longestName = 255

  /// The names in a folder; none where there is no such folder.
  package static func list(_ folder: String) throws(Fault) -> [String] {
    do { return try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
      guard exists(folder) else { return [] }
      let cause = Fault(error, "listed")
      throw Fault("the folder \(folder) \(cause)", code: cause.code)
    }
  }

  /// The same for what can be done another time: none where it cannot be read either.
  package static func names(in folder: String) -> [String] { (try? list(folder)) ?? [] }

  /// Whether something has this name, be it a link to nothing.
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// The path with the links of its folder resolved, but not the file itself.
  static func realPath(_ path: String) -> String {
    guard let real = realpath(folder(of: path), nil) else { return path }
    defer { free(real) }
    return "\(String(cString: real))/\((path as NSString).lastPathComponent)"
  }

  // MARK: Insides

  private static func requireOwn(_ status: stat) throws(Fault) {
    guard status.st_mode & S_IFMT == S_IFREG else { throw Fault("is not a file") }
    guard status.st_uid == geteuid() else { throw Fault("belongs to another user") }
  }

  /// Whether an error of `link` says that the file system has no links, as exFAT.
  package static func meansNoLinks(_ code: Int32) -> Bool {
    [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(code)
  }

  private static func makeEmpty(_ path: String) -> Bool {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return errno == EEXIST }
    close(file)
    return true
  }

  private static func makeParents(_ path: String) throws(Fault) {
    let parent = folder(of: path)
    var status = stat()
    guard parent != ".", stat(parent, &status) != 0 else { return }
    try makeParents(parent)
    guard mkdir(parent, 0o700) == 0 || errno == EEXIST else { throw .system("made") }
  }

  private static func draft(of path: String) -> String {
    "\(path).\(UInt64.random(in: 0 ... .max))\(draftEnding)"
  }
  private static let draftEnding = ".new"
}
