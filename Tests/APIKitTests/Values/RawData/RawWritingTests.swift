import APIKit
import Foundation
import XCTest

final class RawWritingTests: XCTestCase {
  func testTheTextOfACursorLeavesOutSpacesOnly() throws {
    let raw = try RawData(
      parsing: #" { "b" : [ 1.50 , "a \" [ b" , { } ] , "a" : null , "a" : "\u00e9\\" } "#)
    XCTAssertEqual(raw.jsonText(), #"{"b":[1.50,"a \" [ b",{}],"a":null,"a":"\u00e9\\"}"#)
    XCTAssertEqual(raw.b.jsonText(), #"[1.50,"a \" [ b",{}]"#)
    XCTAssertEqual(raw.b[1].jsonText(), #""a \" [ b""#)
    XCTAssertEqual(raw.b[0].jsonText(), "1.50")
    XCTAssertEqual(raw.nothing.jsonText(), "null")
    XCTAssertEqual(raw.nothing.jsonText(canonical: true), "null")
  }

  func testCanonicalTextIsOneTextForOneValue() throws {
    let raw = try RawData(
      parsing: #"{"b": 1.0, "a": [ "\u00e9\/\u0001\b" , -0, 1E3], "b": {"z": 1, "y": 2}}"#)
    XCTAssertEqual(raw.jsonText(canonical: true), "{\"a\":[\"é/\\u0001\\b\",0,1000],\"b\":{\"y\":2,\"z\":1}}")
    let other = try RawData(parsing: #"{"a":["é/\u0001\u0008",0,1000.0],"b":{"y":2,"z":1}}"#)
    XCTAssertEqual(other.jsonBytes(canonical: true), raw.jsonBytes(canonical: true))
  }

  /// The sort of RFC 8785 is by UTF-16: the house, whose first unit is 0xD83C, comes before U+FB33.
  func testCanonicalMembersAreSortedByUTF16() throws {
    let raw: RawData = ["\u{20AC}": 1, "\r": 2, "\u{FB33}": 3, "1": 4, "🏠": 5, "\u{80}": 6, "\u{F6}": 7]
    XCTAssertEqual(
      try RawData(parsing: raw.jsonBytes(canonical: true)).keys,
      ["\r", "1", "\u{80}", "\u{F6}", "\u{20AC}", "🏠", "\u{FB33}"])
  }

  /// The layout of numbers in ECMAScript.
  func testCanonicalNumbersAreThoseOfECMAScript() throws {
    for (text, canonical) in [
      ("0.0", "0"), ("-0.0", "0"), ("1.0", "1"), ("1e21", "1e+21"), ("1e20", "100000000000000000000"),
      ("123456789.125", "123456789.125"), ("1e-6", "0.000001"), ("1e-7", "1e-7"), ("-1.5e-9", "-1.5e-9"),
      ("4.50", "4.5"), ("2e-3", "0.002"), ("9007199254740993.0", "9007199254740993"), ("5e-324", "5e-324"),
      ("1.7976931348623157e308", "1.7976931348623157e+308"), ("333333333.33333329", "333333333.33333329"),
      ("9007199254740993", "9007199254740993"),
      ("123456789012345678901234567891", "1.23456789012345678901234567891e+29"),
      ("12e-1", "1.2"), ("1e23", "1e+23"), ("0.1e1", "1"), ("1e999", "1e+999"),
      ("18446744073709551615.0", "18446744073709551615"), ("-0", "0"), ("-1000000000000000000000", "-1e+21"),
    ] {
      XCTAssertEqual(try RawData(parsing: text).jsonText(canonical: true), canonical, text)
    }
  }

  func testNumbersHaveOneCanonicalTextExactlyWhenTheyAreEqual() throws {
    let huge = String(repeating: "9", count: 60)
    let numbers = try [
      "0", "-0", "0.0", "-0e5", "0e\(huge)", "1", "1.0", "10e-1", "0.1", "0.10", "1e-1",
      "0.10000000000000001",
      "9007199254740992", "9007199254740993", "9007199254740993.0", "9007199254740992.0",
      "9.007199254740993e15",
      "1e21", "1000000000000000000000", "1000000000000000000001", "100e19", "18446744073709551615",
      "18446744073709551615.0", "18446744073709551616", "-9223372036854775808", "-9223372036854775808.0",
      "1e400", "10e399", "1e401", "1e-400", "10e-401", "5e-324", "4.9e-324", "1e999", "1e\(huge)",
      "1E\(huge)",
      "123456789012345678901234567890", "1.2345678901234567890123456789e29", "333333333.33333329",
      "333333333.3333333",
    ].map { try RawData(parsing: $0) }
    for left in numbers {
      for right in numbers {
        let isOneText = left.jsonText(canonical: true) == right.jsonText(canonical: true)
        XCTAssertEqual(isOneText, left == right, "\(left) and \(right)")
      }
      let canonical = try RawData(parsing: left.jsonText(canonical: true))
      XCTAssertEqual(canonical, left)
      XCTAssertEqual(canonical.jsonText(canonical: true), left.jsonText(canonical: true))
    }
  }

  func testMembersOfOneNameOnManyLevelsAreComparedOnceEach() throws {
    let depth = 22
    let text = String(repeating: #"{"a":0,"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
    XCTAssertEqual(try RawData(parsing: text), try RawData(parsing: text))
    XCTAssertNotEqual(try RawData(parsing: #"{"a":1,"a":2}"#), try RawData(parsing: #"{"a":2,"a":1}"#))
    XCTAssertNotEqual(try RawData(parsing: #"{"a":1,"a":2}"#), try RawData(parsing: #"{"a":2,"b":2}"#))
  }

  func testPlainValuesGoOutAndIn() throws {
    let raw = try RawData(
      parsing:
        #"{"a": [1, 2.5, true, null, "x"], "big": 18446744073709551615, "huge": 123456789012345678901, "a2": {}}"#
    )
    let plain = raw.dictionary
    let list = plain?["a"] as? [any Sendable]
    XCTAssertEqual(list?[0] as? Int, 1)
    XCTAssertEqual(list?[1] as? Double, 2.5)
    XCTAssertEqual(list?[2] as? Bool, true)
    XCTAssertTrue(list?[3] is NSNull)
    XCTAssertEqual(list?[4] as? String, "x")
    XCTAssertEqual(plain?["big"] as? UInt64, .max)
    XCTAssertEqual(plain?["huge"] as? Decimal, Decimal(string: "123456789012345678901"))
    XCTAssertEqual((plain?["a2"] as? [String: any Sendable])?.count, 0)
    XCTAssertNil(raw.array)
    XCTAssertNil(raw.a.dictionary)
    XCTAssertEqual(try RawData(plain: plain), raw)
  }

  func testPlainValuesOfEveryKindAreTaken() throws {
    let raw = try RawData(
      plain: [
        "int": 1, "u8": UInt8(200), "float": Float(0.1), "decimal": Decimal(string: "12.10") as Any,
        "date": Date(timeIntervalSince1970: 1_772_353_800.25), "url": URL(string: "https://a.b/c") as Any,
        "nil": Int?.none as Any, "text": "a\"b", "raw": RawData(parsing: "[ 1 ]"), "nested": [["x": [1, 2]]],
      ] as [String: Any])
    XCTAssertEqual(
      raw.jsonText(),
      #"{"date":"2026-03-01T08:30:00.250Z","decimal":12.1,"float":0.1,"int":1,"nested":[{"x":[1,2]}],"nil":null,"#
        + #""raw":[1],"text":"a\"b","u8":200,"url":"https://a.b/c"}"#)
    XCTAssertThrowsError(try RawData(plain: ["x": Double.nan]))
    XCTAssertThrowsError(try RawData(plain: [NSObject()]))
    XCTAssertTrue(try RawData(plain: nil).isNull)
  }

  func testLiteralsAreDocuments() {
    let raw: RawData = ["b": [1, 2.5, "x\n", true, .null], "a": [:], "c": []]
    XCTAssertEqual(raw.jsonText(), #"{"b":[1,2.5,"x\n",true,null],"a":{},"c":[]}"#)
    XCTAssertEqual(RawData("text").string, "text")
    XCTAssertEqual(raw.b[0], 1)
    XCTAssertEqual(raw.b[2], "x\n")
  }

  func testNumbersWithExponentsBeyondEveryTypeAreCompared() throws {
    func isEqual(_ left: String, _ right: String) throws -> Bool {
      try RawData(parsing: left) == RawData(parsing: right)
    }
    let (top, bottom) = ("9223372036854775807", "-9223372036854775808")
    for (left, right, expected) in [
      ("1e\(top)", "10e9223372036854775806", true), ("10e\(top)", "1e9223372036854775808", true),
      ("0.1e\(bottom)", "1e-9223372036854775809", true), ("10e\(top)", "1", false),
      ("0.1e\(bottom)", "0", false), ("1e99999999999999999999", "1", false),
      ("1e-99999999999999999999", "1", false), ("0e99999999999999999999", "0", true),
      ("1E99999999999999999999", "10e+99999999999999999998", true),
      ("-1e99999999999999999999", "1e99999999999999999999", false),
      ("1e\(String(repeating: "9", count: 400))", "1", false),
      ("0e\(String(repeating: "9", count: 400))", "-0.0", true),
    ] {
      XCTAssertEqual(try isEqual(left, right), expected, "\(left) == \(right)")
      XCTAssertEqual(
        try isEqual("{\"a\":[\(left)]}", "{\"a\":[\(right)]}"), expected, "nested \(left) == \(right)")
    }
  }

  func testValuesAreEqualWhateverTheirSpelling() throws {
    let left = try RawData(parsing: #"{"a": [1.0, 12e-1, "\u00e9", 1e400], "b": null}"#)
    let right = try RawData(parsing: #"{"b":null,"b":null,"a":[1,1.20,"é",10E399]}"#)
    XCTAssertEqual(left, right)
    XCTAssertEqual(left.x, right.y)
    XCTAssertNotEqual(left.b, left.x)
    for (one, other) in [
      ("[1]", "[1,2]"), ("[1]", "[2]"), (#"{"a":1}"#, #"{"a":1,"b":2}"#), (#"{"a":1,"b":2}"#, #"{"a":1}"#),
      ("1", "\"1\""),
      ("1", "-1"), ("1e400", "1e401"), ("true", "false"), ("null", "false"), ("{}", "[]"),
      ("0.1", "0.10000000000000001"),
    ] {
      XCTAssertNotEqual(try RawData(parsing: one), try RawData(parsing: other), "\(one) \(other)")
    }
    XCTAssertEqual(try RawData(parsing: "0"), try RawData(parsing: "-0.0e5"))
  }

  func testADescriptionIsShortJSON() throws {
    XCTAssertEqual("\(try RawData(parsing: "[ 1 ]"))", "[1]")
    XCTAssertEqual("\(try RawData(parsing: "[ 1 ]")[4])", "(missing)")
    XCTAssertEqual("\(try RawData(plain: String(repeating: "x", count: 2000)))".count, 1001)
  }
}
