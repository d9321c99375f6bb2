@testable import APIKit
import APIKitXML
import Foundation
@testable import TestSupport
import XCTest

/// Free values as members of types that are sent and decoded, by this framework's coders and by those of Foundation.
final class JSONValueTests: XCTestCase {
  private struct Home: Codable, Hashable {
    var id: Int
    var extra: JSONValue
    var note: JSONValue?
  }

  private static let text =
    #"{"id":7,"extra":{"z":[1,-2.50,1e2,"é\n",true,false,null,{}],"a":{"b":[]},"big":12345678901234567890.125},"note":null}"#

  func testAValueIsReadFromAResponseAndSentBackAsItWas() throws {
    let home = try RawData(parsing: Self.text).decode(as: Home.self)
    XCTAssertEqual(home.extra.z[0].int, 1)
    XCTAssertEqual(try home.extra.a.b.require(.array).count, 0)
    XCTAssertNil(home.note)
    let sent = try json(home)
    XCTAssertEqual(
      sent,
      #"{"id":7,"extra":{"z":[1,-2.50,1e2,"é\n",true,false,null,{}],"a":{"b":[]},"big":12345678901234567890.125}}"#,
      "digits and order are kept")
  }

  func testFoundationsCodersReadAndWriteTheSameValue() throws {
    let home = try RawData(parsing: Self.text).decode(as: Home.self)
    let written = try JSONEncoder().encode(home)
    let raw = try RawData(parsing: Array(written))
    XCTAssertEqual(raw.extra, home.extra)
    XCTAssertEqual(raw.extra.big.numberText, "12345678901234567890.125")
    let read = try JSONDecoder().decode(Home.self, from: Data(Self.text.utf8))
    XCTAssertEqual(read, home)
    XCTAssertEqual(read.extra.keys, ["a", "big", "z"], "the decoder does not tell their order")
    XCTAssertEqual(try JSONDecoder().decode(Home.self, from: written), home)
  }

  func testEveryKindOfValueStandsAtTheTopToo() throws {
    for text in ["null", "true", "0", "-0", "1.5", "\"\"", "\"a\"", "[]", "{}", "[[1],{\"a\":null}]"] {
      let value = try RawData(parsing: text)
      XCTAssertEqual(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)), value, text)
      XCTAssertEqual(try JSONDecoder().decode([JSONValue].self, from: Data("[\(text)]".utf8)), [value], text)
      XCTAssertEqual(try json(["v": value] as Parameters), #"{"v":\#(text)}"#)
    }
    XCTAssertEqual(try json(["v": RawData.missing] as Parameters), #"{"v":null}"#)
  }

  func testNumbersAreWrittenExactlyOrRefused() throws {
    let numbers = [
      "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
      "-9223372036854775808", "0.1", "1.7976931348623157e308", "5e-324", "12345678901234567890.125",
      "99999999999999999999999999999999999999", "1e21",
    ]
    for text in numbers {
      let value = try RawData(parsing: text)
      XCTAssertEqual(try RawData(parsing: Array(JSONEncoder().encode([value])))[0], value, text)
      XCTAssertEqual(try json(["v": value] as Parameters), #"{"v":\#(text)}"#)
    }
    for text in ["1e400", "1e-400", "1." + String(repeating: "1", count: 60)] {
      let value = try RawData(parsing: text)
      XCTAssertThrowsError(try JSONEncoder().encode([value]), text) { XCTAssertTrue($0 is EncodingError) }
      XCTAssertEqual(try json(["v": value] as Parameters), #"{"v":\#(text)}"#)
    }
  }

  func testOfSeveralMembersWithOneNameTheLastIsWritten() throws {
    let value = try RawData(parsing: #"{"a":1,"b":2,"a":3}"#)
    XCTAssertEqual(try json(["v": value] as Parameters), #"{"v":{"a":3,"b":2}}"#)
  }

  func testAnObjectOfManyMembersIsWrittenInLinearTime() throws {
    let members = (0..<50_000).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
    let value = try RawData(parsing: "{\(members)}")
    XCTAssertEqual(try json(["v": value] as Parameters).utf8.count, members.utf8.count + 8)
  }

  func testAValueNestedTooDeepIsRefusedOnTheSmallestStack() throws {
    let deep = try RawData(
      parsing: String(repeating: "[", count: 500) + String(repeating: "]", count: 500))
    let good = try RawData(
      parsing: String(repeating: "[", count: 128) + String(repeating: "]", count: 128))
    let done = expectation(description: "done")
    let thread = Thread {
      check(good, deep)
      done.fulfill()
    }
    // The frames of a build for the address sanitizer are several times as large.
    let isInstrumented = ProcessInfo.processInfo.environment["APIKIT_SANITIZER"] == "address"
    thread.stackSize = (512 << 10) * (isInstrumented ? 8 : 1)
    thread.start()
    wait(for: [done], timeout: 60)
  }

  func testAValueIsMadeOfWhatCanBeSent() throws {
    let value = try JSONValue(
      encoding: ["count": 2, "tags": ["a"], "at": Date(timeIntervalSince1970: 0)] as Parameters)
    XCTAssertEqual(value.jsonText(), #"{"count":2,"tags":["a"],"at":"1970-01-01T00:00:00Z"}"#)
    XCTAssertEqual(try JSONValue(encoding: "a"), "a")
    XCTAssertEqual(try JSONValue(encoding: nil as Int?), .null)
    assertFails(.unencodableParameter, "finite") { try JSONValue(encoding: [Double.nan]) }
    assertFails(.unencodableParameter, "a[0]") {
      try JSONValue(encoding: ["a": [Change<Int>.keep]] as Parameters)
    }
    assertFails(.unencodableParameter, "\"a\"") { try JSONValue(encoding: ["a": Double.nan] as Parameters) }
  }

  func testEqualValuesHaveOneHash() throws {
    for (left, right) in [
      ("1.0", "1"), (#"{"a":1,"b":[2.50]}"#, #"{"b":[2.5],"a":1e0}"#), (#"{"a":1,"a":2}"#, #"{"a":2}"#),
      ("1e400", "10e399"),
    ] {
      let (left, right) = (try RawData(parsing: left), try RawData(parsing: right))
      XCTAssertEqual(left, right)
      XCTAssertEqual(left.hashValue, right.hashValue)
    }
    XCTAssertEqual(Set([RawData.null, .missing, 1, 1.0, "1"] as [RawData]).count, 4)
  }

  func testOtherFormatsThanJSONTakeItAsWell() throws {
    struct Box: Codable { var v: JSONValue }
    let value: JSONValue = ["a": [1, 2.5, "x", true]]
    let list = try PropertyListEncoder().encode(Box(v: value))
    XCTAssertEqual(try PropertyListDecoder().decode(Box.self, from: list).v, value)
    XCTAssertEqual(
      try QueryEncoder().encode(["v": try RawData(parsing: #"{"a":[1.50,null]}"#)]), "v%5Ba%5D%5B%5D=1.50")
    XCTAssertTrue(
      try String(
        decoding: PropertyListBodyEncoder().encode(["v": try RawData(parsing: "1.50")]), as: UTF8.self
      )
      .contains("<real>1.50</real>"))
  }

  func testANumberByItsDigitsIsCheckedWhereItIsWritten() throws {
    for text in ["", "1,2", "0x1", "1}", "01", "NaN", "+1"] {
      assertFails(.unencodableParameter, "\"v\"", "number") {
        try json(["v": ParameterValue.number(text)] as Parameters)
      }
      assertFails(.unencodableParameter, "\"v\"") {
        try QueryEncoder().encode(["v": ParameterValue.number(text)])
      }
    }
    XCTAssertEqual(ParameterValue.number("1.5").double, 1.5)
    XCTAssertNotEqual(ParameterValue.number("1"), .integer(1))
    XCTAssertEqual(ParameterValue.number("1"), .number("1"))
  }
}

/// A value as it is sent.
private func json(_ value: some Encodable) throws -> String {
  let parameters = Parameters(encoding: value)
  if let failure = parameters.failure { throw failure }
  return String(decoding: try JSONBodyEncoder().encode(parameters), as: UTF8.self)
}

private func check(_ good: JSONValue, _ deep: JSONValue) {
  XCTAssertEqual(try? JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(good)), good)
  XCTAssertEqual(try? json(["v": good] as Parameters), #"{"v":\#(good.jsonText())}"#)
  XCTAssertEqual(Parameters(["v": deep] as Parameters).failure?.reason, .unencodableParameter)
  XCTAssertThrowsError(try JSONEncoder().encode(deep)) { XCTAssertTrue($0 is EncodingError, "\($0)") }
  XCTAssertThrowsError(try JSONDecoder().decode(JSONValue.self, from: Data(deep.jsonBytes()))) {
    XCTAssertTrue($0 is DecodingError, "\($0)")
  }
}
