import Foundation
import XCTest

extension XCTestCase {
  /// A new folder of this user alone, removed when the test is over.
  func temporaryFolder() -> URL {
    // Says whose it is, in few words: the path of a Unix socket in it has at most 103 bytes.
    let name = "\(type(of: self))".prefix(20) + "-" + UUID().uuidString.prefix(8)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(String(name))
    XCTAssertNoThrow(
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700]))
    addTeardownBlock { try? FileManager.default.removeItem(at: folder) }
    return folder
  }

  /// A path at which nothing stands, in a folder of its own; what is written beside it is removed with it.
  func temporaryPath(_ name: String = "file") -> String {
    temporaryFolder().appendingPathComponent(name).path
  }

  /// The path of a new file with this content, removed when the test is over.
  func temporaryFile(_ content: some Sequence<UInt8>) throws -> String {
    let path = temporaryPath()
    try Data(content).write(to: URL(fileURLWithPath: path))
    return path
  }
}
