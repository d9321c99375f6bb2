import APIKit
import Foundation

/// What a load takes from the heap, and what is left of a thousand when they are over.
func loadMemory(_ measurement: Measurement) throws {
  let names = (
    allocations: "allocations of a lone load, without libcurl's",
    rest: "memory of its own of a process that rests after 1,000 loads",
    restOfURLSession: "the same, of URLSession and JSONSerialization"
  )
  if measurement.wants(names.allocations) {
    let use: LoadAllocations = try ChildProcess.run(
      "load-allocations", [try WireServer.shared.get().baseURL], countsAllocations: true)
    measurement.record(
      names.allocations, use.load - use.bareCurl, "allocations", bar: .atMost(75),
      note: String(
        format: "%.1f in all, 20 of them texts of the rows; libcurl alone %.1f, %@", use.load, use.bareCurl,
        WireJobs.bareCurlNote))
  }
  if measurement.wants(names.rest) {
    try recordRest(measurement, names.rest, "rest-after-loads", bar: .atMost(6))
  }
  if measurement.wants(names.restOfURLSession) {
    try recordRest(measurement, names.restOfURLSession, "rest-after-urlsession", bar: .none)
  }
}

private func recordRest(_ measurement: Measurement, _ name: String, _ job: String, bar: Bar) throws {
  let server = try WireServer.shared.get().baseURL
  var best: RestingMemory?
  for _ in 0..<min(measurement.rounds, 3) {
    let memory: RestingMemory = try ChildProcess.run(job, [server])
    if memory.own < best?.own ?? .infinity { best = memory }
  }
  guard let best else { return }
  measurement.record(
    name, best.own, "MiB", bar: bar,
    note: String(
      format:
        "above the same process before its first load; on the heap %.2f; pages of libraries, which are shared, %.2f",
      best.heap, best.files))
}

/// How often each load allocates.
struct LoadAllocations: Codable {
  let load: Double
  let bareCurl: Double
}

/// Loads one at a time; the argument is the server.
func loadAllocations(_ arguments: [String]) async throws -> LoadAllocations {
  let jobs = try jobs(arguments)
  let count = 500
  // Connection, threads and caches are there before it counts.
  _ = await jobs.managers(200, inFlight: 1)
  let loads = try await ProcessUse.allocations { _ = await jobs.managers(count, inFlight: 1) }
  // What libcurl allocates once, and for its first fetches, is not counted.
  let few = try await ProcessUse.allocations { _ = try jobs.bareCurl(10, inFlight: 1) }
  let bare = try await ProcessUse.allocations { _ = try jobs.bareCurl(10 + count, inFlight: 1) }
  return LoadAllocations(load: Double(loads) / Double(count), bareCurl: Double(bare - few) / Double(count))
}

/// What a process holds above what it held before its first load, in MiB.
struct RestingMemory: Codable {
  /// Resident, without ``files``.
  let own: Double
  let heap: Double
  /// Resident pages of programs and libraries.
  let files: Double
}

/// A thousand loads, 64 in flight; the argument is the server.
func restAfterLoads(_ arguments: [String]) async throws -> RestingMemory {
  let start = try Resting()
  let jobs = try jobs(arguments)
  _ = await jobs.managers(1_000, inFlight: 64)
  return try await start.growth()
}

/// The same by URLSession; the argument is the server.
func restAfterURLSession(_ arguments: [String]) async throws -> RestingMemory {
  let start = try Resting()
  let jobs = try jobs(arguments)
  _ = try await jobs.urlSession(1_000, inFlight: 64, WireJobs.serialized)
  return try await start.growth()
}

private func jobs(_ arguments: [String]) throws -> WireJobs {
  guard let server = arguments.first else { throw BenchFailure("a server is needed") }
  return try WireJobs(server)
}

private struct Resting {
  private let before: (resident: Int, heap: Int, files: Int)

  init() throws {
    // What the measurement itself needs is there before.
    _ = try RawFixtures.page()
    before = (ProcessUse.resident, ProcessUse.heap, ProcessUse.residentFiles)
  }

  /// The growth until now, after a second of rest.
  func growth() async throws -> RestingMemory {
    try await Task.sleep(for: .seconds(1))
    func mebibytes(_ bytes: Int) -> Double { Double(bytes) / 1_048_576 }
    let files = ProcessUse.residentFiles - before.files
    return RestingMemory(
      own: mebibytes(ProcessUse.resident - before.resident - files),
      heap: mebibytes(ProcessUse.heap - before.heap),
      files: mebibytes(files))
  }
}
