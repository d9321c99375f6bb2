import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
import APIKitSigning
@testable import APIKitTransfers

/// Loads that are kept until they can be sent: what the delegate hears, now and after a relaunch.
@MainActor final class OutboxTests: OutboxCase {
  func testTheDelegateHearsQueuedAndThenTheLanding() async throws {
    let (outbox, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    let takeoff = manager.load(["text": "hello"])
    guard case .waiting(let flight) = takeoff else { return XCTFail("\(takeoff)") }
    XCTAssertTrue(manager.isLoading)
    await outbox.flush()
    XCTAssertEqual(delegate.story, ["queued 1"])
    XCTAssertEqual(manager.state(of: flight), .waiting)
    XCTAssertEqual(stub.requests.count, 0, "it was not started")
    outbox.start()
    try await turn { delegate.story.count == 2 }
    XCTAssertEqual(delegate.story, ["queued 1", "succeeded 42"])
    XCTAssertEqual(manager.lastResponse?.source.flightID, flight)
    XCTAssertFalse(manager.isLoading)
    let request = try XCTUnwrap(stub.requests.first)
    XCTAssertEqual(request.method, .post)
    XCTAssertEqual(request.url.string, "https://homes.test/api/notes")
    XCTAssertEqual(request.headers["Idempotency-Key"]?.isEmpty, false)
    XCTAssertEqual(request.headers["X-Note"], "own")
    let items = try await outbox.items()
    XCTAssertEqual(items, [])
  }

  func testFinishReturnsWhenNothingIsLeftToSendOrItsTaskIsCancelled() async throws {
    let (outbox, manager) = (outbox(), manager())
    manager.load(["text": "hello"])
    manager.load(["text": "again"])
    outbox.start()
    await outbox.finish()
    XCTAssertEqual(stub.requests.count, 2)
    let items = try await outbox.items()
    XCTAssertEqual(items, [])
    // Without a network it waits, until the system has no more time for it.
    network.force(.offline)
    manager.load(["text": "later"])
    let finishing = Task { await outbox.finish() }
    finishing.cancel()
    await finishing.value
    XCTAssertEqual(stub.requests.count, 2)
    let kept = try await outbox.items()
    XCTAssertEqual(kept.count, 1)
  }

  func testTheAwaitedFormWaitsForTheLanding() async throws {
    let outbox = outbox()
    outbox.start()
    let manager = manager()
    let response = try await manager.response(["text": "hello"])
    XCTAssertEqual(response.raw.id.int, 42)
  }

  func testATypeThatNoOutboxKnowsFailsByName() async throws {
    let other = UnknownNoteManager(service)
    let error = try await errorThrown { () async throws(APIError) in try await other.response([:]) }
    XCTAssertEqual(error.reason, .misconfigured)
    XCTAssertTrue(error.detail.contains("register(UnknownNoteManager.self)"), error.detail)
  }

  func testALandingReachesTheDelegateThatIsAttachedAfterARelaunch() async throws {
    let first = outbox()
    first.start()
    // Its manager is gone before the response arrives.
    stub.hold()
    var gone: QueuedNoteManager? = manager()
    gone?.load(["text": "hello"])
    await first.flush()
    gone = nil
    stub.release()
    try await turn { try await first.items().isEmpty }
    await first.stop()
    // Another launch: nobody was told.
    let (second, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    second.attach(manager)
    try await turn { !delegate.story.isEmpty }
    XCTAssertEqual(delegate.story, ["succeeded 42"])
    XCTAssertTrue(manager.lastResponse?.source.managerType == QueuedNoteManager.self)
    second.attach(manager)
    await landingsWorkedOff()
    await second.flush()
    XCTAssertEqual(delegate.story, ["succeeded 42"], "once")
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testWhatWasNotSentIsSentAfterARelaunchByTheSameKeyInItsOwnEnvironment() async throws {
    service.environments.current = "staging"
    let first = outbox()
    let manager = manager()
    manager.body = .bytes([UInt8](repeating: 7, count: 100_000))
    manager.load(["text": "hello"])
    let items = try await first.items()
    XCTAssertEqual(items.map(\.environment), ["staging"])
    XCTAssertEqual(items.first?.parameters, ["text": "hello"])
    service.environments.current = .release
    let (second, delegate) = (outbox(), OutboxRecorder())
    let attached = self.manager(delegate)
    second.attach(attached)
    second.start()
    try await turn { !delegate.story.isEmpty }
    let request = try XCTUnwrap(stub.requests.first)
    XCTAssertEqual(request.url.string, "https://staging.test/api/notes?text=hello")
    XCTAssertEqual(request.headers["Idempotency-Key"], items.first?.idempotencyKey)
    guard case .bytes(let sent) = request.body else { return XCTFail("\(request.body)") }
    XCTAssertEqual(sent.count, 100_000)
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder + "/spool"), [])
  }

  func testManyLoadsAreKeptByOneCommitAllOrNone() async throws {
    let outbox = outbox { $0.maximumItems = 3 }
    let manager = manager()
    let error = await failure { try await outbox.enqueue(manager, each: (1...4).map { ["text": "\($0)"] }) }
    XCTAssertEqual(error?.reason, .queueFull)
    var items = try await outbox.items()
    XCTAssertEqual(items, [])
    let ids = try await outbox.enqueue(manager, each: (1...3).map { ["text": "\($0)"] })
    items = try await outbox.items()
    XCTAssertEqual(items.map(\.id), ids)
    XCTAssertEqual(items.map(\.parameters), [["text": "1"], ["text": "2"], ["text": "3"]])
    XCTAssertEqual(Set(items.map(\.idempotencyKey)).count, 3)
    outbox.start()
    try await turn { try await outbox.items().isEmpty }
    let sent = stub.requests.map { request in
      if case .bytes(let bytes) = request.body { String(decoding: bytes, as: UTF8.self) } else { "" }
    }
    XCTAssertEqual(sent, (1...3).map { #"{"text":"\#($0)"}"# })
  }

  func testALoadIsSignedWhenItIsSentAndNotWhenItIsKept() async throws {
    service.signer = HMACSigner(key: SecretKey("key"), keyID: "me")
    let first = outbox()
    let manager = manager()
    manager.load(["text": "hello"])
    await first.flush()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()
      for field in ["X-Signature", "X-Timestamp"] { XCTAssertNil(bytes.range(of: Data(field.utf8)), name) }
    }
    let second = outbox()
    second.start()
    try await turn { self.stub.requests.count == 1 }
    let request = try XCTUnwrap(stub.requests.first)
    XCTAssertEqual(request.headers["X-Signature"]?.isEmpty, false)
    XCTAssertEqual(request.headers["X-Timestamp"]?.isEmpty, false)
  }

  func testAttachedNamesTellManagersOfATypeApart() async throws {
    let outbox = outbox()
    let (left, right) = (OutboxRecorder(), OutboxRecorder())
    let (one, two) = (manager(left), manager(right))
    outbox.attach(one, as: "note 1")
    outbox.attach(two, as: "note 2")
    try await outbox.enqueue(two, ["text": "b"])
    outbox.start()
    try await turn { !right.story.isEmpty }
    XCTAssertEqual(left.story, [])
    XCTAssertEqual(right.story, ["succeeded 42"])
  }

  func testWhatNoLoadOfThisObjectWaitsForLandsLikeAnyLoad() async throws {
    let (outbox, delegate, interceptor) = (outbox(), OutboxRecorder(), LandingInterceptor())
    let manager = manager(delegate)
    manager.addInterceptor(interceptor)
    var landings = manager.landings().makeAsyncIterator()
    outbox.attach(manager)
    try await outbox.enqueue(manager, ["text": "a"])
    outbox.start()
    try await turn { !delegate.story.isEmpty }
    XCTAssertEqual(interceptor.story, ["received 200", "before", "after"])
    XCTAssertEqual(delegate.story, ["succeeded 42"])
    let sent = try XCTUnwrap(manager.lastResponse?.flightID)
    XCTAssertEqual(interceptor.received, sent, "the record of the load that was sent is to be found by it")
    XCTAssertEqual(manager.record(of: sent)?.apiName, "notes")
    let first = await landings.next()
    XCTAssertEqual(try first?.get().status, 200)
    // A vetoed landing is a cancellation.
    interceptor.isVetoing = true
    try await outbox.enqueue(manager, ["text": "b"])
    try await turn { delegate.story.count == 2 }
    XCTAssertEqual(delegate.story.last, "cancelled \(CancellationReason.vetoed)")
    guard case .failure(let error)? = await landings.next() else { return XCTFail("no landing was told") }
    XCTAssertEqual(error.cancellation, .vetoed)
    XCTAssertFalse(manager.isLoading)
  }

  func testTheOptionsOfAServiceCountForQueuedLoadsButNotWhereTheBodyGoes() async throws {
    let jar = CookieJar()
    jar.set(Cookie("id", "1", domain: "homes.test"))
    service.client.cookies = jar
    service.loadOptions.destination = .file(path: folder + "/body")
    let delegate = OutboxRecorder()
    for (sends, cookie) in [(true, "id=1"), (false, nil as String?)] {
      service.loadOptions.usesCookies = sends
      let outbox = outbox()
      outbox.start()
      let manager = manager(delegate)
      manager.load()
      try await turn { delegate.story.contains { $0.hasPrefix("succeeded") } }
      XCTAssertEqual(delegate.story.last, "succeeded 42", "a body that is kept is in memory")
      XCTAssertEqual(stub.requests.last?.headers["Cookie"], cookie)
      await outbox.stop()
      delegate.story = []
    }
  }

  // MARK: Failures

  func testPassingFailuresBackOffAndOthersPark() async throws {
    stub.reset()
    stub.on("/api/notes", .status(503), .failure(.connectionLost), .status(429), .json(#"{"id": 42}"#))
    let (outbox, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    manager.load()
    outbox.start()
    try await turn { delegate.story.contains("succeeded 42") }
    XCTAssertEqual(stub.requests.count, 4)
    XCTAssertEqual(Set(stub.requests.map { $0.headers["Idempotency-Key"] }).count, 1)
    stub.reset()
    stub.on("/api/notes", .status(422), .json(#"{"id": 42}"#))
    manager.load()
    try await turn { delegate.story.last?.hasPrefix("failed") == true }
    XCTAssertEqual(delegate.story.last, "failed unacceptable-status 422")
    let items = try await outbox.items()
    guard case .parked(let why)? = items.first?.state else { return XCTFail("\(items)") }
    XCTAssertTrue(why.contains("422"), why)
    // Sent again, it lands for whoever is attached.
    outbox.attach(manager)
    try await outbox.retry(items[0].id)
    try await turn { delegate.story.last == "succeeded 42" }
  }

  func testAnUnknownManagerTypeParks() async throws {
    let first = outbox()
    let manager = manager()
    manager.load()
    await first.flush()
    let second = outbox(knows: false)
    second.start()
    try await turn { if case .parked? = try await second.items().first?.state { true } else { false } }
    let items = try await second.items()
    guard case .parked(let why)? = items.first?.state else { return XCTFail() }
    XCTAssertTrue(why.contains("does not know the manager type QueuedNoteManager"), why)
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testNothingIsTriedWithoutANetworkAndAllWithOne() async throws {
    network.force(.offline)
    let (outbox, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    manager.load()
    outbox.start()
    await outbox.flush()
    for _ in 0..<20 {
      time.advance(by: .seconds(10))
      try await Task.sleep(for: .milliseconds(2))
    }
    XCTAssertEqual(stub.requests.count, 0)
    network.force(.wifi)
    try await turn { delegate.story.contains("succeeded 42") }
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testTheOutboxFollowsItsOwnMonitorAndTheSharedOneHoldsForBoth() async throws {
    let shared = NetworkMonitor.shared
    defer { shared.force(nil) }
    shared.force(.offline)
    (service.network, service.networkGate) = (shared, .refuse)
    let direct = TestManager(stub)
    direct.service = service
    let error = try await errorThrown { () throws(APIError) in try await direct.response() }
    XCTAssertEqual(error.reason, .noNetwork)
    let outbox = outbox { $0.network = OutboxConfiguration(folder: "unused").network }
    let delegate = OutboxRecorder()
    let manager = manager(delegate)
    manager.load()
    outbox.start()
    await outbox.flush()
    XCTAssertEqual(stub.requests.count, 0)
    shared.force(.wifi)
    try await turn { delegate.story.contains("succeeded 42") }
    XCTAssertEqual(stub.requests.count, 1)
  }

  // MARK: Given up

  func testCancellingALoadGivesUpItsItemAndReleasingItsManagerDoesNot() async throws {
    let (outbox, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    manager.load(["text": "one"])
    manager.cancel()
    await outbox.flush()
    manager.load(["text": "two"])
    await outbox.flush()
    manager.cancel()
    var released: QueuedNoteManager? = self.manager()
    released?.load(["text": "three"])
    await outbox.flush()
    released = nil
    try await turn { try await outbox.items().count == 1 }
    let items = try await outbox.items()
    XCTAssertEqual(items.map(\.parameters), [["text": "three"]])
    XCTAssertEqual(delegate.story, ["cancelled by-caller", "queued 2", "cancelled by-caller"])
  }

  func testMoreThanTheLimitsFailsByName() async throws {
    let (outbox, delegate) = (outbox { $0.maximumItems = 1 }, OutboxRecorder())
    let manager = manager(delegate)
    manager.load()
    manager.load()
    await outbox.flush()
    XCTAssertEqual(delegate.story, ["queued 1", "failed queue-full 0"])
  }

  // MARK: Order

  func testAnItemTakesValuesOfTheResponseItWaitsFor() async throws {
    let outbox = outbox()
    let manager = manager()
    let parent = try await outbox.enqueue(manager, ["text": "new"], lane: "a")
    let child = try await outbox.enqueue(
      manager, ["text": "photo"], lane: "b", taking: [OutboxValue("note", of: parent, at: "id")])
    let odd = try await outbox.enqueue(
      manager, lane: "c", taking: [OutboxValue("note", of: parent, at: "no.such")])
    outbox.start()
    try await turn { self.stub.requests.count == 2 }
    guard case .bytes(let body)? = stub.requests.last?.body else { return XCTFail() }
    XCTAssertEqual(try RawData(parsing: body).note.int, 42)
    try await turn { try await outbox.items().map(\.id) == [odd] }
    XCTAssertLessThan(parent, child)
    let items = try await outbox.items()
    guard case .parked(let why)? = items.first?.state else { return XCTFail() }
    XCTAssertTrue(why.contains("no.such"), why)
  }
}
