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

  func testWhatStandsBesideAReferenceIsReported() throws {
    let schema =
      ##"{"$ref": "#/components/schemas/A", "title": "x", "required": ["z"], "properties": {"z": {}}}"##
    func document(_ version: String) -> String {
      Documents.make(
        paths: """
          {"/a": {"$ref": "#/paths/~1b", "description": "x", "get": {"responses": {}}, "parameters": []}, "/b": {"post":
          {"responses": {"200": {"content": {"application/json": {"schema": \(schema)}}}}}}}
          """,
        components:
          ##"{"schemas": {"A": {"type": "object", "properties": {"y": {"$ref": "#/components/schemas/B", "format": "x"}}}, "B": {}}}"##,
        version: version)
    }
    let path = #"#/paths/~1a: "get", "parameters" beside a reference is not read"#
    XCTAssertEqual(
      try reasons(document("3.1.0")),
      [
        #"#/components/schemas/A/properties/y: "format" beside a reference is not read"#, path,
        ##"#/paths/~1b/post/responses/200/content/application~1json/schema: "required", "properties" beside a reference is not read"##,
      ])
    // OpenAPI 3.0 says that it is ignored.
    XCTAssertEqual(try reasons(document("3.0.3")), [path])
  }

  func testWhatNoTypeExpressesIsReported() throws {
    let document = Documents.make(
      paths: """
        {"/a": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}}}}}
        """,
      components: """
        {"schemas": {"A": {"type": "object", "properties": {
        "table": {"type": "object", "patternProperties": {"^x-": {"type": "string"}}},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
        "either": {"if": {"required": ["a"]}, "then": {"properties": {"b": {}}}, "else": {"properties": {"c": {}}}},
        "rule": {"type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]}},
        "card": {"type": "object", "dependentSchemas": {"card": {"properties": {"owner": {"type": "string"}}}}},
        "plain": {"type": "string", "not": {"const": "x"}, "minLength": 1}
        }}, "Unused": {"prefixItems": []}}}
        """, version: "3.1.0")
    let path = "#/components/schemas/A/properties/"
    XCTAssertEqual(
      try reasons(document),
      [
        #"card: "dependentSchemas" is not read"#, #"either: "then", "else" is not read"#,
        #"pair: "prefixItems" is not read"#, #"table: "patternProperties" is not read"#,
      ].map { path + $0 })
  }

  func testAnOperationIsNoReference() {
    assertContains(
      Documents.problems(
        Documents.make(
          paths: ##"{"/a": {"get": {"responses": {}}}, "/b": {"get": {"$ref": "#/paths/~1a/get"}}}"##)),
      "#/paths/~1b/get: an operation cannot be a reference")
  }

  /// The framework refuses each request that states them.
  func testAHeaderFieldOrCookieWithoutANameIsLeftOut() throws {
    let document = Documents.make(
      paths: """
        {"/a": {"get": {"parameters": [{"name": "X Name", "in": "header", "schema": {}}, {"name": "größe", "in": "cookie",
        "schema": {}}, {"name": "X-Good_1.", "in": "header", "schema": {}}], "responses": {}}, "put": {"parameters": [{"name":
        "a:b", "in": "header", "required": true, "schema": {}}], "responses": {}}}}
        """,
      components: #"{"securitySchemes": {"k": {"type": "apiKey", "in": "header", "name": "(key)"}}}"#,
      more: #", "security": [{"k": []}]"#)
    assertContains(try Documents.sources(document), #".inHeaders("X-Good_1.")"#)
    XCTAssertEqual(
      try reasons(document),
      [
        #"#/components/securitySchemes/k: the security scheme "k" is not supported"#,
        #"#/paths/~1a/get/parameters/0: its name is none of a header field: the parameter "X Name" is left out"#,
        #"#/paths/~1a/get/parameters/1: its name is none of a cookie: the parameter "größe" is left out"#,
        #"#/paths/~1a/put/parameters/0: its name is none of a header field, and "a:b" is required"#,
      ])
  }

  func testTheOtherFormsOfAnUploadAreReported() throws {
    let document = Documents.make(
      paths: """
        {"/a": {"put": {"requestBody": {"content": {"image/png": {}, "image/jpeg": {}}}, "responses": {}}}}
        """)
    assertContains(try Documents.sources(document), #"["Content-Type": "image/jpeg"]"#)
    let notes = try Documents.generate(document).report.notes
    XCTAssertEqual(notes.map(\.reason), ["the body has several forms"])
    XCTAssertEqual(notes.map(\.advice), ["it is sent as image/jpeg"])
  }

  func testASecuritySchemeThatIsDescribedNowhereIsReported() throws {
    XCTAssertEqual(
      try reasons(
        Documents.make(
          paths: #"{"/a": {"get": {"security": [{"lost": []}], "responses": {}}}}"#,
          more: #", "security": [{"gone": []}]"#)),
      ["gone", "lost"].map {
        #"#/components/securitySchemes: the security scheme "\#($0)" is described nowhere"#
      })
  }
}
