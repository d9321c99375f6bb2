import Foundation
@testable import TestSupport
import XCTest

@testable import APIGenerator

/// Documents that would take the square of their size in time or memory, if anything looked at each pair.
final class LargeDocumentTests: XCTestCase {
  /// Makes sources within seconds of the processor, where a pair at a time would take minutes.
  private func generate(
    _ paths: [String], _ components: String = "{}", file: StaticString = #filePath, line: UInt = #line
  ) throws -> Generator.Result {
    let start = Duration.ofProcessor
    defer { XCTAssertLessThan(.ofProcessor - start, .seconds(30), file: file, line: line) }
    return try Documents.generate(
      Documents.make(paths: "{\(paths.joined(separator: ", "))}", components: components))
  }

  private func read(_ path: String, _ rest: String) -> String { #""\#(path)": {"get": {\#(rest)}}"# }

  func testManyOperationsOfOneName() throws {
    let paths = (0..<20_000).map { read("/a\($0)", #""operationId": "same", "responses": {}"#) }
    let result = try generate(paths)
    XCTAssertEqual(Set(result.names.values).count, 20_000)
    XCTAssertEqual(result.names["GET /a0"], "SameManager")
  }

  func testManyParametersAreReported() throws {
    let parameters = (0..<20_000).map { #"{"name": "p\#($0)", "in": "query", "schema": {"type": "string"}}"# }
    let result = try generate([
      read("/a", #""parameters": [\#(parameters.joined(separator: ", "))], "responses": {}"#)
    ])
    XCTAssertEqual(result.report.operations, 0)
    assertContains(result.report.text, "it has more than 1000 parameters; write the manager by hand")
  }

  func testManyPlacesOfAPathAreReported() throws {
    let result = try generate([read("/" + (0..<20_000).map { "{p\($0)}" }.joined(), #""responses": {}"#)])
    assertContains(result.report.text, "the path has too many places")
  }

  func testManyPartsThatDescribeOneMember() throws {
    let part = #"{"properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}}}}}"#
    let parts = Array(repeating: part, count: 10_000).joined(separator: ", ")
    let result = try generate(
      [
        read(
          "/a",
          ##""responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}}"##
        )
      ], #"{"schemas": {"A": {"allOf": [\#(parts)]}}}"#)
    XCTAssertEqual(result.report.models, 2)
  }

  func testManyAlternatives() throws {
    let option = #"{"type": "object", "properties": {"b": {"type": "string"}}}"#
    let options = Array(repeating: option, count: 10_000).joined(separator: ", ")
    let result = try generate([
      read(
        "/a",
        #""responses": {"200": {"content": {"application/json": {"schema": {"oneOf": [\#(options)]}}}}}"#)
    ])
    XCTAssertEqual(result.report.models, 10_001)
  }

  func testMembersThatManyTypesWouldHaveAreRefused() {
    let members = (0..<2000).map { #""m\#($0)": {"type": "string"}"# }.joined(separator: ", ")
    var schemas = [#""Big": {"type": "object", "properties": {\#(members)}}"#]
    var paths: [String] = []
    for index in 0..<2000 {
      schemas.append(
        ##""S\##(index)": {"allOf": [{"$ref": "#/components/schemas/Big"}, {"properties": {"own": {}}}]}"##)
      paths.append(
        read(
          "/a\(index)",
          ##""responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S\##(index)"}}}}}"##
        ))
    }
    XCTAssertThrowsError(try generate(paths, #"{"schemas": {\#(schemas.joined(separator: ", "))}}"#)) {
      error in
      assertContains(
        (error as? Problems)?.text ?? "", "more than 500000 members; choose operations with --tag")
    }
  }

  func testManyProblemsAreCounted() {
    let paths = (0..<100_000).map { #""a\#($0)": {}"# }.joined(separator: ",\n")
    let start = ContinuousClock.now
    let text = Documents.problems(Documents.make(paths: "{\(paths)}"))
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(30))
    XCTAssertTrue(text.hasSuffix("and 99900 more"), String(text.suffix(100)))
  }

  func testAChainOfReferencesIsReadHoweverLongItIs() throws {
    func schemas(_ last: String) -> String {
      let links = (0..<2_000).map { ##""S\##($0)": {"$ref": "#/components/schemas/S\##($0 + 1)"}"## }
      return #"{"schemas": {\#(links.joined(separator: ", ")), "S2000": \#(last)}}"#
    }
    let paths = """
      {"/a": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}}}}}}
      """
    let object = #"{"type": "object", "properties": {"a": {"type": "string"}}}"#
    assertContains(
      try Documents.sources(Documents.make(paths: paths, components: schemas(object))),
      "typealias Output = S2000")
    assertContains(
      Documents.problems(
        Documents.make(paths: paths, components: schemas(##"{"$ref": "#/components/schemas/S7"}"##))),
      "is part of a ring", "and 1902 more")
  }

  func testAFormWithManyMembersBesideManyParameters() throws {
    let parameters =
      (0..<900).map { #"{"name": "p\#($0)", "in": "query"}"# } + [#"{"name": "m9999", "in": "query"}"#]
    let members = (0..<10_000).map { #""m\#($0)": {"type": "string"}"# }
    let start = ContinuousClock.now
    let result = try generate([
      """
      "/a": {"post": {"parameters": [\(parameters.joined(separator: ", "))], "requestBody": {"content":
      {"application/x-www-form-urlencoded": {"schema": {"properties": {\(members.joined(separator: ", "))}}}}}, "responses": {}}}
      """
    ])
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(15))
    assertContains(result.report.text, "of the form has the name of a parameter")
  }
}
