import XCTest

@testable import APIKit

/// Records for a log that cuts long messages off.
final class LogPartsTests: XCTestCase {
  func testARecordThatFitsIsOneMessage() {
    XCTAssertEqual(LogParts.parts(of: "flight 1: GET list", named: "flight 1"), ["flight 1: GET list"])
    let long = String(repeating: "x", count: LogParts.systemBytes)
    XCTAssertEqual(LogParts.parts(of: long, named: "flight 1"), [long])
  }

  func testALongRecordIsDividedBetweenItsLines() {
    let lines = (0..<200).map { "  +\($0) ms  attempt \($0) to homes.test" }
    let parts = LogParts.parts(of: lines.joined(separator: "\n"), named: "flight 7")
    XCTAssertGreaterThan(parts.count, 3)
    var found: [String] = []
    for (index, part) in parts.enumerated() {
      XCTAssertLessThanOrEqual(part.utf8.count, LogParts.systemBytes)
      let own = part.split(separator: "\n").map(String.init)
      XCTAssertEqual(own.first, "flight 7 (\(index + 1) of \(parts.count))")
      found += own.dropFirst()
    }
    XCTAssertEqual(found, lines)
  }

  func testALineThatIsTooLongIsDividedBetweenCharacters() {
    let line = String(repeating: "苏州é🏠", count: 400)
    let parts = LogParts.parts(of: line, named: "flight 7", maximumBytes: 200)
    XCTAssertTrue(parts.allSatisfy { $0.utf8.count <= 200 })
    let joined = parts.map { $0.drop { $0 != "\n" }.dropFirst() }.joined()
    XCTAssertEqual(joined, line)
  }
}
