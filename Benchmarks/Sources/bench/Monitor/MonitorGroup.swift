import APIKit
import CMachine

let monitorGroup = BenchGroup(name: "monitor", summary: "live events, kept exchanges, the report page") {
  measurement in
  try await liveEvents(measurement)
  try await keptExchanges(measurement)
}

/// Loads over a real wire while one listener is told of every event, against the same loads while nobody listens.
private func liveEvents(_ measurement: Measurement) async throws {
  let names = (
    many: "events on, one listener, against off, 64 in flight",
    alone: "events on, one listener, against off, one at a time, all on one core"
  )
  guard measurement.wants(names.many, names.alone) else { return }
  let rounds = measurement.rounds * 20
  if measurement.wants(names.many) {
    let jobs = try WireJobs(try WireServer.shared.get().baseURL)
    await EventsCost(jobs, rounds: rounds, loads: 6_400, inFlight: 64).record(names.many, measurement)
  }
  if measurement.wants(names.alone) {
    let core = machine_core_above(-1)
    let server = try WireServer()
    try server.pin(toCore: core)
    let cost: EventsCost = try ChildProcess.run(
      "pinned-events", [String(core), server.baseURL, String(rounds)])
    cost.record(names.alone, measurement)
  }
}

/// ``EventsCost`` of lone loads on one core, which their server shares: all that events cost is in it, and not the chance of
/// where a machine with two cores puts three threads. The arguments are the core, the server and the number of rounds.
func pinnedEvents(_ arguments: [String]) async throws -> EventsCost {
  guard arguments.count == 3, let rounds = Int(arguments[2]) else {
    throw BenchFailure("a core, a server and a number of rounds are needed")
  }
  return await EventsCost(
    try pinnedJobs(Array(arguments.prefix(2))), rounds: rounds, loads: 1_000, inFlight: 1)
}

/// What one listener costs a load: the mean of the fastest tenth of many short rounds, each side first in every other: a
/// single best round is chance.
struct EventsCost: Codable {
  /// The seconds of a load with it and without.
  private let on, off: Double
  /// The events that it was told of, a load.
  private let events: Int

  init(_ jobs: WireJobs, rounds: Int, loads: Int, inFlight: Int) async {
    let counter = EventCounter()
    var (with, without) = ([Double](), [Double]())
    for turn in 0..<rounds * 2 {
      if Measurement.isOurs(turn: turn) {
        FlightEvents.shared.add(counter)
        with.append(await jobs.managers(loads, inFlight: inFlight))
        FlightEvents.shared.remove(counter)
      } else {
        without.append(await jobs.managers(loads, inFlight: inFlight))
      }
    }
    (on, off) = (Self.fastest(with), Self.fastest(without))
    events = counter.perLoad
  }

  private static func fastest(_ seconds: [Double]) -> Double {
    let tenth = max(1, seconds.count / 10)
    return seconds.sorted().prefix(tenth).reduce(0, +) / Double(tenth)
  }

  func record(_ name: String, _ measurement: Measurement) {
    measurement.record(
      name, on / off, "x", bar: .atMost(1.03),
      note: "\(events) events a load, \(Int(on * 1e9)) against \(Int(off * 1e9)) ns a load")
  }
}

/// Counts what it is told.
private final class EventCounter: FlightListener {
  private let events = AtomicInt()
  private let landings = AtomicInt()

  var perLoad: Int { events.load() / max(1, landings.load()) }

  func receive(_ event: LiveEvent) {
    events.add(1)
    if case .landed = event.event { landings.add(1) }
  }
}
