import Foundation

/// Writes files that only their owner can read.
enum PrivateFile {
  /// Replaces a file atomically: a reader sees the old or the new one. A missing folder is made.
  static func replace(_ path: String, with bytes: some DataProtocol) throws {
    let folder = (path as NSString).deletingLastPathComponent
    if !folder.isEmpty, !FileManager.default.fileExists(atPath: folder) {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    let draft = "\(path).\(UInt64.random(in: 0 ... .max)).new"
    // The permissions are set when the file is made, so that other users cannot open it in between.
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw lastError }
    do {
      let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
      try handle.write(contentsOf: bytes)
      try handle.synchronize()
      try handle.close()
      guard rename(draft, path) == 0 else { throw lastError }
    } catch {
      unlink(draft)
      throw error
    }
  }

  private static var lastError: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
