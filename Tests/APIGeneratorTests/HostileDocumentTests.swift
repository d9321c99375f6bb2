import XCTest

@testable import APIGenerator

final class HostileDocumentTests: XCTestCase {
  /// Text that would end a comment, a literal, a line or a name if it could.
  private let hostile = #"*/ \" ) \\(x) \n} import Evil \u2028 \u202e \u0000 \r #\"\"\" ` /* ../../x "#

  func testNoTextOfADocumentEndsACommentALiteralOrAFileName() throws {
    let result = try Documents.generate(
      """
      {"openapi": "3.0.3", "info": {"title": "\(hostile)", "version": "1"}, "servers": [{"url": "https://a.example",
      "description": "\(hostile)"}, {"url": "https://b.example/\(hostile)"}], "tags": [], "paths": {"/x": {"get":
      {"operationId": "\(hostile)", "tags": ["\(hostile)"], "summary": "\(hostile)", "parameters": [{"name": "\(hostile)q",
      "in": "query", "description": "\(hostile)", "schema": {"type": "string", "enum": ["\(hostile)", "b"]}}],
      "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}}}}},
      "components": {"schemas": {"A": {"type": "object", "description": "\(hostile)", "title": "\(hostile)", "properties":
      {"\(hostile)": {"type": "string", "description": "\(hostile)"}, "class": {"type": "string"}, "\(hostile)2": {"type":
      "object", "properties": {"Type": {"type": "string"}, "self": {"type": "string"}, "init": {"type": "string"}}}}}}}}
      """)
    for (name, text) in result.files {
      XCTAssertTrue(name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }, name)
      XCTAssertTrue(Manifest.isFileName(name), name)
      for scalar in text.unicodeScalars where scalar != "\n" {
        XCTAssertTrue(SafeText.isVisible(scalar), "\(name): \(scalar.value)")
      }
      guard name.hasSuffix(".swift") else { continue }
      for line in text.split(separator: "\n") {
        // Outside of comments, the words stand only in literals, whose quotes are all escaped.
        guard line.contains("Evil"), !line.drop(while: { $0 == " " }).hasPrefix("//") else { continue }
        var isInside = false
        var previous: Character = " "
        for character in line {
          if character == "\"", previous != "\\" { isInside.toggle() }
          XCTAssertFalse(
            !isInside && (character == "*" || character == "#" || character == "`"), String(line))
          previous = previous == "\\" && character == "\\" ? " " : character
        }
        XCTAssertFalse(isInside, String(line))
        XCTAssertFalse(line.contains(#" \(x)"#), String(line))
      }
    }
  }

  func testAMarkBehindABacktickDoesNotKeepIt() {
    XCTAssertEqual(SafeText.code("a`\u{301}<b>").unicodeScalars.filter { $0 == "`" }.count, 2)
  }

  func testAStatusIsThreeDigitsOrARange() throws {
    let text = #""content": {"application/json": {"schema": {"type": "string"}}}"#
    let number = #""content": {"application/json": {"schema": {"type": "integer"}}}"#
    let result = try Documents.generate(
      Documents.make(
        paths: """
          {"/a": {"get": {"responses": {"200": {\(text)}, "202": {\(number)}, "2XX": {\(text)}, "2: exit(0); //": {\(text)},
          "2٢٢": {\(text)}, "2": {\(text)}, "2000": {\(text)}, "2xx": {\(text)}, "20\\n": {\(text)}}}}}
          """))
    let source = try XCTUnwrap(result.files["Homes+Managers.swift"])
    assertContains(source, "    case ok(String)\n    case accepted(Int)\n    case success(String)\n\n")
    XCTAssertFalse(source.contains("exit"))
    assertContains(result.report.text, "is no status; the response is not read")
    XCTAssertEqual(result.report.notes.count { $0.reason.contains("is no status") }, 6)
  }

  func testNamesOfSwiftAndOfTheFrameworkGetASuffix() throws {
    let document = Documents.make(
      paths: """
        {"/a": {"get": {"operationId": "upload", "responses": {"200": {"content": {"application/json": {"schema": {"oneOf":
        [{"$ref": "#/components/schemas/String"}, {"$ref": "#/components/schemas/Parameters"}, {"$ref":
        "#/components/schemas/Self"}, {"$ref": "#/components/schemas/1"}, {"$ref": "#/components/schemas/Homes"}]}}}}}}}}
        """,
      components: """
        {"schemas": {"String": {"type": "object", "properties": {"a": {}}}, "Parameters": {"type": "object", "properties":
        {"a": {}}}, "Self": {"type": "object", "properties": {"a": {}}}, "1": {"type": "object", "properties": {"a": {}}},
        "Homes": {"type": "object", "properties": {"a": {}}}}}
        """)
    assertContains(
      try Documents.sources(document), "class UploadOperationManager", "struct StringModel",
      "struct ParametersModel",
      "struct SelfModel", "struct N1", "struct Homes2")
  }

  func testTheNamesOfTheFrameworkAreThoseOfItsSources() throws {
    let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    var missing: Set<String> = []
    for target in ["APIKit", "APIKitTransfers"] {
      let files = FileManager.default.enumerator(
        at: top.appendingPathComponent("Sources/\(target)"), includingPropertiesForKeys: nil)
      for case let file as URL in try XCTUnwrap(files) {
        guard file.pathExtension == "swift" else { continue }
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        where line.first != " " {
          let words = line.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "@" })
          guard
            let kind = words.firstIndex(where: {
              ["class", "struct", "enum", "protocol", "actor"].contains($0)
            }),
            words[..<kind].contains("public") || words[..<kind].contains("open"), kind + 1 < words.count
          else { continue }
          if !SwiftNames.isTaken(String(words[kind + 1])) { missing.insert(String(words[kind + 1])) }
        }
      }
    }
    XCTAssertEqual(missing.sorted(), [], "SwiftNames.framework lacks them")
  }

  // MARK: Bounds

  func testTwoToTheFortiethUnfoldingsTakeNoTime() throws {
    for word in ["allOf", "anyOf"] {
      var schemas =
        ##""Thing": {"\##(word)": [{"$ref": "#/components/schemas/S0"}, {"$ref": "#/components/schemas/S0"}]}"##
      for index in 0..<40 {
        let next = ##"{"$ref": "#/components/schemas/S\##(index + 1)"}"##
        schemas += #", "S\#(index)": {"\#(word)": [\#(next), \#(next)]}"#
      }
      schemas += #", "S40": {"type": "object", "properties": {"a": {"type": "string"}}}"#
      let document = Documents.schema("{}").replacingOccurrences(of: #""Thing": {}"#, with: schemas)
      assertContains(try Documents.sources(document), "var a: String?")
    }
  }

  func testRingsOfSchemasEnd() throws {
    let result = try Documents.generate(
      Documents.schema(
        ##"{"type": "array", "items": {"$ref": "#/components/schemas/Thing"}}"##,
        others: ##""A": {"allOf": [{"$ref": "#/components/schemas/A"}]}"##))
    XCTAssertTrue(result.report.notes.contains { $0.reason.contains("nothing but itself") })
    assertContains(
      try Documents.sources(
        Documents.schema(##"{"allOf": [{"$ref": "#/components/schemas/Thing"}, {"properties": {"a": {}}}]}"##)
      ),
      "typealias Output = JSONValue")
  }

  func testMembersOfSeveralPartsThatContainThemselvesEnd() throws {
    let text = try Documents.sources(
      Documents.schema(
        ##"{"allOf": [{"$ref": "#/components/schemas/B"}, {"$ref": "#/components/schemas/C"}]}"##,
        others: """
          "B": {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/B"}, "b": {"type": "string"}}},
          "C": {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/C"}, "c": {"type": "string"}}}
          """))
    assertContains(text, "HomesBox<")
  }

  func testAChainOfTenThousandSchemasIsRead() throws {
    var others = (0..<10_000).map {
      ##""S\##($0)": {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/S\##($0 + 1)"}}}"##
    }
    others.append(#""S10000": {"type": "string"}"#)
    let result = try Documents.generate(
      Documents.schema(##"{"$ref": "#/components/schemas/S0"}"##, others: others.joined(separator: ", ")))
    XCTAssertEqual(result.report.models, 10_000)
    for (name, text) in result.files where name.hasSuffix(".swift") {
      XCTAssertLessThanOrEqual(
        text.split(separator: "\n", omittingEmptySubsequences: false).count, Generator.maximumLines)
    }
  }

  func testAChainOfPartsThatIsTooDeepIsAFreeValue() throws {
    var others = (0..<10_000).map {
      ##""S\##($0)": {"allOf": [{"$ref": "#/components/schemas/S\##($0 + 1)"}, {"properties": {"a": {}}}]}"##
    }
    others.append(#""S10000": {"type": "object", "properties": {"b": {}}}"#)
    let result = try Documents.generate(
      Documents.schema(##"{"$ref": "#/components/schemas/S0"}"##, others: others.joined(separator: ", ")))
    XCTAssertTrue(result.report.notes.contains { $0.reason.contains("nested deeper") })
  }

  // MARK: Bad documents

  func testAllProblemsAreReportedAtOnceWithTheirPlaces() {
    let text = Documents.problems(
      """
      {"openapi": "3.0.0", "info": {}, "paths": {
        "/homes": {"get": {"parameters": [{"in": "query"}], "responses": {"200": {"$ref": "other.json#/a"}}}},
        "homes": {}, "/b": {"$ref": "#/nowhere"}, "/c": {"get": {"responses": {"200": {"$ref": "#/components/responses/A"}}}}},
        "components": {"responses": {"A": {"$ref": "#/components/responses/B"}, "B": {"$ref": "#/components/responses/A"}}}}
      """)
    assertContains(
      text, "openapi.json:2:37 #/paths/~1homes/get/parameters/0: this parameter has no \"name\"",
      "leads to another document; bundle them", "#/paths/homes: a path must begin with a slash",
      "\"#/nowhere\" leads nowhere",
      "is part of a ring")
  }

  func testOtherVersionsAreRefusedByName() {
    assertContains(
      Documents.problems(#"{"swagger": "2.0", "paths": {}}"#), "openapi.json:1:13 #/swagger: Swagger 2.0")
    assertContains(
      Documents.problems(#"{"openapi": "3.2.0", "paths": {}}"#), "\"3.2.0\"; 3.0 and 3.1 are read")
    assertContains(Documents.problems(#"{"paths": {}}"#), "no OpenAPI document")
    // As YAML's `openapi: 3.0` is converted.
    assertContains(
      Documents.problems(#"{"openapi": 3.0, "paths": {}}"#), #"#/openapi: "openapi" must be a text"#)
  }

  func testAReferenceInAnExampleIsData() throws {
    _ = try Documents.generate(
      Documents.schema(
        """
        {"type": "object", "example": {"$ref": "elsewhere.json"}, "properties": {"example": {"type": "string"}, "$ref":
        {"type": "string"}}}
        """))
  }
}
