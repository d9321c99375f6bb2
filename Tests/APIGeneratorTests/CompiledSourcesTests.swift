import APIKit
import XCTest

@testable import APIGenerator

/// What a compiler would refuse or warn of in the sources.
final class CompiledSourcesTests: XCTestCase {
  private func settings(_ access: String) -> Settings {
    var settings = Settings.homes
    settings.access = access
    return settings
  }

  /// The lines of the imports of a file.
  private func imports(_ document: String, _ access: String, _ file: String) throws -> [String] {
    let text = try XCTUnwrap(Documents.generate(document, settings: settings(access)).files[file])
    return text.split(separator: "\n").filter { $0.contains("import ") }.map(String.init)
  }

  func testEachImportStatesItsAccessWhereOneOfThemDoes() throws {
    let document = Documents.make(
      paths: """
        {"/a": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"type": "object", "properties":
        {"at": {"type": "string", "format": "date-time"}}}}}}}}}}
        """, components: #"{"securitySchemes": {"b": {"type": "http", "scheme": "basic"}}}"#,
      more: #", "security": [{"b": []}]"#)
    XCTAssertEqual(
      try imports(document, "package", "Homes.swift"),
      ["package import APIKit", "internal import Foundation"])
    XCTAssertEqual(
      try imports(document, "package", "Homes+Models.swift"),
      ["package import APIKit", "package import Foundation"])
    XCTAssertEqual(try imports(document, "internal", "Homes.swift"), ["import APIKit", "import Foundation"])
  }

  func testAnImportIsForOthersWhereADeclarationForOthersUsesIt() throws {
    let values = Documents.schema(#"{"type": "string", "enum": ["a"]}"#)
    XCTAssertEqual(
      try imports(values, "package", "Homes+Models.swift"), ["internal import APIKit"])
    XCTAssertEqual(try imports(values, "public", "Homes+Models.swift"), ["public import APIKit"])
    // The choice has the times as free values.
    let choice = Documents.schema(
      ##"{"oneOf": [{"type": "string", "format": "date-time"}, {"$ref": "#/components/schemas/Other"}]}"##,
      others: #""Other": {"type": "object", "properties": {"a": {"type": "string"}}}"#)
    XCTAssertEqual(try imports(choice, "public", "Homes+Models.swift"), ["public import APIKit"])
    let sent = Documents.make(
      paths: """
        {"/a": {"post": {"requestBody": {"content": {"application/json": {"schema": {"type": "array", "items": {"type":
        "object", "required": ["n"], "properties": {"n": {"type": ["string", "null"]}}}}}}}, "responses": {}}}}
        """)
    XCTAssertEqual(try imports(sent, "public", "Homes+Models.swift"), [])
  }

  func testAModelHidesNoTypeThatTheSourcesUse() throws {
    // The types inside `APIError` are found before those of the module where a failure is read.
    for name in ["Context", "Evidence", "Reason", "Stage", "EncodingError"] {
      let text = try Documents.sources(
        Documents.make(
          paths: """
            {"/a": {"get": {"responses": {"404": {"content": {"application/json": {"schema": {"$ref":
            "#/components/schemas/\(name)"}}}}}}}}
            """,
          components:
            #"{"schemas": {"\#(name)": {"type": "object", "properties": {"code": {"type": "integer"}}}}}"#))
      assertContains(text, "var homes\(name)Model: \(name)Model? {")
    }
  }

  /// The literal of another one would end the application that first uses the service.
  func testEachAddressThatIsTakenIsAURLOfTheFramework() {
    let hosts = [
      "a", "a.example", "a-b_c.example", "a..b", "a.", "-a", "1", "1.2.3", "127.0.0.1", "256.1.1.1",
      "08.1.1.1", "0x7f.1",
      "a.0x7f", "[::1]", "[zz]", "[::1", "[::1]a", "a]", "a[b]", "[fe80::1%25en0]", "[1.2.3.4]", "[v1.a]",
      "%zz", "a%41",
      "a%2fb", "a!b", "::1", "", "xn--mnchen-3ya.example", "xn--", "xn--a", "a.xn--99999999.example",
      "xn--a-.b",
    ]
    var taken: Set<String> = []
    for host in hosts {
      for rest in [
        "", ":80", ":+80", ":0", ":", "/v1", "/v%20", "/v%", "/%zz", "/%2", "//", "/a//b", "/../b", "/[a]",
      ] {
        let text = "https://\(host)\(rest)"
        guard ServiceWriter.isAddress(text) else { continue }
        taken.insert(host)
        XCTAssertNoThrow(try HTTPURL(text), text)
      }
    }
    XCTAssertTrue(
      taken.isSuperset(of: [
        "a", "a.example", "a-b_c.example", "127.0.0.1", "[::1]", "xn--mnchen-3ya.example",
      ]), "\(taken)")
  }

  func testTheCallThatACommentNamesIsThere() throws {
    let source = try Documents.sources(
      Documents.make(
        paths: """
          {"/a": {"put": {"requestBody": {"content": {"image/png": {}}}, "responses": {}}}, "/a/{id}": {"put": {"requestBody":
          {"content": {"image/png": {}}}, "responses": {}}}}
          """))
    assertContains(
      source, "/// It sends `image/png`: `response(uploading: body)`.\nfinal class PutAManager",
      "/// It sends `image/png`: `response(uploading: body, Parameters(encoding: input))`.\nfinal class PutAIDManager"
    )
  }

  func testAMemberMayHaveTheNameOfItsType() throws {
    let text = try Documents.sources(
      Documents.make(
        paths: """
          {"/a": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"$ref":
          "#/components/schemas/注文"}}}}}}}}
          """,
        components: """
          {"schemas": {"注文": {"type": "object", "properties": {"住所": {"$ref": "#/components/schemas/住所"}, "次": {"type":
          "array", "items": {"$ref": "#/components/schemas/住所"}}, "前": {"$ref": "#/components/schemas/B"}}}, "住所": {"type":
          "object", "properties": {"a": {"type": "string"}}}, "B": {"type": "object", "properties": {"a": {"type":
          "string"}}}}}
          """))
    assertContains(
      text, #"    住所 = try raw["住所"].decode()"#, #"    次 = try raw["次"].decode()"#,
      #"    前 = try B?(raw["前"])"#)
  }
}
