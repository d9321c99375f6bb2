import Foundation

/// Reads a file from an offset in chunks of 64 KiB, and closes it when the last copy is released.
///
/// The copies share one file position, so only one reader at a time may call ``next()``.
package struct FileChunks: Sendable {
  private let file: FileHandle

  /// Opens the file; throws ``APIError/Reason/unreadableBody`` when that is not possible.
  package init(path: String, offset: Int64) throws(APIError) {
    // Opening a FIFO would wait for a writer.
    guard FileIdentity(path: path) != nil else {
      throw APIError(
        .assembly, .unreadableBody,
        "the body's file \(path.debugDescription) is not there or is not a plain file")
    }
    do {
      file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      try file.seek(toOffset: UInt64(max(offset, 0)))
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
}
