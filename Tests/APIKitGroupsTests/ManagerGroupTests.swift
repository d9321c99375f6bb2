@testable import APIKitGroups
import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Groups as an application meets them.
@MainActor final class ManagerGroupTests: XCTestCase {
  private let stub = StubTransport()
  private let time = ManualTime()

  private func makeManager(_ path: String) -> TestManager {
    let manager = TestManager(stub)
    manager.apiName = path
    manager.sharedState = SharedState()
    return manager
  }

  func testALargeGroupDoesNotHoldUpTheMainActor() async throws {
    let group = ManagerGroup(.settleAll)
    for number in 0..<5_000 { group.add(MemberWork("work") { number }) }
    let start = Duration.ofProcessor
    let results = try await group.landing()
    XCTAssertLessThan(
      .ofProcessor - start, .seconds(4), "it was eight seconds, and four times that for twice as many")
    XCTAssertEqual(results.successCount, 5_000)
  }

  func testATaskThatIsCancelledAlreadySendsNothing() async throws {
    let manager = makeManager("a")
    let group = ManagerGroup()
    group.add(manager.loading())
    let chain = ManagerChain(manager.loading())
    for land in [{ _ = try await group.landing() }, { _ = try await chain.landing() }]
      as [@MainActor () async throws -> Void]
    {
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await land()
      }
      _ = await task.result
      await landingsWorkedOff()
      XCTAssertEqual(stub.requests.count, 0)
      XCTAssertFalse(manager.isLoading)
    }
  }

  func testTheResultsOfAllMembersAreReadByTheirKeysAndTypes() async throws {
    stub.on("/api/a", .json(#"{"n": 1}"#))
    let group = ManagerGroup()
    let load = group.add(makeManager("a").loading(["x": 1]))
    let work = group.add(MemberWork("sum") { 40 + 2 })
    let results = try await group.landing()
    XCTAssertEqual(results.value(of: load)?.raw.n.int, 1)
    XCTAssertEqual(results.value(of: work), 42)
    XCTAssertEqual(stub.requests.map(\.url.query), ["x=1"])
    XCTAssertNil(ManagerGroup().results[work], "the key belongs to another group")
  }

  func testTheFirstFailureIsTheGroupsAndCancelsTheFlightsOfTheOthers() async throws {
    let gate = StubGate()
    stub.on("/api/slow", .held(by: gate, .json("{}")))
    stub.on("/api/bad", .status(500))
    let slow = makeManager("slow")
    let recorder = Recorder()
    slow.delegate = recorder
    let group = ManagerGroup()
    let key = group.add(slow.loading())
    group.add(makeManager("bad").loading())
    let error = await failure { try await group.landing() }
    XCTAssertEqual(error?.context.status, 500)
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.cancellations.count, 1)
    guard case .failure(let dropped)? = group.results[key] else { return XCTFail("it has a result") }
    XCTAssertEqual(dropped.reason, .cancelled)
    XCTAssertFalse(group.isLoading)
  }

  func testSettlingGivesEveryMembersEnd() async throws {
    stub.on("/api/good", .json("{}"))
    stub.on("/api/bad", .status(404))
    let group = ManagerGroup(.settleAll)
    let good = group.add(makeManager("good").loading())
    let bad = group.add(makeManager("bad").loading())
    let results = try await group.landing()
    XCTAssertEqual(results.value(of: good)?.status, 200)
    XCTAssertNil(results.value(of: bad))
    XCTAssertEqual(results.failures.map(\.error.context.status), [404])
    XCTAssertEqual(results.successCount, 1)
  }

  func testAMissedQuorumSaysHowManyThereWereAndWhy() async throws {
    stub.on("/api/good", .json("{}"))
    stub.on("/api/bad", .status(404))
    let group = ManagerGroup(.quorum(2), name: "mirrors", maximumInFlight: 1)
    group.add(makeManager("good").loading())
    group.add(makeManager("bad").loading())
    group.add(makeManager("bad").loading())
    let error = await failure { try await group.landing() }
    XCTAssertEqual(error?.reason, .quorumMissed)
    XCTAssertEqual(
      error?.detail, "1 of 3 members of mirrors succeeded, 2 had to; TestManager: status 404")
  }

  func testNoMoreFlyAtOnceThanAllowed() async throws {
    stub.on("/api/x", .json("{}"))
    stub.hold()
    let group = ManagerGroup(.failFast, maximumInFlight: 2)
    for _ in 0..<5 { group.add(makeManager("x").loading()) }
    group.load()
    try await stub.waitForRequests(2)
    for done in 1...3 {
      stub.release(1)
      try await stub.waitForRequests(2 + done)
      XCTAssertLessThanOrEqual(stub.heldCount, 2)
    }
    stub.release()
    await waitUntil { !group.isLoading }
    XCTAssertEqual(group.results.successCount, 5)
  }

  func testAMemberCancelledFromADelegateCallbackFailsTheGroupOnce() async throws {
    stub.on("/api/first", .json("{}"))
    stub.on("/api/second", .held(by: StubGate(), .json("{}")))
    let (first, second) = (makeManager("first"), makeManager("second"))
    let recorder = Recorder()
    recorder.onSuccess = { _ in second.cancel() }
    first.delegate = recorder
    let group = ManagerGroup()
    let watcher = GroupWatcher()
    group.delegate = watcher
    group.add(second.loading())
    group.add(first.loading())
    let error = await failure { try await group.landing() }
    XCTAssertEqual(error?.reason, .cancelled)
    XCTAssertEqual(watcher.events.last, "failed takeoff.cancelled")
    XCTAssertEqual(watcher.events.count { $0.hasPrefix("failed") }, 1)
  }

  func testAGroupCancelledFromItsOwnCallbackMayStartAgainThere() async throws {
    stub.on("/api/x", .json("{}"))
    let group = ManagerGroup()
    let watcher = GroupWatcher()
    var runs = 0
    watcher.onMember = { group, index in
      guard runs == 0, index == 0 else { return }
      runs = 1
      group.cancel()
      group.load()
    }
    group.delegate = watcher
    group.maximumInFlight = 1
    group.add(makeManager("x").loading())
    group.add(makeManager("x").loading())
    group.load()
    await waitUntil { watcher.events.contains("succeeded 2") }
    XCTAssertEqual(
      watcher.events.filter { !$0.hasPrefix("progress") },
      ["member 0", "cancelled by-caller", "member 0", "member 1", "succeeded 2"])
  }

  func testAGroupCancelledWhenItsLastMemberLandsIsCancelledAndHasNotSucceeded() async throws {
    let group = ManagerGroup()
    let watcher = GroupWatcher()
    watcher.onMember = { group, _ in group.cancel() }
    group.delegate = watcher
    group.add(MemberWork("only") { 1 })
    let error = await failure { try await group.landing() }
    XCTAssertEqual(error?.detail, "cancelled: by-caller")
    XCTAssertEqual(watcher.events, ["member 0", "cancelled by-caller"])
  }

  func testAGroupCancelledRightAfterItsStartSendsNothing() async throws {
    stub.on("/api/x", .json("{}"))
    let group = ManagerGroup()
    let key = group.add(makeManager("x").loading())
    let watcher = GroupWatcher()
    group.delegate = watcher
    group.load()
    group.cancel()
    await landingsWorkedOff()
    XCTAssertEqual(watcher.events, ["cancelled by-caller"])
    XCTAssertEqual(stub.requests.count, 0)
    guard case .failure(let dropped)? = group.results[key] else { return XCTFail("it has a result") }
    XCTAssertEqual(dropped.reason, .cancelled)
  }

  func testAGroupWithoutMembersTellsItsEndAfterTheCallToLoadHasReturned() async throws {
    let group = ManagerGroup()
    let watcher = GroupWatcher()
    group.delegate = watcher
    XCTAssertNil(group.load().refusal)
    XCTAssertEqual(watcher.events, [])
    await waitUntil { !group.isLoading }
    XCTAssertEqual(watcher.events, ["succeeded 0"])
  }

  func testTheProgressIsThatOfTheRunInFlightOrOfTheLast() async throws {
    stub.on("/api/x", .json("{}"))
    stub.hold()
    let group = ManagerGroup(.settleAll, maximumInFlight: 1)
    group.add(MemberWork("first") { 1 })
    group.add(makeManager("x").loading())
    XCTAssertEqual(group.progress, GroupProgress(settled: 0, total: 2, fraction: 0))
    group.load()
    try await stub.waitForRequests(1)
    XCTAssertEqual(group.progress, GroupProgress(settled: 1, total: 2, fraction: 0.5))
    stub.release()
    await waitUntil { !group.isLoading }
    XCTAssertEqual(group.progress, GroupProgress(settled: 2, total: 2, fraction: 1))
  }

  func testASecondRunIsRefusedWhileOneIsInTheAirAndCancelEndsTheMembers() async throws {
    stub.on("/api/x", .json("{}"))
    stub.hold()
    let manager = makeManager("x")
    let group = ManagerGroup()
    group.add(manager.loading())
    let watcher = GroupWatcher()
    group.delegate = watcher
    group.load()
    try await stub.waitForRequests(1)
    XCTAssertEqual(group.load().refusal?.reason, .alreadyLoading)
    group.cancel()
    XCTAssertEqual(watcher.events, ["cancelled by-caller"])
    await waitUntil { !manager.isLoading }
  }

  func testReleasingAGroupCancelsItsMembers() async throws {
    stub.on("/api/x", .json("{}"))
    stub.hold()
    let manager = makeManager("x")
    var group: ManagerGroup? = ManagerGroup()
    group?.add(manager.loading())
    group?.load()
    try await stub.waitForRequests(1)
    group = nil
    await waitUntil { !manager.isLoading }
    XCTAssertNil(manager.lastResponse)
  }

  func testTheSharedDeadlineEndsTheRunAndNamesItself() async throws {
    stub.on("/api/x", .json("{}"))
    stub.hold()
    let group = ManagerGroup(.failFast, name: "start", deadline: .seconds(5))
    group.time = time
    let key = group.add(makeManager("x").loading())
    async let landing = failure { try await group.landing() }
    try await stub.waitForRequests(1)
    await time.advanceOnceAsleep(by: .seconds(5))
    let error = await landing
    XCTAssertEqual(error?.reason, .deadlineExceeded)
    XCTAssertEqual(
      error?.detail, "start was not finished before its deadline of 5 s: 0 of 1 members had succeeded")
    guard case .failure(let late)? = group.results[key] else { return XCTFail("it has a result") }
    XCTAssertEqual(late.reason, .deadlineExceeded)
  }

  func testGroupsNestAndTheirProgressAddsUp() async throws {
    stub.on("/api/x", .json("{}"))
    let inner = ManagerGroup(.settleAll, name: "inner", maximumInFlight: 1)
    inner.add(makeManager("x").loading())
    inner.add(MemberWork("second") { 2 })
    let outer = ManagerGroup(name: "outer", maximumInFlight: 1)
    outer.reportsProgress = true
    let key = outer.add(inner)
    outer.add(MemberWork("third") { 3 })
    let watcher = GroupWatcher()
    outer.delegate = watcher
    let results = try await outer.landing()
    XCTAssertEqual(results.value(of: key)?.successCount, 2)
    XCTAssertEqual(
      watcher.events.filter { $0.hasPrefix("progress") },
      ["progress 0/2 0.25", "progress 0/2 0.5", "progress 1/2 0.5", "progress 2/2 1.0"])
  }

  func testCancellingTheTaskThatWaitsCancelsNestedGroupsToo() async throws {
    stub.on("/api/x", .json("{}"))
    stub.hold()
    let manager = makeManager("x")
    let inner = ManagerGroup()
    inner.add(manager.loading())
    let outer = ManagerGroup()
    outer.add(inner)
    let task = Task { await failure { try await outer.landing() } }
    try await stub.waitForRequests(1)
    task.cancel()
    let error = await task.value
    XCTAssertEqual(error?.reason, .cancelled)
    await waitUntil { !manager.isLoading && !inner.isLoading }
  }
}

/// Writes down what a group tells.
@MainActor final class GroupWatcher: ManagerGroupDelegate {
  private(set) var events: [String] = []
  var onMember: (ManagerGroup, Int) -> Void = { _, _ in }

  func group(_ group: ManagerGroup, didSucceedWith results: GroupResults) {
    events.append("succeeded \(results.successCount)")
  }
  func group(_ group: ManagerGroup, didFailWith error: APIError, results: GroupResults) {
    events.append("failed \(error.label)")
  }
  func group(_ group: ManagerGroup, didCancel flight: FlightID, because reason: CancellationReason) {
    events.append("cancelled \(reason)")
  }
  func group(_ group: ManagerGroup, didLandMemberAt index: Int, results: GroupResults) {
    events.append("member \(index)")
    onMember(group, index)
  }
  func group(_ group: ManagerGroup, didProgress progress: GroupProgress) {
    events.append("progress \(progress.settled)/\(progress.total) \(progress.fraction)")
  }
}
