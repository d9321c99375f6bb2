@testable import APIKit
import Foundation
import XCTest

final class RawLeafTests: XCTestCase {
  func testATagIsItsRawValueInMemory() {
    for tag in RawNode.Tag.allCases {
      XCTAssertEqual(RawNode(tag, offset: 7, length: RawNode.lengthLimit).tag, tag)
    }
  }

  private func value(_ json: String) throws -> RawData { try RawData(parsing: json) }

  // MARK: Text

  func testEscapesAreResolved() throws {
    XCTAssertEqual(
      try value(#""\" \\ \/ \b\f\n\r\t A \u00e9 \u4E2D \ud83c\udfe0""#).string,
      "\" \\ / \u{8}\u{C}\n\r\t A é 中 🏠")
    XCTAssertEqual(try value(#""a\u0000b""#).string, "a\0b")
    XCTAssertEqual(try value(#""""#).string, "")
    XCTAssertEqual(try value("\"阳光 é 🏠\"").string, "阳光 é 🏠")
  }

  func testASurrogateWithoutItsPartnerReadsAsTheReplacementCharacter() throws {
    XCTAssertEqual(try value(#""a\ud83cb""#).string, "a\u{FFFD}b")
    XCTAssertEqual(try value(#""\udfe0\ud83c""#).string, "\u{FFFD}\u{FFFD}")
    XCTAssertEqual(try value(#""\ud83c\ud83c\udfe0""#).string, "\u{FFFD}🏠")
    XCTAssertEqual(try value(#""\ud83c\u0041""#).string, "\u{FFFD}A")
    XCTAssertEqual(try value(#""\ud83c""#).string, "\u{FFFD}")
  }

  func testTextIsComparedInPlace() throws {
    XCTAssertTrue(try value(#""caf\u00e9""#).equals("café"))
    XCTAssertTrue(try value("\"café\"").equals("café"))
    XCTAssertTrue(try value(#""""#).equals(""))
    XCTAssertFalse(try value(#""a""#).equals("ab"))
    XCTAssertFalse(try value("1").equals("1"))
  }

  // MARK: Numbers

  func testIntegersAreExactOverSixtyFourBits() throws {
    XCTAssertEqual(try value("9223372036854775807").int, .max)
    XCTAssertEqual(try value("-9223372036854775808").int, .min)
    XCTAssertNil(try value("9223372036854775808").int)
    XCTAssertNil(try value("-9223372036854775809").int)
    XCTAssertEqual(try value("18446744073709551615").integer(UInt64.self), .max)
    XCTAssertNil(try value("18446744073709551616").integer(UInt64.self))
    XCTAssertEqual(try value("999999999999999999").int, 999_999_999_999_999_999)
    XCTAssertEqual(try value("-0").int, 0)
    XCTAssertEqual(try value("-1").integer(UInt64.self), nil)
    XCTAssertEqual(try value("-128").integer(Int8.self), -128)
    XCTAssertNil(try value("128").integer(Int8.self))
  }

  func testANumberWithoutFractionIsAnIntegerHoweverItIsWritten() throws {
    XCTAssertEqual(try value("12.0").int, 12)
    XCTAssertEqual(try value("1.2e1").int, 12)
    XCTAssertEqual(try value("120e-1").int, 12)
    XCTAssertEqual(try value("-9223372036854775808.0").int, .min)
    XCTAssertEqual(try value("-9223372036854775808.0").integer(UInt8.self), nil)
    XCTAssertEqual(try value("0e999999999999999999999").int, 0)
    XCTAssertEqual(try value("1e18").int, 1_000_000_000_000_000_000)
    XCTAssertNil(try value("1e19").int)
    XCTAssertNil(try value("12.5").int)
    XCTAssertNil(try value("1e-1").int)
    XCTAssertNil(try value("1e999999999999999999999").int)
    XCTAssertNil(try value("1e-999999999999999999999").int)
  }

  func testDoublesAreTheNearestToTheNumber() throws {
    let texts = [
      "0", "-0.0", "0.1", "-2.5", "3.141592653589793", "1e22", "1e23", "9007199254740993",
      "123456789012345678",
      "1.7976931348623157e308", "4.9406564584124654e-324", "2.2250738585072011e-308", "1e-400",
      "0.000000000000000000000000000000000000000123", "8.5e-23", "179769313486231570000000000000000000000",
      "5708990770823839524233143877797980545530986496", "0.30000000000000004", "17.99999999999999999999999",
      "100000000000000000000000000000",
      "9355950000000000000.00000000000000000000000000000018446744073709551616",
    ]
    for text in texts {
      XCTAssertEqual(try value(text).double?.bitPattern, Double(text)?.bitPattern, text)
    }
    XCTAssertNil(try value("1e400").double)
    XCTAssertNil(try value("\"1\"").double)
    XCTAssertNil(try value("true").double)
  }

  func testRandomDoublesAreReadBackExactly() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let double = Double(bitPattern: generator.next())
      guard double.isFinite else { continue }
      XCTAssertEqual(try value("\(double)").double, double)
      let short = (Double(Int32.random(in: .min ... .max)) / 1000)
      XCTAssertEqual(try value("\(short)").double, short)
    }
  }

  func testDecimalsKeepAllDigits() throws {
    for text in [
      "0.1", "-12345678901234567890.123456789", "1e30", "18446744073709551616",
      "99999999999999999999999999999999999999", "1.50", "-7",
    ] {
      XCTAssertEqual(try value(text).decimal, Decimal(string: text), text)
    }
    XCTAssertEqual(try value("0.1").decimal.map { $0 * 3 }, Decimal(string: "0.3"))
    XCTAssertNil(try value("1e9999").decimal)
    XCTAssertNil(try value("\"1\"").decimal)
  }

  func testADateIsReadWhoseTextHasEscapes() throws {
    let raw = try RawData(parsing: #"{"t": "1970-01-01T08:00:09\u002B08:00"}"#)
    XCTAssertEqual(raw.t.date, Date(timeIntervalSince1970: 9))
    XCTAssertEqual(try raw.decode(as: [String: Date].self), ["t": Date(timeIntervalSince1970: 9)])
    XCTAssertEqual(try RawData(parsing: #""\u0031\u0032""#).lenientInt, 12)
  }

  func testLenientFormsReadNumbersAndTruthInText() throws {
    XCTAssertEqual(try value("\"12\"").lenientInt, 12)
    XCTAssertEqual(try value("\" -3 \"").lenientInt, -3)
    XCTAssertEqual(try value("\"12.0\"").lenientInt, 12)
    XCTAssertEqual(try value("\"9223372036854775807\"").lenientInt, .max)
    XCTAssertEqual(try value("true").lenientInt, 1)
    XCTAssertNil(try value("\"12a\"").lenientInt)
    XCTAssertNil(try value("\"\"").lenientInt)
    XCTAssertNil(try value("null").lenientInt)
    XCTAssertEqual(try value("\"1.5\"").lenientDouble, 1.5)
    XCTAssertNil(try value("\"inf\"").lenientDouble)
    // What is read as an integer is read as a number, too.
    for (text, number) in [("+5", 5), ("007", 7)] {
      XCTAssertEqual(try value("\"\(text)\"").lenientInt, number)
      XCTAssertEqual(try value("\"\(text)\"").lenientDouble, Double(number))
    }
    XCTAssertEqual(try value("1").lenientBool, true)
    XCTAssertEqual(try value("\"No\"").lenientBool, false)
    XCTAssertNil(try value("2").lenientBool)
    XCTAssertEqual(try value("1.50").lenientString, "1.50")
    XCTAssertEqual(try value("false").lenientString, "false")
    XCTAssertNil(try value("null").lenientString)
  }

  // MARK: Dates, URLs, data

  func testDatesOfISO8601AreRead() throws {
    let cases: [(String, TimeInterval?)] = [
      ("1970-01-01", 0), ("2026-03-01", 1_772_323_200), ("2026-03-01T08:30:00Z", 1_772_353_800),
      ("2026-03-01 08:30", 1_772_353_800), ("2026-03-01T16:30:00+08:00", 1_772_353_800),
      ("2026-03-01T04:00:00-0430", 1_772_353_800), ("2026-03-01T09:30:00+01", 1_772_353_800),
      ("2026-03-01t08:30:00.25z", 1_772_353_800.25), ("1969-12-31T23:59:59Z", -1),
      ("2024-02-29", 1_709_164_800), ("2023-02-29", nil), ("1900-02-29", nil), ("2000-02-29", 951_782_400),
      ("2026-13-01", nil), ("2026-00-10", nil), ("2026-04-31", nil), ("2026-03-01T24:00:00Z", nil),
      ("2026-03-01T08:60:00Z", nil), ("2026-03-01T08:30:00X", nil), ("2026-03-01T", nil),
      ("2026-03-01T08:30:00.Z", nil), ("26-03-01", nil), ("", nil), ("yesterday", nil),
      ("2016-12-31T23:59:60Z", 1_483_228_799),
    ]
    for (text, seconds) in cases {
      XCTAssertEqual(
        try value("\"\(text)\"").date, seconds.map { Date(timeIntervalSince1970: $0) }, text)
    }
  }

  func testDatesOfEpochsAreRead() throws {
    XCTAssertEqual(try value("1772353800").date, Date(timeIntervalSince1970: 1_772_353_800))
    XCTAssertEqual(try value("1772353800250").date, Date(timeIntervalSince1970: 1_772_353_800.25))
    XCTAssertEqual(try value("1000").date(as: .epochMilliseconds), Date(timeIntervalSince1970: 1))
    XCTAssertEqual(try value("\"1000\"").date(as: .epochSeconds), Date(timeIntervalSince1970: 1000))
    XCTAssertNil(try value("1000").date(as: .iso8601))
    XCTAssertNil(try value("true").date)
  }

  func testURLsAreRead() throws {
    XCTAssertEqual(
      try value(#""https:\/\/example.com\/a?b=1""#).url?.absoluteString, "https://example.com/a?b=1")
    XCTAssertNil(try value("\"\"").url)
    XCTAssertNil(try value("1").url)
  }

  func testBase64IsRead() throws {
    for length in 0..<40 {
      let data = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 91 &+ 200) })
      XCTAssertEqual(try RawData(plain: data).string, data.base64EncodedString())
      XCTAssertEqual(try RawData(plain: data).data, data)
    }
    XCTAssertEqual(try value("\"-_-_\"").data, Data([0xFB, 0xFF, 0xBF]))
    XCTAssertEqual(try value("\"AA\"").data, Data([0]))
    XCTAssertEqual(try value(#""\/\/8=""#).data, Data([0xFF, 0xFF]))
    for text in ["A", "AB", "AA=", "A===", "====", "AA==AA==", "A A=", "*"] {
      XCTAssertNil(try value("\"\(text)\"").data, text)
    }
  }

  // MARK: Other kinds

  func testALeafOfAnotherKindIsNil() throws {
    let values = try value(#"["text", 1, 1.5, true, null, [], {}]"#)
    XCTAssertEqual(
      values.elements.map { $0.string != nil }, [true, false, false, false, false, false, false])
    XCTAssertEqual(values.elements.map { $0.int != nil }, [false, true, false, false, false, false, false])
    XCTAssertEqual(values.elements.map { $0.double != nil }, [false, true, true, false, false, false, false])
    XCTAssertEqual(values.elements.map { $0.bool != nil }, [false, false, false, true, false, false, false])
    XCTAssertEqual(
      values.elements.map { $0.numberText != nil }, [false, true, true, false, false, false, false])
    XCTAssertNil(values[9].string)
    XCTAssertNil(values[9].int)
    XCTAssertNil(values[9].date)
    XCTAssertNil(values[9].any)
  }

  func testAnIntegerOfTwentyDigitsIsReadHoweverItIsWritten() throws {
    for text in [
      "18446744073709551615", "18446744073709551615.0", "18446744073709551615.000",
      "1844674407370955161500e-2",
      "1.8446744073709551615e19", "0.18446744073709551615E+20",
    ] {
      XCTAssertEqual(try RawData(parsing: text).integer(UInt64.self), .max, text)
      XCTAssertEqual(try RawData(parsing: text).decode(as: UInt64.self), .max, text)
      XCTAssertNil(try RawData(parsing: text).int, text)
    }
    for text in [
      "18446744073709551616.0", "18446744073709551615.1", "1.84467440737095516155e19",
      "-18446744073709551615.0",
    ] {
      XCTAssertNil(try RawData(parsing: text).integer(UInt64.self), text)
    }
    XCTAssertEqual(try RawData(parsing: "-9223372036854775808.00").int, .min)
    XCTAssertEqual(try RawData(parsing: #""9223372036854775807.00""#).lenientInt, .max)
  }
}
