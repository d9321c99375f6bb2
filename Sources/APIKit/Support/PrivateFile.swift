import Foundation

/// Files that nobody but their owner can read.
enum PrivateFile {
  /// Replaces a file as a whole: a reader sees the old one or the new one. Its folder is made where there is none.
  static func replace(_ path: String, with bytes: some DataProtocol) throws {
    let folder = (path as NSString).deletingLastPathComponent
    if !folder.isEmpty, !FileManager.default.fileExists(atPath: folder) {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    let draft = "\(path).\(UInt64.random(in: 0 ... .max)).new"
    // The permissions stand before the first byte does, so that nobody can open it in between.
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
