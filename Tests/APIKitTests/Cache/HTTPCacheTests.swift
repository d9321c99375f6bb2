import XCTest

@testable import APIKit

/// The rules of RFC 9111, RFC 5861 and RFC 8246 as loads of a manager with the policy `.http` meet them; each
/// test names its section. The clock stands at Thu, 01 Jan 2026 00:00:00 GMT and is moved by hand.
@MainActor final class HTTPCacheTests: XCTestCase {
  private var stub = StubTransport()
  private var time = ManualTime()
  private var cache = ResponseCache()
  private var manager = TestManager(StubTransport())

  private static let start = 1_767_225_600.0

  private func begin() {
    stub = StubTransport()
    time = ManualTime(wallClock: Self.start)
    cache = ResponseCache(time: time)
    var service = TestService(stub)
    service.cache = cache
    manager = TestManager(service)
    manager.cachePolicy = .http
  }

  private func date(_ seconds: Double) -> String { HTTPDate.text(secondsSince1970: Self.start + seconds) }

  /// What the second of two loads lands with, so many seconds after the first.
  private func second(
    after seconds: Double = 0, _ first: HTTPHeaders, status: Int = 200, request: HTTPHeaders = [:],
    then answer: StubAnswer = .json("[2]"), use: CacheUse = .asPolicy
  ) async throws -> APIResponse {
    begin()
    manager.expectation = ResponseExpectation(statuses: 200..<600, format: .automatic)
    stub.on("/api/list", .json("[1]", status: status, headers: first), answer)
    _ = try await manager.response(for: [:])
    time.advance(by: .seconds(seconds))
    manager.headers = request
    return try await manager.response(for: [:], cache: use)
  }

  private func assertUsed(
    after seconds: Double = 0, _ first: HTTPHeaders, status: Int = 200, request: HTTPHeaders = [:],
    line: UInt = #line
  ) async throws {
    let response = try await second(after: seconds, first, status: status, request: request)
    XCTAssertEqual(response.raw[0].int, 1, "the stored answer was not used", line: line)
    XCTAssertEqual(stub.requests.count, 1, line: line)
  }

  private func assertAsked(
    after seconds: Double = 0, _ first: HTTPHeaders, status: Int = 200, request: HTTPHeaders = [:],
    line: UInt = #line
  ) async throws {
    let response = try await second(after: seconds, first, status: status, request: request)
    XCTAssertEqual(response.raw[0].int, 2, "the stored answer was used", line: line)
    XCTAssertEqual(response.provenance, .network, line: line)
  }

  // MARK: Freshness

  /// RFC 9111, 4.2 and 4.2.1.
  func testMaxAgeSaysForHowLongAnAnswerIsFresh() async throws {
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

  /// RFC 9111, 4.2.1: invalid freshness makes an answer stale; 1.2.2: too large a number is a large one.
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

  // MARK: Storing

  /// RFC 9111, 3 and RFC 9110, 15.1.
  func testWhichStatusesAreStored() async throws {
    for status in [200, 203, 300, 404, 405, 410, 414, 501, 599] {
      try await assertUsed(["Cache-Control": "max-age=60"], status: status)
    }
    for status in [206, 304] where status == 206 {
      try await assertAsked(["Cache-Control": "max-age=60"], status: status)
    }
  }

  /// RFC 9111, 5.2.2.5 and 5.2.1.5.
  func testNoStoreOfEitherSideForbidsStoring() async throws {
    try await assertAsked(["Cache-Control": "no-store, max-age=60"])
    begin()
    stub.on("/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60"]), .json("[2]"))
    manager.headers = ["Cache-Control": "no-store"]
    _ = try await manager.response(for: [:])
    manager.headers = [:]
    let response = try await manager.response(for: [:])
    XCTAssertEqual(response.raw[0].int, 2)
  }

  /// RFC 9111, 5.2.2.3: with must-understand, no-store gives way for a status that is understood.
  func testMustUnderstand() async throws {
    try await assertUsed(["Cache-Control": "must-understand, no-store, max-age=60"])
    try await assertAsked(["Cache-Control": "must-understand, max-age=60"], status: 599)
  }

  /// RFC 9111, 3.5 and 5.2.2.7: this cache is private.
  func testPrivateAndAuthorizedAnswersAreStored() async throws {
    try await assertUsed(["Cache-Control": "private, max-age=60"])
    begin()
    stub.on("/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60"]))
    manager.headers = ["Authorization": "Bearer x"]
    _ = try await manager.response(for: [:])
    let response = try await manager.response(for: [:])
    XCTAssertEqual(response.provenance, .memory(age: .zero))
  }

  /// RFC 9111, 7.3.
  func testSetCookieDoesNotHinderStoring() async throws {
    try await assertUsed(["Cache-Control": "max-age=60", "Set-Cookie": "a=1"])
  }

  /// RFC 9111, 3.1: fields of the connection are not stored.
  func testFieldsOfTheConnectionAreNotStored() async throws {
    let response = try await second([
      "Cache-Control": "max-age=60", "Connection": "x-hop, close", "X-Hop": "1", "X-End": "2",
      "Proxy-Authenticate": "Basic",
    ])
    XCTAssertNil(response.headers["X-Hop"])
    XCTAssertNil(response.headers["Connection"])
    XCTAssertNil(response.headers["Proxy-Authenticate"])
    XCTAssertEqual(response.headers["X-End"], "2")
  }

  /// RFC 9111, 3 and 4.4: answers to other methods than GET, HEAD and POST are not stored; those to POST only
  /// with explicit freshness (RFC 9110, 9.3.3).
  func testWhichMethodsAreStored() async throws {
    for (method, isStored): (HTTPMethod, Bool) in [
      (.put, false), (.delete, false), (.patch, false), (.options, false), (.post, true),
    ] {
      begin()
      stub.on("/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60"]), .json("[2]"))
      manager.method = method
      _ = try await manager.response(for: [:])
      let response = try await manager.response(for: [:])
      XCTAssertEqual(response.raw[0].int, isStored ? 1 : 2, "\(method)")
    }
  }

  // MARK: Vary

  /// RFC 9111, 4.1.
  func testVaryTellsAnswersApart() async throws {
    begin()
    stub.when(
      { $0.headers["Accept-Language"] == "de" },
      .json("[\"de\"]", headers: ["Cache-Control": "max-age=60", "Vary": "Accept-Language, X-A"]))
    stub.when(
      { $0.headers["Accept-Language"] != "de" },
      .json("[\"other\"]", headers: ["Cache-Control": "max-age=60", "Vary": "accept-language"]))
    for (fields, answer, asked): (HTTPHeaders, String, Int) in [
      (["Accept-Language": "de"], "de", 1), (["Accept-Language": "de"], "de", 1),
      (["accept-language": "de", "X-B": "1"], "de", 1), (["Accept-Language": "zh"], "other", 2),
      (["Accept-Language": "de"], "de", 2), (["Accept-Language": "zh"], "other", 2), ([:], "other", 3),
      (["Accept-Language": "de", "X-A": "1"], "de", 4),
    ] {
      manager.headers = fields
      let response = try await manager.response(for: [:])
      XCTAssertEqual(response.raw[0].string, answer)
      XCTAssertEqual(stub.requests.count, asked, "\(fields)")
    }
  }

  /// RFC 9111, 4.1.
  func testVaryStarNeverMatches() async throws {
    try await assertAsked(["Cache-Control": "max-age=60", "Vary": "*"])
    try await assertAsked(["Cache-Control": "max-age=60", "Vary": "Accept, *"])
  }

  // MARK: Directives of the request

  /// RFC 9111, 5.2.1.4 and 5.4.
  func testNoCacheOfTheRequestAsksFirst() async throws {
    try await assertAsked(["Cache-Control": "max-age=60"], request: ["Cache-Control": "no-cache"])
    try await assertAsked(["Cache-Control": "max-age=60"], request: ["Pragma": "no-cache"])
    try await assertUsed(
      ["Cache-Control": "max-age=60"], request: ["Pragma": "no-cache", "Cache-Control": "max-age=10"])
  }

  /// RFC 9111, 5.2.1.1 and 5.2.1.3.
  func testMaxAgeAndMinFreshOfTheRequestNarrow() async throws {
    try await assertAsked(
      after: 20, ["Cache-Control": "max-age=60"], request: ["Cache-Control": "max-age=10"])
    try await assertUsed(after: 10, ["Cache-Control": "max-age=60"], request: ["Cache-Control": "max-age=10"])
    try await assertAsked(
      after: 20, ["Cache-Control": "max-age=60"], request: ["Cache-Control": "min-fresh=50"])
    try await assertUsed(
      after: 20, ["Cache-Control": "max-age=60"], request: ["Cache-Control": "min-fresh=30"])
  }

  /// RFC 9111, 5.2.1.2.
  func testMaxStaleOfTheRequestWidens() async throws {
    try await assertUsed(
      after: 70, ["Cache-Control": "max-age=60"], request: ["Cache-Control": "max-stale=20"])
    try await assertAsked(
      after: 90, ["Cache-Control": "max-age=60"], request: ["Cache-Control": "max-stale=20"])
    try await assertUsed(
      after: 9000, ["Cache-Control": "max-age=60"], request: ["Cache-Control": "max-stale"])
    let response = try await second(
      after: 70, ["Cache-Control": "max-age=60"], request: ["Cache-Control": "max-stale=20"])
    XCTAssertEqual(response.provenance, .stale(age: .seconds(70)))
  }

  /// RFC 9111, 4.2.4 and 5.2.2.2.
  func testMustRevalidateWinsOverMaxStale() async throws {
    try await assertAsked(
      after: 70, ["Cache-Control": "max-age=60, must-revalidate"], request: ["Cache-Control": "max-stale"])
  }

  /// RFC 9111, 5.2.1.7.
  func testOnlyIfCachedNeverAsks() async throws {
    try await assertUsed(["Cache-Control": "max-age=60"], request: ["Cache-Control": "only-if-cached"])
    do {
      _ = try await second(
        after: 70, ["Cache-Control": "max-age=60"], request: ["Cache-Control": "only-if-cached"])
      XCTFail("it landed")
    } catch let error as APIError {
      XCTAssertEqual(error.reason, .notCached)
      XCTAssertEqual(stub.requests.count, 1)
    }
  }

  // MARK: Directives of the response

  /// RFC 9111, 5.2.2.4.
  func testNoCacheOfTheResponseAsksFirst() async throws {
    try await assertAsked(["Cache-Control": "no-cache, max-age=60"])
    try await assertAsked(["Cache-Control": "no-cache=\"x-a\", max-age=60"])
    let response = try await second(
      ["Cache-Control": "no-cache", "ETag": "\"a\""], then: .status(304))
    XCTAssertEqual(response.provenance, .revalidated)
  }

  /// RFC 8246, 2.
  func testAnImmutableAnswerNeedsNoConfirmationWhileFresh() async throws {
    let response = try await second(
      ["Cache-Control": "max-age=60, immutable", "ETag": "\"a\""], use: .revalidating)
    XCTAssertEqual(response.provenance, .memory(age: .zero))
    let later = try await second(
      after: 61, ["Cache-Control": "max-age=60, immutable", "ETag": "\"a\""], then: .status(304),
      use: .revalidating)
    XCTAssertEqual(later.provenance, .revalidated)
  }

  // MARK: Validation

  /// RFC 9111, 4.3.1.
  func testAStaleAnswerIsAskedAboutByItsValidators() async throws {
    let modified = date(-1000)
    _ = try await second(
      after: 70, ["Cache-Control": "max-age=60", "ETag": "W/\"a\"", "Last-Modified": modified])
    XCTAssertEqual(stub.requests[1].headers["If-None-Match"], "W/\"a\"")
    XCTAssertEqual(stub.requests[1].headers["If-Modified-Since"], modified)
    _ = try await second(after: 70, ["Cache-Control": "max-age=60"])
    XCTAssertNil(stub.requests[1].headers["If-None-Match"])
    XCTAssertNil(stub.requests[1].headers["If-Modified-Since"])
  }

  /// RFC 9111, 4.3.3 and 4.3.4: the stored body, with the fields of the 304 over the stored ones.
  func testA304FreshensTheStoredAnswer() async throws {
    let response = try await second(
      after: 70, ["Cache-Control": "max-age=60", "ETag": "\"a\"", "X-A": "1", "X-B": "1", "Age": "3"],
      then: .status(
        304,
        headers: [
          "Cache-Control": "max-age=100", "X-A": "2", "X-C": "3", "Content-Length": "0",
          "Content-Type": "text/html", "Content-Encoding": "gzip",
        ]))
    XCTAssertEqual(response.provenance, .revalidated)
    XCTAssertEqual(response.status, 200)
    XCTAssertEqual(response.raw[0].int, 1)
    XCTAssertEqual(response.headers.values("X-A"), ["2"])
    XCTAssertEqual(response.headers["X-B"], "1")
    XCTAssertEqual(response.headers["X-C"], "3")
    XCTAssertEqual(response.headers["Content-Type"], "application/json")
    XCTAssertNil(response.headers["Content-Encoding"])
    XCTAssertNil(response.headers["Age"])
    time.advance(by: .seconds(99))
    let third = try await manager.response(for: [:])
    XCTAssertEqual(third.provenance, .memory(age: .seconds(99)), "the 304 began a new lifetime")
    XCTAssertEqual(cache.statistics.revalidations, 1)
  }

  /// RFC 9111, 4.3.3: a full answer takes the stored one's place.
  func testAFullAnswerReplacesTheStoredOne() async throws {
    let response = try await second(
      after: 70, ["Cache-Control": "max-age=60", "ETag": "\"a\""],
      then: .json("[2]", headers: ["Cache-Control": "max-age=60", "ETag": "\"b\""]))
    XCTAssertEqual(response.provenance, .network)
    let third = try await manager.response(for: [:])
    XCTAssertEqual(third.raw[0].int, 2)
    XCTAssertEqual(stub.requests.count, 2)
  }

  /// RFC 9111, 4.3.4: a 304 with another validator is not about what is stored.
  func testA304AboutSomethingElseIsNotTheStoredAnswer() async throws {
    begin()
    stub.on(
      "/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60", "ETag": "\"a\""]),
      .status(304, headers: ["ETag": "\"b\""]))
    _ = try await manager.response(for: [:])
    time.advance(by: .seconds(70))
    let error = try await errorThrown { [manager] () async throws(APIError) in
      try await manager.response(for: [:])
    }
    XCTAssertEqual(error.reason, .unacceptableStatus)
  }

  /// RFC 9111, 4.3.1: the manager's own condition is its own affair.
  func testAConditionOfTheManagersOwnIsLeftAlone() async throws {
    let response = try await second(
      after: 70, ["Cache-Control": "max-age=60", "ETag": "\"a\""], request: ["If-None-Match": "\"z\""],
      then: .status(304))
    XCTAssertEqual(stub.requests[1].headers.values("If-None-Match"), ["\"z\""])
    XCTAssertEqual(response.status, 304)
  }

  // MARK: Invalidation

  /// RFC 9111, 4.4.
  func testAnUnsafeRequestMakesItsURLAndItsLocationStale() async throws {
    for (status, fields, isStale): (Int, HTTPHeaders, Bool) in [
      (200, [:], true), (204, [:], true), (302, [:], true), (404, [:], false), (500, [:], false),
    ] {
      begin()
      stub.on(.get, "/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60"]), .json("[2]"))
      stub.on(.put, "/api/list", .status(status, headers: fields))
      _ = try await manager.response(for: [:])
      let editor = TestManager(manager.service)
      editor.method = .put
      editor.expectation = ResponseExpectation(statuses: 200..<600)
      _ = try await editor.response(for: [:])
      let response = try await manager.response(for: [:])
      XCTAssertEqual(response.raw[0].int, isStale ? 2 : 1, "\(status)")
    }
    for (location, isStale) in [
      ("/api/list", true), ("https://homes.test/api/list", true), ("https://other.test/api/list", false),
    ] {
      for name in ["Location", "Content-Location"] {
        begin()
        stub.on(.get, "/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60"]), .json("[2]"))
        stub.on(.post, "/api/add", .status(201, headers: HTTPHeaders([HTTPHeaders.Field(name, location)])))
        _ = try await manager.response(for: [:])
        let editor = TestManager(manager.service)
        editor.apiName = "add"
        editor.method = .post
        _ = try await editor.response(for: [:])
        let response = try await manager.response(for: [:])
        XCTAssertEqual(response.raw[0].int, isStale ? 2 : 1, "\(name): \(location)")
      }
    }
  }

  // MARK: Stale answers

  /// RFC 9111, 4.2.4: no answer and no word about stale ones is a failure.
  func testAStaleAnswerDoesNotHideAFailure() async throws {
    do {
      _ = try await second(after: 70, ["Cache-Control": "max-age=60"], then: .failure(.connectionRefused))
      XCTFail("it landed")
    } catch let error as APIError {
      XCTAssertEqual(error.reason, .connectionRefused)
    }
  }

  /// RFC 5861, 4.
  func testStaleIfErrorLandsInTheServersStead() async throws {
    for failing: StubAnswer in [.failure(.connectionRefused), .failure(.idleTimeout)] {
      let response = try await second(
        after: 70, ["Cache-Control": "max-age=60, stale-if-error=20"], then: failing)
      XCTAssertEqual(response.provenance, .stale(age: .seconds(70)))
      do {
        _ = try await second(after: 90, ["Cache-Control": "max-age=60, stale-if-error=20"], then: failing)
        XCTFail("it landed")
      } catch {}
      do {
        _ = try await second(
          after: 70, ["Cache-Control": "max-age=60, stale-if-error=20, must-revalidate"], then: failing)
        XCTFail("it landed")
      } catch {}
      let asked = try await second(
        after: 70, ["Cache-Control": "max-age=60"], request: ["Cache-Control": "stale-if-error=20"],
        then: failing)
      XCTAssertEqual(asked.provenance, .stale(age: .seconds(70)))
    }
  }

  /// RFC 5861, 4: 500, 502, 503 and 504 are errors of this kind, 404 is not.
  func testStaleIfErrorIsForErrorsOfTheServer() async throws {
    for (status, isReplaced) in [
      (500, true), (502, true), (503, true), (504, true), (404, false), (501, false),
    ] {
      begin()
      stub.on(
        "/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60, stale-if-error=20"]),
        .status(status))
      _ = try await manager.response(for: [:])
      time.advance(by: .seconds(70))
      do throws(APIError) {
        let response = try await manager.response(for: [:])
        XCTAssertTrue(isReplaced, "\(status)")
        XCTAssertEqual(response.raw[0].int, 1)
      } catch {
        XCTAssertFalse(isReplaced, "\(status)")
        XCTAssertEqual(error.context.status, status)
      }
    }
  }

  /// RFC 5861, 3.
  func testStaleWhileRevalidateLandsAtOnceAndAsksBehindIt() async throws {
    let response = try await second(
      after: 70, ["Cache-Control": "max-age=60, stale-while-revalidate=20"],
      then: .json("[2]", headers: ["Cache-Control": "max-age=60"]))
    XCTAssertEqual(response.provenance, .stale(age: .seconds(70)))
    XCTAssertEqual(response.raw[0].int, 1)
    try await stub.waitForRequests(2)
    await untilStored(2)
    let third = try await manager.response(for: [:])
    XCTAssertEqual(third.raw[0].int, 2)
    XCTAssertEqual(third.provenance, .memory(age: .zero))
    try await assertAsked(after: 90, ["Cache-Control": "max-age=60, stale-while-revalidate=20"])
  }

  /// RFC 5861, 3: what is asked behind a landing is judged as every answer is.
  func testARefreshThatDoesNotValidateIsNotStored() async throws {
    begin()
    stub.on(
      "/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60, stale-while-revalidate=20"]),
      .json("[2]", headers: ["Cache-Control": "max-age=60"]))
    manager.onValidateResponse = { if $0.raw[0].int == 2 { throw ValidationError("two is bad") } }
    _ = try await manager.response(for: [:])
    time.advance(by: .seconds(70))
    _ = try await manager.response(for: [:])
    try await stub.waitForRequests(2)
    for _ in 0..<50 { await landingsWorkedOff() }
    XCTAssertEqual(cache.statistics.memory.stores, 1)
  }

  /// Returns when so many answers have been stored; the work behind a landing has no landing to wait for.
  private func untilStored(_ count: Int) async {
    for _ in 0..<2000 where cache.statistics.memory.stores < count {
      try? await Task.sleep(for: .milliseconds(1))
      await landingsWorkedOff()
    }
  }
}
