import APIKit
import Foundation

/// Files that a user names.
enum OutputFile {
  /// Whether two paths are those of one file.
  static func isSame(_ path: String, _ other: String) -> Bool {
    func place(_ path: String) -> URL { URL(fileURLWithPath: path).resolvingSymlinksInPath() }
    return place(path) == place(other)
  }

  /// Throws where a file cannot be written; nothing is.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - name: The option or operand that names it.
  static func check(_ path: String, _ name: String) throws(UsageError) {
    guard !path.isEmpty else { throw UsageError("\(name) needs a file") }
    let files = FileManager.default
    var isFolder: ObjCBool = false
    if files.fileExists(atPath: path, isDirectory: &isFolder) {
      guard !isFolder.boolValue else { throw UsageError("\(name): \(path) is a folder") }
      // It is replaced as a whole, which would remove a device.
      let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
      guard (try? files.attributesOfItem(atPath: target))?[.type] as? FileAttributeType == .typeRegular else {
        throw UsageError("\(name): \(path) is not a plain file")
      }
      guard files.isWritableFile(atPath: path) else { throw UsageError("\(name): \(path) cannot be written") }
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard files.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
      throw UsageError("\(name): there is no folder \(folder)")
    }
    guard files.isWritableFile(atPath: folder) else {
      throw UsageError("\(name): the folder \(folder) cannot be written")
    }
  }

  /// Replaces a file as a whole, behind a symbolic link too; where that fails the one before stays.
  static func write(_ data: Data, to path: String) throws(OutputFault) {
    do {
      try data.write(to: URL(fileURLWithPath: path).resolvingSymlinksInPath(), options: .atomic)
    } catch {
      throw OutputFault(description: "\(path) \(PrivateFile.Fault(error, "written"))")
    }
  }
}

/// Why a file could not be written.
struct OutputFault: Error, CustomStringConvertible {
  let description: String
}
