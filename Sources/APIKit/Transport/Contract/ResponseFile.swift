import Foundation

/// A file that a response is written to: a partial file in the same folder, renamed when it is complete.
///
/// When the attempt fails, the partial file is removed and an existing file stays as it was. Used by one
/// thread at a time.
struct ResponseFile {
  let path: String
  /// Bytes written.
  private(set) var count: Int64 = 0
  private let partialPath: String
  private let handle: FileHandle

  /// Creates the partial file beside `path`; throws ``APIError/Reason/fileFailed`` when that fails.
  init(path: String) throws(APIError) {
    self.path = path
    partialPath = "\(path).\(UInt32.random(in: 0 ... .max)).partial"
    let descriptor = open(partialPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw APIError(
        .transport, .fileFailed, "no file can be made for \(path): \(String(cString: strerror(errno)))")
    }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Appends bytes.
  mutating func write(_ data: Data) throws(APIError) {
    do { try handle.write(contentsOf: data) } catch {
      throw APIError(.transport, .fileFailed, "\(path) cannot be written", underlying: error)
    }
    count += Int64(data.count)
  }

  /// Renames the complete file to its path.
  func commit() throws(APIError) {
    do {
      try handle.close()
      guard rename(partialPath, path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    } catch {
      discard()
      throw APIError(.transport, .fileFailed, "\(path) cannot be replaced", underlying: error)
    }
  }

  /// Whether a response with this status may take the place of a file: only a successful one is what was asked for.
  static func takes(status: Int) -> Bool { (200..<300).contains(status) }

  /// Removes the partial file.
  func discard() {
    try? handle.close()
    unlink(partialPath)
  }
}
