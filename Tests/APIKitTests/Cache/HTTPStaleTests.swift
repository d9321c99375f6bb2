import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Stale responses, where they may be used: RFC 9111, 4.2.4; RFC 5861.
@MainActor class HTTPStaleTests: HTTPCacheCase {
  /// RFC 9111, 4.2.4: no response and no word about stale ones is a failure.
  func testAStaleResponseDoesNotHideAFailure() async throws {
    do {
      _ = try await second(after: 70, ["Cache-Control": "max-age=60"], then: .failure(.connectionRefused))
      XCTFail("it landed")
    } catch let error as APIError {
      XCTAssertEqual(error.reason, .connectionRefused)
    }
  }

  /// RFC 5861, 4.
  func testStaleIfErrorLandsInTheServersStead() async throws {
    for failing: StubResponse in [.failure(.connectionRefused), .failure(.idleTimeout)] {
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
      try begin()
      stub.on(
        "/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60, stale-if-error=20"]),
        .status(status))
      _ = try await manager.response([:])
      time.advance(by: .seconds(70))
      do throws(APIError) {
        let response = try await manager.response([:])
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
    let third = try await manager.response([:])
    XCTAssertEqual(third.raw[0].int, 2)
    XCTAssertEqual(third.provenance, .memory(age: .zero))
    try await assertAsked(after: 90, ["Cache-Control": "max-age=60, stale-while-revalidate=20"])
  }

  /// RFC 5861, 3: many loads that land meanwhile have the server asked once, also those of other managers.
  func testTheServerIsAskedOnceBehindManyLandings() async throws {
    try begin()
    let gate = StubGate()
    stub.on(
      "/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60, stale-while-revalidate=60"]),
      .held(by: gate, .failure(.connectionLost)), .json("[2]", headers: ["Cache-Control": "max-age=60"]))
    _ = try await manager.response([:])
    time.advance(by: .seconds(70))
    for number in 0..<50 {
      let other = TestManager(manager.service)
      other.cachePolicy = .http
      let response = try await (number % 2 == 0 ? manager : other).response([:])
      XCTAssertEqual(response.raw[0].int, 1)
    }
    try await gate.waitForArrivals(1)
    for _ in 0..<50 { await landingsWorkedOff() }
    XCTAssertEqual(stub.requests.count, 2)
    // When that has failed, a later load has it asked again.
    gate.open()
    for _ in 0..<2000 where stub.requests.count < 3 {
      let response = try await manager.response([:])
      if response.raw[0].int == 2 { break }
      try? await Task.sleep(for: .milliseconds(1))
    }
    await untilStored(2)
    let last = try await manager.response([:])
    XCTAssertEqual(last.raw[0].int, 2)
    XCTAssertEqual(stub.requests.count, 3)
  }

  /// RFC 5861, 3: what is asked behind a landing is judged as every response is.
  func testARefreshThatDoesNotValidateIsNotStored() async throws {
    try begin()
    stub.on(
      "/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60, stale-while-revalidate=20"]),
      .json("[2]", headers: ["Cache-Control": "max-age=60"]))
    manager.onValidateResponse = { if $0.raw[0].int == 2 { throw ValidationError("two is bad") } }
    _ = try await manager.response([:])
    time.advance(by: .seconds(70))
    _ = try await manager.response([:])
    try await stub.waitForRequests(2)
    for _ in 0..<50 { await landingsWorkedOff() }
    XCTAssertEqual(cache.statistics.memory.stores, 1)
  }

  /// RFC 9111, 4.4, and RFC 5861, 4: what an unsafe request has made stale is not used unasked.
  func testStaleIfErrorDoesNotBringBackWhatHasChanged() async throws {
    try begin()
    stub.on(
      .get, "/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60, stale-if-error=600"]),
      .failure(.connectionRefused))
    stub.on(.put, "/api/list", .status(204))
    _ = try await manager.response([:])
    let editor = TestManager(manager.service)
    editor.method = .put
    _ = try await editor.response([:])
    let error = try await errorThrown { [manager] () async throws(APIError) in
      try await manager.response([:])
    }
    XCTAssertEqual(error.reason, .connectionRefused)
  }

  /// RFC 9111, 5.2.1.4: who asks for confirmation is not given a stale response when there is none.
  func testStaleIfErrorDoesNotWinOverNoCacheOfTheRequest() async throws {
    do {
      _ = try await second(
        after: 70, ["Cache-Control": "max-age=60, stale-if-error=600"],
        request: ["Cache-Control": "no-cache"],
        then: .failure(.connectionRefused))
      XCTFail("it landed")
    } catch let error as APIError {
      XCTAssertEqual(error.reason, .connectionRefused)
    }
  }

  /// RFC 5861, 3: a stale response lands at once only where nothing forbids stale ones (RFC 9111, 4.2.4).
  func testStaleWhileRevalidateGivesWayToWhatForbidsStaleResponses() async throws {
    let window = "max-age=60, stale-while-revalidate=20"
    try await assertAsked(after: 70, ["Cache-Control": window + ", must-revalidate"])
    try await assertAsked(after: 70, ["Cache-Control": window + ", no-cache"])
    try await assertAsked(after: 70, ["Cache-Control": window], request: ["Cache-Control": "no-cache"])
    try await assertAsked(after: 70, ["Cache-Control": window], request: ["Cache-Control": "max-age=65"])
    try await assertAsked(after: 70, ["Cache-Control": window], request: ["Cache-Control": "min-fresh=1"])
  }

  // MARK: The network's condition

  /// RFC 9111, 4.2.4: a stale response that is preferred on an expensive network, and what forbids it.
  func testOnCellularAStaleResponseIsPreferredUnlessOneSideForbidsIt() async throws {
    for (fields, request, isUsed): (String, HTTPHeaders, Bool) in [
      ("max-age=60", [:], true), ("max-age=60", ["Cache-Control": "max-stale=20"], true),
      ("max-age=60", ["Cache-Control": "max-stale=5"], false),
      ("max-age=60", ["Cache-Control": "no-cache"], false),
      ("max-age=60", ["Cache-Control": "max-age=65"], false),
      ("max-age=60", ["Cache-Control": "min-fresh=1"], false),
      ("max-age=60, must-revalidate", [:], false), ("max-age=600, no-cache", [:], false),
    ] {
      for condition in [CacheConditionTable.Condition.expensive, .offline] {
        try begin()
        stub.on("/api/list", .json("[1]", headers: ["Cache-Control": fields]), .json("[2]"))
        _ = try await manager.response([:])
        time.advance(by: .seconds(70))
        cache.followCondition { condition }
        manager.headers = request
        do throws(APIError) {
          let response = try await manager.response([:])
          XCTAssertEqual(response.raw[0].int, isUsed ? 1 : 2, "\(fields), \(request)")
          XCTAssertFalse(!isUsed && condition == .offline, "\(fields), \(request)")
        } catch {
          XCTAssertTrue(!isUsed && condition == .offline, "\(fields), \(request)")
          XCTAssertEqual(error.reason, .notCached)
        }
      }
    }
  }
}
