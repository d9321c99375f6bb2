import Foundation

/// A file that a user names to be read.
enum InputFile {
  /// Its bytes; nil where it cannot be read. It may be a pipe as well, as the shell makes one of `<(…)`.
  static func contents(_ path: String) -> Data? {
    guard let file = FileHandle(forReadingAtPath: path) else { return nil }
    return try? file.readToEnd() ?? Data()
  }
}
