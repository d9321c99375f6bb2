import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// How long a response is fresh: RFC 9111, 4.2 and 5.3.
@MainActor class HTTPFreshnessTests: HTTPCacheCase {
  /// RFC 9111, 4.2 and 4.2.1.
  func testMaxAgeSaysForHowLongAResponseIsFresh() async throws {
    try await assertUsed(after: 59, ["Cache-Control": "max-age=60"])
    try await assertAsked(after: 60, ["Cache-Control": "max-age=60"])
    try await assertAsked(["Cache-Control": "max-age=0"])
  }

  /// RFC 9111, 5.2.2.10: for shared caches only.
  func testSMaxAgeIsNotForAPrivateCache() async throws {
    try await assertUsed(after: 30, ["Cache-Control": "s-maxage=1, max-age=60"])
    try await assertAsked(["Cache-Control": "s-maxage=60"])
  }

  /// RFC 9111, 5.3.
  func testExpiresCountsFromDate() async throws {
    try await assertUsed(after: 59, ["Date": date(0), "Expires": date(60)])
    try await assertAsked(after: 60, ["Date": date(0), "Expires": date(60)])
    try await assertUsed(after: 59, ["Expires": date(60)])
    try await assertAsked(after: 20, ["Date": date(-50), "Expires": date(10)])
  }

  /// RFC 9111, 4.2.2: a lifetime of the application's own takes the heuristic's place, and no other.
  func testAResponseThatStatesNoLifetimeHasThatOfThePolicy() async throws {
    let first: [(headers: HTTPHeaders, status: Int, after: Double, isUsed: Bool)] = [
      ([:], 200, 3599, true), ([:], 200, 3600, false),
      (["Last-Modified": date(-100)], 200, 3599, true),
      (["Cache-Control": "max-age=60"], 200, 61, false), (["Expires": date(60)], 200, 61, false),
      (["Expires": "0"], 200, 1, false), (["Cache-Control": "no-cache"], 200, 1, false),
      (["Cache-Control": "private"], 403, 1, false), (["Cache-Control": "public"], 403, 3599, true),
    ]
    for (headers, status, after, isUsed) in first {
      try begin()
      manager.cachePolicy = .http(otherwise: .seconds(3600))
      manager.expectation = ResponseExpectation(statuses: 200..<600, format: .automatic)
      stub.on("/api/list", .json("[1]", status: status, headers: headers), .json("[2]"))
      _ = try await manager.response([:])
      time.advance(by: .seconds(after))
      let second = try await manager.response([:])
      XCTAssertEqual(second.raw[0].int, isUsed ? 1 : 2, "\(status) \(headers) after \(after) s")
    }
  }

  /// RFC 9111, 5.3: a value that is no date, `0` above all, is in the past.
  func testAnExpiresThatIsNoDateIsInThePast() async throws {
    for value in ["0", "-1", "soon", "Thu, 99 Jan 2026 00:00:00 GMT"] {
      try await assertAsked(["Expires": value])
    }
  }

  /// RFC 9111, 5.3: max-age wins.
  func testMaxAgeWinsOverExpires() async throws {
    try await assertUsed(after: 30, ["Cache-Control": "max-age=60", "Expires": date(-10)])
    try await assertAsked(after: 30, ["Cache-Control": "max-age=10", "Expires": date(60)])
  }

  /// RFC 9111, 4.2.1: invalid freshness makes a response stale; 1.2.2: too large a number is a large one.
  func testInvalidAndHugeNumbers() async throws {
    for value in ["max-age=", "max-age=-1", "max-age=1.5", "max-age=abc", "max-age"] {
      try await assertAsked(["Cache-Control": value])
    }
    try await assertUsed(after: 1_000_000, ["Cache-Control": "max-age=99999999999999999999"])
  }

  /// RFC 9111, 5.2: names without regard to case, quoted values, white space, several lines, unknown words.
  func testTheFormsOfCacheControl() async throws {
    for value in [
      "MAX-AGE=60", "max-age=\"60\"", "  max-age=60  ", "foo, max-age=60", "foo=\"max-age=0, x\",max-age=60",
      "max-age=60, max-age=0", ",,max-age=60",
    ] {
      try await assertUsed(after: 30, ["Cache-Control": value])
    }
    try await assertUsed(after: 30, ["Cache-Control": "foo", "cache-control": "max-age=60"])
    try await assertAsked(["Cache-Control": "x-max-age=60"])
  }

  /// RFC 9111, 4.2.3 and 5.1.
  func testAgeCountsAgainstTheLifetime() async throws {
    try await assertAsked(after: 20, ["Cache-Control": "max-age=60", "Age": "50"])
    try await assertUsed(after: 5, ["Cache-Control": "max-age=60", "Age": "50"])
    try await assertUsed(after: 5, ["Cache-Control": "max-age=60", "Age": "abc"])
  }

  /// RFC 9111, 4.2.3: the apparent age is the time since Date.
  func testADateInThePastCountsAgainstTheLifetime() async throws {
    try await assertAsked(after: 20, ["Cache-Control": "max-age=60", "Date": date(-50)])
    try await assertUsed(after: 20, ["Cache-Control": "max-age=60", "Date": date(500)])
  }

  /// RFC 9111, 4.2.2: a tenth of the time since Last-Modified, for statuses that allow it.
  func testWithoutFreshnessATenthOfTheAgeIsTheHeuristic() async throws {
    let fields: HTTPHeaders = ["Date": date(0), "Last-Modified": date(-1000)]
    try await assertUsed(after: 99, fields)
    try await assertAsked(after: 101, fields)
    try await assertAsked(fields, status: 201)
    try await assertAsked([:])
    try await assertAsked(after: 90_000, ["Date": date(0), "Last-Modified": date(-1_000_000_000)])
  }

  /// RFC 9111, 5.1: of a list the first number counts; RFC 9110, 6.6.1: a date that is none counts as missing.
  func testAgesAndDatesThatAreOutOfForm() async throws {
    try await assertAsked(after: 20, ["Cache-Control": "max-age=60", "Age": "50, 1"])
    try await assertUsed(after: 20, ["Cache-Control": "max-age=60", "Age": "1, 50"])
    try await assertUsed(after: 59, ["Cache-Control": "max-age=60", "Date": "soon"])
    try await assertAsked(["Cache-Control": "max-age=60", "Age": "99999999999999999999"])
  }

  /// RFC 9111, 4.2.1: a tenth of the past is for responses that say nothing else; a word about freshness ends it.
  func testAHeuristicIsNotForResponsesThatSayHowLongTheyAreFresh() async throws {
    let modified = date(-1_000_000)
    try await assertAsked(after: 70, ["Cache-Control": "max-age=60", "Last-Modified": modified])
    try await assertAsked(["Expires": "0", "Last-Modified": modified])
    try await assertAsked(["Date": date(0), "Last-Modified": date(1000)])
  }

  /// RFC 9111, 4 and 5.1: what lands without asking has its present age, in place of what the server said.
  func testAStoredResponseLandsWithItsPresentAge() async throws {
    for (headers, age): (HTTPHeaders, String) in [
      (["Cache-Control": "max-age=60"], "20"), (["Cache-Control": "max-age=60", "Age": "3"], "23"),
      (["Cache-Control": "max-age=60", "Date": date(-5), "Age": "1"], "25"),
    ] {
      let response = try await second(after: 20.9, headers)
      XCTAssertEqual(response.headers.values("Age"), [age])
    }
    let stale = try await second(
      after: 90, ["Cache-Control": "max-age=60"], request: ["Cache-Control": "max-stale"])
    XCTAssertEqual(stale.headers["Age"], "90")
    let asked = try await second(after: 90, ["Cache-Control": "max-age=60"])
    XCTAssertNil(asked.headers["Age"])
  }

  /// RFC 9110, 5.1 and 5.6.7: names of fields and of months may be written in any case.
  func testExpiresIsReadInAnyCase() async throws {
    for name in ["Expires", "expires", "EXPIRES", "eXpIrEs"] {
      for value in [date(60), date(60).uppercased(), date(60).lowercased()] {
        try await assertUsed(after: 59, [name: value])
        try await assertAsked(after: 60, [name: value])
      }
    }
  }
}
