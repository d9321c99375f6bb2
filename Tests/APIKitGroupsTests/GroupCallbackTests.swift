@testable import APIKitGroups
import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// A delegate that acts from within every callback of a group or a chain.
@MainActor final class GroupCallbackTests: XCTestCase {
  @MainActor private final class Owner: ManagerGroupDelegate, ManagerChainDelegate {
    var act: (String) -> Void = { _ in }
    private(set) var ends: [String] = []
    private(set) var points: Set<String> = []
    private(set) var fractions: [Double] = []

    private func at(_ point: String) {
      points.insert(point)
      act(point)
    }
    private func end(_ what: String) {
      ends.append(what)
      at(what)
    }
    func group(_ group: ManagerGroup, didSucceedWith results: GroupResults) { end("success") }
    func group(_ group: ManagerGroup, didFailWith error: APIError, results: GroupResults) { end("failure") }
    func group(_ group: ManagerGroup, didCancel flight: FlightID, because reason: CancellationReason) {
      end("cancel")
    }
    func group(_ group: ManagerGroup, didLandMemberAt index: Int, results: GroupResults) {
      at("member \(index)")
    }
    func group(_ group: ManagerGroup, didProgress progress: GroupProgress) {
      fractions.append(progress.fraction)
      at("progress")
    }
    func chainDidSucceed(_ chain: AnyManagerChain) { end("success") }
    func chain(_ chain: AnyManagerChain, didFailWith error: APIError) { end("failure") }
    func chain(_ chain: AnyManagerChain, didCancel flight: FlightID, because reason: CancellationReason) {
      end("cancel")
    }
    func chain(_ chain: AnyManagerChain, didLandLinkAt index: Int) { at("member \(index)") }
  }

  private enum Action: CaseIterable {
    case nothing, cancel, load, cancelAndLoad, loadAndCancel, cancelMember, release, add, deadline, await
  }

  private let points = [
    "member 0", "member 1", "member 2", "progress", "success", "failure", "cancel", "build",
  ]

  func testEveryActionFromEveryCallback() async throws {
    for isChain in [false, true] {
      for policy in [GroupPolicy.failFast, .settleAll, .quorum(2), .firstSuccess] {
        for failing in [nil, 0, 1, 2] as [Int?] {
          for isNested in [false, true] where !isChain || (policy == .failFast && !isNested) {
            for action in Action.allCases {
              for point in points {
                try await run(isChain, policy, failing, isNested, action, at: point)
              }
            }
          }
        }
      }
    }
  }

  private func run(
    _ isChain: Bool, _ policy: GroupPolicy, _ failing: Int?, _ isNested: Bool, _ action: Action,
    at point: String
  ) async throws {
    let name =
      "\(isChain ? "chain" : "group") \(policy) \(failing as Any) nested \(isNested) \(action) at \(point)"
    let stub = StubTransport()
    let managers = (0..<3).map { index in
      let manager = TestManager(stub)
      manager.apiName = "m\(index)"
      manager.takeoffPolicy = .ignoreNew
      manager.sharedState = SharedState()
      stub.on("/api/m\(index)", failing == index ? .json("{}", status: 500) : .json("{}"))
      return manager
    }
    let owner = Owner()
    var runs = 0
    var strong: BaseManagerGroup?
    weak var weakGroup: BaseManagerGroup?
    weak var inner: ManagerGroup?
    if isChain {
      let chain = ManagerChain(managers[0].loading())
        .then { [weak owner] _ in
          owner?.act("build")
          return managers[1].loading()
        }
        .then { _ in managers[2].loading() }
      chain.delegate = owner
      strong = chain
    } else {
      let group = ManagerGroup(policy)
      group.reportsProgress = true
      group.add(managers[0].loading())
      if isNested {
        let nested = ManagerGroup(.failFast, name: "nested")
        nested.add(managers[1].loading())
        nested.add(managers[2].loading())
        group.add(nested)
        inner = nested
      } else {
        group.add(managers[1].loading())
        group.add(managers[2].loading())
      }
      group.delegate = owner
      strong = group
    }
    weakGroup = strong
    var hasActed = false
    var results: [String] = []
    owner.act = { here in
      guard here == point, !hasActed else { return }
      hasActed = true
      switch action {
      case .nothing: break
      case .cancel: weakGroup?.cancel()
      case .load: if weakGroup?.load().flightID != nil { runs += 1 }
      case .cancelAndLoad:
        weakGroup?.cancel()
        if weakGroup?.load().flightID != nil { runs += 1 }
      case .loadAndCancel:
        if weakGroup?.load().flightID != nil { runs += 1 }
        weakGroup?.cancel()
      case .cancelMember:
        managers[2].cancel()
        inner?.cancel()
      case .release: strong = nil
      case .add: (weakGroup as? ManagerGroup)?.add(MemberWork("x") { 1 })
      case .deadline: weakGroup?.deadline = .zero
      case .await:
        guard let group = weakGroup as? ManagerGroup, !group.isLoading else { return }
        runs += 1
        Task { @MainActor in
          do {
            _ = try await group.landing()
            results.append("ok")
          } catch { results.append("\(error)") }
        }
      }
    }
    if strong?.load().flightID != nil { runs += 1 }
    let end = ContinuousClock.now + .seconds(5)
    while (weakGroup?.isLoading == true || owner.ends.count < runs) && weakGroup != nil {
      if ContinuousClock.now > end {
        XCTFail("\(name): does not end: \(owner.ends) of \(runs)")
        break
      }
      await Task.yield()
    }
    await landingsWorkedOff()
    if action != .release, owner.ends.count != runs { XCTFail("\(name): \(owner.ends) of \(runs) runs") }
    if let group = weakGroup, !group.results.members.isEmpty {
      if group.results.members.contains(where: { $0.result == nil }) {
        XCTFail("\(name): a member without result")
      }
      if group.progress.fraction != 1 { XCTFail("\(name): \(group.progress)") }
    }
    if owner.fractions.contains(where: { !(0...1).contains($0) }) { XCTFail("\(name): \(owner.fractions)") }
    strong = nil
    owner.act = { _ in }
    for _ in 0..<500 where weakGroup != nil || managers.contains(where: \.isLoading) {
      try? await Task.sleep(for: .milliseconds(1))
    }
    if weakGroup != nil { XCTFail("\(name): the group is kept") }
    if managers.contains(where: \.isLoading) { XCTFail("\(name): a member loads on") }
  }

  @MainActor private final class Teller: APIManagerDelegate, ManagerGroupDelegate {
    var events: [String] = []
    func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) { events.append("success") }
    func manager(_ manager: BaseAPIManager, didFailWith error: APIError) { events.append("failure") }
    func manager(_ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason) {
      events.append("cancel")
    }
    func group(_ group: ManagerGroup, didSucceedWith results: GroupResults) { events.append("group success") }
    func group(_ group: ManagerGroup, didFailWith error: APIError, results: GroupResults) {
      events.append("group failure")
    }
    func group(_ group: ManagerGroup, didCancel flight: FlightID, because reason: CancellationReason) {
      events.append("group cancel")
    }
  }

  func testMembersThatTheEndCancelsAreToldBehindTheGroup() async throws {
    for cancels in [false, true] {
      let (stub, gate, other, teller) = (StubTransport(), StubGate(), StubGate(), Teller())
      stub.on("/api/bad", .held(by: gate, .status(500)))
      stub.on("/api/slow", .held(by: other, .json("{}")))
      let group = ManagerGroup()
      group.delegate = teller
      for name in ["bad", "slow"] {
        let manager = TestManager(stub)
        manager.apiName = name
        manager.delegate = teller
        group.add(manager.loading())
      }
      group.load()
      try await gate.waitForArrivals(1)
      try await other.waitForArrivals(1)
      if cancels { group.cancel() } else { gate.open() }
      await waitUntil { teller.events.count == 3 }
      XCTAssertEqual(
        teller.events,
        cancels ? ["group cancel", "cancel", "cancel"] : ["failure", "group failure", "cancel"])
    }
  }

  func testNothingIsToldOfANestedGroupBehindItsCancellationInTheProgressOfTheOuterOne() async throws {
    let (stub, inner, outer) = (StubTransport(.json("{}")), Owner(), Owner())
    let nested = ManagerGroup(.settleAll, name: "nested")
    nested.reportsProgress = true
    for _ in 0..<2 { nested.add(TestManager(stub).loading()) }
    nested.delegate = inner
    let group = ManagerGroup(.settleAll)
    group.reportsProgress = true
    group.add(nested)
    group.delegate = outer
    var told: [String] = []
    inner.act = { told.append($0) }
    outer.act = { if $0 == "progress" { nested.cancel() } }
    group.load()
    await waitUntil { outer.ends.count == 1 }
    XCTAssertEqual(inner.ends, ["cancel"])
    XCTAssertEqual(told.last, "cancel", "\(told)")
  }

  func testNoWorkBeginsBehindTheEnd() async throws {
    for cancels in [false, true] {
      let (group, owner) = (ManagerGroup(), Owner())
      var begun = 0
      group.delegate = owner
      group.add(
        MemberWork("first") {
          if cancels { group.cancel() }
          throw APIError(.transport, .connectionLost)
        })
      group.add(MemberWork("second") { begun += 1 })
      group.load()
      await waitUntil { owner.ends.count == 1 }
      await landingsWorkedOff()
      XCTAssertEqual(begun, 0, "\(owner.ends)")
    }
    let owner = Owner()
    var begun = 0
    weak var running: AnyManagerChain?
    let chain = ManagerChain(MemberWork("first") { 1 }).then { _ in
      running?.cancel()
      return MemberWork("second") { begun += 1 }
    }
    (running, chain.delegate) = (chain, owner)
    chain.load()
    await waitUntil { owner.ends.count == 1 }
    await landingsWorkedOff()
    XCTAssertEqual(owner.ends, ["cancel"])
    XCTAssertEqual(begun, 0)
  }

  func testALinkOfNothingAndOfAnOptional() async throws {
    let chain = ManagerChain(MemberWork("nil") { nil as String? })
      .then { value in MemberWork("next") { value == nil ? nil as Int? : 1 } }
      .map { $0 }
    let output: Int?? = try await chain.landing()
    XCTAssertEqual(output, .some(nil))
    XCTAssertEqual(chain.output, .some(nil))
    let group = ManagerGroup()
    let key = group.add(MemberWork("nil") { nil as String? })
    let void = group.add(MemberWork("void") {})
    let results = try await group.landing()
    XCTAssertEqual(results.successCount, 2)
    XCTAssertNotNil(results[key])
    XCTAssertNotNil(results[void])
  }

  func testTheSameManagerTwiceAndAGroupInItself() async throws {
    let stub = StubTransport(.json("{}"))
    let manager = TestManager(stub)
    let group = ManagerGroup(.settleAll)
    group.add(manager.loading(["a": 1]))
    group.add(manager.loading(["a": 2]))
    group.add(group)
    let results = try await group.landing()
    XCTAssertEqual(results.successCount, 2)
    XCTAssertEqual(results.failures.map(\.error.reason), [.alreadyLoading])
  }
}
