import Foundation

/// What a user gains against the clients of others: the same page of 20 homes by each, one at a time and 64 in flight.
///
/// Those of `--clients` run in a process of their own. Moya sends by Alamofire.
func againstOtherClients(_ measurement: Measurement) async throws {
  try await clients(measurement, inFlight: 1, "one at a time", count: 3_000, others: 1_000)
  try await clients(measurement, inFlight: 64, "64 in flight", count: 12_800, others: 1_280)
}

private func clients(
  _ measurement: Measurement, inFlight: Int, _ how: String, count: Int, others: Int
) async throws {
  let program = try measurement.clients.map(OtherClients.init)
  let clients = ["URLSession"] + (program?.names ?? [])
  func name(_ ours: String, _ client: String) -> String {
    "\(ours), \(how), against \(client) and JSONDecoder"
  }
  let (delegated, awaiting) = ("manager to delegate", "awaited and decoded as Decodable")
  let yardstick = name("bare libcurl's fetch", "URLSession")
  guard measurement.wants(clients.flatMap { [name(delegated, $0), name(awaiting, $0)] } + [yardstick])
  else { return }
  let jobs = try WireJobs(try WireServer.shared.get().baseURL)
  var (system, delegate, awaited, bare) = (LoadCost(), LoadCost(), LoadCost(), LoadCost())
  var costs: [String: LoadCost] = [:]
  for _ in 0..<measurement.rounds {
    try await system.measure(others) { try await jobs.urlSession($0, inFlight: inFlight, WireJobs.decoded) }
    await delegate.measure(count) { await jobs.managers($0, inFlight: inFlight) }
    try await awaited.measure(count) { try await jobs.awaited($0, inFlight: inFlight) }
    try bare.measure(count) { try jobs.bareCurl($0, inFlight: inFlight) }
    try program?.measure(&costs, jobs.url, count: count / 2, inFlight: inFlight)
  }
  costs["URLSession"] = system
  func record(_ name: String, _ ours: LoadCost, _ theirs: LoadCost, bar: Bar = .none) {
    measurement.record(
      name, theirs.wall / ours.wall, "x", bar: bar,
      note: "\(ours.rates(against: theirs)); CPU \(ours.cpus(against: theirs)) a load")
  }
  for client in clients {
    let theirs = costs[client, default: LoadCost()]
    let isBarred = client == "AsyncHTTPClient" && inFlight > 1
    record(name(delegated, client), delegate, theirs, bar: isBarred ? .atLeast(4) : .none)
    record(name(awaiting, client), awaited, theirs)
  }
  record(yardstick, bare, system)
}

/// The clients of a program that was built apart, from the packages of others.
private struct OtherClients {
  let program: URL
  let names: [String]

  init(_ program: URL) throws {
    self.program = program
    names = String(decoding: try ChildProcess.output(of: program, ["--names"]), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }

  /// Has each client make so many loads once more.
  func measure(_ costs: inout [String: LoadCost], _ url: URL, count: Int, inFlight: Int) throws {
    for name in names {
      let arguments = [name, url.absoluteString, String(count), String(inFlight)]
      let line = try ChildProcess.output(of: program, arguments)
      costs[name, default: LoadCost()].take(try JSONDecoder().decode(LoadCost.self, from: line))
    }
  }
}

/// The least that a load has cost so far, in seconds: by the clock, and by the CPU of the process, of which other processes
/// take nothing.
struct LoadCost: Decodable {
  private(set) var wall = Double.infinity
  private(set) var cpu = Double.infinity

  init() {}

  private init(_ seconds: Double, since start: Double, _ count: Int) {
    (wall, cpu) = (seconds, (ProcessUse.cpuSeconds - start) / Double(count))
  }

  /// Measures so many loads once more.
  ///
  /// - Parameter job: Makes them, and gives the seconds of one.
  mutating func measure(_ count: Int, _ job: (Int) async throws -> Double) async rethrows {
    let start = ProcessUse.cpuSeconds
    let seconds = try await job(count)
    take(LoadCost(seconds, since: start, count))
  }

  /// ``measure(_:_:)-((Int)async->Double)`` for work of this thread.
  mutating func measure(_ count: Int, _ job: (Int) throws -> Double) rethrows {
    let start = ProcessUse.cpuSeconds
    let seconds = try job(count)
    take(LoadCost(seconds, since: start, count))
  }

  /// Keeps what is the least of both.
  mutating func take(_ other: Self) {
    (wall, cpu) = (min(wall, other.wall), min(cpu, other.cpu))
  }

  /// Both speeds, for a note.
  func rates(against other: Self) -> String {
    String(format: "%.0f against %.0f a second", 1 / wall, 1 / other.wall)
  }

  /// The CPU of both, for a note.
  func cpus(against other: Self) -> String {
    String(format: "%.1f against %.1f µs", cpu * 1e6, other.cpu * 1e6)
  }
}
