import APIKit
import Foundation
import XCTest

/// Runs a folder of files named like those of the public JSONTestSuite: `y_` must be accepted, `n_` refused,
/// `i_` either way. Skipped unless `RAW_SUITE_DIRECTORY` names the folder.
final class RawParsingSuiteTests: XCTestCase {
  func testTheFilesOfAPublicSuiteBehaveAsTheirNamesSay() throws {
    guard let directory = ProcessInfo.processInfo.environment["RAW_SUITE_DIRECTORY"] else {
      throw XCTSkip("RAW_SUITE_DIRECTORY names no folder")
    }
    var counts: [Character: Int] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: directory) where name.hasSuffix(".json") {
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: directory).appendingPathComponent(name)))
      let raw = try? RawData(parsing: bytes)
      counts[name.first ?? "?", default: 0] += 1
      if name.hasPrefix("y_") { XCTAssertNotNil(raw, name) }
      if name.hasPrefix("n_") { XCTAssertNil(raw, name) }
      if let raw {
        let canonical = raw.jsonBytes(canonical: true)
        XCTAssertEqual(try RawData(parsing: canonical).jsonBytes(canonical: true), canonical, name)
        XCTAssertEqual(try RawData(parsing: raw.jsonBytes()), raw, name)
      }
    }
    XCTAssertGreaterThan(counts["y", default: 0], 0)
    XCTAssertGreaterThan(counts["n", default: 0], 0)
    print("files: \(counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })")
  }
}
