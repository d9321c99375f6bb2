import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The policies as a manager's user meets them.
@MainActor final class CachePolicyTests: CachePolicyCase {
  // MARK: None and fresh

  func testWithoutAPolicyEveryLoadAsksTheServer() async throws {
    script(.json("[1]"))
    manager.cachePolicy = .none
    for _ in 0..<2 { XCTAssertEqualProvenance(try await lands(), .network) }
    XCTAssertEqual(asked, 2)
    XCTAssertEqual(cache.statistics.memory.stores, 0)
  }

  func testOnlySafeMethodsAreAnsweredByTheCache() async throws {
    for policy in [
      CachePolicy.fresh(), .http, .cacheThenNetwork, .networkElseStale(), .cacheOnly, .fresh(in: .memory),
    ] {
      for method in [HTTPMethod.post, .put, .patch, .delete, "MOVE"] {
        let stub = StubTransport()
        let cache = ResponseCache(time: time)
        stub.when({ _ in true }, .json("[1]", headers: ["Cache-Control": "max-age=60"]))
        var service = TestService(stub)
        service.store = cache
        let manager = TestManager(service)
        manager.cachePolicy = policy
        manager.method = method
        for _ in 0..<2 {
          XCTAssertEqualProvenance(try await manager.response(["a": 1]), .network)
        }
        cache.followCondition { .offline }
        XCTAssertEqualProvenance(try await manager.response(["a": 1]), .network)
        XCTAssertEqual(stub.requests.count, 3, "\(method) under \(policy)")
        XCTAssertEqual(cache.statistics.memory.stores, 0, "\(method) under \(policy)")
      }
    }
  }

  func testAFreshResponseLandsFromMemoryWithItsAge() async throws {
    script(.json("[1]"), .json("[2]"))
    XCTAssertEqualProvenance(try await lands(), .network)
    time.advance(by: .seconds(179))
    let second = try await lands()
    XCTAssertEqualProvenance(second, .memory(age: .seconds(179)))
    XCTAssertEqual(second.raw[0].int, 1)
    XCTAssertEqual(second.status, 200)
    XCTAssertEqual(asked, 1)
  }

  func testTheRecordOfAFlightSaysWhatTheCacheDecided() async throws {
    script(.json("[1]"))
    func decisions(_ response: APIResponse) -> [String] {
      let record = response.flightID.flatMap { manager.record(of: $0) }
      return (record?.entries ?? []).compactMap {
        if case .cache(let decision) = $0.event { decision } else { nil }
      }
    }
    let (first, second) = (try await lands(), try await lands())
    XCTAssertEqual(decisions(first), ["has no response"])
    XCTAssertEqual(decisions(second), ["lands with the stored response"])
  }

  func testAfterThreeMinutesTheServerIsAskedAgain() async throws {
    script(.json("[1]"), .json("[2]"))
    _ = try await lands()
    time.advance(by: .seconds(181))
    let second = try await lands()
    XCTAssertEqualProvenance(second, .network)
    XCTAssertEqual(second.raw[0].int, 2)
    XCTAssertEqualProvenance(try await lands(), .memory(age: .zero))
  }

  func testTheServersFieldsDoNotChangeAFreshPolicy() async throws {
    script(.json("[1]", headers: ["Cache-Control": "no-store, max-age=0"]))
    _ = try await lands()
    XCTAssertEqualProvenance(try await lands(), .memory(age: .zero))
  }

  func testAStoredResponseLandsOnTheDelegateAfterLoadReturned() async throws {
    script(.json("[1]"))
    _ = try await lands()
    let recorder = Recorder()
    manager.delegate = recorder
    manager.addInterceptor(recorder)
    let takeoff = manager.load()
    XCTAssertNotNil(takeoff.flightID)
    XCTAssertEqual(recorder.events, ["shouldLoad", "didLoad"])
    await recorder.waitForLandings()
    XCTAssertEqual(
      recorder.events,
      ["shouldLoad", "didLoad", "didReceive", "beforeSuccess", "delegate.success", "afterSuccess"])
    XCTAssertFalse(manager.isLoading)
  }

  func testACancelledLandingFromMemoryDoesNotLand() async throws {
    script(.json("[1]"))
    _ = try await lands()
    let recorder = Recorder()
    manager.delegate = recorder
    manager.load()
    manager.cancel()
    await landingsWorkedOff()
    XCTAssertEqual(recorder.events, ["delegate.cancel"])
  }

  // MARK: One load

  func testIgnoringTheCacheAsksAndStillStores() async throws {
    script(.json("[1]", headers: ["ETag": "\"a\""]), .json("[2]"))
    _ = try await lands()
    XCTAssertEqualProvenance(try await lands(cache: .ignoring), .network)
    XCTAssertNil(stub.requests[1].headers["If-None-Match"])
    let third = try await lands()
    XCTAssertEqualProvenance(third, .memory(age: .zero))
    XCTAssertEqual(third.raw[0].int, 2)
  }

  func testRevalidatingAsksAboutAFreshResponse() async throws {
    script(.json("[1]", headers: ["ETag": "\"a\""]), .status(304))
    _ = try await lands()
    let second = try await lands(cache: .revalidating)
    XCTAssertEqualProvenance(second, .revalidated)
    XCTAssertEqual(second.raw[0].int, 1)
    XCTAssertEqual(stub.requests[1].headers["If-None-Match"], "\"a\"")
  }

  // MARK: Media types

  func testOnlyTheMediaTypesOfThePolicyAreStored() async throws {
    let cases: [(type: String?, isStored: Bool)] = [
      ("application/json; charset=utf-8", true), ("TEXT/HTML", true), ("text/plain", true),
      ("image/png", true), ("application/pdf", false), ("text/csv", false), (nil, false),
    ]
    for (type, isStored) in cases {
      manager = makeManager(.fresh().stored(as: CachePolicy.usualMediaTypes).stored(in: .memory))
      manager.expectation = ResponseExpectation(format: .bytes)
      let headers = type.map { HTTPHeaders([HTTPHeaders.Field("Content-Type", $0)]) } ?? HTTPHeaders()
      stub.on("/api/list", .response(HTTPResponse(status: 200, headers: headers, body: .bytes([1]))))
      for _ in 0..<2 { _ = try await lands() }
      XCTAssertEqual(cache.statistics.memory.stores, isStored ? 1 : 0, type ?? "no type")
      cache.removeAll()
      cache = ResponseCache(time: time)
    }
  }

  func testWithoutAListEveryMediaTypeIsStored() async throws {
    stub.on("/api/list", .bytes([1], contentType: "application/pdf"))
    manager.expectation = ResponseExpectation(format: .bytes)
    for _ in 0..<2 { _ = try await lands() }
    XCTAssertEqual(asked, 1)
  }

  // MARK: Network, else stale

  func testWhenTheNetworkFailsAStoredResponseLandsAsStale() async throws {
    manager.cachePolicy = .networkElseStale(upTo: .seconds(60))
    for failing: StubResponse in [.failure(.connectionRefused), .status(503)] {
      stub.on("/api/list", .json("[1]"), failing)
      XCTAssertEqualProvenance(try await lands(), .network)
      time.advance(by: .seconds(60))
      XCTAssertEqualProvenance(try await lands(), .stale(age: .seconds(60)))
      time.advance(by: .seconds(1))
      let error = await fails()
      XCTAssertNotNil(error, "older than the policy allows")
    }
  }

  func testARefusalOfTheServerIsNoReasonForOldData() async throws {
    script(.json("[1]"), .status(403))
    manager.cachePolicy = .networkElseStale()
    _ = try await lands()
    let error = await fails()
    XCTAssertEqual(error?.reason, .unacceptableStatus)
  }

  // MARK: Cache only

  func testCacheOnlyNeverAsks() async throws {
    script(.json("[1]"))
    manager.cachePolicy = .cacheOnly
    let error = await fails()
    XCTAssertEqual(error?.reason, .notCached)
    XCTAssertEqual(error?.stage, .cache)
    XCTAssertEqual(asked, 0)
    manager.cachePolicy = .fresh()
    _ = try await lands()
    manager.cachePolicy = .cacheOnly
    time.advance(by: .seconds(1_000_000))
    XCTAssertEqualProvenance(try await lands(), .memory(age: .seconds(1_000_000)))
    XCTAssertEqual(asked, 1)
  }

  // MARK: Clocks

  func testAWallClockSetBackOrForwardDoesNotChangeAnAge() async throws {
    script(.json("[1]"))
    _ = try await lands()
    time.advance(by: .seconds(100))
    time.wallClock -= 1_000_000
    XCTAssertEqualProvenance(try await lands(), .memory(age: .seconds(100)))
    time.wallClock += 9_000_000
    XCTAssertEqualProvenance(try await lands(), .memory(age: .seconds(100)))
    time.advance(by: .seconds(100))
    XCTAssertEqualProvenance(try await lands(), .network)
  }

  /// RFC 9111, 4.2.3: the delay of a response counts as its age, and a clock that is set meanwhile is none.
  func testAClockThatIsSetWhileARequestIsUnderWayDoesNotAgeItsResponse() async throws {
    for (jump, delay, isFresh) in [(3600.0, 5, true), (-3600, 5, true), (-3600, 61, false)] {
      cache.removeAll()
      stub.reset()
      script(.json(someJSON, headers: ["Cache-Control": "max-age=60"]))
      let manager = makeManager(.http)
      stub.hold()
      async let first = manager.response()
      try await stub.waitForRequests(1)
      time.advance(by: .seconds(delay))
      time.wallClock += jump
      stub.release()
      _ = try await first
      _ = try await manager.response()
      XCTAssertEqual(asked, isFresh ? 1 : 2, "\(jump) \(delay)")
    }
  }
}
