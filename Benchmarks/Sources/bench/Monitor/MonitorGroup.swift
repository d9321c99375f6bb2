import APIKit

let monitorGroup = BenchGroup(name: "monitor", summary: "live events, kept exchanges, the report page") {
  measurement in
  try await liveEvents(measurement)
  try await keptExchanges(measurement)
}

/// Loads over a real wire while one listener is told of every event, against the same loads while nobody listens.
private func liveEvents(_ measurement: Measurement) async throws {
  let names = (
    many: "events on, one listener, against off, 64 in flight",
    alone: "events on, one listener, against off, one at a time"
  )
  guard measurement.wants(names.many, names.alone) else { return }
  let jobs = try WireJobs(try WireServer.shared.get().baseURL)
  for (name, count, inFlight) in [(names.many, 12_800, 64), (names.alone, 3_000, 1)]
  where measurement.wants(name) {
    let counter = EventCounter()
    var (off, ratios) = (Double.infinity, [Double]())
    // Loads have a fast and a slow state, by where the machine puts their threads. The fastest of a few runs is that of chance;
    // the median of what many neighbours differ by is not.
    for _ in 0..<measurement.rounds * 9 {
      let without = await jobs.managers(count, inFlight: inFlight)
      FlightEvents.shared.add(counter)
      let with = await jobs.managers(count, inFlight: inFlight)
      FlightEvents.shared.remove(counter)
      off = min(off, without)
      ratios.append(with / without)
    }
    measurement.record(
      name, ratios.sorted()[ratios.count / 2], "x", bar: .atMost(1.03),
      note: "\(counter.perLoad) events a load, \(Int(off * 1e9)) ns a load without, at best")
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
