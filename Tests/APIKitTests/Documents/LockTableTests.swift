import APIKit
import Foundation
import TestServers
import XCTest

/// Docs/Contributing/Threads.md names every lock of the framework.
final class LockTableTests: XCTestCase {
  func testEveryFileWithALockIsNamedInTheGuide() throws {
    let guide = try String(
      contentsOf: PackageFolder.url.appendingPathComponent("Docs/Contributing/Threads.md"), encoding: .utf8)
    var count = 0
    for file in PackageFolder.sources() {
      let text = try String(contentsOf: file, encoding: .utf8)
      guard text.contains("Mutex(") || text.contains("Mutex<") else { continue }
      count += 1
      // A lock is named by its type; the file is named after that or after the type it serves.
      let owners = Self.types(in: text) + [file.deletingPathExtension().lastPathComponent]
      XCTAssertTrue(
        owners.contains(where: guide.contains),
        "\(file.lastPathComponent) has a lock; name it in Docs/Contributing/Threads.md")
    }
    XCTAssertGreaterThan(count, 30)
  }

  private static func types(in text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard let index = words.firstIndex(where: { $0 == "class" || $0 == "struct" || $0 == "enum" }),
        index + 1 < words.count
      else { return nil }
      let name = words[index + 1].prefix { $0.isLetter || $0.isNumber }
      // `State` and its like are in every file.
      return name.count > 8 ? String(name) : nil
    }
  }
}
