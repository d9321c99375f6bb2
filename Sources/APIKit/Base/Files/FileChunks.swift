import Foundation

/// Reads a file from an offset in chunks of 64 KiB, and closes it when the last copy is released.
///
/// The copies share one file position, so only one reader at a time may call ``next()``.
package struct FileChunks: Sendable {
  private let file: FileHandle
  private let path: String
  /// The file when it was opened.
  private let identity: FileIdentity?

  /// Opens the file; throws ``APIError/Reason/unreadableBody`` when that is not possible, and for an offset outside of it.
  package init(path: String, offset: Int64) throws(APIError) {
    // Opening a FIFO would wait for a writer.
    guard FileIdentity(path: path) != nil else {
      throw APIError(
        .assembly, .unreadableBody,
        "the body's file \(path.debugDescription) is not there or is not a plain file")
    }
    do {
      file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      identity = Self.identity(file)
      self.path = path
      let size = identity?.size ?? 0
      guard (0...size).contains(offset) else {
        throw APIError(
          .assembly, .unreadableBody,
          "the offset \(offset) lies outside of the body's file \(path.debugDescription) (\(size) bytes)")
      }
      try file.seek(toOffset: UInt64(offset))
    } catch let error as APIError {
      throw error
    } catch {
      throw APIError(
        .assembly, .unreadableBody, "the body's file \(path.debugDescription) cannot be opened",
        underlying: error)
    }
  }

  /// The next bytes; nil at the end.
  package func next() throws(APIError) -> [UInt8]? {
    do {
      guard let data = try file.read(upToCount: 64 << 10), !data.isEmpty else { return nil }
      return Array(data)
    } catch {
      throw APIError(.assembly, .unreadableBody, "the body's file cannot be read", underlying: error)
    }
  }

  /// Throws ``APIError/Reason/unreadableBody`` when the file was changed since it was opened.
  package func checkUnchanged() throws(APIError) {
    guard Self.identity(file) == identity else {
      throw APIError(
        .assembly, .unreadableBody, "the body's file \(path.debugDescription) was changed while it was read")
    }
  }

  private static func identity(_ file: FileHandle) -> FileIdentity? {
    var status = stat()
    return fstat(file.fileDescriptor, &status) == 0 ? FileIdentity(status) : nil
  }
}
