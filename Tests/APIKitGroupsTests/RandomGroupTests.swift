import APIKitGroups
import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// Groups and chains whose policy, members, faults and moves a seed chooses: whatever they are, some rules hold.
///
/// `APIKIT_GROUP_SEEDS=100-200` runs these seeds instead of the first forty.
@MainActor final class RandomGroupTests: XCTestCase {
  func testWhateverIsStatedTheRulesHold() async throws {
    for seed in SeededGenerator.seeds("APIKIT_GROUP_SEEDS", count: 40) {
      let world = GroupWorld(seed: seed)
      await world.run()
      XCTAssertEqual(
        world.faults, [], "seed \(seed): \(world.settings)\n\(world.told.joined(separator: "\n"))")
      if !world.faults.isEmpty { break }
    }
  }
}

/// A member that tells when it runs.
private struct WatchedMember<Member: GroupMember>: GroupMember {
  let base: Member
  let index: Int
  unowned let world: GroupWorld

  var memberName: String { base.memberName }

  func run(report: (@MainActor (Double) -> Void)?) async throws(APIError) -> Member.Value {
    let number = world.began(index)
    do throws(APIError) {
      let value = try await base.run(report: report)
      world.ended(index, number)
      return value
    } catch {
      world.ended(index, number)
      throw error
    }
  }
}

@MainActor private final class GroupWorld: ManagerGroupDelegate, ManagerChainDelegate {
  private(set) var faults: [String] = []
  /// What was done and told, in order.
  private(set) var told: [String] = []
  private(set) var settings = ""
  private var random: SeededGenerator
  private let stub = StubTransport(keepsRequests: false)
  private var managers: [TestManager] = []
  private var object: BaseManagerGroup?
  private var policy = GroupPolicy.failFast
  private var limit = 1
  private let actsInCallbacks: Bool
  private var depth = 0
  /// The runs that have begun, and those that have ended.
  private var (begun, over) = (0, 0)
  /// The members of the present run: those that run, and those that were told to have ended.
  private var running: Set<Int> = []
  private var landed: Set<Int> = []
  private var fraction = 0.0
  private var alive = 0

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    actsInCallbacks = random.next() % 2 == 0
    let dice = Mutex(SeededGenerator(seed: random.next()))
    stub.on(
      "*",
      .computed { _ async throws(APIError) in
        let value = Int(dice.withLock { $0.next() } % 100)
        if value < 50 { try? await Task.sleep(for: .microseconds(value * 60)) }
        return value % 5 == 0 ? .status(500) : value % 9 == 0 ? .failure(.connectionLost) : .json("{}")
      })
    for index in 0..<4 {
      let manager = TestManager(stub)
      manager.apiName = "m\(index)"
      manager.takeoffPolicy = pick(.concurrent, .concurrent, .queue, .cancelPrevious, .ignoreNew)
      managers.append(manager)
    }
    chance(30) ? makeChain() : makeGroup()
  }

  private func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }
  private func pick<Value>(_ values: Value...) -> Value { values[Int(random.next() % UInt64(values.count))] }
  private func fail(_ text: String) { faults.append(text) }

  // MARK: What runs

  private func member(_ index: Int) -> any GroupMember {
    let load = pick(managers[0], managers[1], managers[2], managers[3]).loading()
    switch random.next() % 4 {
    case 0:
      let (fails, pause) = (chance(20), Int64(random.next() % 3_000))
      return WatchedMember(
        base: MemberWork("work") {
          try await Task.sleep(for: .microseconds(pause))
          if fails { throw ValidationError("no") }
        }, index: index, world: self)
    case 1:
      let inner = ManagerGroup(pick(.failFast, .settleAll, .firstSuccess))
      inner.add(load)
      inner.add(managers[0].loading())
      return WatchedMember(base: inner, index: index, world: self)
    case 2:
      let (chain, last) = (ManagerChain(load), managers[1].loading())
      return WatchedMember(base: chain.then { _ in last }, index: index, world: self)
    default: return WatchedMember(base: load, index: index, world: self)
    }
  }

  private func makeGroup() {
    policy = pick(.failFast, .settleAll, .quorum(Int(random.next() % 5)), .firstSuccess)
    limit = pick(1, 2, .max)
    let group = ManagerGroup(policy, maximumInFlight: limit)
    for index in 0..<Int(random.next() % 6) { add(member(index), to: group) }
    group.reportsProgress = chance(50)
    group.delegate = self
    make(group)
  }

  private func add(_ member: some GroupMember, to group: ManagerGroup) { group.add(member) }

  private func makeChain() {
    var loads = (0..<3).map { index in
      WatchedMember(base: managers[index].loading(), index: index, world: self)
    }
    let (first, second, third) = (loads.removeFirst(), loads.removeFirst(), loads.removeFirst())
    let chain = ManagerChain(first).then { _ in second }.then { _ in third }
    chain.delegate = self
    make(chain)
  }

  private func make(_ object: BaseManagerGroup) {
    if chance(30) { object.deadline = .milliseconds(pick(2, 4, 10)) }
    self.object = object
    settings =
      "\(type(of: object)) \(policy), \(limit) at once, within \(object.deadline.map { "\($0)" } ?? "no limit")"
  }

  // MARK: The run

  func run() async {
    for _ in 0..<20 {
      move()
      check()
      if chance(60) { try? await Task.sleep(for: .microseconds(Int64(random.next() % 4_000))) }
      check()
    }
    for _ in 0..<2_000 where object?.isLoading == true || alive > 0 {
      try? await Task.sleep(for: .milliseconds(1))
    }
    check()
    if object?.isLoading == true { fail("a run has not ended") }
    if alive > 0 || managers.contains(where: \.isLoading) { fail("members still run") }
    object = nil
  }

  private func move() {
    guard let object else { return }
    switch random.next() % 100 {
    case 0..<60:
      let wasLoading = object.isLoading
      let takeoff = object.load()
      told.append("load: \(takeoff)")
      if (takeoff.refusal == nil) == wasLoading { fail("a run began while another was in flight") }
      guard takeoff.refusal == nil else { return }
      begun += 1
      (running, landed, fraction) = ([], [], 0)
    case 60..<80:
      told.append("cancel")
      let (before, wasLoading) = (over, object.isLoading)
      object.cancel()
      if depth == 0, !actsInCallbacks, object.isLoading { fail("a run is in flight after a cancellation") }
      if !wasLoading, over != before { fail("a cancellation of nothing was told") }
    case 80..<90:
      told.append("cancel a manager")
      pick(managers[0], managers[1], managers[2], managers[3]).cancel()
    default: break
    }
  }

  private func check() {
    let isLoading = object?.isLoading == true
    if begun - over != (isLoading ? 1 : 0) {
      fail("\(begun) runs have begun, \(over) are over, \(isLoading)")
    }
  }

  private func act(_ text: String) {
    told.append(text)
    guard actsInCallbacks, depth < 3, chance(30) else { return }
    depth += 1
    move()
    depth -= 1
  }

  // MARK: The rules

  func began(_ index: Int) -> Int {
    alive += 1
    // One that was cancelled before it began belongs to a run that is over.
    guard !Task.isCancelled else { return -1 }
    told.append("member \(index) begins")
    if object?.isLoading != true { fail("member \(index) began without a run") }
    running.insert(index)
    if running.count > limit { fail("\(running) run at once") }
    return begun
  }

  func ended(_ index: Int, _ number: Int) {
    alive -= 1
    if number == begun { running.remove(index) }
  }

  private func landed(_ index: Int, _ results: GroupResults) {
    if object?.isLoading != true { fail("member \(index) was told without a run") }
    if !landed.insert(index).inserted { fail("member \(index) was told twice") }
    if results.members[index].result == nil { fail("member \(index) has no result") }
    act("member \(index) has ended")
  }

  private func end(_ text: String, _ results: GroupResults?, isSuccess: Bool? = nil) {
    over += 1
    if object?.isLoading == true { fail("the run that ends is in flight") }
    if let results, results.members.contains(where: { $0.result == nil }) { fail("a member has no result") }
    let (count, successes) = (results?.members.count ?? 0, results?.successCount ?? 0)
    let isEnough =
      switch policy {
      case .failFast: successes == count
      case .settleAll: true
      case .quorum(let needed): successes >= needed
      case .firstSuccess: successes > 0
      }
    if let isSuccess, isSuccess != isEnough, object?.deadline == nil {
      fail("\(successes) of \(count) have succeeded: \(text)")
    }
    if isSuccess == true, !isEnough { fail("\(successes) of \(count) are too few") }
    act(text)
  }

  func group(_ group: ManagerGroup, didSucceedWith results: GroupResults) {
    end("success", results, isSuccess: true)
  }
  func group(_ group: ManagerGroup, didFailWith error: APIError, results: GroupResults) {
    end("failure \(error.label)", results, isSuccess: false)
  }
  func group(_ group: ManagerGroup, didCancel flight: FlightID, because reason: CancellationReason) {
    end("cancelled \(reason)", nil)
  }
  func group(_ group: ManagerGroup, didLandMemberAt index: Int, results: GroupResults) {
    landed(index, results)
  }
  func group(_ group: ManagerGroup, didProgress progress: GroupProgress) {
    if !group.isLoading { fail("progress was told without a run") }
    if progress.fraction < fraction || progress.fraction > 1 {
      fail("from \(fraction) to \(progress.fraction)")
    }
    fraction = progress.fraction
    act("progress \(progress.fraction)")
  }
  func chainDidSucceed(_ chain: AnyManagerChain) { end("success", chain.results, isSuccess: true) }
  func chain(_ chain: AnyManagerChain, didFailWith error: APIError) {
    end("failure \(error.label)", chain.results, isSuccess: false)
  }
  func chain(_ chain: AnyManagerChain, didCancel flight: FlightID, because reason: CancellationReason) {
    end("cancelled \(reason)", nil)
  }
  func chain(_ chain: AnyManagerChain, didLandLinkAt index: Int) {
    if landed.count != index { fail("link \(index) has ended behind \(landed)") }
    landed(index, chain.results)
  }
}
