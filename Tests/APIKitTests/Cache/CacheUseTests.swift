import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The ways in which one load may use the cache.
@MainActor final class CacheUseTests: CachePolicyCase {
  /// Stores a response that is stale by now.
  private func storeStale(_ headers: HTTPHeaders = ["ETag": "\"a\""]) async throws {
    script(.json("[1]", headers: headers), .json("[2]"))
    _ = try await lands()
    time.advance(by: .seconds(1000))
  }

  private func notCached(_ parameters: Parameters = [:], _ use: CacheUse, line: UInt = #line) async throws {
    let error = try await errorThrown(line: line) { () throws(APIError) in
      try await manager.response(parameters, cache: use)
    }
    XCTAssertEqual(error.reason, .notCached, line: line)
  }

  func testByTheRulesAStaleResponseIsAskedAbout() async throws {
    try await storeStale()
    XCTAssertEqualProvenance(try await lands(cache: .asPolicy), .network)
    XCTAssertEqual(stub.requests.last?.headers["If-None-Match"], "\"a\"")
    XCTAssertNil(stub.requests.last?.headers["Cache-Control"])
  }

  func testIgnoringWhatIsStoredSaysNothingToCachesOnTheWay() async throws {
    try await storeStale()
    XCTAssertEqualProvenance(try await lands(cache: .ignoring), .network)
    XCTAssertNil(stub.requests.last?.headers["If-None-Match"])
    XCTAssertNil(stub.requests.last?.headers["Cache-Control"])
  }

  func testIgnoringAllCachesSaysSoToCachesOnTheWayAndStoresTheResponse() async throws {
    try await storeStale()
    XCTAssertEqualProvenance(try await lands(cache: .ignoringAllCaches), .network)
    XCTAssertNil(stub.requests.last?.headers["If-None-Match"])
    XCTAssertEqual(stub.requests.last?.headers["Cache-Control"], "no-cache")
    XCTAssertEqualProvenance(try await lands(), .memory(age: .zero))
  }

  func testIgnoringAllCachesIsSaidWithoutAPolicyAndBesideTheManagersOwnDirectives() async throws {
    script(.json("[1]"))
    manager.cachePolicy = .none
    manager.headers = ["Cache-Control": "no-store"]
    _ = try await lands(cache: .ignoringAllCaches)
    XCTAssertEqual(stub.requests.last?.headers.values("Cache-Control"), ["no-store", "no-cache"])
  }

  func testWhatIsStoredLandsWhateverItsAgeElseTheServerIsAsked() async throws {
    try await storeStale()
    XCTAssertEqualProvenance(try await lands(cache: .storedElseNetwork), .stale(age: .seconds(1000)))
    XCTAssertEqual(asked, 1)
    XCTAssertEqualProvenance(try await lands(["page": 2], cache: .storedElseNetwork), .network)
  }

  func testWhatIsStoredLandsOrNothing() async throws {
    try await storeStale()
    XCTAssertEqualProvenance(try await lands(cache: .storedOnly), .stale(age: .seconds(1000)))
    try await notCached(["page": 2], .storedOnly)
    XCTAssertEqual(asked, 1)
  }

  func testRevalidatingHasCachesOnTheWayAskToo() async throws {
    try await storeStale()
    _ = try await lands(cache: .revalidating)
    XCTAssertEqual(stub.requests.last?.headers["If-None-Match"], "\"a\"")
    XCTAssertEqual(stub.requests.last?.headers["Cache-Control"], "max-age=0")
  }

  func testOnlyWhatIsStoredSendsNothingWhereNothingCanBeStored() async throws {
    script(.json("[1]"))
    manager.cachePolicy = .none
    try await notCached(.storedOnly)
    manager.cachePolicy = .fresh()
    manager.method = .post
    try await notCached(.storedOnly)
    manager.cacheTraits = CacheTraits(expires: ["rents"])
    try await notCached(.storedOnly)
    manager.method = .get
    manager.service.store = nil
    try await notCached(.storedOnly)
    XCTAssertEqual(asked, 0)
  }

  func testALoadDoesNotLiftWhatTheNetworkForbids() async throws {
    script(.json("[1]"))
    cache.followCondition { .offline }
    try await notCached(.storedElseNetwork)
    XCTAssertEqual(asked, 0)
  }

  func testUnderHTTPTheServersDirectivesStillApply() async throws {
    manager.cachePolicy = .http
    try await storeStale(["Cache-Control": "max-age=60, must-revalidate"])
    try await notCached(.storedOnly)
    XCTAssertEqual(asked, 1)
    XCTAssertEqualProvenance(try await lands(cache: .storedElseNetwork), .network)
  }

  func testNothingStoredLandsOverATransportThatIgnoresCaches() async throws {
    script(.json("[1]"))
    _ = try await lands()
    manager.service.client = HTTPClient(transport: Forgetful(base: stub))
    for policy in [CachePolicy.fresh(), .http, .cacheThenNetwork, .networkElseStale(), .none] {
      manager.cachePolicy = policy
      XCTAssertEqualProvenance(try await lands(), .network)
      XCTAssertEqual(stub.requests.last?.headers["Cache-Control"], "no-cache")
    }
    manager.cachePolicy = .fresh()
    XCTAssertEqualProvenance(try await lands(cache: .storedOnly), .memory(age: .zero))
    XCTAssertEqual(asked, 6)
  }

  func testTheDebugPresetIgnoresCachesOnEveryTransport() throws {
    XCTAssertTrue(try DefaultTransport.make(.debug).ignoresCaches)
    XCTAssertTrue(try HTTPClient(configuration: .debug).transport.ignoresCaches)
    XCTAssertFalse(try DefaultTransport.make(.ephemeral).ignoresCaches)
    var configuration = TransportConfiguration.ephemeral
    configuration.ignoresCaches = true
    XCTAssertTrue(try URLSessionTransport(configuration).ignoresCaches)
  }

  private func notCached(_ use: CacheUse, line: UInt = #line) async throws {
    try await notCached([:], use, line: line)
  }
}

/// A stub as a transport with ``TransportConfiguration/ignoresCaches``.
private struct Forgetful: AsyncHTTPTransport {
  let base: StubTransport
  var capabilities: TransportCapabilities { base.capabilities }
  var ignoresCaches: Bool { true }
  func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    try await base.send(exchange)
  }
}
