import XCTest

@testable import APIGenerator

/// What the sources have not is in the report.
final class UnreadPartsTests: XCTestCase {
  private func reasons(_ document: String) throws -> [String] {
    try Documents.generate(document).report.notes.sorted().map { "\($0.pointer): \($0.reason)" }
  }

  func testAFailureThatIsAListHasNoMemberOfTheError() throws {
    let document = Documents.make(
      paths: """
        {"/a": {"get": {"responses": {"404": {"content": {"application/json": {"schema": {"type": "array", "items": {"$ref":
        "#/components/schemas/Fault"}}}}}}}}}
        """,
      components: #"{"schemas": {"Fault": {"type": "object", "properties": {"code": {"type": "integer"}}}}}"#)
    XCTAssertFalse(try Documents.sources(document).contains("homesFault"))
    XCTAssertEqual(
      try reasons(document), [#"#/paths/~1a/get/responses/404: the failure "404" is a list or a table"#])
  }
}
