@testable import APIKitPaging
import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// Lists whose paging, settings, moves, users and faults a seed chooses: whatever they are, some rules hold.
///
/// `APIKIT_PAGING_SEEDS=100-200` runs these seeds instead of the first thirty.
@MainActor final class RandomPagingTests: XCTestCase {
  func testWhateverIsStatedTheRulesHold() async throws {
    for seed in SeededGenerator.seeds("APIKIT_PAGING_SEEDS", count: 30) {
      let world = try PagingWorld(seed: seed)
      do { try await world.run() } catch { world.faults.append("\(error)") }
      XCTAssertEqual(
        world.faults, [], "seed \(seed): \(world.settings)\n\(world.told.joined(separator: "\n"))")
      if !world.faults.isEmpty { break }
    }
  }
}

/// The loads of one pager, and what its delegate is told.
@MainActor private final class PagerRun: PagerDelegate {
  let pager: Pager
  /// The loads that have begun and not ended.
  private var open = 0
  private unowned let world: PagingWorld
  private let name: String

  init(_ pager: Pager, _ name: String, _ world: PagingWorld) {
    (self.pager, self.name, self.world) = (pager, name, world)
    pager.delegate = self
  }

  var items: [String] { pager.items.map { $0.id.string ?? "" } }

  func begin(_ move: String, refusesWhileLoading: Bool = false, _ takeOff: (Pager) -> Takeoff) {
    world.note("\(name) \(move)")
    let wasLoading = pager.isLoading
    let takeoff = takeOff(pager)
    if wasLoading, refusesWhileLoading, takeoff.refusal == nil { world.fail("\(name) \(move) took off") }
    switch takeoff {
    case .flying, .waiting:
      world.note("\(name) \(move): \(takeoff)")
      open += 1
    case .refused(let error): world.note("\(name) \(move): \(error.label)")
    }
  }

  func cancel() {
    let (before, wasLoading) = (world.told.count, pager.isLoading)
    world.note("\(name) cancel")
    pager.cancel()
    if !wasLoading, world.told.count != before + 1 { world.fail("a cancellation of nothing was told") }
    if !world.actsInCallbacks, pager.isLoading { world.fail("a page loads after a cancellation") }
  }

  func check() {
    if open != (pager.isLoading ? 1 : 0) {
      world.fail("\(name): \(open) loads have begun and not ended, loading \(pager.isLoading)")
    }
    let (indexes, ids) = (pager.pages.map(\.index), items)
    if let first = indexes.first, indexes != Array(first..<first + indexes.count) {
      world.fail("\(name): the pages are \(indexes)")
    }
    if Set(ids).count != ids.count { world.fail("\(name): an item is there twice: \(ids)") }
    world.check(ids, of: pager, beginsAt: indexes.first ?? 0)
  }

  private func ended(_ text: String) {
    world.note("\(name) \(text)")
    open -= 1
    world.act()
  }

  func pager(_ pager: Pager, didSucceedWith page: Page) {
    world.check(page)
    if !pager.pages.contains(where: { $0.response.flightID == page.response.flightID }) {
      world.fail("\(name) was told of a page that it does not have")
    }
    ended("page \(page.index): \(page.items.map { $0.id.string ?? "" })")
  }

  func pager(_ pager: Pager, didFailWith error: APIError) { ended("failed \(error.label) \(error.detail)") }

  func pager(_ pager: Pager, didCancelPage index: Int, because reason: CancellationReason) {
    ended("cancelled \(index) \(reason)")
  }

  func pagerDidReset(_ pager: Pager) {
    world.note("\(name) reset")
    world.act()
  }
}

@MainActor private final class PagingWorld: APIManagerDelegate, APIManagerParameterSource {
  var faults: [String] = []
  /// What was done and told, in order.
  private(set) var told: [String] = []
  private(set) var settings = ""
  /// Whether the delegates act when they are told.
  private(set) var actsInCallbacks: Bool
  private var random: SeededGenerator
  private let server: ListServer
  private let stub = StubTransport(keepsRequests: false)
  private let authenticator = Authenticator()
  private let manager: PagedManager
  private var runs: [PagerRun] = []
  private var sequences: [Task<Void, Never>] = []
  /// Whether homes are inserted into the lists.
  private let changes: Bool
  private let hasSource: Bool
  private var sourceCity = "a"
  private var depth = 0
  private var users = 0
  /// Who is signed in; a user whose credential a server has refused is not signed out.
  private var user: String?

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    let (strategy, hasTotal) = (Int(random.next() % 4), random.next() % 2 == 0)
    let size = 1 + Int(random.next() % 4)
    // A page with fewer items is the last where nothing else says so.
    let sent = hasTotal || strategy > 1 ? min(size, 1 + Int(random.next() % 4)) : size
    server = ListServer(strategy: strategy, hasTotal: hasTotal, size: size, sent: sent, seed: random.next())
    manager = PagedManager(stub, server.paging)
    (actsInCallbacks, changes) = (random.next() % 2 == 0, random.next() % 100 < 30)
    hasSource = random.next() % 100 < 20
    for city in ["a", "b", "c"] {
      let count = Int(random.next() % 14)
      server.state.withLock { $0.counts[city] = count }
    }
    makeManager()
    for name in ["A", "B"].prefix(chance(30) ? 2 : 1) { runs.append(PagerRun(Pager(manager), name, self)) }
    stub.on(
      "*", .computed { [server] request async throws(APIError) in try await server.respond(to: request) })
  }

  private func makeManager() {
    manager.service.authenticator = authenticator
    manager.service.store = ResponseCache()
    manager.service.cachePartition = nil
    manager.delegate = self
    if hasSource { manager.parameterSource = self }
    manager.cachePolicy = pick(.none, .none, .fresh(), .cacheThenNetwork)
    manager.signIn = chance(30) ? .required : .asAvailable
    if chance(50) {
      manager.retryPolicy = RetryPolicy(attempts: 3)
      manager.retryPolicy.backoff = .constant(.milliseconds(1))
    }
    manager.takeoffPolicy = pick(
      .concurrent, .concurrent, .cancelPrevious, .ignoreNew, .queue, .debounce(.milliseconds(1)))
    manager.joinsIdenticalFlights = chance(30)
    let paging = server.paging
    settings =
      "\(paging.strategy), \(server.sent) for \(paging.pageSize) of \(server.state.withLock { $0.counts }), total \(server.hasTotal), "
      + "\(manager.cachePolicy.rule), \(manager.takeoffPolicy.rule), joins \(manager.joinsIdenticalFlights), "
      + "changes \(changes), acts \(actsInCallbacks), source \(hasSource)"
  }

  private func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }
  private func pick<Value>(_ values: Value...) -> Value { values[Int(random.next() % UInt64(values.count))] }
  func fail(_ text: String) { faults.append(text) }
  func note(_ text: String) { told.append(text) }
  func parameters(for manager: BaseAPIManager) -> Parameters { ["city": sourceCity] }

  // MARK: The run

  func run() async throws {
    if chance(60) { try signIn() }
    for _ in 0..<30 {
      try move()
      runs.forEach { $0.check() }
      if chance(60) { try await Task.sleep(for: .microseconds(Int64(random.next() % 4_000))) }
      runs.forEach { $0.check() }
    }
    actsInCallbacks = false
    try await settle()
    for sequence in sequences { sequence.cancel() }
    for sequence in sequences { await sequence.value }
    try await end()
    faults += server.state.withLock { $0.faults }
  }

  private func settle() async throws {
    var waits = 0
    while runs.contains(where: \.pager.isLoading), waits < 2_000 {
      try await Task.sleep(for: .milliseconds(1))
      waits += 1
      // For those that wait for a sign-in.
      if waits % 20 == 0, authenticator.credential == nil { try signIn() }
    }
    if runs.contains(where: \.pager.isLoading) { fail("a page has not ended") }
    runs.forEach { $0.check() }
  }

  /// Without faults the whole list comes, in order and once; to a user of whom nothing is stored.
  private func end() async throws {
    server.state.withLock { $0.isSound = true }
    try signOut()
    try signIn()
    let (city, run) = (pick("a", "b", "c"), runs[0])
    run.begin("loadFirst \(city), at last") { $0.loadFirst(["city": city]) }
    try await settle()
    var pages = 1
    while run.pager.hasNext, pages < 40 {
      run.begin("loadNext, at last") { $0.loadNext() }
      try await settle()
      pages += 1
    }
    let all = server.ids(user ?? "nobody", city)
    if run.items != all { fail("the list has \(run.items) and not \(all)") }
    if manager.isLoading { fail("the manager is still loading") }
    var sequence: [String] = []
    for try await page in manager.pages(["city": city], loadsAhead: chance(50)) {
      sequence += page.items.map { $0.id.string ?? "" }
    }
    if sequence != all { fail("the sequence has \(sequence) and not \(all)") }
  }

  /// One move, or one event.
  private func move() throws {
    let (run, city) = (runs[Int(random.next() % UInt64(runs.count))], pick("a", "b", "c"))
    switch random.next() % 100 {
    // Another list of the source takes the place of one that is being loaded.
    case 0..<32: run.begin("loadNext", refusesWhileLoading: !hasSource) { $0.loadNext() }
    case 32..<40: run.begin("loadPrevious", refusesWhileLoading: !hasSource) { $0.loadPrevious() }
    case 40..<48: run.begin("refresh") { $0.refresh() }
    case 48..<56:
      let index = Int(random.next() % 5)
      run.begin("go to \(index)") { $0.go(to: index) }
    case 56..<64: run.begin("loadFirst \(city)") { $0.loadFirst(["city": city]) }
    case 64..<68: if hasSource { run.begin("loadFirst") { $0.loadFirst() } }
    case 68..<73: run.cancel()
    case 73..<76:
      note("parameters \(city)")
      run.pager.parameters = ["city": city]
    case 76..<82: try signIn()
    case 82..<85:
      try signOut()
    case 85..<88:
      note("manager.cancel")
      manager.cancel()
    case 88..<92:
      guard changes else { return }
      note("insert")
      server.state.withLock { $0.inserted += 1 }
    case 92..<95: follow(city)
    default:
      note("the source states \(city)")
      sourceCity = city
    }
  }

  /// Takes the pages one by one, for as long as it can.
  private func follow(_ city: String) {
    note("a sequence of \(city)")
    let pages = manager.pages(["city": city], loadsAhead: chance(50))
    let limit = Int(random.next() % 6)
    let task = Task { [unowned self] in
      var ids: [String] = []
      do throws(APIError) {
        var iterator = pages.makeAsyncIterator()
        for _ in 0..<limit {
          guard let page = try await iterator.next() else { break }
          check(page)
          ids += page.items.map { $0.id.string ?? "" }
        }
      } catch { note("the sequence failed: \(error.label)") }
      guard let owner = owner(of: ids), !changes else { return }
      if !server.ids(owner, city).starts(with: ids) { fail("the sequence has \(ids)") }
    }
    sequences.append(task)
    if chance(30) { task.cancel() }
  }

  private func signOut() throws {
    note("sign out")
    user = nil
    try authenticator.signOut()
  }

  private func signIn() throws {
    users += 1
    let next = (chance(30) ? user : nil) ?? "user\(users)"
    note("sign in \(next)")
    user = next
    try authenticator.signIn(with: Credential(accessToken: next, notes: ["user": next]))
  }

  /// A delegate is told something, and may act.
  func act() {
    guard actsInCallbacks, depth < 3, chance(40) else { return }
    depth += 1
    do { try move() } catch { fail("\(error)") }
    depth -= 1
  }

  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) { act() }
  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {}

  // MARK: The rules

  private func owner(of ids: [String]) -> String? {
    let owners = Set(ids.map { String($0.prefix { $0 != "-" }) })
    if owners.count > 1 { fail("items of \(owners)") }
    return owners.first
  }

  /// A page belongs to the user who is signed in. One that was requested signed out may land after a sign-in.
  func check(_ page: Page) {
    guard let owner = owner(of: page.items.map { $0.id.string ?? "" }), owner != "nobody", owner != user
    else { return }
    fail("\(user ?? "nobody") got a page of \(owner)")
  }

  func check(_ ids: [String], of pager: Pager, beginsAt index: Int) {
    guard let owner = owner(of: ids), !changes, let first = ids.first, let last = ids.last else { return }
    guard case .string(let city)? = pager.parameters["city"] else { return fail("no city is stated") }
    let all = server.ids(owner, city)
    guard let start = all.firstIndex(of: first) else { return fail("\(ids) are not of \(city)") }
    if !all[start...].starts(with: ids) { fail("the items \(ids) are not in order: \(all)") }
    if index == 0, start != 0 { fail("the first page begins with \(first)") }
    // Behind a jump, one page of a server that sends fewer than requested may look like the last of full ones.
    let sendsFewer = server.strategy == 0 && server.sent < server.size && index > 0
    let looksLast = sendsFewer && index * server.size + ids.count == all.count
    if last != all.last, !pager.hasNext, !looksLast { fail("no page is said to follow \(ids) of \(all)") }
    // By number and without a total the end shows at the page after it.
    let isKnown = (server.hasTotal || server.strategy > 1) && !sendsFewer
    if last == all.last, pager.hasNext, isKnown { fail("a page is said to follow \(ids), the whole list") }
  }
}
