import XCTest

@testable import APIGenerator

/// Documents and runs for the tests.
enum Documents {
  /// A document with these paths and components, in JSON.
  static func make(
    paths: String, components: String = "{}", version: String = "3.1.0",
    servers: String = #"[{"url": "https://homes.example/v1"}]"#,
    more: String = ""
  ) -> String {
    """
    {"openapi": "\(version)", "info": {"title": "Homes", "version": "1"}, "servers": \(servers), "paths": \(paths),
    "components": \(components)\(more)}
    """
  }

  /// A document with one schema, which `GET /a` receives and `POST /a` sends.
  static func schema(_ schema: String, others: String = "") -> String {
    make(
      paths: """
        {"/a": {"get": {"operationId": "get a", "responses": {"200": {"content": {"application/json": {"schema":
        {"$ref": "#/components/schemas/Thing"}}}}}}, "post": {"operationId": "send a", "requestBody": {"required": true, "content":
        {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}}}}}, "responses": {}}}}
        """,
      components: #"{"schemas": {"Thing": \#(schema)\#(others.isEmpty ? "" : ", " + others)}}"#)
  }

  static func generate(
    _ document: String, settings: Settings = .homes, kept: [String: String] = [:],
    listed: [String: String] = [:]
  ) throws -> Generator.Result {
    try Generator.run(
      Array(document.utf8), file: "openapi.json", settings: settings, listed: listed, kept: kept)
  }

  /// All sources of a document as one text.
  static func sources(_ document: String, settings: Settings = .homes) throws -> String {
    try generate(document, settings: settings).files.sorted { $0.key < $1.key }.filter {
      $0.key.hasSuffix(".swift")
    }
    .map(\.value).joined()
  }

  /// What is wrong with a document; the test fails where nothing is.
  static func problems(_ document: String, file: StaticString = #filePath, line: UInt = #line) -> String {
    do throws(Problems) {
      _ = try Generator.run(Array(document.utf8), file: "openapi.json", settings: .homes)
      XCTFail("nothing is wrong with it", file: file, line: line)
      return ""
    } catch {
      return error.text
    }
  }
}

extension Settings {
  static var homes: Settings {
    var settings = Settings()
    settings.service = "Homes"
    return settings
  }
}

/// Asserts that a text contains others.
func assertContains(_ text: String, _ parts: String..., file: StaticString = #filePath, line: UInt = #line) {
  for part in parts where !text.contains(part) {
    XCTFail("missing: \(part)\nin:\n\(text)", file: file, line: line)
  }
}
