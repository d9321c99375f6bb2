import APIKit
import Foundation
import TestServers

let cacheGroup = BenchGroup(name: "cache", summary: "stored responses in memory and on disk") { measurement in
  let page = try RawFixtures.page()
  try memoryBound(measurement)
  try await memoryLandings(measurement, page: page)
  try await diskLandings(measurement, page: page)
  await storing(measurement, page: page)
  await storingAtLanding(measurement, page: page)
  try await lookups(measurement)
}

/// A landing from memory, with its response parsed already, against one from nginx on loopback.
private func memoryLandings(_ measurement: Measurement, page: [UInt8]) async throws {
  let names = (
    "landing from memory, load to delegate, CPU", "landing from memory against one from nginx, one at a time"
  )
  guard measurement.wants(names.0, names.1) else { return }
  let memory = await CachedLoads(ResponseCache(), policy: .fresh(for: .seconds(3600)), body: page)
  await memory.run(10, distinct: 10)
  var cpu = Double.infinity
  for _ in 0..<measurement.rounds {
    cpu = min(cpu, await memory.run(20_000, distinct: 10, inFlight: 16).cpu / 20_000 * 1e6)
  }
  measurement.record(names.0, cpu, "µs", bar: .atMost(10))

  let nginx = try NginxServer()
  try Data(page).write(to: nginx.files.appendingPathComponent("list"))
  let network = await CachedLoads(
    nil, policy: .none, baseURL: try HTTPURL(nginx.url("/files")), transport: try CurlTransport())
  var best = (memory: Double.infinity, network: Double.infinity)
  for _ in 0..<measurement.rounds * 4 {
    best.memory = min(best.memory, await memory.run(1000, distinct: 10).wall / 1000)
    best.network = min(best.network, await network.run(100, distinct: 10).wall / 100)
  }
  measurement.record(
    names.1, best.network / best.memory, "x",
    bar: .atLeast(20), note: String(format: "%.1f against %.1f µs", best.memory * 1e6, best.network * 1e6))
}

/// A landing from disk: look-up, reading, parsing, and all that a flight does.
private func diskLandings(_ measurement: Measurement, page: [UInt8]) async throws {
  let name = "landing from disk, load to delegate, CPU"
  guard measurement.wants(name) else { return }
  let folder = BenchFolder()
  let cache = ResponseCache(disk: DiskCacheConfiguration(folder: folder.path))
  let disk = await CachedLoads(cache, policy: .fresh(for: .seconds(3600), in: .disk), body: page)
  await disk.run(1000, distinct: 1000)
  await cache.flush()
  var cpu = Double.infinity
  for _ in 0..<measurement.rounds {
    cpu = min(cpu, await disk.run(2000, distinct: 1000).cpu / 2000 * 1e6)
  }
  measurement.record(name, cpu, "µs", bar: .atMost(60))
}

/// What the cache adds to a load that misses and stores: key, look-up, the response made ready, the store. The
/// disk's writer is not the flight's and not in the number.
private func storing(_ measurement: Measurement, page: [UInt8]) async {
  let name = "what missing and storing adds to a load, CPU"
  guard measurement.wants(name) else { return }
  let count = 20_000
  var best = (with: Double.infinity, without: Double.infinity)
  for _ in 0..<measurement.rounds {
    let cache = ResponseCache()
    let with = await CachedLoads(cache, policy: .fresh(for: .seconds(3600)), body: page)
    let without = await CachedLoads(cache, policy: .none, body: page)
    best.with = min(best.with, await with.run(count, distinct: count, inFlight: 16).cpu / Double(count))
    best.without = min(
      best.without, await without.run(count, distinct: count, inFlight: 16).cpu / Double(count))
  }
  measurement.record(
    name, (best.with - best.without) * 1e6, "µs",
    note: String(format: "%.1f against %.1f µs", best.with * 1e6, best.without * 1e6))
}

/// How long a landing is held up by its response being stored, in memory and on disk: from the validator's word
/// to the first interceptor's turn.
private func storingAtLanding(_ measurement: Measurement, page: [UInt8]) async {
  let name = "a landing held up by its store, memory and disk, median"
  guard measurement.wants(name) else { return }
  var best = Double.infinity
  for _ in 0..<measurement.rounds {
    let folder = BenchFolder()
    let cache = ResponseCache(disk: DiskCacheConfiguration(folder: folder.path))
    let loads = await CachedLoads(cache, policy: .fresh(for: .seconds(3600)), body: page)
    let watch = StoreWatch()
    await loads.watch(watch)
    await loads.run(4000, distinct: 4000, inFlight: 1)
    best = min(best, await watch.median)
    await cache.flush()
  }
  measurement.record(
    name, best * 1e6, "µs", bar: .atMost(5))
}

/// Takes the time between a validator's word and the interceptor's turn: in between the response is stored.
@MainActor final class StoreWatch: APIManagerValidator, APIManagerInterceptor {
  private var validated = ContinuousClock.now
  private var seconds: [Double] = []

  var median: Double { seconds.sorted()[seconds.count / 2] }

  func manager(_ manager: BaseAPIManager, validate response: APIResponse) throws {
    validated = ContinuousClock.now
  }

  func manager(_ manager: BaseAPIManager, didReceive response: HTTPResponse, of flight: FlightID) {
    seconds.append(Measurement.seconds(ContinuousClock.now - validated))
  }
}

/// Look-ups among many stored responses against look-ups among few: both caches are filled first, then asked in
/// turn, the notes of use that the disk's writer makes of them included.
private func lookups(_ measurement: Measurement) async throws {
  let body = Array(#"{"items": []}"#.utf8)
  for (place, levels) in [("in memory", CacheLevels.memory), ("on disk", .disk)] {
    let name = "100,000 stored against 1,000, a landing \(place)"
    guard measurement.wants(name) else { continue }
    let sides = await [1000, 100_000].asyncMap { await StoredResponses($0, in: levels, body: body) }
    var best = [Double.infinity, .infinity]
    for _ in 0..<measurement.rounds * 4 {
      for (index, side) in sides.enumerated() {
        best[index] = min(best[index], await side.secondsPerLanding())
      }
    }
    measurement.record(
      name, best[1] / best[0], "x", bar: .atMost(2),
      note: String(format: "%.1f against %.1f µs", best[1] * 1e6, best[0] * 1e6))
  }
}

/// A cache that holds so many responses, and loads that land with them.
private struct StoredResponses {
  private let folder = BenchFolder()
  private let cache: ResponseCache
  private let loads: CachedLoads
  private let count: Int

  init(_ count: Int, in levels: CacheLevels, body: [UInt8]) async {
    self.count = count
    cache = ResponseCache(
      memoryBytes: 1 << 30, memoryCount: 200_000,
      disk: levels == .disk ? DiskCacheConfiguration(folder: folder.path) : nil)
    loads = await CachedLoads(cache, policy: .fresh(for: .seconds(36_000), in: levels), body: body)
    await loads.run(count, distinct: count, inFlight: 64)
    await cache.flush()
  }

  /// The processor time of one landing, in seconds, all threads and all that follows it counted.
  func secondsPerLanding() async -> Double {
    let landings = 2000
    let start = ProcessUse.cpuSeconds
    await loads.run(landings, distinct: count, step: 7919, inFlight: 16)
    await cache.flush()
    return (ProcessUse.cpuSeconds - start) / Double(landings)
  }
}

extension Array {
  /// The same as `map`, one after the other.
  fileprivate func asyncMap<Result>(_ transform: (Element) async -> Result) async -> [Result] {
    var results: [Result] = []
    for element in self { results.append(await transform(element)) }
    return results
  }
}
