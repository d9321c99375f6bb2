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
      "/../up", "/a/..", "/./a", "/a/%2E%2e/b", "//a", "//a.example/b", "/https://a.example/b", "/a..b",
      "/a/.b", "/",
      "/a/", "/v1:run", "/a//b",
    ]
    let items = paths.enumerated().map { #""\#($1)": {"get": {"operationId": "n\#($0)", "responses": {}}}"# }
    let result = try Documents.generate(Documents.make(paths: "{\(items.joined(separator: ", "))}"))
    let left = result.report.notes.filter(\.isSkip).map(\.pointer)
    XCTAssertEqual(
      left.sorted(), paths.prefix(7).map { "#/paths/\(JSONNode.escape($0))/get" }.sorted())
  }

  func testAMediaTypeThatNoHeaderFieldMayHoldIsNotRead() throws {
    let content = #"{"application/x+json\nX-A: 1": {"schema": {"type": "string"}}, "text/\u00e9": {}}"#
    let result = try Documents.generate(
      Documents.make(
        paths: """
          {"/a": {"post": {"requestBody": {"content": \(content)}, "responses": {"200": {"content": \(content)}}}}}
          """))
    let source = try XCTUnwrap(result.files["Homes+Managers.swift"])
    XCTAssertFalse(source.contains("let headers"), source)
    XCTAssertEqual(
      result.report.notes.map(\.reason).filter { $0.hasSuffix("is no media type") }.sorted(),
      [
        #""application/x+json X-A: 1" is no media type"#, #""application/x+json X-A: 1" is no media type"#,
        #""text/é" is no media type"#, #""text/é" is no media type"#,
      ])
  }

  func testANameThatIsGivenTwiceIsToldWithBothPlaces() throws {
    var settings = Settings.homes
    (settings.writesBases, settings.access) = (true, "public")
    let document = Documents.make(
      paths: """
        {"/a": {"get": {"operationId": "find", "responses": {"200": {"content": {"application/json": {"schema":
        {"$ref": "#/components/schemas/BaseFindManager"}}}}}}}}
        """,
      components:
        #"{"schemas": {"BaseFindManager": {"type": "object", "properties": {"a": {"type": "string"}}}}}"#)
    XCTAssertThrowsError(try Documents.generate(document, settings: settings)) { error in
      let text = (error as? Problems)?.text ?? ""
      for place in ["#/paths/~1a/get: ", "#/components/schemas/BaseFindManager: "] {
        XCTAssertTrue(text.contains(place), text)
      }
    }
  }

  private func form(
    _ properties: String, encoding: String, parameters: String = "[]", required: String = "[]"
  )
    -> String
  {
    Documents.make(
      paths: """
        {"/a": {"post": {"operationId": "send", "parameters": \(parameters), "requestBody": {"content":
        {"application/x-www-form-urlencoded": {"schema": {"type": "object", "required": \(required), "properties": \(properties)},
        "encoding": \(encoding)}}}, "responses": {}}}}
        """)
  }

  func testAFormIsSentAsItsEncodingSays() throws {
    let numbers = #"{"type": "array", "items": {"type": "integer"}}"#
    let both = try Documents.sources(
      form(
        #"{"a": \#(numbers), "b": \#(numbers), "c": \#(numbers)}"#,
        encoding: #"{"a": {"style": "form", "explode": false}, "c": {"style": "pipeDelimited"}}"#))
    assertContains(
      both, "arrays: .repeated", #"a.map { $0.map { item in String(item) }.joined(separator: ",") }"#,
      #"c.map { $0.map { item in String(item) }.joined(separator: "|") }"#, "encodeIfPresent(b, forKey: .b)")
    // The style of the query is not that of the form.
    let query = try Documents.sources(
      form(
        #"{"a": \#(numbers)}"#, encoding: "{}",
        parameters: #"[{"name": "q", "in": "query", "explode": false, "schema": \#(numbers)}]"#))
    assertContains(
      query, "arrays: .repeated", #"q.map { $0.map { item in String(item) }.joined(separator: ",") }"#)
  }

  func testAnObjectOfAFormIsWrittenOnlyInTheStyleDeepObject() throws {
    let object = #"{"type": "object", "properties": {"x": {"type": "string"}}}"#
    let properties =
      #"{"o": \#(object), "list": {"type": "array", "items": \#(object)}, "s": {"type": "string"}}"#
    let plain = try Documents.generate(form(properties, encoding: "{}"))
    XCTAssertEqual(
      plain.report.notes.map(\.reason).sorted(),
      ["list", "o"].map { "the member \"\($0)\" of a form is sent as JSON: it is left out" })
    let needed = try Documents.generate(form(properties, encoding: "{}", required: #"["o"]"#))
    XCTAssertEqual(needed.report.notes.filter(\.isSkip).count, 1)
    let deep = try Documents.sources(
      form(
        properties,
        encoding: #"{"o": {"style": "deepObject"}, "list": {"style": "deepObject", "explode": true}}"#))
    assertContains(deep, "var o: ", "var list: [", "QueryStyle(arrays: .indexed)")
  }

  func testAFormWithTheNameOfAParameterIsReportedAsThat() throws {
    let result = try Documents.generate(
      form(
        #"{"a": {"type": "string"}, "b": {"type": "string"}}"#, encoding: "{}",
        parameters: #"[{"name": "b", "in": "query", "schema": {"type": "string"}}]"#))
    XCTAssertEqual(
      result.report.notes.filter(\.isSkip).map(\.reason),
      [#"the member "b" of the form has the name of a parameter"#])
    let empty = try Documents.generate(form("{}", encoding: "{}"))
    XCTAssertEqual(
      empty.report.notes.filter(\.isSkip).map(\.reason), ["the form of the body has no named members"])
  }

  /// The framework refuses a request that states them.
  func testTheLengthOfABodyIsLeftToTheTransport() throws {
    let fields = #"""
      [{"name": "Content-Length", "in": "header", "required": true, "schema": {"type": "integer"}},
      {"name": "transfer-encoding", "in": "header", "schema": {"type": "string"}}]
      """#
    let result = try Documents.generate(
      Documents.make(
        paths: """
          {"/a": {"get": {"operationId": "find", "parameters": \(fields), "responses": {}}, "put": {"operationId": "send",
          "parameters": \(fields), "requestBody": {"content": {"image/png": {}}}, "responses": {}}}}
          """))
    let source = try XCTUnwrap(result.files["Homes+Managers.swift"])
    assertContains(source, "final class FindManager", "final class SendManager")
    XCTAssertFalse(source.contains("inHeaders"), source)
    XCTAssertEqual(result.report.notes.count { $0.advice.contains("it is left to the transport") }, 4)
  }

  func testWhatHasAnotherTypeThanOpenAPIGivesItIsReported() throws {
    let result = try Documents.generate(
      Documents.make(
        paths: """
          {"/a": {"servers": "x", "get": {"operationId": 5, "tags": "pets", "security": {"k": []}, "parameters": [{"name": "q", "in":
          "query", "required": "yes", "explode": "no", "schema": ["string"]}, {"name": "r", "in": "query", "schema": {"type": 5,
          "enum": "a", "description": null, "default": 5}}], "responses": {"200": {"content": {"application/json": {"schema":
          {"$ref": "#/components/schemas/A"}}}}, "404": [], "500": {"content": []}, "x-more": 7}}, "post": {"requestBody": [],
          "responses": {}}}}
          """,
        components: """
          {"schemas": {"A": {"type": "object", "required": true, "properties": {"enum": {"type": "string", "nullable": "true"},
          "b": true, "c": 5, "d": {"allOf": {}, "items": {"type": "string"}}}, "additionalProperties": false}, "Unused":
          {"type": 5}}, "securitySchemes": []}
          """, more: #", "security": "none", "webhooks": []"#))
    let texts = result.report.notes.filter { $0.reason.hasPrefix("this must be ") }.sorted().map {
      "\($0.pointer) \($0.reason.dropFirst(13))"
    }
    XCTAssertEqual(
      texts,
      [
        "#/components/schemas/A/properties/c an object",
        "#/components/schemas/A/properties/d/allOf an array",
        "#/components/schemas/A/properties/enum/nullable true or false",
        "#/components/schemas/A/required an array of texts", "#/components/securitySchemes an object",
        "#/paths/~1a/get/operationId a text", "#/paths/~1a/get/parameters/0/explode true or false",
        "#/paths/~1a/get/parameters/0/required true or false",
        "#/paths/~1a/get/parameters/0/schema an object",
        "#/paths/~1a/get/parameters/1/schema/enum an array",
        "#/paths/~1a/get/parameters/1/schema/type a text, or an array of texts",
        "#/paths/~1a/get/responses/404 an object", "#/paths/~1a/get/responses/500/content an object",
        "#/paths/~1a/get/security an array of objects", "#/paths/~1a/get/tags an array of texts",
        "#/paths/~1a/post/requestBody an object", "#/paths/~1a/servers an array",
        "#/security an array of objects", "#/webhooks an object",
      ])
  }

  func testAnAddressThatIsNoneIsLeftOut() throws {
    let paths = #"{"/a": {"get": {"responses": {}}}}"#
    let wrong = [
      #"{"url": "https://{region}.example"}"#, #"{"url": "https://.example"}"#, #"{"url": "https://:80/v1"}"#,
      #"{"url": "https://a.example:x"}"#, #"{"url": "https://a.example:70000"}"#,
    ]
    let right = [
      #"{"url": "https://a.example:8443/v1"}"#, #"{"url": "http://[::1]:80"}"#, #"{"url": "http://[::1]"}"#,
    ]
    let servers = "[\((wrong + right).joined(separator: ", "))]"
    let result = try Documents.generate(Documents.make(paths: paths, servers: servers))
    XCTAssertEqual(result.report.notes.map(\.pointer), wrong.indices.map { "#/servers/\($0)" })
    assertContains(
      result.files["Homes.swift"] ?? "", "https://a.example:8443/v1", "http://[::1]:80", #""http://[::1]""#)
  }

  func testANameThatIsGivenToNothingIsReported() throws {
    let result = try Documents.generate(
      Documents.schema(#"{"type": "object", "properties": {"a": {"type": "string"}}}"#),
      listed: ["GET /a": "FindManager", "GET /b": "LostManager", "#/components/schemas/Thin": "Lost"])
    XCTAssertEqual(
      result.report.notes.filter { $0.reason.contains("given to nothing") }.map(\.pointer).sorted(),
      ["#/components/schemas/Thin", "GET /b"])
  }

  func testAnElementWithTheSeparatorInItIsRefused() throws {
    let text = try Documents.sources(
      Documents.make(
        paths: """
          {"/a/{ids}": {"get": {"parameters": [{"name": "ids", "in": "path", "required": true, "schema": {"type": "array", "items":
          {"type": "string"}}}, {"name": "n", "in": "query", "explode": false, "schema": {"type": "array", "items": {"type":
          "integer"}}}, {"name": "k", "in": "query", "style": "pipeDelimited", "explode": false, "schema": {"type": "array",
          "items": {"type": "string", "enum": ["x"]}}}], "responses": {}}}}
          """))
    assertContains(
      text, #"try container.encode(try Homes.joined(ids, by: ","), forKey: .ids)"#,
      #"k.map { try Homes.joined($0.map { item in String(item.rawValue) }, by: "|") }"#,
      #"n.map { $0.map { item in String(item) }.joined(separator: ",") }"#,
      "static func joined(_ texts: [String], by separator: Character) throws -> String")
  }

  func testTheOrderOfSchemesThatAreNeededAtOnceDoesNotMatter() throws {
    func document(_ requirement: String) -> String {
      Documents.make(
        paths: #"{"/a": {"get": {"responses": {}}}}"#,
        components: """
          {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}, "key": {"type": "apiKey", "in": "header", "name":
          "X-Key"}}}
          """, more: #", "security": [{\#(requirement)}]"#)
    }
    let one = try Documents.generate(document(#""token": [], "key": []"#))
    let other = try Documents.generate(document(#""key": [], "token": []"#))
    XCTAssertEqual(one.files, other.files)
  }

  func testEachGoodResponseIsAskedFor() throws {
    let schema = #"{"schema": {"type": "integer"}}"#
    let source = try Documents.sources(
      Documents.make(
        paths: """
          {"/a": {"get": {"responses": {"200": {"content": {"application/vnd.a+json": \(schema)}}, "201": {"content":
          {"application/vnd.b+json": \(schema)}}}}, "put": {"responses": {"200": {"content": {"application/json": \(schema),
          "text/csv": {}}}, "202": {"content": {"application/json": \(schema)}}}}}, "/b": {"get": {"responses": {"200":
          {"content": {"application/vnd.a+json": \(schema)}}, "201": {"content": {"*/*": \(schema)}}}}}}
          """))
    assertContains(
      source, #"["Accept": "application/vnd.a+json, application/vnd.b+json"]"#,
      #"["Accept": "application/json"]"#)
    XCTAssertEqual(source.split(separator: "let headers").count, 3, source)
  }

  func testEachNameOfATypeMayBeGiven() throws {
    for name in ["DNSRecord", "HomeV2", "X", "GetHomesABC", "注文", "Größe"] {
      XCTAssertTrue(Words.isType(name), name)
      var settings = Settings()
      settings.service = name
      XCTAssertNoThrow(try settings.check(), name)
    }
    for name in ["", "homes", "1A", "A_B", "A B", "A`B", "A😀", String(repeating: "A", count: 300)] {
      XCTAssertFalse(Words.isType(name), name)
    }
  }

  func testAnArrayOfAParameterOrAFormHasNoNulls() throws {
    let texts = #"{"type": "array", "items": {"type": ["string", "null"]}}"#
    let result = try Documents.generate(
      Documents.make(
        paths: """
          {"/a": {"post": {"parameters": [{"name": "q", "in": "query", "required": true, "schema": \(texts)}], "requestBody":
          {"content": {"application/x-www-form-urlencoded": {"schema": {"properties": {"f": \(texts)}}}}}, "responses": {}}}}
          """))
    XCTAssertEqual(result.report.notes.map(\.reason), [])
    assertContains(result.files["Homes+Managers.swift"] ?? "", "var q: [String]\n", "var f: [String]?\n")
  }

  func testAFormOfAPatchHasNoChangesForItHasNoNull() throws {
    let source = try Documents.sources(
      Documents.make(
        paths: """
          {"/a": {"patch": {"requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": {"properties": {"a":
          {"type": ["string", "null"]}}}}}}, "responses": {}}}}
          """))
    assertContains(source, "    var a: String?\n")
    XCTAssertFalse(source.contains("Change<"), source)
  }
}
