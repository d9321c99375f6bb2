import XCTest

@testable import APIGenerator

final class JSONReaderTests: XCTestCase {
  private func read(_ text: String) throws(Problems) -> JSONNode {
    try JSONReader.read(Array(text.utf8), file: "a.json")
  }

  private func fault(_ bytes: [UInt8]) -> String {
    do throws(Problems) { _ = try JSONReader.read(bytes, file: "a.json") } catch { return error.text }
    return "read"
  }

  private func fault(_ text: String) -> String { fault(Array(text.utf8)) }

  func testMembersKeepTheirOrderAndEachValueKnowsItsPointer() throws {
    let root = try read(#"{"b": 1, "a": {"x/y~z": [true, null, "\u00e9\ud83d\ude00\n"]}, "n": -1.50e+3}"#)
    XCTAssertEqual(root.members.map(\.name), ["b", "a", "n"])
    let text = try XCTUnwrap(root["a"]?["x/y~z"]?.elements.last)
    XCTAssertEqual(text.string, "é😀\n")
    XCTAssertEqual(text.pointer, "#/a/x~1y~0z/2")
    guard case .number("-1.50e+3")? = root["n"]?.value else {
      return XCTFail("the number is not as it was written")
    }
  }

  func testEachFaultHasItsLineAndColumn() {
    XCTAssertEqual(fault("{\n  \"é\": tru }"), "a.json:2:8: a value is expected here")
    XCTAssertEqual(fault("{\"a\": 1,}"), "a.json:1:9: the name of a member is expected here")
    XCTAssertEqual(fault("{} {}"), "a.json:1:4: bytes after the end of the document")
    XCTAssertEqual(fault("{\"a\": \"b\n\"}"), "a.json:1:9: a control character stands in a string")
    XCTAssertEqual(fault("{\"a\": \"\\ud800\"}"), "a.json:1:8: this is half of a surrogate pair")
    XCTAssertEqual(fault("{\"a\": 01}"), "a.json:1:7: this is no number of JSON")
    XCTAssertEqual(fault("{\"a\": [1 2]}"), "a.json:1:10: a comma or ] is expected here")
    XCTAssertEqual(fault("{\"a\""), "a.json:1:5: a colon is expected here")
    XCTAssertEqual(fault(""), "a.json:1:1: the document is empty")
    XCTAssertEqual(
      fault(Array("{\"a\": \"".utf8) + [0xFF] + Array("\"}".utf8)), "a.json:1:8: the bytes are not UTF-8")
  }

  func testAllDoubledNamesAreReportedAtOnce() {
    XCTAssertEqual(
      fault("{\"a\": 1, \"a\": {\"b\": 1, \"b\": 2}}"),
      """
      a.json:1:10: the name "a" stands twice in this object
      a.json:1:24: the name "b" stands twice in this object
      """)
  }

  func testNamesThatDifferOnlyInTheirNormalFormAreRefusedAsThat() {
    assertContains(
      fault("{\"\u{E9}\": 1, \"e\u{301}\": 2}"), "a.json:1:10: the name ",
      "differs from another one only in its Unicode normal form")
  }

  func testYAMLIsRefusedWithTheNameOfAConverter() {
    assertContains(fault("openapi: 3.1.0\n"), "a.json:1:1", "YAML", "yq")
  }

  func testNestingOfTenThousandLevelsIsRefused() {
    let text =
      "{\"a\": " + String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000) + "}"
    XCTAssertEqual(fault(text), "a.json:1:518: values are nested deeper than 512 levels")
  }
}
