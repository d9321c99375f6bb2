/// What a fresh process can be started for, by name: see ``ChildProcess``.
let childJobs: [String: @Sendable ([String]) async throws -> any Encodable] = [
  "outstanding-flights": outstandingFlights,
  "idle-tasks": idleTasks,
  "download": downloadPeak,
  "upload": uploadPeak,
  "cache-growth": cacheGrowth,
]
