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
    guard FileManager.default.createFile(atPath: partialPath, contents: nil),
      let handle = FileHandle(forWritingAtPath: partialPath)
    else { throw APIError(.transport, .fileFailed, "no file can be made for \(path)") }
    self.handle = handle
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

  /// Removes the file at a path, if there is one.
  static func remove(_ path: String) { unlink(path) }

  /// Removes the partial file.
  func discard() {
    try? handle.close()
    unlink(partialPath)
  }
}
