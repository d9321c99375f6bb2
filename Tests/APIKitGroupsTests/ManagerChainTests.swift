@testable import APIKitGroups
import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Chains as an application meets them.
@MainActor final class ManagerChainTests: XCTestCase {
  private let stub = StubTransport()

  private func makeManager(_ path: String) -> TestManager {
    let manager = TestManager(stub)
    manager.apiName = path
    return manager
  }

  func testEachLinkIsFedByTheOneBefore() async throws {
    stub.on("/api/search", .json(#"{"items": [{"id": "h7"}]}"#))
    stub.on("/api/home", .json(#"{"name": "Garden"}"#))
    let (search, home) = (makeManager("search"), makeManager("home"))
    let chain = ManagerChain(search.loading(["q": "garden"]))
      .then { home.loading(["id": try $0.raw.items[0].id.require(String.self)]) }
      .map { try $0.raw.name.require(String.self) }
    let name = try await chain.landing()
    XCTAssertEqual(name, "Garden")
    XCTAssertEqual(chain.output, "Garden")
    XCTAssertEqual(stub.requests.map(\.url.query), ["q=garden", "id=h7"])
  }

  func testALinkThatThrowsWhileItIsBuiltFailsTheChainThereAndSendsNothing() async throws {
    stub.on("/api/search", .json(#"{"items": []}"#))
    let (search, home) = (makeManager("search"), makeManager("home"))
    let chain = ManagerChain(search.loading())
      .then("detail") { home.loading(["id": try $0.raw.items[0].id.require(String.self)]) }
    let error = await failure { try await chain.landing() }
    XCTAssertEqual(error?.reason, .unexpectedValue)
    XCTAssertEqual(chain.failedLink?.index, 1)
    XCTAssertEqual(chain.failedLink?.name, "detail")
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testAForeignErrorWhileBuildingIsNamed() async throws {
    struct Odd: Error {}
    let chain = ManagerChain(MemberWork("one") { 1 })
      .then("two") { (_: Int) throws -> MemberWork<Int> in throw Odd() }
    let error = await failure { try await chain.landing() }
    XCTAssertEqual(error?.reason, .memberFailed)
    XCTAssertEqual(error?.detail, "two could not be built: Odd")
    XCTAssertTrue(error?.underlying is Odd)
  }

  func testAFailedLinkEndsTheChainWithItsError() async throws {
    stub.on("/api/search", .status(503))
    let search = makeManager("search")
    var isBuilt = false
    let chain = ManagerChain(search.loading()).then { _ in
      isBuilt = true
      return MemberWork("never") { 1 }
    }
    let watcher = ChainWatcher()
    chain.delegate = watcher
    chain.load()
    await waitUntil { !watcher.events.isEmpty }
    XCTAssertEqual(watcher.events, ["failed response.unacceptable-status at 0"])
    XCTAssertFalse(isBuilt)
  }

  func testTheDelegateMayCancelBetweenTwoLinks() async throws {
    let chain = ManagerChain(MemberWork("one") { 1 }).map { $0 + 1 }
    let watcher = ChainWatcher()
    watcher.onLink = { $0.cancel() }
    chain.delegate = watcher
    chain.load()
    await waitUntil { watcher.events.count >= 2 }
    XCTAssertEqual(watcher.events, ["link 0", "cancelled by-caller"])
    XCTAssertNil(chain.output)
    XCTAssertFalse(chain.isLoading)
  }

  func testAChainCancelledWhenItsLastLinkLandsHasNoOutput() async throws {
    let chain = ManagerChain(MemberWork("one") { 1 })
    let watcher = ChainWatcher()
    watcher.onLink = { $0.cancel() }
    chain.delegate = watcher
    chain.load()
    await waitUntil { watcher.events.count >= 2 }
    XCTAssertEqual(watcher.events, ["link 0", "cancelled by-caller"])
    XCTAssertNil(chain.output)
    XCTAssertNil(chain.failedLink, "it was cancelled, and has not failed")
  }

  func testTheNextRunForgetsTheOutputAndTheFailureOfTheLast() async throws {
    var runs = 0
    let gate = StubGate()
    stub.on("/api/x", .held(by: gate, .json("{}")))
    let x = makeManager("x")
    let chain = ManagerChain(MemberWork("one") { runs += 1 }).then { _ in
      guard runs > 1 else { throw ValidationError("not yet") }
      return x.loading()
    }
    _ = await failure { try await chain.landing() }
    XCTAssertEqual(chain.failedLink?.index, 1)
    XCTAssertEqual(chain.results.members.map(\.name), ["one", "ManagerLoad<TestManager>"])
    chain.load()
    XCTAssertNil(chain.failedLink)
    try await stub.waitForRequests(1)
    gate.open()
    await waitUntil { !chain.isLoading }
    XCTAssertNotNil(chain.output)
    chain.load()
    XCTAssertNil(chain.output)
    chain.cancel()
  }

  func testAChainCancelledFromItsOwnCallbackMayStartAgainThere() async throws {
    let chain = ManagerChain(MemberWork("one") { 1 }).map { $0 + 1 }
    let watcher = ChainWatcher()
    var runs = 0
    watcher.onLink = { chain in
      guard runs == 0 else { return }
      runs = 1
      chain.cancel()
      XCTAssertNil(chain.load().refusal)
    }
    chain.delegate = watcher
    chain.load()
    await waitUntil { watcher.events.contains("succeeded") }
    XCTAssertEqual(watcher.events, ["link 0", "cancelled by-caller", "link 0", "link 1", "succeeded"])
    XCTAssertEqual(chain.output, 2)
  }

  func testASecondRunIsRefusedAndCancelEndsTheLinkInTheAir() async throws {
    stub.on("/api/x", .json("{}"))
    stub.hold()
    let manager = makeManager("x")
    let chain = ManagerChain(manager.loading())
    let watcher = ChainWatcher()
    chain.delegate = watcher
    chain.load()
    try await stub.waitForRequests(1)
    XCTAssertEqual(chain.load().refusal?.reason, .alreadyLoading)
    chain.cancel()
    XCTAssertEqual(watcher.events, ["cancelled by-caller"])
    await waitUntil { !manager.isLoading }
  }

  func testReleasingAChainCancelsItsLink() async throws {
    stub.on("/api/x", .json("{}"))
    stub.hold()
    let manager = makeManager("x")
    var chain: AnyManagerChain? = ManagerChain(manager.loading())
    chain?.load()
    try await stub.waitForRequests(1)
    chain = nil
    await waitUntil { !manager.isLoading }
    XCTAssertNil(manager.lastResponse)
  }

  func testTheLinksShareTheProgressThatAGroupSees() async throws {
    let group = ManagerGroup()
    group.reportsProgress = true
    group.add(ManagerChain(MemberWork("one") { 1 }).map { $0 + 1 })
    let watcher = GroupWatcher()
    group.delegate = watcher
    _ = try await group.landing()
    XCTAssertEqual(
      watcher.events.filter { $0.hasPrefix("progress") },
      ["progress 0/1 0.5", "progress 0/1 1.0", "progress 1/1 1.0"])
  }

  func testChainsAndGroupsNestInOneAnother() async throws {
    stub.on("/api/ids", .json("[1, 2, 3]"))
    stub.on("/api/home", .json("{}"))
    let ids = makeManager("ids")
    let home = makeManager("home")
    let chain = ManagerChain(ids.loading()).then { ids in
      let details = ManagerGroup(maximumInFlight: 2)
      for id in ids.raw.elements { details.add(home.loading(["id": try id.require(Int.self)])) }
      return details
    }
    let group = ManagerGroup()
    let key = group.add(chain)
    let results = try await group.landing()
    XCTAssertEqual(results.value(of: key)?.successCount, 3)
    XCTAssertEqual(Set(stub.requests.dropFirst().compactMap(\.url.query)), ["id=1", "id=2", "id=3"])
  }

  func testTheDeadlineIsForAllLinksTogether() async throws {
    stub.on("/api/slow", .json("{}"))
    stub.hold()
    let time = ManualTime()
    let slow = makeManager("slow")
    let chain = ManagerChain(MemberWork("one") { 1 }).then { _ in slow.loading() }
    chain.deadline = .seconds(3)
    chain.time = time
    async let landing = failure { try await chain.landing() }
    try await stub.waitForRequests(1)
    await time.advanceOnceAsleep(by: .seconds(3))
    let error = await landing
    XCTAssertEqual(error?.reason, .deadlineExceeded)
    XCTAssertEqual(
      error?.detail, "chain was not finished before its deadline of 3 s: 1 of 2 members had succeeded")
    XCTAssertEqual(chain.failedLink?.index, 1)
    await waitUntil { !slow.isLoading }
  }
}

/// Writes down what a chain tells.
@MainActor final class ChainWatcher: ManagerChainDelegate {
  private(set) var events: [String] = []
  var onLink: (AnyManagerChain) -> Void = { _ in }

  func chainDidSucceed(_ chain: AnyManagerChain) { events.append("succeeded") }
  func chain(_ chain: AnyManagerChain, didFailWith error: APIError) {
    events.append("failed \(error.label) at \(chain.failedLink?.index ?? -1)")
  }
  func chain(_ chain: AnyManagerChain, didCancel flight: FlightID, because reason: CancellationReason) {
    events.append("cancelled \(reason)")
  }
  func chain(_ chain: AnyManagerChain, didLandLinkAt index: Int) {
    events.append("link \(index)")
    onLink(chain)
  }
}
