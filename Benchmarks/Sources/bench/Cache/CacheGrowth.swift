import APIKit
import Foundation

/// What a process grows by while a million distinct responses pass through a cache of 32 MiB.
///
/// On the heap: what is resident also has the gaps that malloc keeps between them, which come to 6 to 19 MiB from
/// run to run, and would hide or make up what the cache takes.
func memoryBound(_ measurement: Measurement) throws {
  let name = "growth under a million stores, bound 32 MiB"
  guard measurement.wants(name) else { return }
  let growth: CacheGrowth = try ChildProcess.run("cache-growth", [])
  measurement.record(
    name, growth.heap, "MiB", bar: .atMost(35.2),
    note: String(
      format: "on the heap, for %d responses; %.1f by the cache's own books, %.1f resident", growth.count,
      growth.held, growth.resident))
}

/// What came of a million stores.
struct CacheGrowth: Codable {
  /// What the process grew by, in MiB.
  let resident: Double
  /// What its heap grew by, in MiB.
  let heap: Double
  /// What the cache believes to hold, in MiB.
  let held: Double
  /// How many responses it holds.
  let count: Int
}

/// Stores a million responses in a process of its own.
func cacheGrowth(_ arguments: [String]) async throws -> CacheGrowth {
  let page = try RawFixtures.page()
  let stored = 1_000_000
  // What the loads themselves need is there before the cache's part is counted.
  await CachedLoads(nil, policy: .none, body: page).run(20_000, distinct: 20_000, inFlight: 16)
  ProcessUse.trimHeap()
  let before = (resident: ProcessUse.resident, heap: ProcessUse.heap)
  let cache = ResponseCache(memoryBytes: 32 << 20, memoryCount: stored)
  let loads = await CachedLoads(cache, policy: .fresh(for: .seconds(3600)), body: page)
  await loads.run(stored, distinct: stored, inFlight: 16)
  return CacheGrowth(
    resident: Double(ProcessUse.resident - before.resident) / Double(1 << 20),
    heap: Double(ProcessUse.heap - before.heap) / Double(1 << 20),
    held: Double(cache.statistics.memory.bytes) / Double(1 << 20), count: cache.statistics.memory.count)
}
