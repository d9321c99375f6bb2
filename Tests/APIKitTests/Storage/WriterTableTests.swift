import Foundation
import TestServers
import XCTest

/// `Docs/Contributing/FileFormats.md` names every place of the framework that writes to disk.
final class WriterTableTests: XCTestCase {
  /// What opens a file to be written, in the sources.
  private static let signs = [
    "PrivateFile.replace(", "O_CREAT", "O_RDWR", "sqlite3_open", ".createFile(", ".write(to: URL",
    ".write(toFile",
    "FileHandle(forWriting", "fopen(", "PrivateFile.claim(", "FileDraft(", "FileDraft.write(",
  ]

  func testEveryWriterIsNamedInTheGuideAndTheGuideNamesNoOther() throws {
    let guide = try String(
      contentsOf: PackageFolder.url.appendingPathComponent("Docs/Contributing/FileFormats.md"),
      encoding: .utf8)
    var writers: Set<String> = []
    for file in PackageFolder.sources() {
      let code = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter {
        !$0.drop { $0 == " " }.hasPrefix("//")
      }
      if code.contains(where: { line in Self.signs.contains { line.contains($0) } }) {
        writers.insert(file.lastPathComponent)
      }
    }
    let table =
      guide.components(separatedBy: "## Every writer").last?.components(separatedBy: "\n## ").first ?? ""
    let named = Set(
      table.split(separator: "`").map(String.init).filter { $0.hasSuffix(".swift") && !$0.contains(" ") })
    XCTAssertEqual(writers.subtracting(named), [], "name them in Docs/Contributing/FileFormats.md")
    XCTAssertEqual(named.subtracting(writers), [], "they write nothing any more")
    XCTAssertGreaterThan(writers.count, 8)
  }
}
