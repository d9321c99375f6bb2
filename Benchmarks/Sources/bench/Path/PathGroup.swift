import APIKit
import CMachine
import Foundation

let pathGroup = BenchGroup(name: "path", summary: "a load from takeoff to landing") { measurement in
  await ownCPU(measurement)
  try await wholePath(measurement)
  try await againstOtherClients(measurement)
  try await onOneCore(measurement)
  try await awaitedAndDecoded(measurement)
  try await ownSigner(measurement)
  try await poolOfOne(measurement)
  try await threadHops(measurement)
  try await loneLoad(measurement)
  try loadMemory(measurement)
}

/// What a load costs beside transport and parsing: parameters, policy, assembly, HMAC signature, the steps
/// of the flight, landing on a delegate. The transport responds at once with an empty body, so that neither a
/// wire nor a parser is in the number.
private func ownCPU(_ measurement: Measurement) async {
  let name = "the framework's own CPU per load, signed"
  guard measurement.wants(name) else { return }
  let service = BenchService(transport: InstantTransport())
  let loads = 20_000
  var (own, yard) = (Double.infinity, Double.infinity)
  for _ in 0..<measurement.rounds {
    own = min(own, await LoadDriver.run(service: service, loads: loads, inFlight: 64) { _ in }.cpu)
    // Between the rounds, so that it meets the same machine.
    yard = min(yard, measurement.seconds { keep(machine_yardstick(100)) } / 100)
  }
  own /= Double(loads)
  measurement.record(
    name, own * 1e6, "µs", bar: .atMost(7.5),
    note: String(
      format:
        "%.2f times the yardstick of this run, %.2f µs for 32 small allocations and the SHA-256 of 1 KiB",
      own / yard, yard * 1e6))
}

/// The whole path over a real wire, against the same job on the system's parts, and against libcurl alone.
private func wholePath(_ measurement: Measurement) async throws {
  let names = (
    system: "manager to delegate, 64 in flight, against URLSession and JSONSerialization",
    bare: "manager to delegate, 64 in flight, against bare libcurl's fetch",
    alone: "manager to delegate, one at a time, against bare libcurl one at a time",
    hops: "two hops with nothing in them, one at a time, against bare libcurl one at a time"
  )
  guard measurement.wants(names.system, names.bare, names.alone, names.hops) else { return }
  let jobs = try WireJobs(try WireServer.shared.get().baseURL)
  try await measurement.race(
    names.system, bar: .atLeast(12),
    ours: { await jobs.managers(12_800, inFlight: 64) },
    theirs: { try await jobs.urlSession(1_280, inFlight: 64, WireJobs.serialized) })
  try await measurement.race(
    names.bare, bar: .atLeast(0.5), note: WireJobs.bareCurlNote,
    ours: { await jobs.managers(12_800, inFlight: 64) },
    theirs: { try jobs.bareCurl(12_800, inFlight: 64) })
  try await measurement.race(
    names.alone, bar: .atLeast(0.5), note: WireJobs.bareCurlNote,
    ours: { await jobs.managers(3_000, inFlight: 1) },
    theirs: { try jobs.bareCurl(3_000, inFlight: 1) })
  try await measurement.race(
    names.hops, note: "bare libcurl on a thread of its own, asked from the main actor and telling it",
    ours: { try await jobs.bareCurlWithHops(3_000) },
    theirs: { try jobs.bareCurl(3_000, inFlight: 1) })
}

/// One core for the loads, as on a small machine or a busy one: what runs beside them on another core elsewhere is
/// in the number here. nginx has a core of its own, where there is one.
private func onOneCore(_ measurement: Measurement) async throws {
  let name = "pinned to one core, 64 in flight, against bare libcurl pinned alike"
  guard measurement.wants(name) else { return }
  let core = machine_core_above(-1)
  let other = machine_core_above(core)
  let server = try WireServer()
  if other >= 0 { try server.pin(toCore: other) }
  let arguments = [String(core), server.baseURL]
  let place = other >= 0 ? "nginx pinned to another" : "nginx on the same, there is no other"
  try await measurement.race(
    name, bar: .atLeast(0.35), note: "\(place); \(WireJobs.bareCurlNote)",
    ours: { try (ChildProcess.run("pinned-managers", arguments) as PinnedTime).seconds },
    theirs: { try (ChildProcess.run("pinned-bare-curl", arguments) as PinnedTime).seconds })
}

/// Tasks that await one manager and decode a type of their own: off the main actor, as in a command line tool or a server,
/// where each load wakes a thread for its task; and on the main actor, where the delegate is too, as in a view.
private func awaitedAndDecoded(_ measurement: Measurement) async throws {
  try await awaited(measurement, "decoded as Decodable", bar: 0.9) { try await $0.awaited($1, inFlight: 64) }
  try await awaited(measurement, "read as RawDecodable", bar: 0.95) {
    try await $0.awaitedRaw($1, inFlight: 64)
  }
  try await awaited(measurement, "decoded as Decodable on the main actor", bar: 0.9) {
    try await $0.awaitedOnMain($1, inFlight: 64) { try await $0.value($1, as: HomePage.self).items.count }
  }
  try await awaited(measurement, "read as RawDecodable on the main actor", bar: 0.95) {
    try await $0.awaitedOnMain($1, inFlight: 64) { try await $0.value($1, as: RawHomePage.self).items.count }
  }
}

/// Two rows: by the clock, and by the CPU of the process, of which other processes take nothing.
private func awaited(
  _ measurement: Measurement, _ how: String, bar: Double,
  _ ours: (_ jobs: WireJobs, _ count: Int) async throws -> Double
) async throws {
  let names = (
    wall: "awaited and \(how), 64 in flight, against manager to delegate",
    cpu: "CPU of a load \(how), the same"
  )
  guard measurement.wants(names.wall, names.cpu) else { return }
  let jobs = try WireJobs(try WireServer.shared.get().baseURL)
  let count = 12_800
  var (awaited, told) = (LoadCost(), LoadCost())
  for _ in 0..<measurement.rounds {
    try await awaited.measure(count) { try await ours(jobs, $0) }
    await told.measure(count) { await jobs.managers($0, inFlight: 64) }
  }
  measurement.record(
    names.wall, told.wall / awaited.wall, "x", bar: .atLeast(bar),
    note: "\(awaited.rates(against: told)); 64 tasks share one manager")
  measurement.record(
    names.cpu, told.cpu / awaited.cpu, "x", note: awaited.cpus(against: told))
}

/// What it costs that a load runs code of the application off the main actor.
private func ownSigner(_ measurement: Measurement) async throws {
  let name = "the same with a signer of the application's own, 64 in flight, against without"
  guard measurement.wants(name) else { return }
  let baseURL = try WireServer.shared.get().baseURL
  let with = try WireJobs(baseURL, signer: OwnSigner())
  let without = try WireJobs(baseURL, signer: nil)
  await measurement.race(
    name, note: "the other side has no signer",
    ours: { await with.managers(12_800, inFlight: 64) },
    theirs: { await without.managers(12_800, inFlight: 64) })
}

/// What a pool costs that has nothing to choose from.
private func poolOfOne(_ measurement: Measurement) async throws {
  let names = (
    many: "a pool of one address, 64 in flight, against no pool",
    alone: "a pool of one address, one at a time, against no pool"
  )
  guard measurement.wants(names.many, names.alone) else { return }
  let baseURL = try WireServer.shared.get().baseURL
  let url = try HTTPURL(baseURL)
  let pool = HostPool(
    url.host, addresses: [try HostAddress(url.host)], measuringInterval: nil)
  let (with, without) = (try WireJobs(baseURL, hosts: pool), try WireJobs(baseURL))
  await measurement.race(
    names.many, bar: .atLeast(0.95),
    ours: { await with.managers(12_800, inFlight: 64) },
    theirs: { await without.managers(12_800, inFlight: 64) })
  await measurement.race(
    names.alone, bar: .atLeast(0.95),
    ours: { await with.managers(3_000, inFlight: 1) },
    theirs: { await without.managers(3_000, inFlight: 1) })
}

/// How many times a load wakes a thread beside the one that its response wakes; each costs microseconds that the
/// load waits. Loads go one at a time, so every wait of a thread is a load's.
///
/// The server responds after 2 ms, as one across a network does: for one on the same machine the transport looks
/// a moment before it sleeps, and then no thread is woken by the response.
private func threadHops(_ measurement: Measurement) async throws {
  let name = "thread hops of a lone load"
  guard measurement.wants(name) else { return }
  let far = try WireServer(delay: .milliseconds(2))
  let near = try WireServer.shared.get()
  var wakes = (far: Double.infinity, near: Double.infinity)
  for _ in 0..<measurement.rounds {
    wakes.far = min(wakes.far, try (ChildProcess.run("lone-loads", [far.baseURL]) as LoneLoads).wakesPerLoad)
    wakes.near = min(
      wakes.near, try (ChildProcess.run("lone-loads", [near.baseURL]) as LoneLoads).wakesPerLoad)
  }
  measurement.record(
    name, wakes.far - 1, "hops", bar: .atMost(2),
    note: String(
      format:
        "its threads woke %.2f times, once of it by the network after 2 ms; %.2f times at a server beside it",
      wakes.far, wakes.near))
}
