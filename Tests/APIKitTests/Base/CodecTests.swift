import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

final class CodecTests: XCTestCase {
  func testHexadecimalDigitsAreReadInEitherCaseAndWrittenInLowerCase() {
    XCTAssertEqual(Hex.encode([0, 15, 16, 255]), "000f10ff")
    XCTAssertEqual(Hex.decode("000F10fF"), [0, 15, 16, 255])
    XCTAssertEqual(Hex.decode(""), [])
    for text in ["0", "0g", " 00", "0x00", "é"] { XCTAssertNil(Hex.decode(text), text) }
    let all = (0...255).map { UInt8($0) }
    XCTAssertEqual(Hex.decode(Hex.encode(all)), all)
  }

  func testTheVectorsOfRFC4648() {
    let vectors = ["": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==", "fooba": "Zm9vYmE="]
    for (plain, text) in vectors {
      XCTAssertEqual(Base64.encode(Array(plain.utf8)), text)
      XCTAssertEqual(Base64.decode(text), Array(plain.utf8))
      let bare = text.filter { $0 != "=" }
      XCTAssertEqual(Base64.encode(Array(plain.utf8), .url), bare)
      XCTAssertEqual(Base64.decode(bare, .url), Array(plain.utf8))
    }
  }

  func testBase64AgreesWithFoundationForEveryLength() {
    let all = (0...255).map { UInt8($0) }
    for count in 0...255 {
      let bytes = Array(all[count...])
      XCTAssertEqual(Base64.encode(bytes), Data(bytes).base64EncodedString())
      XCTAssertEqual(Base64.decode(Base64.encode(bytes)), bytes)
      XCTAssertEqual(Base64.decode(Base64.encode(bytes, .url), .url), bytes)
    }
  }

  func testWhatNoEncoderWritesIsNotBase64() {
    for text in [
      "Z", "Zg", "Zg=", "Zg===", "=", "====", "Zh==", "Zm9=", "Zm 9v", "Zm9v\n", "Zm-v", "Zg==Zg==",
    ] {
      XCTAssertNil(Base64.decode(text), text)
    }
    for text in ["Z", "Zg==", "Zm+v", "Zh"] { XCTAssertNil(Base64.decode(text, .url), text) }
  }

  func testTimesAgreeWithFoundation() {
    let formatter = ISO8601DateFormatter()
    // From 1583 on: before that Foundation reckons in the Julian calendar, and ISO 8601 does not.
    for seconds in stride(from: -12_212_553_600, to: 253_402_300_800, by: 86_400 * 97 + 12_345) {
      XCTAssertEqual(
        ISO8601.text(secondsSince1970: Double(seconds)),
        formatter.string(from: Date(timeIntervalSince1970: Double(seconds))))
    }
  }

  func testTimesAtTheEdgesAreRight() {
    let edges: [(Double, String?)] = [
      (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (-0.25, "1969-12-31T23:59:59Z"),
      (951_782_400, "2000-02-29T00:00:00Z"), (4_107_542_399, "2100-02-28T23:59:59Z"),
      (4_107_542_400, "2100-03-01T00:00:00Z"), (-62_167_219_200, "0000-01-01T00:00:00Z"),
      (253_402_300_799, "9999-12-31T23:59:59Z"), (253_402_300_800, nil), (-62_167_219_201, nil),
      (.nan, nil), (.infinity, nil),
    ]
    for (seconds, text) in edges { XCTAssertEqual(ISO8601.text(secondsSince1970: seconds), text) }
    // What some programs write for no time, and what lies beside it.
    for milliseconds in [Int.min, .min + 1024, .max] {
      XCTAssertNil(ISO8601.text(secondsSince1970: Double(milliseconds) / 1000, milliseconds: .asNeeded))
    }
    XCTAssertEqual(ISO8601.text(secondsSince1970: 1.07, milliseconds: .always), "1970-01-01T00:00:01.070Z")
    XCTAssertEqual(ISO8601.text(secondsSince1970: -0.001, milliseconds: .always), "1969-12-31T23:59:59.999Z")
  }

  func testAWholeMillisecondIsWrittenAsItWasReadInEveryCentury() throws {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<3000 {
      let milliseconds = Int.random(in: -62_167_219_200_000..<253_402_300_800_000, using: &generator)
      let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
      XCTAssertEqual(try DateStyle.milliseconds.text(of: date), "\(milliseconds)")
      var text = try DateStyle.iso8601Milliseconds.text(of: date)
      let seconds = text.withUTF8 { ISO8601.secondsSince1970($0) }
      XCTAssertEqual(seconds.map { Date(timeIntervalSince1970: $0) }, date, text)
    }
  }
}
