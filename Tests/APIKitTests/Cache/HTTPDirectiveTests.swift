import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// What the directives of either side ask for: RFC 9111, 5.2; RFC 8246.
@MainActor class HTTPDirectiveTests: HTTPCacheCase {
  // MARK: Directives of the request

  /// RFC 9111, 5.2.1.4 and 5.4.
  func testNoCacheOfTheRequestAsksFirst() async throws {
    try await assertAsked(["Cache-Control": "max-age=60"], request: ["Cache-Control": "no-cache"])
    try await assertAsked(["Cache-Control": "max-age=60"], request: ["Pragma": "no-cache"])
    try await assertUsed(
      ["Cache-Control": "max-age=60"], request: ["Pragma": "no-cache", "Cache-Control": "max-age=10"])
  }

  /// RFC 9111, 5.2.1.4 and 5.2.1.5.
  func testDirectivesThatTheServiceStatesCountAsTheManagers() async throws {
    for directive in ["no-cache", "no-store"] {
      try begin()
      manager.service.extraHeaders = HTTPHeaders([HTTPHeaders.Field("Cache-Control", directive)])
      stub.on("/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60"]), .json("[2]"))
      _ = try await manager.response([:])
      let response = try await manager.response([:])
      XCTAssertEqual(response.raw[0].int, 2, directive)
    }
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
  func testAnImmutableResponseNeedsNoConfirmationWhileFresh() async throws {
    let response = try await second(
      ["Cache-Control": "max-age=60, immutable", "ETag": "\"a\""], use: .revalidating)
    XCTAssertEqual(response.provenance, .memory(age: .zero))
    let later = try await second(
      after: 61, ["Cache-Control": "max-age=60, immutable", "ETag": "\"a\""], then: .status(304),
      use: .revalidating)
    XCTAssertEqual(later.provenance, .revalidated)
  }

  /// RFC 9111, 5.2.1.7.
  func testOnlyIfCachedWithNothingStoredFailsUnasked() async throws {
    try begin()
    manager.headers = ["Cache-Control": "only-if-cached"]
    let error = try await errorThrown { [manager] () async throws(APIError) in
      try await manager.response([:])
    }
    XCTAssertEqual(error.reason, .notCached)
    XCTAssertEqual(stub.requests.count, 0)
  }

  /// RFC 9111, 5.2.1.1: a response of no age but zero will do, so it is confirmed.
  func testMaxAgeZeroOfTheRequestHasTheResponseConfirmed() async throws {
    let response = try await second(
      after: 1, ["Cache-Control": "max-age=60", "ETag": "\"a\""], request: ["Cache-Control": "max-age=0"],
      then: .status(304))
    XCTAssertEqual(response.provenance, .revalidated)
  }

  /// RFC 9111, 5.2.2.8: `proxy-revalidate` is for shared caches; 5.4: `Pragma` means nothing in a response.
  func testWhatIsNotForAPrivateCacheIsPassedOver() async throws {
    try await assertUsed(
      after: 70, ["Cache-Control": "max-age=60, proxy-revalidate"], request: ["Cache-Control": "max-stale"])
    try await assertUsed(after: 30, ["Cache-Control": "max-age=60", "Pragma": "no-cache"])
  }
}
