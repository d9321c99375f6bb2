/// The seconds of one load on a pinned core.
struct PinnedTime: Codable {
  let seconds: Double
}

/// Loads on one core; the arguments are the core and the server.
func pinnedManagers(_ arguments: [String]) async throws -> PinnedTime {
  let jobs = try pinnedJobs(arguments)
  _ = await jobs.managers(640, inFlight: 64)
  return PinnedTime(seconds: await jobs.managers(6_400, inFlight: 64))
}

/// The bytes alone on one core; the arguments are the core and the server.
func pinnedBareCurl(_ arguments: [String]) async throws -> PinnedTime {
  let jobs = try pinnedJobs(arguments)
  _ = try jobs.bareCurl(640, inFlight: 64)
  return PinnedTime(seconds: try jobs.bareCurl(6_400, inFlight: 64))
}

/// The jobs of a process that stays on one core; the arguments are the core and the server.
func pinnedJobs(_ arguments: [String]) throws -> WireJobs {
  guard arguments.count == 2, let core = Int(arguments[0]) else {
    throw BenchFailure("a core and a server are needed")
  }
  try ChildProcess.stay(onCore: core)
  return try WireJobs(arguments[1])
}

/// How often threads were woken.
struct LoneLoads: Codable {
  let wakesPerLoad: Double
}

/// Loads one at a time; the argument is the server.
func loneLoads(_ arguments: [String]) async throws -> LoneLoads {
  guard let server = arguments.first else { throw BenchFailure("a server is needed") }
  let jobs = try WireJobs(server)
  let count = 500
  // Connection and threads are there before it counts.
  _ = await jobs.managers(200, inFlight: 1)
  let before = ProcessUse.waits
  _ = await jobs.managers(count, inFlight: 1)
  let wakes = ProcessUse.waits.reduce(0) { $0 + $1.value - before[$1.key, default: 0] }
  return LoneLoads(wakesPerLoad: Double(wakes) / Double(count))
}
