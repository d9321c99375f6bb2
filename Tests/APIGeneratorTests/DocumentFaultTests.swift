import XCTest

@testable import APIGenerator

/// Documents that ask for what cannot be sent, or contradict themselves: the report names it.
final class DocumentFaultTests: XCTestCase {
  func testAHeaderFieldIsOneParameterInAnyCaseOfLetters() throws {
    let result = try Documents.generate(
      Documents.make(
        paths: """
          {"/a": {"parameters": [{"name": "X-User", "in": "header", "schema": {"type": "string"}}], "get": {"operationId": "find",
          "parameters": [{"name": "x-user", "in": "header", "schema": {"type": "integer"}}, {"name": "X-A", "in": "header",
          "schema": {"type": "string"}}, {"name": "x-a", "in": "header", "schema": {"type": "boolean"}},
          {"name": "q", "in": "query", "schema": {"type": "string"}}, {"name": "Q", "in": "query", "schema": {"type": "string"}}],
          "responses": {}}}}
          """))
    let source = try XCTUnwrap(result.files["Homes+Managers.swift"])
    assertContains(
      source, "var xUser: Int?", "var xA: Bool?", "var q: String?", "var q2: String?",
      #".inHeaders("x-user", "x-a")"#)
    XCTAssertEqual(result.report.notes.map(\.reason), [#"the parameter "x-a" stands twice"#])
  }

  func testAPathThatLeadsElsewhereIsLeftOut() throws {
    let paths = [
      "/../up", "/a/..", "/./a", "/a/%2E%2e/b", "//a", "//a.example/b", "/https://a.example/b", "/a..b", "/a/.b", "/",
      "/a/", "/v1:run", "/a//b",
    ]
    let items = paths.enumerated().map { #""\#($1)": {"get": {"operationId": "n\#($0)", "responses": {}}}"# }
    let result = try Documents.generate(Documents.make(paths: "{\(items.joined(separator: ", "))}"))
    let left = result.report.notes.filter(\.isSkip).map(\.pointer)
    XCTAssertEqual(
      left.sorted(), paths.prefix(7).map { "#/paths/\(JSONNode.escape($0))/get" }.sorted())
  }
}
