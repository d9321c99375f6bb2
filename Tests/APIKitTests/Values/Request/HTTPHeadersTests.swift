@testable import TestSupport
import XCTest

@testable import APIKit

final class HTTPHeadersTests: XCTestCase {
  func testNamesAreComparedWithoutCaseAndKeepTheirSpelling() {
    var headers: HTTPHeaders = ["Content-Type": "a", "X-A": "1", "x-a": "2"]
    XCTAssertEqual(headers["CONTENT-TYPE"], "a")
    XCTAssertEqual(headers.values("X-a"), ["1", "2"])
    XCTAssertEqual(headers.combined("x-A"), "1, 2")
    XCTAssertNil(headers.combined("y"))
    headers["X-A"] = "3"
    XCTAssertEqual(headers.fields, [.init("Content-Type", "a"), .init("X-A", "3")])
    headers["x-a"] = nil
    XCTAssertFalse(headers.contains("X-A"))
  }

  func testTheTimeOfManyFieldsOfAServerGrowsWithTheirNumber() {
    let count = 10_000
    var headers = HTTPHeaders((0..<count).map { .init("X-\($0)", "") })
    for number in 0..<count { headers.add(number.isMultiple(of: 2) ? "Age" : "AGE", "1") }
    headers.add("Connection", (0..<count).map { "x-\($0 + count / 2)" }.joined(separator: ","))
    let start = Duration.ofProcessor
    var stored = HTTPStorage.storedFields(headers)
    XCTAssertEqual(stored.count, count / 2 + count)
    stored["age"] = "2"
    XCTAssertEqual(stored.count, count / 2 + 1)
    XCTAssertEqual(stored.fields.last, .init("Age", "2"))
    stored.merge(HTTPHeaders((0..<count).map { .init("x-\($0)", "new") }))
    XCTAssertEqual(stored.count, 1 + count)
    XCTAssertEqual(stored.values("X-1"), ["new"])
    XCTAssertLessThan(.ofProcessor - start, .seconds(3), "all names were compared with each other")
  }

  func testManyNamesDifferInTheCaseOfASCIILettersAlone() {
    let names = ["x@", "[", "X-\u{212A}"] + (0..<40).map { "N\($0)" }
    var headers: HTTPHeaders = ["x`": "1", "{": "2", "x-k": "3", "n7": "4", "x-\u{212A}": "5", "other": "6"]
    headers.merge(HTTPHeaders(names.map { .init($0, "new") }))
    XCTAssertEqual(headers.fields.prefix(4).map(\.value), ["1", "2", "3", "6"])
    XCTAssertEqual(headers.count, 4 + names.count)
  }

  func testOnlyLettersHaveCase() {
    let headers: HTTPHeaders = ["x@": "1", "[": "2"]
    XCTAssertNil(headers["x`"])
    XCTAssertNil(headers["{"])
  }

  func testMergingReplacesANameAndKeepsItsSeveralLines() {
    var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
    headers.merge(["a": "4", "A": "5", "C": "6"])
    XCTAssertEqual(headers.fields.map(\.value), ["2", "4", "5", "6"])
  }

  func testWhatCouldBreakOutOfALineIsRefusedWithoutItsValue() {
    for value in [
      "a\r\nX-Evil: secret", "secret\n", "secret\u{0}", "\rsecret", "secret\u{7F}", "\u{1B}secret",
    ] {
      let headers: HTTPHeaders = ["X-Name": value]
      do {
        try headers.validate()
        XCTFail("\(value.debugDescription) was accepted")
      } catch {
        XCTAssertEqual(error.reason, .invalidHeader)
        XCTAssertTrue(error.description.contains("X-Name"))
        XCTAssertFalse(error.expandedDescription.contains("secret"))
      }
    }
    for name in ["", "a b", "a:", "a\r\n", "é", "a\u{0}", "(a)"] {
      assertFails(.invalidHeader) { try HTTPHeaders([.init(name, "x")]).validate() }
    }
    XCTAssertNoThrow(try HTTPHeaders([.init("X-Ok_!", "tab\there, 苏州, \"q\""), .init("E", "")]).validate())
  }

  func testSecretsAreMaskedWhenPrinted() {
    let headers: HTTPHeaders = [
      "Authorization": "Bearer abc", "X-Api-Key": "abc", "X-Signature": "abc", "Cookie": "abc",
      "Accept": "text/*",
    ]
    XCTAssertFalse(headers.description.contains("abc"))
    XCTAssertTrue(headers.description.contains("Accept: text/*"))
  }

  func testAMethodThatIsNoTokenIsRefused() {
    for method in ["", "GET ", "G\r\nT", "GÉT", "GET/"] {
      assertFails(.invalidMethod) {
        try HTTPRequest(method: HTTPMethod(rawValue: method), url: "http://a").validate()
      }
    }
    XCTAssertNoThrow(try HTTPRequest(method: "M-SEARCH", url: "http://a").validate())
    XCTAssertTrue(HTTPMethod.put.isIdempotent && !HTTPMethod.put.isSafe)
    XCTAssertFalse(HTTPMethod.post.isIdempotent || HTTPMethod.patch.isIdempotent)
  }
}

final class ParametersTests: XCTestCase {
  func testANameStandsOnceAtItsFirstPlace() {
    var parameters: Parameters = ["a": 1, "b": 2, "a": 3]
    XCTAssertEqual(parameters.names, ["a", "b"])
    XCTAssertEqual(parameters["a"], 3)
    parameters["b"] = nil
    parameters["c"] = .null
    XCTAssertEqual(parameters.names, ["a", "c"])
    XCTAssertEqual(parameters["c"], .null)
    XCTAssertNil(parameters["d"])
  }

  func testEqualityAndHashingDoNotSeeTheOrderOfNames() {
    let one: Parameters = ["a": 1, "b": ["x": [1, 2]]]
    let other: Parameters = ["b": ["x": [1, 2]], "a": 1]
    XCTAssertEqual(one, other)
    XCTAssertEqual(one.hashValue, other.hashValue)
    XCTAssertNotEqual(one, ["a": 1, "b": ["x": [2, 1]]])
    XCTAssertNotEqual(one, ["a": 1])
    XCTAssertNotEqual(["a": 1] as Parameters, ["a": 1.0])
  }

  func testMergingAndRemovingKeepTheOrder() {
    let merged = (["a": 1, "b": 2] as Parameters).merging(["b": 3, "c": 4])
    XCTAssertEqual(merged.names, ["a", "b", "c"])
    XCTAssertEqual(merged["b"], 3)
    XCTAssertEqual(merged.removing(["a", "x"]).names, ["b", "c"])
    XCTAssertEqual((["b": 1, "é": 1, "B": 1, "": 1] as Parameters).sorted().names, ["", "B", "b", "é"])
  }

  func testSwiftValuesBecomeParameters() {
    enum District: String, ParameterConvertible { case garden = "园区" }
    XCTAssertEqual(ParameterValue("text"), .string("text"))
    XCTAssertEqual(ParameterValue("text".dropFirst()), "ext")
    XCTAssertEqual(ParameterValue(Int16(-3)), -3)
    XCTAssertEqual(ParameterValue(UInt32.max), .integer(4_294_967_295))
    XCTAssertEqual(ParameterValue(Float(0.1)), 0.1)
    XCTAssertEqual(ParameterValue(true), .bool(true))
    XCTAssertEqual(ParameterValue([1, 2] as [UInt8]), .data([1, 2]))
    XCTAssertEqual(ParameterValue(Int?.none), .null)
    XCTAssertEqual(ParameterValue(Int?.some(4)), 4)
    XCTAssertEqual(ParameterValue(District.garden), "园区")
    XCTAssertEqual(ParameterValue([District.garden, nil]), ["园区", nil])
    XCTAssertEqual(ParameterValue(["b": [1], "a": []]), .object(["a": [Int](), "b": [1]]))
    guard case .object(let pairs) = ParameterValue(["b": 1, "a": 2, "c": 3]) else {
      return XCTFail("no object")
    }
    XCTAssertEqual(pairs.names, ["a", "b", "c"])
  }
}
