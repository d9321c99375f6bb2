import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

final class QueryEncoderTests: XCTestCase {
  private func encode(_ parameters: Parameters, _ style: QueryStyle = QueryStyle()) throws -> String {
    try QueryEncoder(style).encode(parameters)
  }

  func testPairsKeepTheirOrderUnlessSorted() throws {
    let parameters: Parameters = ["z": 1, "a": Parameters(["y": 1, "b": 2]), "Z": 3]
    XCTAssertEqual(try encode(parameters), "z=1&a%5By%5D=1&a%5Bb%5D=2&Z=3")
    XCTAssertEqual(try encode(parameters, QueryStyle(sortsKeys: true)), "Z=3&a%5Bb%5D=2&a%5By%5D=1&z=1")
  }

  func testReservedCharactersAreEncodedInNamesAndValues() throws {
    XCTAssertEqual(
      try encode(["a&b=c": ":/?#[]@!$&'()*+,;="]),
      "a%26b%3Dc=%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D")
    XCTAssertEqual(try encode(["q": "-._~aZ09"]), "q=-._~aZ09")
    XCTAssertEqual(try encode(["q": "100%"]), "q=100%25")
  }

  func testTextBeyondASCIIAndControlCharactersAreEncodedByteByByte() throws {
    XCTAssertEqual(try encode(["城市": "苏州"]), "%E5%9F%8E%E5%B8%82=%E8%8B%8F%E5%B7%9E")
    XCTAssertEqual(try encode(["q": "🏠"]), "q=%F0%9F%8F%A0")
    XCTAssertEqual(try encode(["q": "a\u{0}b\r\nc"]), "q=a%00b%0D%0Ac")
  }

  func testASpaceIsWrittenAsItsStyleSaysAndAPlusIsNeverMistakenForOne() throws {
    XCTAssertEqual(try encode(["a b": "1 + 2"]), "a%20b=1%20%2B%202")
    XCTAssertEqual(try encode(["a b": "1 + 2"], QueryStyle(spaces: .plus)), "a+b=1+%2B+2")
  }

  func testArraysAreWrittenAsTheirStyleSays() throws {
    let parameters: Parameters = ["a": [1, 2]]
    XCTAssertEqual(try encode(parameters, QueryStyle(arrays: .brackets)), "a%5B%5D=1&a%5B%5D=2")
    XCTAssertEqual(try encode(parameters, QueryStyle(arrays: .repeated)), "a=1&a=2")
    XCTAssertEqual(try encode(parameters, QueryStyle(arrays: .indexed)), "a%5B0%5D=1&a%5B1%5D=2")
    XCTAssertEqual(try encode(parameters, QueryStyle(arrays: .commas)), "a=1,2")
    XCTAssertEqual(try encode(parameters, QueryStyle(arrays: .joined("|"))), "a=1%7C2")
    XCTAssertEqual(try encode(parameters, QueryStyle(arrays: .joined("&"))), "a=1%262")
  }

  func testAnEmptyArrayOrObjectSendsNothingButAJoinedOne() throws {
    let parameters: Parameters = ["a": [Int](), "b": Parameters(), "c": 1]
    for arrays in [QueryStyle.Arrays.brackets, .repeated, .indexed] {
      XCTAssertEqual(try encode(parameters, QueryStyle(arrays: arrays)), "c=1")
    }
    XCTAssertEqual(try encode(parameters, QueryStyle(arrays: .commas)), "a=&c=1")
    XCTAssertEqual(try encode([:]), "")
  }

  func testNestedArraysAndObjectsAreNamedByTheirPath() throws {
    let parameters: Parameters = ["f": ["price": [["min": 1], ["max": [2, 3]]]] as ParameterValue]
    XCTAssertEqual(
      try encode(parameters, QueryStyle(arrays: .indexed)).removingPercentEncoding,
      "f[price][0][min]=1&f[price][1][max][0]=2&f[price][1][max][1]=3")
    XCTAssertEqual(
      try encode(parameters, QueryStyle(arrays: .repeated, objects: .dotted)),
      "f.price.min=1&f.price.max=2&f.price.max=3")
  }

  func testAJoinedArrayRefusesWhatWouldNotComeApartAgain() {
    let style = QueryStyle(arrays: .commas)
    assertFails(.unencodableParameter, "\"f.tags[1]\"", "separator") {
      try encode(["f": ["tags": ["a", "b,c"]]], style)
    }
    assertFails(.unencodableParameter, "\"tags[0]\"") { try encode(["tags": [[1, 2]]], style) }
  }

  func testBooleansAndNullsAreWrittenAsTheirStyleSays() throws {
    let parameters: Parameters = ["t": true, "f": false, "n": ParameterValue.null, "a": [nil, 1] as [Int?]]
    XCTAssertEqual(try encode(parameters), "t=true&f=false&a%5B%5D=1")
    XCTAssertEqual(
      try encode(parameters, QueryStyle(arrays: .repeated, booleans: .numeric, nulls: .empty)),
      "t=1&f=0&n=&a=&a=1")
    XCTAssertEqual(
      try encode(parameters, QueryStyle(arrays: .repeated, nulls: .literal)),
      "t=true&f=false&n=null&a=null&a=1")
  }

  func testDatesAreWrittenAsTheirStyleSays() throws {
    let parameters: Parameters = ["d": Date(timeIntervalSince1970: 1_793_613_480.25)]
    XCTAssertEqual(try encode(parameters), "d=2026-11-02T09%3A58%3A00Z")
    XCTAssertEqual(
      try encode(parameters, QueryStyle(dates: .iso8601Milliseconds)), "d=2026-11-02T09%3A58%3A00.250Z")
    XCTAssertEqual(try encode(parameters, QueryStyle(dates: .iso8601Day)), "d=2026-11-02")
    XCTAssertEqual(try encode(parameters, QueryStyle(dates: .seconds)), "d=1793613480")
    XCTAssertEqual(try encode(parameters, QueryStyle(dates: .milliseconds)), "d=1793613480250")
    XCTAssertEqual(try encode(parameters, QueryStyle(dates: .custom { _ in "a b" })), "d=a%20b")
  }

  func testDatesBeforeTheGregorianReformAreWrittenAndReadInItsCalendar() throws {
    // The day before 15 October 1582, on which the calendar began: 4 October in the Julian calendar.
    let date = Date(timeIntervalSince1970: -12_219_292_800 - 86_400 + 0.25)
    XCTAssertEqual(try DateStyle.iso8601Day.text(of: date), "1582-10-14")
    XCTAssertEqual(try DateStyle.iso8601.text(of: date), "1582-10-14T00:00:00Z")
    XCTAssertEqual(try DateStyle.iso8601Milliseconds.text(of: date), "1582-10-14T00:00:00.250Z")
    let read: RawData = ["1582-10-14T00:00:00.250Z", "1582-10-14T00:00:00Z", "1582-10-14"]
    XCTAssertEqual(read[0].date, date)
    XCTAssertEqual(read[1].date, date.addingTimeInterval(-0.25))
    XCTAssertEqual(read[2].date, read[1].date)
    XCTAssertThrowsError(try DateStyle.iso8601Day.text(of: .distantFuture.addingTimeInterval(1e12))) {
      XCTAssertEqual(($0 as? APIError)?.reason, .unencodableParameter)
    }
  }

  func testNumbersAndBytesHaveTheirShortestText() throws {
    XCTAssertEqual(
      try encode(["i": Int.min, "d": 0.1, "w": 3.0, "e": 1e20, "b": [0xFB, 0xFF] as [UInt8]]),
      "i=-9223372036854775808&d=0.1&w=3.0&e=1e%2B20&b=%2B%2F8%3D")
  }

  func testWhatHasNoWordsIsRefusedByItsPath() {
    assertFails(.unencodableParameter, "\"a.b[1]\"") { try encode(["a": ["b": [1, Double.nan]]]) }
    assertFails(.unencodableParameter, "\"x\"") { try encode(["x": Double.infinity]) }
    assertFails(.unencodableParameter, "\"d\"") {
      try encode(["d": Date(timeIntervalSince1970: 1e12)])
    }
  }

  func testEmptyNamesAndValuesKeepTheirEqualsSign() throws {
    XCTAssertEqual(try encode(["": "", "a": "", "b": 1]), "=&a=&b=1")
  }

  func testAVeryLongValueComesThroughWhole() throws {
    let long = String(repeating: "长 ", count: 100_000)
    let query = try encode(["q": long])
    XCTAssertEqual(query.utf8.count, 2 + 100_000 * 12)
    XCTAssertEqual(PercentEncoding.decode(query.dropFirst(2)), long)
  }
}

final class FormEncoderTests: XCTestCase {
  func testTheRulesOfTheWHATWGAreKept() throws {
    let body = try FormEncoder().encode(["a b": "*-._ ~!+&=%", "é": "\u{0}"])
    XCTAssertEqual(String(decoding: body, as: UTF8.self), "a+b=*-._+%7E%21%2B%26%3D%25&%C3%A9=%00")
    XCTAssertEqual(FormEncoder().contentType, "application/x-www-form-urlencoded")
  }

  func testASeparatorIsEncodedToo() throws {
    let body = try FormEncoder(QueryStyle(arrays: .commas, spaces: .percent)).encode(["a": ["x y", "z"]])
    XCTAssertEqual(String(decoding: body, as: UTF8.self), "a=x+y%2Cz")
  }

  func testAnErrorNamesTheFormat() {
    assertFails(.unencodableParameter, "as a form") { try FormEncoder().encode(["a": Double.nan]) }
  }
}

final class PercentEncodingTests: XCTestCase {
  func testDecodingUndoesEncodingForEveryByteOfASCII() {
    let text = String(String.UnicodeScalarView((0..<128).compactMap { Unicode.Scalar($0) }))
    for encoding in [PercentEncoding.component, .componentWithPlus, .form, .path] {
      let encoded = encoding.encode(text)
      XCTAssertTrue(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
      let plusIsSpace = encoding == .form || encoding == .componentWithPlus
      XCTAssertEqual(PercentEncoding.decode(encoded, plusIsSpace: plusIsSpace), text)
    }
  }

  func testWhatIsNotEncodedTextIsNotDecoded() {
    for text in ["%", "%4", "%zz", "a%4", "%ff", "%e5%9f"] {
      XCTAssertNil(PercentEncoding.decode(text), text)
    }
    XCTAssertEqual(PercentEncoding.decode("a+%2b"), "a++")
    XCTAssertEqual(PercentEncoding.decode("a+%2b", plusIsSpace: true), "a +")
  }
}
