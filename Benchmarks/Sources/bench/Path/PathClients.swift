import Foundation

/// What a user gains against the clients of others: the same page of 20 homes by each, one at a time and 64 in flight.
///
/// Alamofire, Moya and Get send by URLSession and decode with JSONDecoder, so none of them is faster than the other side here.
func againstOtherClients(_ measurement: Measurement) async throws {
  try await clients(measurement, inFlight: 1, "one at a time", count: 3_000, others: 1_000)
  try await clients(measurement, inFlight: 64, "64 in flight", count: 12_800, others: 1_280)
}

private func clients(
  _ measurement: Measurement, inFlight: Int, _ how: String, count: Int, others: Int
) async throws {
  let names = ["manager to delegate", "awaited and decoded as Decodable", "bare libcurl's fetch"].map {
    "\($0), \(how), against URLSession and JSONDecoder"
  }
  guard measurement.wants(names) else { return }
  let jobs = try WireJobs(try WireServer.shared.get().baseURL)
  var (system, delegate, awaited, bare) = (LoadCost(), LoadCost(), LoadCost(), LoadCost())
  for _ in 0..<measurement.rounds {
    try await system.measure(others) { try await jobs.urlSession($0, inFlight: inFlight, WireJobs.decoded) }
    await delegate.measure(count) { await jobs.managers($0, inFlight: inFlight) }
    try await awaited.measure(count) { try await jobs.awaited($0, inFlight: inFlight) }
    try bare.measure(count) { try jobs.bareCurl($0, inFlight: inFlight) }
  }
  for (name, ours) in zip(names, [delegate, awaited, bare]) {
    measurement.record(
      name, system.wall / ours.wall, "x",
      note: "\(ours.rates(against: system)); CPU \(ours.cpus(against: system)) a load")
  }
}

/// The least that a load has cost so far, in seconds: by the clock, and by the CPU of the process, of which other processes
/// take nothing.
struct LoadCost {
  private(set) var wall = Double.infinity
  private(set) var cpu = Double.infinity

  /// Measures so many loads once more.
  ///
  /// - Parameter job: Makes them, and gives the seconds of one.
  mutating func measure(_ count: Int, _ job: (Int) async throws -> Double) async rethrows {
    let start = ProcessUse.cpuSeconds
    take(try await job(count), since: start, count)
  }

  /// ``measure(_:_:)-((Int)async->Double)`` for work of this thread.
  mutating func measure(_ count: Int, _ job: (Int) throws -> Double) rethrows {
    let start = ProcessUse.cpuSeconds
    take(try job(count), since: start, count)
  }

  private mutating func take(_ seconds: Double, since start: Double, _ count: Int) {
    wall = min(wall, seconds)
    cpu = min(cpu, (ProcessUse.cpuSeconds - start) / Double(count))
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
