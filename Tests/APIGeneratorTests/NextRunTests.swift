@testable import TestSupport
import XCTest

@testable import APIGenerator

/// A run over the output of an earlier one, after the document or the names have changed.
final class NextRunTests: XCTestCase {
  private var folder = ""

  override func setUpWithError() throws {
    folder = temporaryFolder().path
  }

  private func put(_ text: String, _ name: String) throws {
    try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
  }

  /// Runs over a document with these paths and schemas.
  private func generate(
    _ paths: String, schemas: String = "{}", _ options: String..., file: StaticString = #filePath,
    line: UInt = #line
  ) throws -> [String] {
    try put(Documents.make(paths: paths, components: #"{"schemas": \#(schemas)}"#), "openapi.json")
    let outcome = CommandLineTool.run(
      ["openapi.json", "--into", "API", "--service", "Homes"] + options, in: folder)
    XCTAssertEqual(outcome.status, 0, outcome.errors, file: file, line: line)
    return outcome.text.split(separator: "\n").map(String.init)
  }

  private func paths(parameters: String) -> String {
    """
    {"/homes": {"get": {"operationId": "find homes", "parameters": [\(parameters)], "responses": {"200": {"content":
    {"application/json": {"schema": {"$ref": "#/components/schemas/Home"}}}}}}}}
    """
  }

  private let query = #"{"name": "q", "in": "query", "schema": {"type": "string"}}"#
  private let sort =
    #"{"name": "sort", "in": "query", "schema": {"type": "string", "enum": ["price", "beds"]}}"#

  private func home(_ properties: String, required: String = #"["id"]"#) -> String {
    #"{"Home": {"type": "object", "required": \#(required), "properties": {"id": {"type": "string"}, \#(properties)}}}"#
  }

  func testWhatCallersHaveToFollowIsListedBreakingChangesFirst() throws {
    let place = #""place": {"type": "object", "properties": {"lat": {"type": "number"}}}"#
    let first = try generate(
      paths(parameters: "\(query), \(sort)"), schemas: home(#""beds": {"type": "integer"}, "# + place))
    XCTAssertFalse(first.contains { $0.contains("Home.") }, "nothing has used it before: \(first)")
    try put(##"{"#/components/schemas/Home/properties/place": "Spot"}"##, "names.json")
    let page = #"{"name": "page", "in": "query", "required": true, "schema": {"type": "integer"}}"#
    var after = paths(parameters: "\(sort), \(page)")
    after.removeLast()
    let next = try generate(
      after + #", "/agents": {"get": {"operationId": "agents", "responses": {"204": {}}}}}"#,
      schemas: home(#""beds": {"type": "number"}, "# + place, required: #"["id", "place"]"#), "--names",
      "names.json")
    XCTAssertEqual(
      Array(next.prefix { !$0.hasSuffix(".swift") && $0 != "changes REPORT.md" }),
      [
        "changes Home.beds from Int? to Double?", "changes Home.place from Spot? to Spot",
        "removes FindHomesManager.Input.q", "renames HomePlace to Spot",
        "requires FindHomesManager.Input.page: Int", "adds AgentsManager", "adds HomesNothing",
      ])
  }

  func testANewMemberOfATypeIsListedBehindTheBreakingChanges() throws {
    let beds = #""beds": {"type": "integer"}"#
    _ = try generate(paths(parameters: query), schemas: home(beds))
    let next = try generate(
      paths(parameters: "\(query), \(sort)"),
      schemas: home(beds + #", "place": {"type": "object", "properties": {"lat": {"type": "number"}}}"#))
    XCTAssertEqual(
      Array(next.prefix { $0.hasPrefix("adds ") }),
      [
        "adds FindHomesManager.Input.sort: FindHomesSort?", "adds FindHomesSort",
        "adds Home.place: HomePlace?",
        "adds HomePlace",
      ])
  }

  func testTheSameDocumentChangesNothingForCallers() throws {
    let document = (paths(parameters: query), home(#""beds": {"type": "integer"}"#))
    _ = try generate(document.0, schemas: document.1)
    XCTAssertEqual(try generate(document.0, schemas: document.1), ["1 managers, 1 models"])
  }

  func testANameIsKeptWhereAParameterComesOrGoesBefore() throws {
    let schemas = home(#""beds": {"type": "integer"}"#)
    _ = try generate(paths(parameters: "\(query), \(sort)"), schemas: schemas)
    let next = try generate(paths(parameters: sort), schemas: schemas)
    XCTAssertEqual(next.first, "removes FindHomesManager.Input.q")
    XCTAssertFalse(next.contains { $0.contains("FindHomesSort") }, next.joined(separator: "\n"))
  }

  func testNamesMayBeGivenLaterAndByThePointerOfTheDocument() throws {
    let (document, schemas) = (paths(parameters: "\(query), \(sort)"), home(#""beds": {"type": "integer"}"#))
    _ = try generate(document, schemas: schemas)
    try put(
      ##"{"#/paths/~1homes/get/parameters/1/schema": "Order", "GET /homes": "HomeList"}"##, "names.json")
    let next = try generate(document, schemas: schemas, "--names", "names.json")
    XCTAssertEqual(
      next.prefix(2), ["renames FindHomesManager to HomeList", "renames FindHomesSort to Order"])
  }

  func testAModelThatIsReceivedFirstAndSentLaterHasTwoNames() throws {
    let schemas = home(#""created": {"type": "string", "readOnly": true}"#)
    _ = try generate(paths(parameters: query), schemas: schemas)
    var both = paths(parameters: query)
    both.removeLast(2)
    both += """
      , "post": {"operationId": "add homes", "requestBody": {"required": true, "content": {"application/json": {"schema":
      {"type": "array", "items": {"$ref": "#/components/schemas/Home"}}}}}, "responses": {"204": {}}}}}
      """
    let next = try generate(both, schemas: schemas)
    XCTAssertEqual(next.prefix(2), ["adds AddHomesManager", "adds HomeInput"])
  }

  func testTheReportIsTheSameInTheNextRun() throws {
    let twice =
      #"{"/a": {"get": {"operationId": "x", "responses": {}}}, "/b": {"get": {"operationId": "x", "responses": {}}}}"#
    _ = try generate(twice)
    let report = try String(contentsOfFile: "\(folder)/API/REPORT.md", encoding: .utf8)
    assertContains(report, "the name XManager was taken")
    XCTAssertEqual(try generate(twice), ["2 managers, 0 models; REPORT.md says what differs"])
    XCTAssertEqual(try String(contentsOfFile: "\(folder)/API/REPORT.md", encoding: .utf8), report)
  }

  func testTheCasesOfAnOutputAreToldToItsUsers() throws {
    func paths(_ statuses: [String: String]) -> String {
      let responses = statuses.map { status, type in
        #""\#(status)": {"content": {"application/json": {"schema": {"type": "\#(type)"}}}}"#
      }
      return
        #"{"/homes": {"get": {"operationId": "find homes", "responses": {\#(responses.joined(separator: ", "))}}}}"#
    }
    _ = try generate(paths(["200": "string"]))
    let first = try generate(paths(["200": "string", "202": "integer"]))
    XCTAssertEqual(
      first.prefix(2), ["changes FindHomesManager.Output from String to enum", "adds HomesStatusOutput"])
    let second = try generate(paths(["200": "number", "201": "integer"]))
    XCTAssertEqual(
      second.prefix(3),
      [
        "changes FindHomesManager.Output.ok from (String) to (Double)",
        "removes FindHomesManager.Output.accepted",
        "requires FindHomesManager.Output.created: (Int)",
      ])
  }
}
