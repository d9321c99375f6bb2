import APIKit

/// Instructions instead of time: a machine that is busy, or slower than another one, has as many of them.
let countGroup = BenchGroup(
  name: "count", summary: "instructions of a load, as many on a busy machine as on a quiet one",
  isOnlyOnDemand: true, isTimed: false
) { measurement in
  let (path, wire) = (
    "instructions of a load without a wire, signed", "instructions of one of 64 loads over a wire"
  )
  if measurement.wants(path) {
    let count = try InstructionCount.perLoad("instant-loads", [], 2_000, 8_000)
    measurement.record(path, count / 1_000, "thousand", bar: .atMost(76))
  }
  guard measurement.wants(wire) else { return }
  let server = try WireServer.shared.get().baseURL
  let ours = try InstructionCount.perLoad("wire-loads", [server], 1_000, 4_000)
  let bare = try InstructionCount.perLoad("wire-fetches", [server], 1_000, 4_000)
  measurement.record(
    wire, ours / 1_000, "thousand", bar: .atMost(365),
    note: "\(Int(bare / 1_000)) thousand of libcurl alone, \(WireJobs.bareCurlNote)")
}

/// Loads without a wire; the argument is their number.
func instantLoads(_ arguments: [String]) async throws -> Int {
  let count = try number(arguments.first)
  _ = await LoadDriver.run(service: BenchService(transport: InstantTransport()), loads: count, inFlight: 64) {
    _ in
  }
  return count
}

/// Loads of a server; the arguments are that and their number.
func wireLoads(_ arguments: [String]) async throws -> Int {
  let count = try number(arguments.last)
  _ = try await WireJobs(arguments[0]).managers(count, inFlight: 64)
  return count
}

/// The same by libcurl alone.
func wireFetches(_ arguments: [String]) async throws -> Int {
  let count = try number(arguments.last)
  _ = try WireJobs(arguments[0]).bareCurl(count, inFlight: 64)
  return count
}

private func number(_ text: String?) throws -> Int {
  guard let number = text.flatMap({ Int($0) }) else { throw BenchFailure("a number of loads is needed") }
  return number
}
