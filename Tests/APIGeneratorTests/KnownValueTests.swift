import XCTest

@testable import APIGenerator

/// Schemas that list the values there are (`enum`, `const`).
final class KnownValueTests: XCTestCase {
  func testValuesWithoutATypeHaveTheirOwn() throws {
    let text = try Documents.sources(
      Documents.schema(
        """
        {"type": "object", "required": ["a", "b", "c", "d", "e"], "properties": {"a": {"const": 5}, "b": {"enum": [1, -2]},
        "c": {"const": true}, "d": {"const": "x"}, "e": {"enum": [1, "x"]}}}
        """))
    assertContains(
      text, "static let value5 = Self(rawValue: 5)", "static let minus2 = Self(rawValue: -2)",
      "let rawValue: Int\n", "var c: Bool\n", #"static let x = Self(rawValue: "x")"#, "var e: JSONValue\n")
    XCTAssertEqual(text.components(separatedBy: ": JSONValue\n").count, 2, text)
  }

  func testValuesThatDifferInTheirUnicodeNormalFormAloneAreTwo() throws {
    let text = try Documents.sources(
      Documents.schema(#"{"type": "string", "enum": ["caf\u00e9", "cafe\u0301", "caf\u00e9"]}"#))
    let values = text.split(separator: "\n").filter { $0.contains("Self(rawValue:") }
    XCTAssertEqual(values.count, 2, text)
    XCTAssertEqual(Set(values.map { Array($0.utf8.reversed().prefix(8)) }).count, 2, text)
  }

  func testAChoiceWithTheConstantNullIsTheOtherOneOrNull() throws {
    let text = try Documents.sources(
      Documents.schema(
        ##"""
        {"type": "object", "required": ["a", "b", "c"], "properties": {"a": {"anyOf": [{"$ref": "#/components/schemas/Room"},
        {"const": null}]}, "b": {"oneOf": [{"const": null}, {"type": "string"}]}, "c": {"oneOf": [{"$ref":
        "#/components/schemas/Room"}, {"$ref": "#/components/schemas/Nothing"}]}}}
        """##,
        others:
          #""Room": {"type": "object", "properties": {"n": {"type": "integer"}}}, "Nothing": {"const": null}"#
      ))
    assertContains(text, "  var a: Room?\n  var b: String?\n  var c: Room?\n")
    XCTAssertFalse(text.contains("JSONValue"), text)
  }
}
