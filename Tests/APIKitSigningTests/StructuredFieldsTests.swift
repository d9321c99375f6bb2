import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSigning

/// Structured fields: the examples of RFC 9651, and the edges of its grammar.
final class StructuredFieldsTests: XCTestCase {
  private typealias Value = StructuredFields.Value

  private func value(_ text: String) -> StructuredFields.Value? { StructuredFields.item(text)?.value }

  func testTheTimeOfManyParametersGrowsWithTheirNumber() {
    let count = 20_000
    let text = "a" + (0..<count).map { ";p\($0)" }.joined() + ";p0=2"
    let start = Duration.ofProcessor
    let parameters = StructuredFields.item(text)?.parameters
    XCTAssertEqual(parameters?.count, count)
    XCTAssertEqual(parameters?["p0"], .integer(2))
    XCTAssertEqual(parameters?.first?.key, "p0")
    XCTAssertLessThan(.ofProcessor - start, .seconds(4), "each key was compared with all before it")
  }

  func testEveryKindOfValueOfTheRFCIsRead() {
    let cases: [(String, StructuredFields.Value)] = [
      ("42", .integer(42)), ("-0", .integer(0)), ("999999999999999", .integer(999_999_999_999_999)),
      ("4.5", .decimal(thousandths: 4500)), ("-0.125", .decimal(thousandths: -125)),
      ("999999999999.999", .decimal(thousandths: 999_999_999_999_999)),
      ("\"hello world\"", .string("hello world")), ("\"a\\\"b\\\\c\"", .string("a\"b\\c")),
      ("foo123/456", .token("foo123/456")), ("*a:b", .token("*a:b")),
      (
        ":cHJldGVuZCB0aGlzIGlzIGJpbmFyeSBjb250ZW50Lg==:",
        .bytes(Array("pretend this is binary content.".utf8))
      ),
      ("::", .bytes([])), ("?1", .bool(true)), ("?0", .bool(false)), ("@1659578233", .date(1_659_578_233)),
      (
        "%\"This is intended for display to %c3%bcsers.\"", .display("This is intended for display to üsers.")
      ),
    ]
    for (text, expected) in cases { XCTAssertEqual(value(text), expected, text) }
  }

  func testWhatTheGrammarDoesNotAllowIsRefused() {
    for text in [
      "", "1000000000000000", "-", "1.", "1.2345", "1234567890123.1", ".5", "1.2.3", "--1", "+1", "\"a",
      "'a'",
      "\"a\\b\"", "\"é\"", "\"\u{7F}\"", ":aGVsbG8", ":aGVsbG8.:", ":aGVs bG8=:", ":_-Ah:", "?2", "?",
      "?true",
      "@1.5", "@", "%\"%C3%BC\"", "%\"%c3\"", "%\"a", "%a", "1 2", "a b", "a,", "a;", "a;A=1", "a;b=", "é",
      "[1]",
      "\ta", "1\n",
    ] {
      XCTAssertNil(StructuredFields.item(text), text.debugDescription)
    }
  }

  func testListsKeepOrderAndInnerLists() throws {
    let list = try XCTUnwrap(StructuredFields.list("sugar, tea;q=1.0 ,\t(\"a\"  b;x);p=?0, ()"))
    XCTAssertEqual(list.count, 4)
    XCTAssertEqual(StructuredFieldWriter.text(list), "sugar, tea;q=1.0, (\"a\" b;x);p=?0, ()")
    XCTAssertEqual(StructuredFields.list(""), [])
    for text in ["a,", ",a", "a,,b", "a b", "(a", "(a,b)", "(a)b", "a;;b"] {
      XCTAssertNil(StructuredFields.list(text), text)
    }
  }

  func testTheLastOfSeveralMembersWithOneKeyCountsAtThePlaceOfTheFirst() throws {
    let dictionary = try XCTUnwrap(StructuredFields.dictionary("a=1, b;x=2, a=?1;c;c=3"))
    XCTAssertEqual(StructuredFieldWriter.text(dictionary), "a;c=3, b;x=2")
    XCTAssertNil(StructuredFields.strictDictionary("a=1, b;x=2, a=?1"))
    XCTAssertNil(StructuredFields.strictDictionary("a;c;c=3"))
    XCTAssertNotNil(StructuredFields.strictDictionary("a=1, b;a;c=3"))
    for text in ["A=1", "1=1", "a=", "a =1", "a= 1", "a=1,", "a=1 b=2"] {
      XCTAssertNil(StructuredFields.dictionary(text), text)
    }
  }

  func testTheExamplesOfTheRFCHaveTheirCanonicalText() {
    let cases: [(String, StructuredFields.FieldKind, String)] = [
      ("  \"applepie\" , \"cherry\"", .list, "\"applepie\", \"cherry\""),
      ("a=?0,   b,   c; foo=bar", .dictionary, "a=?0, b, c;foo=bar"),
      ("rating=1.5, feelings=(joy sadness)", .dictionary, "rating=1.5, feelings=(joy sadness)"),
      ("a=(1 2),  b=3, c=4;aa=bb, d=(5 6);valid", .dictionary, "a=(1 2), b=3, c=4;aa=bb, d=(5 6);valid"),
      ("2; foourl=\"https://foo.example.com/\"", .item, "2;foourl=\"https://foo.example.com/\""),
      ("1.50", .item, "1.5"), ("10.0", .item, "10.0"), (":iZ==:", .item, ":iQ==:"),
      (":aGVsbG8:", .item, ":aGVsbG8=:"),
      ("en=\"Applepie\", da=:w4ZibGV0w6ZydGU=:", .dictionary, "en=\"Applepie\", da=:w4ZibGV0w6ZydGU=:"),
    ]
    for (text, kind, expected) in cases {
      XCTAssertEqual(StructuredFields.canonical(text, as: kind), expected, text)
    }
  }

  func testWhatHasNoTextIsNotWritten() {
    func text(_ value: StructuredFields.Value) -> String? {
      StructuredFieldWriter.text(StructuredFields.FieldItem(value: value))
    }
    XCTAssertNil(text(.integer(1_000_000_000_000_000)))
    XCTAssertNil(text(.decimal(thousandths: .max)))
    XCTAssertNil(text(.string("é")))
    XCTAssertNil(text(.token("1a")))
    XCTAssertNil(text(.token("")))
    XCTAssertEqual(text(.display("ü\"%")), "%\"%c3%bc%22%25\"")
    XCTAssertEqual(text(.decimal(thousandths: -1)), "-0.001")
    XCTAssertNil(
      StructuredFieldWriter.text([
        StructuredFields.DictionaryMember(key: "A", member: .item(.init(value: .bool(true))))
      ])
    )
  }

  /// The public suite of the HTTP working group: the environment says in which folder it lies.
  func testThePublicSuiteIsReadAsItSays() throws {
    guard let folder = ProcessInfo.processInfo.environment["APIKIT_STRUCTURED_FIELD_TESTS"] else {
      throw XCTSkip("APIKIT_STRUCTURED_FIELD_TESTS names no folder")
    }
    var count = 0
    for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file.hasSuffix(".json") {
      let cases = try RawData(parsing: [UInt8](Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)"))))
      for one in cases.elements {
        let raw = one.raw.elements.map { $0.string ?? "" }.joined(separator: ", ")
        let kind: StructuredFields.FieldKind =
          one.header_type == "item" ? .item : one.header_type == "list" ? .list : .dictionary
        let isRead =
          switch kind {
          case .item: StructuredFields.item(raw) != nil
          case .list: StructuredFields.list(raw) != nil
          case .dictionary: StructuredFields.dictionary(raw) != nil
          }
        count += 1
        let name = "\(file): \(one.name.string ?? "")"
        XCTAssertEqual(isRead, one.must_fail.bool != true, name)
        guard isRead else { continue }
        let canonical = one.canonical.exists ? one.canonical[0].string : raw
        if one.canonical.exists || one.raw.count == 1 {
          XCTAssertEqual(StructuredFields.canonical(raw, as: kind), canonical, name)
        }
      }
    }
    print("\(count) cases of the public suite")
    XCTAssertGreaterThan(count, 1000)
  }
}
