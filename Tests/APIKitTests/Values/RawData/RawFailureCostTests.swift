import APIKit
import XCTest

/// What fails in every row costs each row the same, however many come before it.
final class RawFailureCostTests: XCTestCase {
  private struct Row: Decodable { var price: Int }

  func testAFailedRequireCostsTheSameInALongListAsInAShortOne() throws {
    try assertLinear(document: Self.rows) { raw in
      for row in raw.elements { XCTAssertNil(try? row.price.require(Int.self)) }
    }
  }

  func testAFailedDecodeCostsTheSameInALongListAsInAShortOne() throws {
    try assertLinear(document: Self.rows) { raw in
      for row in raw.elements { XCTAssertNil(try? row.decode(as: Row.self)) }
    }
  }

  func testAFailedReadOfAMemberCostsTheSameInAWideObjectAsInANarrowOne() throws {
    try assertLinear(document: Self.members) { raw in
      for (_, value) in raw.members.inPlace { XCTAssertNil(try? value.require(String.self)) }
    }
  }

  func testDuplicateKeysTakeATimeThatGrowsWithTheirNumber() throws {
    try assertLinear(document: { Self.members($0 / 2, times: 2) }) { raw in
      XCTAssertEqual(raw.duplicateKeys.count, raw.count / 2)
    }
  }

  func testEachMemberOfWideRowsIsFoundInTheSameTime() throws {
    try assertLinear(document: {
      "[\(Self.members($0)),\(Self.members($0)),\(Self.members($0 / 2, times: 2))]"
    }) { raw in
      for (position, row) in raw.elements.enumerated() {
        let count = position == 2 ? row.count / 2 : row.count
        for number in 0..<count where row["member\(number)"].int != 1 { XCTFail("member\(number)") }
      }
    }
  }

  func testThePathOfEveryValueOfAWideDocumentIsFound() throws {
    let raw = try RawData(parsing: Self.rows(300))
    for (position, row) in raw.elements.enumerated() {
      XCTAssertEqual(row.price.path.description, "[\(position)].price")
      XCTAssertEqual(row.cost.path.description, "[\(position)].cost")
    }
    let wide = try RawData(
      parsing: "{" + (0..<300).map { #""k\#($0)":[{"a":\#($0)}]"# }.joined(separator: ",") + "}")
    for (position, member) in wide.members.inPlace.enumerated() {
      XCTAssertEqual(member.value[0].a.path.description, "k\(position)[0].a")
      XCTAssertEqual(member.key.path.description, "k\(position)", "the path of a name is that of its member")
    }
  }

  private static func rows(_ count: Int) -> String {
    "[" + Array(repeating: #"{"id":7,"price":"n/a"}"#, count: count).joined(separator: ",") + "]"
  }

  private static func members(_ count: Int) -> String { members(count, times: 1) }

  private static func members(_ count: Int, times: Int) -> String {
    let names = (0..<count).map { #""member\#($0)":1"# }
    return "{" + Array(repeating: names, count: times).joined().joined(separator: ",") + "}"
  }

  /// Sixteen times as much takes about sixteen times as long; quadratic would be 256 times.
  private func assertLinear(
    document: (Int) -> String, line: UInt = #line, _ read: (RawData) throws -> Void
  ) throws {
    func seconds(_ count: Int) throws -> Double {
      let raw = try RawData(parsing: document(count))
      let time = try ContinuousClock().measure { try read(raw) }
      return Double(time.components.attoseconds) * 1e-18 + Double(time.components.seconds)
    }
    // Other work on the machine may fall into one measurement.
    var ratio = Double.infinity
    for _ in 0..<3 where ratio > 64 { ratio = try seconds(32_000) / seconds(2000) }
    XCTAssertLessThan(ratio, 64, line: line)
  }
}
