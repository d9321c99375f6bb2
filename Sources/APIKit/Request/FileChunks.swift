import Foundation

/// Reads a file from an offset in chunks of 64 KiB; closes it when it is let go.
///
/// The handle is the system's and may be used from any thread; each read moves its one position, so one reader
/// at a time makes sense.
struct FileChunks: Sendable {
  private let file: FileHandle

  /// Opens the file; throws ``APIError/Reason/unreadableBody`` when that is not possible.
  init(path: String, offset: Int64) throws(APIError) {
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
  func next() throws(APIError) -> [UInt8]? {
    do {
      guard let data = try file.read(upToCount: 64 << 10), !data.isEmpty else { return nil }
      return Array(data)
    } catch {
      throw APIError(.assembly, .unreadableBody, "the body's file cannot be read", underlying: error)
    }
  }
}
