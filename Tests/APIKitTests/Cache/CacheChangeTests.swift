import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Changes on the server, by tags.
@MainActor final class CacheChangeTests: CachePolicyCase {
  func testAMutatingManagerMakesTaggedResponsesStale() async throws {
    stub.on(.get, "/api/list", .json("[1]"), .json("[2]"))
    stub.on(.post, "/api/list", .json("{}"))
    manager.cacheTraits.tags = ["homes", "lists"]
    _ = try await lands()
    let editor = makeManager(.none)
    editor.method = .post
    editor.cacheTraits.expires = ["homes"]
    _ = try await editor.response(["price": 1])
    let second = try await lands()
    XCTAssertEqualProvenance(second, .network)
    XCTAssertEqual(second.raw[0].int, 2)
  }

  func testAFailedMutationLeavesTaggedResponsesAlone() async throws {
    stub.on(.get, "/api/list", .json("[1]"))
    stub.on(.post, "/api/list", .status(500))
    manager.cacheTraits.tags = ["homes"]
    _ = try await lands()
    let editor = makeManager(.none)
    editor.method = .post
    editor.cacheTraits.expires = ["homes"]
    _ = try await errorThrown { () async throws(APIError) in try await editor.response([:]) }
    XCTAssertEqualProvenance(try await lands(), .memory(age: .zero))
  }

  func testAChangeWhoseResponseIsRefusedMakesItsURLAndItsTagsStale() async throws {
    stub.on(.get, "/api/list", .json("[1]"), .json("[2]"), .json("[3]"))
    stub.on(.put, "/api/list", .json("{}"))
    stub.on(.put, "/api/other", .json("{}"))
    manager.cacheTraits.tags = ["homes"]
    _ = try await lands()
    let editor = makeManager(.none)
    editor.method = .put
    editor.expectation.shape = ["items": .array]
    let refused = try await errorThrown { () async throws(APIError) in try await editor.response([:]) }
    XCTAssertEqual(refused.reason, .unexpectedShape)
    let second = try await lands()
    XCTAssertEqual(second.raw[0].int, 2)

    editor.apiName = "other"
    editor.expectation.shape = ResponseShape()
    editor.cacheTraits.expires = ["homes"]
    editor.onValidateResponse = { _ in throw ValidationError("no") }
    _ = try await errorThrown { () async throws(APIError) in try await editor.response([:]) }
    let third = try await lands()
    XCTAssertEqual(third.raw[0].int, 3)
  }

  func testAChangeOfAUserWhoHasLeftMakesItsURLAndItsTagsStale() async throws {
    for tags in [Set<String>(), ["homes"]] {
      let (gate, authenticator, recorder) = (StubGate(), Authenticator(), Recorder())
      stub.reset()
      stub.on(.get, "/api/list", .json("[1]"), .json("[2]"))
      stub.on(.put, tags.isEmpty ? "/api/list" : "/api/other", .held(by: gate, .json("{}")))
      cache.removeAll()
      try authenticator.signIn(with: Credential(accessToken: "anna"))
      manager.cacheTraits.tags = ["homes"]
      _ = try await lands()
      let editor = makeManager(.none)
      editor.service.authenticator = authenticator
      editor.method = .put
      if !tags.isEmpty { editor.apiName = "other" }
      editor.cacheTraits.expires = tags
      editor.delegate = recorder
      editor.load()
      try await gate.waitForArrivals(1)
      try authenticator.signOut()
      gate.open()
      await recorder.waitForLandings()
      XCTAssertEqual(recorder.errors.map(\.reason), [.signedOut])
      let second = try await lands()
      XCTAssertEqual(second.raw[0].int, 2)
    }
  }

  func testAChangeThatLedElsewhereMakesItsURLStaleWhateverComesOfThat() async throws {
    stub.on(.get, "/api/list", .json("[1]"), .json("[2]"))
    stub.on(.post, "/api/list", .redirect(to: "/api/made", status: 303))
    stub.on(.get, "/api/made", .status(500))
    _ = try await lands()
    let editor = makeManager(.none)
    editor.method = .post
    _ = try await errorThrown { () async throws(APIError) in try await editor.response([:]) }
    let second = try await lands()
    XCTAssertEqual(second.raw[0].int, 2)
  }

  func testAChangeWhoseManagerIsReleasedMakesItsURLStale() async throws {
    let gate = StubGate()
    stub.on(.get, "/api/list", .json("[1]"), .json("[2]"))
    stub.on(.put, "/api/list", .held(by: gate, .json("{}")))
    _ = try await lands()
    var editor: TestManager? = makeManager(.none)
    editor?.method = .put
    editor?.outlivesRelease = true
    let flight = try XCTUnwrap(editor?.load().flightID)
    try await gate.waitForArrivals(1)
    editor = nil
    gate.open()
    await waitUntil { FlightLog.shared.record(of: flight)?.landing != nil }
    let second = try await lands()
    XCTAssertEqual(second.raw[0].int, 2)
  }

  func testAResponseAskedForBeforeTheChangeIsNotStoredAfterIt() async throws {
    let gate = StubGate()
    stub.on("/api/list", .held(by: gate, .json("[1]")), .json("[2]"))
    manager.cacheTraits.tags = ["homes"]
    let early = Task { try await lands() }
    try await gate.waitForArrivals(1)
    cache.expire(tags: ["homes"])
    gate.open()
    _ = try await early.value
    let second = try await lands()
    XCTAssertEqual(second.raw[0].int, 2)
  }

  /// Has something done while a body is decoded.
  private final class SlowDecoder: BodyDecoder {
    private let work = Mutex<(@Sendable () -> Void)?>(nil)

    func once(_ work: @escaping @Sendable () -> Void) { self.work.withLock { $0 = work } }

    func decode(_ bytes: [UInt8], limits: RawData.Limits) throws(APIError) -> RawData {
      work.withLock { $0.take() }?()
      return try RawData(parsing: bytes)
    }
  }

  func testAResponseThatIsRemovedWhileItIsReadFromDiskDoesNotStayInMemory() async throws {
    let disk = DiskCacheConfiguration(folder: temporaryFolder().path)
    let decoder = SlowDecoder()
    stub.on("/api/list", .json("[1]"), .json("[2]"))
    for number in 1...2 {
      let cache = ResponseCache(disk: disk)
      let manager = makeManager(.fresh(for: .seconds(1000)))
      manager.service.store = cache
      manager.expectation.format = .decoder(decoder)
      if number == 2 {
        decoder.once { cache.removeAll() }
        _ = try await manager.response()
      }
      let response = try await manager.response()
      XCTAssertEqualProvenance(response, .network)
      XCTAssertEqual(response.raw[0].int, number)
      await cache.flush()
    }
  }
}
