import APIKit
import Foundation
import XCTest

final class RawParsingTests: XCTestCase {
  private func refusal(_ bytes: [UInt8], limits: RawData.Limits = .default, line: UInt = #line) -> APIError? {
    do {
      _ = try RawData(parsing: bytes, limits: limits)
      XCTFail("accepted: \(String(decoding: bytes, as: UTF8.self))", line: line)
    } catch {
      XCTAssertEqual(error.stage, .response, line: line)
      return error
    }
    return nil
  }

  func testTheGrammarIsAccepted() throws {
    for text in [
      "0", "-0", "1", "-1.5e+10", "1E-2", "true", "false", "null", "\"\"", "[]", "{}", " [ ] ", "\t\r\n{ }\n",
      "[[]]", "[{}]", #"{"a":{}}"#, "[1,2]", #"{"a":1,"b":[true,null]}"#, #""\u0000""#, #""\ud800""#,
      "\"\u{7F}\"",
      #"{"":0}"#, #"{"a":1,"a":2}"#, "[[[[[[[[]]]]]]]]", "123456789012345678901234567890", "1e400",
    ] {
      XCTAssertNoThrow(try RawData(parsing: text), text)
    }
  }

  func testWhatIsNotTheGrammarIsRefused() {
    for text in [
      "", " ", "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1,,2]", "{\"a\"}", "{\"a\":}",
      "{\"a\":1,}",
      "{a:1}", "{1:1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{,}", "[}", "{]", "1 2", "1,", "tru", "truE",
      "nul", "fals",
      "True", "NaN", "Infinity", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "1.e1", "0x1", "1_0", "--1",
      "'a'",
      "\"a", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\u+123\"", "\"\t\"", "\"\n\"", "\"\0\"",
      "\u{FEFF}", "[1]x",
      "[1]]", "/* */1", "1 //", "\u{A0}1", "\u{2028}1", "\u{C}1", "nulll", "[\"a\":1]", "{\"a\":\"b\":1}",
      "\"\\uD800\\\"",
    ] {
      XCTAssertEqual(refusal(Array(text.utf8))?.label, "response.malformed-body", text)
    }
  }

  func testInvalidUTF8IsRefusedWhereverItStands() {
    let sequences: [[UInt8]] = [
      [0x80], [0xBF], [0xC0, 0xAF], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x9F, 0xBF], [0xE0, 0xA0],
      [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xEF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x90, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xE4, 0xB8, 0x41],
    ]
    for sequence in sequences {
      for before in [0, 1, 7, 8, 15, 16, 31] {
        let text = [UInt8](repeating: 0x61, count: before)
        let error = refusal([0x22] + text + sequence + [0x22])
        XCTAssertEqual(error?.reason, .malformedBody)
      }
      XCTAssertEqual(refusal(Array("{\"".utf8) + sequence + Array("\":1}".utf8))?.reason, .malformedBody)
      XCTAssertEqual(refusal([0x22] + sequence)?.reason, .malformedBody)
      XCTAssertEqual(refusal(sequence)?.reason, .malformedBody)
    }
  }

  func testEveryScalarIsAccepted() throws {
    for value in stride(from: UInt32(0x20), through: 0x10FFFF, by: 61) {
      guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
      let text = String(Character(scalar)) + "x"
      XCTAssertEqual(try RawData(parsing: "[\"\(text)\"]")[0].string, text)
    }
  }

  func testAByteOrderMarkAtTheStartIsSkipped() throws {
    XCTAssertEqual(try RawData(parsing: [0xEF, 0xBB, 0xBF] + Array("[1]".utf8))[0].int, 1)
    XCTAssertNotNil(refusal([0xEF, 0xBB, 0xBF]))
    XCTAssertNotNil(refusal(Array("[".utf8) + [0xEF, 0xBB, 0xBF] + Array("1]".utf8)))
  }

  func testErrorsNameLineColumnAndByte() {
    XCTAssertEqual(
      refusal(Array("{\n  \"a\": 1,\n  \"é\": tru\n}".utf8))?.detail,
      "line 3, column 8 (byte 20): expected a value, found \"t\"")
    XCTAssertEqual(
      refusal(Array("[1 2]".utf8))?.detail,
      "line 1, column 4 (byte 3): expected a comma or \"]\", found \"2\"")
    XCTAssertEqual(
      refusal(Array("{\"a\":1".utf8))?.detail, "line 1, column 7 (byte 6): the document ends too early")
    XCTAssertEqual(refusal([])?.detail, "line 1, column 1 (byte 0): there is no value")
    XCTAssertEqual(
      refusal([0x22, 0x61, 0xFF, 0x22])?.detail, "line 1, column 3 (byte 2): invalid UTF-8: the byte 0xFF")
    XCTAssertEqual(
      refusal(Array("\"a\u{1}\"".utf8))?.detail,
      "line 1, column 3 (byte 2): a control character in a string must be escaped: the byte 0x01")
    XCTAssertEqual(
      refusal(Array("012".utf8))?.detail, "line 1, column 2 (byte 1): a number must not begin with 0")
  }

  func testStringsOfEveryLengthAndAlignmentEndWhereTheyEnd() throws {
    for before in 0..<20 {
      for length in 0..<40 {
        let text = String(repeating: "x", count: length)
        let padding = String(repeating: " ", count: before)
        let raw = try RawData(parsing: "\(padding)[\"\(text)\",\"\(text)\\n\",\"\(text)é\(text)\"]")
        XCTAssertEqual(raw[0].string, text)
        XCTAssertEqual(raw[1].string, text + "\n")
        XCTAssertEqual(raw[2].string, text + "é" + text)
      }
    }
  }

  func testNestingStopsAtTheLimit() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    XCTAssertNoThrow(try RawData(parsing: nested(512)))
    XCTAssertEqual(refusal(nested(513))?.label, "response.body-limit-exceeded")
    XCTAssertEqual(
      refusal(nested(513))?.detail, "line 1, column 513 (byte 512): nested deeper than 512 levels")
    XCTAssertEqual(refusal(nested(100_000))?.reason, .bodyLimitExceeded)
    let deep = RawData.Limits(maximumDepth: .max)
    let most = RawData.Limits.hardMaximumDepth
    XCTAssertEqual(try RawData(parsing: nested(most), limits: deep).count, 1)
    XCTAssertEqual(
      refusal(nested(100_000), limits: deep)?.detail,
      "line 1, column \(most + 1) (byte \(most)): nested deeper than \(most) levels")
    XCTAssertEqual(
      refusal(Array("[]".utf8), limits: RawData.Limits(maximumDepth: 0))?.reason, .bodyLimitExceeded)
    XCTAssertEqual(try RawData(parsing: "1", limits: RawData.Limits(maximumDepth: 0)).int, 1)
  }

  func testLengthStopsAtTheLimit() throws {
    let limits = RawData.Limits(maximumBytes: 4)
    XCTAssertNoThrow(try RawData(parsing: "1234", limits: limits))
    XCTAssertEqual(refusal(Array("12345".utf8), limits: limits)?.label, "response.body-limit-exceeded")
    XCTAssertEqual(
      refusal(Array("12345".utf8), limits: limits)?.detail, "the body has 5 bytes, the limit is 4")
  }

  func testATapeTakesAtMostTwiceTheBytesOfAListing() throws {
    let row = #"{"id":7,"name":"North Ames","price":215000,"area":154.2,"open":true,"agent":null}"#
    let raw = try RawData(parsing: "[" + Array(repeating: row, count: 500).joined(separator: ",") + "]")
    XCTAssertLessThanOrEqual(raw.overheadBytes, 2 * raw.byteCount)
  }

  func testADocumentIsReadFromManyThreads() async throws {
    let members = (0..<100).map { "\"k\($0)\":[\($0)]" }.joined(separator: ",")
    let raw = try RawData(parsing: "{\(members)}")
    await withTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask {
          (0..<100).reduce(0) { sum, number in
            _ = raw["absent\(task)"].path
            return sum + (raw["k\(number)"][0].int ?? 0)
          }
        }
      }
      for await sum in group { XCTAssertEqual(sum, 4950) }
    }
  }
}
