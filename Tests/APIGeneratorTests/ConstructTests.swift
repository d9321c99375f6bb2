import XCTest

@testable import APIGenerator

final class ConstructTests: XCTestCase {
  // MARK: Schemas

  func testNullableInItsThreeSpellingsIsOptional() throws {
    let text = try Documents.sources(
      Documents.schema(
        """
        {"type": "object", "required": ["a", "b", "c", "d"], "properties": {"a": {"type": "string", "nullable": true},
        "b": {"type": ["integer", "null"]}, "c": {"oneOf": [{"type": "null"}, {"type": "boolean"}]}, "d": {"type": "number"}}}
        """))
    assertContains(text, "var a: String?", "var b: Int?", "var c: Bool?", "var d: Double\n")
    // What is required and has no value is sent as null.
    assertContains(text, "try container.encode(a, forKey: .a)")
  }

  func testAChoiceOfWhichAPartMayBeNullIsOptional() throws {
    let text = try Documents.sources(
      Documents.schema(
        """
        {"type": "object", "required": ["a", "b", "c"], "properties": {"a": {"oneOf": [{"$ref": "#/components/schemas/Word"}]},
        "b": {"anyOf": [{"type": ["integer", "null"]}, {"type": "integer"}]}, "c": {"anyOf": [{"type": "boolean"},
        {"$ref": "#/components/schemas/None"}]}}}
        """,
        others: #""Word": {"type": "string", "nullable": true}, "None": {"type": "null"}"#))
    assertContains(text, "var a: String?", "var b: Int?", "var c: Bool?")
  }

  func testFormatsBecomeTypes() throws {
    let text = try Documents.sources(
      Documents.schema(
        """
        {"type": "object", "properties": {"at": {"type": "string", "format": "date-time"}, "day": {"type": "string", "format":
        "date"}, "big": {"type": "integer", "format": "int64"}, "bits": {"type": "integer", "format": "uint64"}, "bytes": {"type": "string", "format": "byte"}, "id":
        {"type": "string", "format": "uuid"}, "free": {}, "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "any": {"type": "object"}, "days": {"type": "array", "items": {"type": "string", "format": "date"}}}}
        """))
    assertContains(
      text, "import Foundation", "var at: Date?", "var day: Date?", "var big: Int64?", "var bits: UInt64?",
      "var bytes: Data?",
      "var id: String?",
      "var free: JSONValue?", "var map: [String: Int]?", "var anyValue: [String: JSONValue]?",
      "var days: [Date]?",
      "import APIKit",
      "try container.encodeIfPresent(day.map { try DateStyle.iso8601Day.text(of: $0) }, forKey: .day)")
  }

  func testEachTypeIsReadByTheShortestCall() throws {
    let text = try Documents.sources(
      Documents.schema(
        """
        {"type": "object", "required": ["a", "kinds", "choice", "free", "raw"], "properties": {"a": {"type": "string"}, "b-b":
        {"type": "array", "items": {"type": "string"}}, "kinds": {"type": "array", "items": {"$ref": "#/components/schemas/Kind"}},
        "kind": {"$ref": "#/components/schemas/Kind"}, "choice": {"$ref": "#/components/schemas/Choice"}, "choices": {"type":
        "array", "items": {"$ref": "#/components/schemas/Choice"}}, "free": {}, "raw": {"type": "integer"}, "parent": {"$ref":
        "#/components/schemas/Thing"}, "map": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Thing"}},
        "counts": {"type": "object", "additionalProperties": {"type": "integer"}}, "at": {"type": "string", "format": "date-time"}}}
        """,
        others: """
          "Kind": {"type": "string", "enum": ["x"]}, "Choice": {"oneOf": [{"$ref": "#/components/schemas/Thing"}, {"type": "string"}]}
          """))
    assertContains(
      text, #"    a = try raw["a"].require()"#, #"    bB = try raw["b-b"].decode()"#,
      #"    kinds = try raw["kinds"].require(arrayOf: Kind.self)"#, #"    kind = try raw["kind"].optional()"#,
      #"    choice = try Choice(raw["choice"].require())"#, #"    choices = try [Choice]?(raw["choices"])"#,
      #"    free = try raw["free"].require()"#, #"    self.raw = try raw["raw"].require()"#,
      #"    parent = try HomesBox<Thing>?(raw["parent"])"#, #"    map = try [String: Thing]?(raw["map"])"#,
      #"    counts = try raw["counts"].decode()"#, #"    at = try raw["at"].optional()"#)
  }

  func testReadOnlyMembersAreNotSentAndWriteOnlyOnesNotReceived() throws {
    let result = try Documents.generate(
      Documents.schema(
        """
        {"type": "object", "required": ["id", "name"], "properties": {"id": {"type": "integer", "readOnly": true},
        "name": {"type": "string"}, "secret": {"type": "string", "writeOnly": true}}}
        """))
    let models = try XCTUnwrap(result.files["Homes+Models.swift"])
    assertContains(
      models, "struct Thing: RawDecodable, Sendable {\n  var id: Int\n  var name: String\n}",
      "struct ThingInput: Encodable, Sendable {\n  var name: String\n  var secret: String?\n}")
  }

  func testKnownValuesAreOpenAndHaveNames() throws {
    let text = try Documents.sources(
      Documents.schema(
        #"{"type": "string", "enum": ["for sale", "SOLD", "default", "", "1st", "-1", "+1", "*", "for_sale", "None", null]}"#
      ))
    assertContains(
      text, "struct Thing: RawRepresentable, RawLeaf, Codable, Hashable, Sendable",
      #"static let forSale = Self(rawValue: "for sale")"#,
      #"let sold = Self(rawValue: "SOLD")"#, #"let defaultValue = Self(rawValue: "default")"#,
      #"let empty = Self(rawValue: "")"#,
      #"let value1st ="#, "let minus1 =", "let plus1 =", "let signAny =",
      #"let forSale2 = Self(rawValue: "for_sale")"#, #"let noneValue = Self(rawValue: "None")"#)
  }

  func testKnownValuesOfATextAreTextsHoweverTheyAreSpelt() throws {
    let text = try Documents.sources(
      Documents.schema(
        #"{"type": "string", "enum": [1, "fatalError()", true, "true", 1.50, null]}"#))
    assertContains(
      text, "let rawValue: String", #"static let value1 = Self(rawValue: "1")"#,
      #"static let fatalError = Self(rawValue: "fatalError()")"#,
      #"static let trueValue = Self(rawValue: "true")"#, #"static let value150 = Self(rawValue: "1.50")"#)
  }

  func testDaysAreWrittenAsDaysWhereverTheyStand() throws {
    let day = #"{"type": "string", "format": "date"}"#
    let list = #"{"type": "array", "items": \#(day)}"#
    let text = try Documents.sources(
      Documents.make(
        paths: """
          {"/a": {"post": {"parameters": [{"name": "q", "in": "query", "explode": false, "schema": \(list)},
          {"name": "p", "in": "query", "schema": \(list)}], "requestBody": {"content": {"application/json": {"schema": {"type":
          "object", "required": ["b", "f"], "properties": {"a": \(list), "b": \(list), "c": {"type": "array", "items": \(list)},
          "d": {"type": "array", "items": {"type": ["string", "null"], "format": "date"}}, "e": {"type": "object",
          "additionalProperties": \(list)}, "f": {"type": ["array", "null"], "items": \(day)}, "g": {"type": "object",
          "additionalProperties": {"type": ["string", "null"], "format": "date"}}}}}}}, "responses": {}}, "patch": {"requestBody":
          {"content": {"application/json": {"schema": {"type": "object", "properties": {"h": {"type": ["string", "null"],
          "format": "date"}}}}}}, "responses": {}}}}
          """))
    let written = "try DateStyle.iso8601Day.text(of:"
    assertContains(
      text, "encodeIfPresent(q.map { try $0.map { item in \(written) item) }.joined(separator: \",\") }, ",
      "encodeIfPresent(p.map { try $0.map { day in \(written) day) } }, ",
      "encodeIfPresent(a.map { try $0.map { day in \(written) day) } }, ",
      "encode(try b.map { day in \(written) day) }, ",
      "encodeIfPresent(c.map { try $0.map { day in try day.map { day2 in \(written) day2) } } }, ",
      "encodeIfPresent(d.map { try $0.map { day in try day.map { day2 in \(written) day2) } } }, ",
      "encodeIfPresent(e.map { try $0.mapValues { day in try day.map { day2 in \(written) day2) } } }, ",
      "encode(f.map { try $0.map { day in \(written) day) } }, ", "var g: [String: String?]?",
      "case .set(let value): try container.encode(\(written) value), forKey: .h)")
  }

  func testPartsBecomeOneStructureAndContradictionsAFreeValue() throws {
    let result = try Documents.generate(
      Documents.schema(
        """
        {"allOf": [{"$ref": "#/components/schemas/Base"}, {"type": "object", "required": ["name"], "properties": {"name":
        {"type": "string"}, "kind": {"type": "integer"}, "place": {"type": "object", "properties": {"y": {"type": "integer"}}}}}]}
        """,
        others: """
          "Base": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}, "kind": {"type": "string"},
          "place": {"type": "object", "properties": {"x": {"type": "integer"}}}}}
          """))
    let models = try XCTUnwrap(result.files["Homes+Models.swift"])
    assertContains(
      models, "struct Thing: RawDecodable, Encodable", "var id: Int\n", "var name: String\n",
      "var kind: JSONValue?")
    assertContains(models, "  var x: Int?\n  var y: Int?\n")
    XCTAssertTrue(
      result.report.notes.contains { $0.reason.contains("contradict") && $0.reason.contains("kind") })
  }

  func testChoicesKeepTheValueAndOfferItsTypes() throws {
    let text = try Documents.sources(
      Documents.schema(
        """
        {"oneOf": [{"$ref": "#/components/schemas/Flat"}, {"type": "string"}]}
        """, others: #""Flat": {"type": "object", "properties": {"rooms": {"type": "integer"}}}"#))
    assertContains(
      text, "struct Thing: RawDecodable, Encodable, Sendable {", "var value: JSONValue",
      "func asFlat() throws -> Flat")
  }

  func testOnlyTheMemberThatClosesACycleIsBoxed() throws {
    let text = try Documents.sources(
      Documents.schema(
        """
        {"type": "object", "properties": {"parent": {"$ref": "#/components/schemas/Thing"}, "all": {"type": "array", "items":
        {"$ref": "#/components/schemas/Thing"}}, "leaf": {"$ref": "#/components/schemas/Leaf"}}}
        """, others: #""Leaf": {"type": "object", "properties": {"a": {"type": "string"}}}"#))
    assertContains(
      text, "var parent: HomesBox<Thing>?", "var all: [Thing]?", "var leaf: Leaf?", "indirect enum HomesBox")
  }

  func testAChangeTellsNoValueFromNull() throws {
    let text = try Documents.sources(
      Documents.make(
        paths: """
          {"/a": {"patch": {"requestBody": {"content": {"application/json": {"schema": {"type": "object", "required": ["c"],
          "properties": {"a": {"type": ["string", "null"]}, "b": {"type": "string"}, "c": {"type": ["string", "null"]}}}}}},
          "responses": {}}}}
          """))
    assertContains(
      text, "var a: Change<String> = .keep", "var b: String?", "var c: String?", "class PatchAManager")
  }

  // MARK: Parameters

  func testParametersGoToTheirPlaces() throws {
    let text = try Documents.sources(
      Documents.make(
        paths: """
          {"/users/{id}": {"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}], "put":
          {"operationId": "users/update", "parameters": [{"name": "id", "in": "query", "schema": {"type": "string"}},
          {"name": "If-Match", "in": "header", "required": true, "schema": {"type": "string"}},
          {"name": "session", "in": "cookie", "schema": {"type": "string"}},
          {"name": "Authorization", "in": "header", "schema": {"type": "string"}},
          {"name": "tags", "in": "query", "explode": false, "schema": {"type": "array", "items": {"type": "integer"}}},
          {"name": "names", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}}],
          "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "required": ["mail"],
          "properties": {"mail": {"type": "string"}}}}}}, "responses": {"204": {}}}}}
          """))
    assertContains(
      text, "final class UsersUpdateManager: BaseAPIManager, HomesManager {", "var id: Int\n",
      #"case queryID = "query_id""#,
      #"apiName = "users/{id}""#, "let method = HTTPMethod.put",
      #".json.inURL("query_id", "tags", "names").inHeaders("If-Match").inCookies("session").named(["query_id": "id"])"#,
      ".queryStyle(QueryStyle(arrays: .repeated))",
      #"tags.map { $0.map { item in String(item) }.joined(separator: ",") }"#,
      "typealias Output = HomesNothing")
    XCTAssertFalse(text.contains("authorization"))
  }

  func testTheSlashOfTheRootIsReportedWhereItIsNotSent() throws {
    let paths = #"{"/": {"get": {"operationId": "root", "responses": {}}}}"#
    let below = try Documents.generate(Documents.make(paths: paths))
    assertContains(
      below.report.text, "#/paths/~1/get`: the path / below a base URL with a path; it is sent without")
    let alone = try Documents.generate(
      Documents.make(paths: paths, servers: #"[{"url": "https://homes.example/"}]"#))
    XCTAssertEqual(alone.report.notes, [])
  }

  func testAPathAndABodyMayHaveTheSameName() throws {
    let text = try Documents.sources(
      Documents.make(
        paths: """
          {"/users/{id}": {"put": {"operationId": "update", "parameters": [{"name": "id", "in": "path", "required": true,
          "schema": {"type": "integer"}}], "requestBody": {"content": {"application/json": {"schema": {"type": "object",
          "properties": {"id": {"type": "integer"}}}}}}, "responses": {}}}}
          """))
    assertContains(text, #"apiName = "users/{path_id}""#, #"case pathID = "path_id""#, "var id: Int?")
  }

  func testABodyThatIsNoObjectIsOneMember() throws {
    assertContains(
      try Documents.sources(Documents.schema(#"{"type": "string"}"#)), "var body: [String]",
      #"ParameterEncoding.json.body(at: "body")"#)
  }

  func testFilesAreSentByAnUploadManager() throws {
    let text = try Documents.sources(
      Documents.make(
        paths: """
          {"/plans/{id}": {"post": {"operationId": "send plan", "parameters": [{"name": "id", "in": "path", "required": true,
          "schema": {"type": "string"}}], "requestBody": {"content": {"multipart/form-data": {"schema": {"type": "object",
          "properties": {"file": {"type": "string", "format": "binary"}}}}}}, "responses": {"201": {}}}}}
          """))
    assertContains(
      text, "import APIKitTransfers", "SendPlanManager: BaseUploadManager, UploadManager", "`file`")
  }

  func testWhatCannotBeWrittenIsReportedAndNeverWrong() throws {
    let result = try Documents.generate(
      Documents.make(
        paths: """
          {"/a/{id}": {"get": {"parameters": [{"name": "id", "in": "path", "required": true, "style": "matrix", "schema":
          {"type": "string"}}], "responses": {}}}, "/b": {"get": {"parameters": [{"name": "filter", "in": "query", "schema":
          {"type": "object", "properties": {"a": {"type": "string"}}}}], "responses": {"200": {"content": {"text/event-stream":
          {}}}}}}, "/c": {"get": {"parameters": [{"name": "filter", "in": "query", "schema": {"type": "object"}}], "responses":
          {}, "callbacks": {"x": {}}}}}
          """))
    XCTAssertEqual(result.report.operations, 1)
    let text = result.report.text
    assertContains(
      text, "## Left out", "`#/paths/~1a~1{id}/get/parameters/0`: the style \"matrix\"", "event stream",
      "## Written otherwise",
      "callbacks are not read", "the parameter \"filter\" is left out")
  }

  func testDifferentGoodResponsesAreAnEnumByStatus() throws {
    func output(_ responses: String) throws -> String {
      try Documents.sources(
        Documents.make(
          paths: #"{"/a": {"get": {"operationId": "read", "responses": {\#(responses)}}}}"#,
          components: ##"{"schemas": {"A": {"type": "object", "properties": {"a": {}}}}}"##))
    }
    let a = ##""content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}"##
    let text = #""content": {"application/json": {"schema": {"type": "string"}}}"#
    let bytes = #""content": {"image/png": {}}"#
    assertContains(
      try output(#""200": {\#(a)}, "202": {\#(text)}, "204": {}, "206": {\#(bytes)}, "2XX": {\#(a)}"#),
      "  nonisolated enum Output: HomesStatusOutput {\n    case ok(A)\n    case accepted(String)\n    case noContent\n",
      "    case partialContent([UInt8])\n    case success(A)\n",
      "case 202: self = .accepted(try response.decode())",
      "case 206: self = .partialContent(response.bytes)\n      case 200...299: self = .success(",
      "protocol HomesStatusOutput: Sendable")
    // One shape, and nothing beside it, is that shape.
    assertContains(try output(#""200": {\#(a)}, "201": {\#(a)}"#), "typealias Output = A\n")
    assertContains(try output(#""200": {\#(a)}, "204": {}"#), "typealias Output = A?\n")
    assertContains(try output(#""200": {\#(bytes)}, "204": {}"#), "The response is `image/png`")
  }

  func testAResponseToHeadHasNoBody() throws {
    let body = #"{"200": {"content": {"application/json": {"schema": {"type": "object"}}}}}"#
    let text = try Documents.sources(
      Documents.make(paths: #"{"/a": {"get": {"responses": \#(body)}, "head": {"responses": \#(body)}}}"#))
    assertContains(
      text, "typealias Output = [String: JSONValue]\n",
      """
        typealias Output = HomesNothing
        let service = Homes.shared, apiName = "a"
        let method = HTTPMethod.head
        let expectation = ResponseExpectation(format: .bytes)
      """)
  }

  // MARK: Service

  func testServersVariablesAndSecurityMakeTheService() throws {
    let text = try Documents.sources(
      Documents.make(
        paths: """
          {"/a": {"get": {"security": [], "responses": {"200": {"content": {"application/json": {"schema": {"type": "array",
          "items": {"type": "string"}}}}, "headers": {"Link": {}}}}}, "put": {"responses": {}, "servers":
          [{"url": "https://up.homes.example"}]}, "delete": {"security": [{}, {"key": []}], "responses": {}}}}
          """,
        components: #"{"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}"#,
        servers: """
          [{"url": "https://{region}.homes.example", "variables": {"region": {"default": "eu"}}},
          {"url": "http://127.0.0.1:8080", "description": "Test server"}, {"url": "https://{region}.{region}.x.example", "variables":
          {"region": {"default": "us"}}}, {"url": "https://{region}.{Region}.y.example", "variables": {"region": {"default":
          "eu"}, "Region": {"default": "a"}}}]
          """, more: #", "security": [{"key": []}]"#))
    assertContains(
      text,
      #"static func addresses(region: String = "eu", region2: String = "us", region3: String = "a")"#,
      #""https://\(region2).\(region2).x.example""#, #""https://\(region).\(region3).y.example""#,
      "let environments = Homes.makeEnvironments()", "static func makeEnvironments()",
      #".release: "https://\(region).homes.example""#,
      #""test-server": "http://127.0.0.1:8080""#, #"request.headers["X-Key"] = credential.accessToken"#,
      "let signIn = SignInRule.exempt", "let signIn = SignInRule.required", "PageableAPIManager",
      #"let paging = Paging(.link(size: nil), items: "")"#, "final class HomesUp: APIService",
      "let service = HomesUp.shared")
  }

  func testFlowsOfUnknownKindsHaveNamesOfTheirOwn() throws {
    let flow = #"{"tokenUrl": "https://id.example/t", "scopes": {}}"#
    let text = try Documents.sources(
      Documents.make(
        paths: #"{"/a": {"get": {"responses": {}}}}"#,
        components: """
          {"securitySchemes": {"key": {"type": "oauth2", "flows": {"password": \(flow), "device": \(flow), "tokens": \(flow)}}}}
          """, more: #", "security": [{"key": []}]"#))
    assertContains(
      text, "func passwordConfiguration(", "func otherConfiguration(", "func other2Configuration(")
  }

  func testAMemberThatIsRequiredAndDescribedNowhereIsReported() throws {
    let thing = #"{"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "string"}}}"#
    let notes = try Documents.generate(Documents.schema(thing)).report.notes
    XCTAssertEqual(notes.map(\.pointer), ["#/components/schemas/Thing"])
    XCTAssertEqual(notes.map(\.reason), [#"the member "b" is required and described nowhere"#])
  }

  func testAFailureOfTheDocumentIsAMemberOfTheError() throws {
    let text = try Documents.sources(
      Documents.make(
        paths: """
          {"/a": {"get": {"responses": {"404": {"content": {"application/json": {"schema": {"$ref":
          "#/components/schemas/Error"}}}}}}}}
          """,
        components:
          #"{"schemas": {"Error": {"type": "object", "properties": {"code": {"type": "integer"}}}}}"#))
    assertContains(
      text, "struct ErrorModel: RawDecodable",
      "var homesErrorModel: ErrorModel? { try? raw.decode(as: ErrorModel.self) }")
  }

  func testARelativeAddressNeedsOneOfTheUser() throws {
    let document = Documents.make(
      paths: #"{"/a": {"get": {"responses": {}}}}"#, servers: #"[{"url": "/v1"}]"#)
    assertContains(Documents.problems(document), "#/servers", "--base-url")
    var settings = Settings.homes
    settings.baseURL = "https://homes.example"
    assertContains(
      try Documents.sources(document, settings: settings), #"ServiceEnvironments("https://homes.example")"#)
  }

  func testPublicSourcesHavePublicMembers() throws {
    var settings = Settings.homes
    settings.access = "public"
    let text = try Documents.sources(
      Documents.schema(#"{"type": "object", "properties": {"a": {"type": "string"}}}"#), settings: settings)
    assertContains(
      text, "public import APIKit", "public final class SendAManager", "public nonisolated struct Input",
      "public var a: String?",
      "public init(\n    a: String? = nil\n  ) {", "public static let shared")
  }
}
