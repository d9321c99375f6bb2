/// What a fresh process can be started for, by name: see ``ChildProcess``.
let childJobs: [String: @Sendable ([String]) async throws -> any Encodable] = [
  "pinned-managers": pinnedManagers,
  "pinned-bare-curl": pinnedBareCurl,
  "lone-loads": loneLoads,
  "outstanding-flights": outstandingFlights,
  "idle-tasks": idleTasks,
  "download": downloadPeak,
  "upload": uploadPeak,
  "cache-growth": cacheGrowth,
]
