import APIKit
import Foundation

let pathGroup = BenchGroup(name: "path", summary: "a load from takeoff to landing") { measurement in
  await ownCPU(measurement)
  try await wholePath(measurement)
}

/// What a load costs beside transport and parsing: parameters, policy, assembly, HMAC signature, the steps
/// of the flight, landing on a delegate. The transport responds at once with an empty body, so that neither a
/// wire nor a parser is in the number.
private func ownCPU(_ measurement: Measurement) async {
  let name = "the framework's own CPU per load, signed"
  guard measurement.wants(name) else { return }
  let service = BenchService(transport: InstantTransport())
  let loads = 20_000
  var best = Double.infinity
  for _ in 0..<measurement.rounds {
    best = min(best, await LoadDriver.run(service: service, loads: loads, inFlight: 64) { _ in }.cpu)
  }
  measurement.record(name, best / Double(loads) * 1e6, "µs", bar: .atMost(12))
}

/// The whole path over a real wire, against the same job on the system's parts, and against libcurl alone.
private func wholePath(_ measurement: Measurement) async throws {
  let names = (
    system: "manager to delegate, 64 in flight, against URLSession and JSONSerialization",
    bare: "manager to delegate, 64 in flight, against bare libcurl's fetch"
  )
  guard measurement.wants(names.system, names.bare) else { return }
  let jobs = try WireJobs(try WireServer.shared.get().baseURL)
  try await measurement.race(
    names.system, bar: .atLeast(10),
    ours: { await jobs.managers(12_800, inFlight: 64) },
    theirs: { try await jobs.urlSession(1_280, inFlight: 64) })
  try await measurement.race(
    names.bare, bar: .atLeast(0.4), note: WireJobs.bareCurlNote,
    ours: { await jobs.managers(12_800, inFlight: 64) },
    theirs: { try jobs.bareCurl(12_800, inFlight: 64) })
}
