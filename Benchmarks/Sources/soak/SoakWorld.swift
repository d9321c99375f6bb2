import APIKit
import CMachine
import DemoServer
import Foundation

/// Everything that loads: origin, proxy, transport, two users and their managers.
@MainActor final class SoakWorld {
  let book: SoakBook
  private let server: SoakServer
  private let proxy: FaultProxy
  private var users: [SoakUser]
  private var random: SoakRandom
  private let plant: Plant?
  private var kept: [[UInt8]] = []
  private var left: [SoakManager] = []

  private static let managersPerUser = 6
  /// How long the loads of a round may take to land: every wait among them ends well before.
  private let patience: Duration

  init(random: SoakRandom, plant: Plant?) throws {
    self.random = random
    self.plant = plant
    patience = plant == nil ? .seconds(40) : .seconds(5)
    server = try SoakServer(plant: plant)
    proxy = try FaultProxy(to: server.server.port, random: self.random.split())
    book = SoakBook(plant: plant)
    var configuration = TransportConfiguration.ephemeral
    configuration.connections = ConnectionLimits(perHost: 16)
    configuration.timeouts.idle = .seconds(5)
    let transport = try CurlTransport(configuration)
    let store = ResponseCache(memoryBytes: 1 << 20, memoryCount: 100)
    let baseURL = try HTTPURL("http://127.0.0.1:\(proxy.port)")
    users = []
    for name in ["ada", "ben"] {
      users.append(SoakUser(name, baseURL: baseURL, transport: transport, store: store, server: server))
    }
    for user in users {
      for _ in 0..<Self.managersPerUser { user.managers.append(makeManager(user)) }
    }
  }

  /// What the proxy has served, and how often it broke a connection in each way.
  typealias ProxyCounts = (connections: Int, faults: [String: Int])
  var proxyCounts: ProxyCounts {
    let counts = proxy.counts
    return (counts.connections, Dictionary(uniqueKeysWithValues: counts.faults.map { ($0.rawValue, $1) }))
  }

  /// Does random things for a while, then waits until every load has landed.
  func round(lasting length: Duration) async {
    if random.chance(50) { server.expireTokens() }
    let end = ContinuousClock.now + length
    while ContinuousClock.now < end {
      for _ in 0..<Int.random(in: 1...6, using: &random) { act() }
      try? await Task.sleep(for: .milliseconds(Int.random(in: 1...8, using: &random)))
    }
    await waitForLandings()
    server.server.forget()
    switch plant {
    case .descriptors: _ = open("/dev/null", O_RDONLY)
    case .memory: kept.append([UInt8](repeating: 1, count: 1 << 20))
    case .registry: leaveALoad()
    default: break
    }
    let entries = FlightRegistry.shared.flights()
    if !entries.isEmpty { book.breach("\(entries.count) flights are in the registry though all have landed") }
  }

  /// One random act of a random user.
  private func act() {
    let user = users.randomElement(using: &random)!
    let index = Int.random(in: 0..<user.managers.count, using: &random)
    let manager = user.managers[index]
    let ask = SoakBook.Ask(user: user.name, number: Int.random(in: 0..<300, using: &random))
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<70: book.load(manager, ask)
    case 70..<78: if let flight = manager.flights.randomElement(using: &random) { manager.cancel(flight) }
    case 78..<80: manager.cancel()
    case 80..<82: FlightRegistry.shared.cancel(.tag("\(user.name) \(index % 2)"))
    case 82..<88:
      book.release(manager)
      user.managers[index] = makeManager(user)
    default: awaitOne(user, ask)
    }
  }

  /// Loads in a task of its own, which may be cancelled a little later.
  private func awaitOne(_ user: SoakUser, _ ask: SoakBook.Ask) {
    let manager = SoakManager(user.service, &random)
    let book = book
    let task = Task { await book.response(manager, ask) }
    guard random.chance(40) else { return }
    let patience = Duration.milliseconds(Int.random(in: 0...30, using: &random))
    Task {
      try? await Task.sleep(for: patience)
      task.cancel()
    }
  }

  private func makeManager(_ user: SoakUser) -> SoakManager {
    let manager = SoakManager(user.service, &random)
    manager.delegate = book
    manager.tags = ["\(user.name) \(user.managers.count % 2)"]
    return manager
  }

  /// A load that the book does not know and that does not land.
  private func leaveALoad() {
    let manager = SoakManager(users[0].service, &random, apiName: "never")
    manager.load()
    left.append(manager)
  }

  private func waitForLandings() async {
    let end = ContinuousClock.now + patience
    while book.openCount > 0, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(5)) }
    if book.openCount > 0 { book.giveUp() }
  }

  /// Ends everything; nothing of it may be left afterwards.
  func end() {
    users = []
    left = []
    proxy.stop()
    server.server.stop()
  }
}

/// What the process holds.
enum Holdings {
  /// Its open descriptors.
  static var descriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }

  /// What they lead to, with how many lead there.
  static var targets: String {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    let targets = names.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }
    // Pipes and sockets have a number each.
    let kinds = targets.map { $0.hasPrefix("anon_inode:") ? $0 : String($0.prefix { $0 != "[" }) }
    let counts = Dictionary(kinds.map { ($0, 1) }, uniquingKeysWith: +)
    return (counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" } + ["threads \(threads)"])
      .joined(separator: ", ")
  }

  /// The names of its threads, with how many have each.
  private static var threads: String {
    let ids = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    let names = ids.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
    return Dictionary(names.map { ($0.dropLast(), 1) }, uniquingKeysWith: +)
      .map { "\($0.key) \($0.value)" }.sorted().joined(separator: "/")
  }

  /// The bytes taken from the heap.
  static var heap: Int {
    machine_trim_heap()
    return machine_heap_in_use()
  }
}
