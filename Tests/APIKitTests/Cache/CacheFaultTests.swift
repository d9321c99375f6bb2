import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What goes wrong with a disk: after each fault a look-up gives the right response or none.
final class CacheFaultTests: XCTestCase {
  private func cache(_ folder: String, time: any TimeSource = SystemTime()) -> ResponseCache {
    ResponseCache(disk: DiskCacheConfiguration(folder: folder, bodyFileThreshold: 4096), time: time)
  }

  /// Stores responses 1 to `count`, every third with a body in a file, and closes the cache.
  private func fill(_ folder: String, _ count: Int = 30, time: any TimeSource = SystemTime()) async {
    let cache = cache(folder, time: time)
    for number in 1...count { cache.put(CacheFixture.entry(number, bytes: Self.bytes(number), time: time)) }
    await cache.flush()
  }

  static func bytes(_ number: Int) -> Int { number % 3 == 0 ? 9000 : 300 }

  /// How many responses are there; fails when one is not what was stored.
  private func intact(_ cache: ResponseCache, _ count: Int = 30, line: UInt = #line) -> Int {
    (1...count).count { number in
      guard let entry = cache.onDisk(number) else { return false }
      XCTAssertEqual(entry.http.bytes, CacheFixture.body(number, Self.bytes(number)), line: line)
      return true
    }
  }

  private func change(_ path: String, _ change: (inout Data) -> Void) throws {
    var data = try XCTUnwrap(FileManager.default.contents(atPath: path))
    change(&data)
    try data.write(to: URL(fileURLWithPath: path))
  }

  // MARK: Damage

  func testADatabaseThatIsNoneIsMadeAnewAndReported() async throws {
    let folder = temporaryFolder().path
    try Data(repeating: 0x58, count: 20_000).write(to: URL(fileURLWithPath: folder + "/responses.sqlite"))
    let cache = cache(folder)
    let log = FaultLog(cache)
    XCTAssertNil(cache.onDisk(1))
    cache.put(CacheFixture.entry(1))
    await cache.flush()
    XCTAssertEqual(log.kinds, [.damagedDatabase])
    XCTAssertNotNil(self.cache(folder).onDisk(1))
  }

  func testWhatIsStoredAfterTheFolderWasRemovedIsThereForTheNextProcess() async throws {
    let folder = temporaryFolder().path
    let cache = cache(folder)
    let log = FaultLog(cache)
    cache.put(CacheFixture.entry(1))
    await cache.flush()
    try FileManager.default.removeItem(atPath: folder)
    for number in [2, 3] {
      cache.put(CacheFixture.entry(number, bytes: Self.bytes(number)))
      await cache.flush()
      XCTAssertNotNil(cache.onDisk(number))
    }
    XCTAssertEqual(log.kinds, [.damagedDatabase])
    let later = self.cache(folder)
    XCTAssertNil(later.onDisk(1))
    for number in [2, 3] {
      XCTAssertEqual(later.onDisk(number)?.http.bytes, CacheFixture.body(number, Self.bytes(number)))
    }
  }

  func testADamagedDatabaseNeverGivesAWrongResponse() async throws {
    for seed in 1...12 {
      let folder = temporaryFolder().path
      await fill(folder)
      // What stands in the log has to reach the database first, to be damaged there.
      let database = try SQLiteDatabase(path: folder + "/responses.sqlite", patience: 1000)
      try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      try change(folder + "/responses.sqlite") { data in
        var random = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15
        for _ in 0..<200 {
          random = random &* 6_364_136_223_846_793_005 &+ 1
          // The first page holds the schema; the rest holds the responses.
          let offset = 4096 + Int(random >> 33) % (data.count - 4096)
          data[offset] ^= UInt8(truncatingIfNeeded: random >> 20) | 1
        }
      }
      let cache = cache(folder)
      _ = intact(cache)
      // And it can be used again.
      cache.put(CacheFixture.entry(1, bytes: Self.bytes(1)))
      await cache.flush()
      _ = intact(cache)
    }
  }

  func testATruncatedDatabaseGivesMisses() async throws {
    let folder = temporaryFolder().path
    await fill(folder)
    let database = try SQLiteDatabase(path: folder + "/responses.sqlite", patience: 1000)
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try change(folder + "/responses.sqlite") { $0 = $0.prefix($0.count / 2) }
    let cache = cache(folder)
    let log = FaultLog(cache)
    XCTAssertLessThan(intact(cache), 30)
    await cache.flush()
    XCTAssertTrue(log.kinds.contains(.damagedDatabase), "\(log.faults)")
    cache.put(CacheFixture.entry(1, bytes: Self.bytes(1)))
    await cache.flush()
    XCTAssertNotNil(cache.onDisk(1), "\(log.faults)")
  }

  func testADamagedTruncatedOrMissingBodyFileIsDroppedAndReported() async throws {
    for harm in ["flip", "truncate", "extend", "remove"] {
      let folder = temporaryFolder().path
      await fill(folder, 3)
      let path = folder + "/bodies/" + (try XCTUnwrap(CacheFixture.bodyFiles(folder).first))
      switch harm {
      case "flip": try change(path) { $0[4500] ^= 1 }
      case "truncate": try change(path) { $0 = $0.prefix(4500) }
      case "extend": try change(path) { $0.append(0) }
      default: try FileManager.default.removeItem(atPath: path)
      }
      let cache = cache(folder)
      let log = FaultLog(cache)
      XCTAssertNil(cache.onDisk(3), harm)
      XCTAssertNotNil(cache.onDisk(1))
      await cache.flush()
      XCTAssertEqual(log.kinds, [.damagedEntry], harm)
      XCTAssertEqual(cache.statistics.disk.count, 2, harm)
    }
  }

  func testAWrongSumOfSizesIsCorrected() async throws {
    for harm in [
      "UPDATE totals SET bytes = 1 << 40", "UPDATE totals SET bytes = -(1 << 40)",
      "UPDATE entries SET size = 1 << 40 WHERE id = 3",
    ] {
      let folder = temporaryFolder().path
      await fill(folder, 10)
      let database = try SQLiteDatabase(path: folder + "/responses.sqlite", patience: 1000)
      try database.execute(harm)
      let cache = ResponseCache(disk: DiskCacheConfiguration(folder: folder, maximumBytes: 100_000))
      for number in 11...30 {
        cache.put(CacheFixture.entry(number, bytes: 300))
        await cache.flush()
      }
      XCTAssertNotNil(cache.onDisk(30), harm)
      XCTAssertNotNil(cache.onDisk(29), harm)
      for number in 31...300 { cache.put(CacheFixture.entry(number, bytes: 300)) }
      await cache.flush()
      let sum = try database.number("SELECT sum(size) FROM entries")
      XCTAssertLessThanOrEqual(sum, 100_000, harm)
      XCTAssertEqual(sum, try database.number("SELECT bytes FROM totals"), harm)
    }
  }

  func testADatabaseOfALaterVersionIsLeftAlone() async throws {
    let folder = temporaryFolder().path
    await fill(folder, 1)
    let database = try SQLiteDatabase(path: folder + "/responses.sqlite", patience: 1000)
    try database.execute("PRAGMA user_version = 99; ALTER TABLE entries RENAME COLUMN key TO digest")
    let cache = cache(folder)
    let log = FaultLog(cache)
    XCTAssertNil(cache.onDisk(1))
    cache.put(CacheFixture.entry(2), in: .all)
    await cache.flush()
    XCTAssertEqual(log.faults.map(\.kind), [.futureSchema], "told once")
    XCTAssertNotNil(cache.memory.find(CacheFixture.query(2)), "the cache goes on in memory")
    XCTAssertEqual(try database.number("SELECT count(*) FROM entries"), 1)
    XCTAssertEqual(try database.number("PRAGMA user_version"), 99)
  }

  func testADatabaseOfAnEarlierVersionIsEmptiedAndUsed() async throws {
    let folder = temporaryFolder().path
    await fill(folder, 3)
    let database = try SQLiteDatabase(path: folder + "/responses.sqlite", patience: 1000)
    // As the first version had it, as far as it matters: without the table of uses.
    try database.execute("PRAGMA user_version = 1; DROP TABLE uses")
    let cache = cache(folder)
    let log = FaultLog(cache)
    XCTAssertNil(cache.onDisk(1))
    cache.put(CacheFixture.entry(2))
    await cache.flush()
    XCTAssertEqual(log.faults, [])
    XCTAssertNotNil(self.cache(folder).onDisk(2))
    XCTAssertEqual(cache.statistics.disk.count, 1)
    XCTAssertEqual(try database.number("PRAGMA user_version"), SQLiteSchema.cache.version)
  }

  func testADatabaseOfSomethingElseIsLeftAlone() async throws {
    let folder = temporaryFolder().path
    let database = try SQLiteDatabase(path: folder + "/responses.sqlite", patience: 1000)
    try database.execute("CREATE TABLE photos (id INTEGER); INSERT INTO photos VALUES (7)")
    let cache = cache(folder)
    let log = FaultLog(cache)
    cache.put(CacheFixture.entry(1))
    await cache.flush()
    XCTAssertEqual(log.kinds, [.unusable])
    XCTAssertEqual(try database.number("SELECT id FROM photos"), 7)
  }

  // MARK: Clocks

  func testAClockSetBackBetweenRunsLeavesNothingFresh() async throws {
    let folder = temporaryFolder().path
    let time = ManualTime()
    await fill(folder, 3, time: time)
    let later = ManualTime(wallClock: time.wallClock - 86_400)
    let cache = cache(folder, time: later)
    let rules = CacheRules(policy: .fresh(for: .seconds(1_000_000)))
    XCTAssertEqual(rules.verdict(on: cache.onDisk(1), from: .disk, at: cache.now), .ask)
    // It stays so when the clock has come to where it was: how long it took is not known.
    cache.put(CacheFixture.entry(9, time: later))
    await cache.flush()
    later.wallClock += 86_500
    XCTAssertEqual(rules.verdict(on: cache.onDisk(1), from: .disk, at: cache.now), .ask)
  }

  func testAClockSetForwardBetweenRunsMakesResponsesOld() async throws {
    let folder = temporaryFolder().path
    let time = ManualTime()
    await fill(folder, 3, time: time)
    let cache = cache(folder, time: ManualTime(wallClock: time.wallClock + 86_400))
    let rules = CacheRules(policy: .fresh())
    XCTAssertEqual(rules.verdict(on: cache.onDisk(1), from: .disk, at: cache.now), .ask)
  }

  func testAClockSetBackWhileRunningIsNoticed() async throws {
    let folder = temporaryFolder().path
    let time = ManualTime()
    await fill(folder, 3, time: time)
    let clock = ManualTime(wallClock: time.wallClock + 600)
    let cache = cache(folder, time: clock)
    XCTAssertEqual(cache.onDisk(1)?.isExpired, false)
    clock.wallClock -= 500
    XCTAssertEqual(cache.onDisk(1)?.isExpired, true, "it is 600 s old, the clock says 100")
  }

  // MARK: A disk that does not take it

  func testAFullDatabaseDropsWhatDoesNotFitAndKeepsTheRest() async throws {
    let folder = temporaryFolder().path
    var disk = DiskCacheConfiguration(folder: folder)
    disk.maximumPages = 40
    let cache = ResponseCache(disk: disk)
    let log = FaultLog(cache)
    for number in 1...200 {
      cache.put(CacheFixture.entry(number, bytes: Self.bytes(number)))
      if number % 10 == 0 { await cache.flush() }
    }
    XCTAssertTrue(log.kinds.contains(.unusable), "\(log.faults)")
    let there = intact(cache, 200)
    XCTAssertGreaterThan(there, 0)
    XCTAssertLessThan(there, 200)
  }

  func testARemovalThatCannotBeWrittenCountsAllTheSame() async throws {
    let folder = temporaryFolder().path
    let cache = cache(folder)
    cache.put(CacheFixture.entry(1))
    await cache.flush()
    let other = try SQLiteDatabase(path: folder + "/responses.sqlite", patience: 1000)
    try other.execute(
      "CREATE TRIGGER no BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'no room'); END")
    let log = FaultLog(cache)
    cache.remove(CacheFixture.key(1))
    await cache.flush()
    XCTAssertEqual(log.kinds, [.unusable])
    XCTAssertNil(cache.onDisk(1))
    await cache.flush()
  }

  func testAResponseThatCannotBeWrittenDoesNotLeaveTheOneBefore() async throws {
    let folder = temporaryFolder().path
    let cache = cache(folder)
    cache.put(CacheFixture.entry(1, bytes: 300))
    cache.put(CacheFixture.entry(2, bytes: 300))
    await cache.flush()
    XCTAssertNotNil(cache.onDisk(1))
    // Where bodies should go stands a file.
    try FileManager.default.removeItem(atPath: folder + "/bodies")
    try Data().write(to: URL(fileURLWithPath: folder + "/bodies"))
    let log = FaultLog(cache)
    cache.put(CacheFixture.entry(1, bytes: 9000))
    await cache.flush()
    XCTAssertEqual(log.kinds, [.unusable])
    XCTAssertNil(cache.onDisk(1))
    XCTAssertNotNil(cache.onDisk(2))
  }

  func testResponsesThatComeTooFastAreToldAndDoNotLeaveTheOnesBefore() async throws {
    let folder = temporaryFolder().path
    var disk = DiskCacheConfiguration(folder: folder)
    disk.maximumPendingBytes = 10_000
    let cache = ResponseCache(disk: disk)
    cache.put(CacheFixture.entry(1, bytes: 300))
    await cache.flush()
    let other = try SQLiteDatabase(path: folder + "/responses.sqlite", patience: 1000)
    try other.execute("BEGIN IMMEDIATE")
    let log = FaultLog(cache)
    // The writer takes the first and waits for the other; the rest gathers behind it.
    cache.put(CacheFixture.entry(2, bytes: 2000))
    for _ in 0..<1000 where cache.disk?.state.withLock({ $0.current.isEmpty }) == true {
      try await Task.sleep(for: .milliseconds(1))
    }
    for number in 3...40 { cache.put(CacheFixture.entry(number, bytes: 2000)) }
    cache.put(CacheFixture.entry(1, bytes: 500))
    XCTAssertNil(cache.onDisk(1))
    XCTAssertEqual(log.kinds, [.overrun])
    try other.execute("COMMIT")
    await cache.flush()
    XCTAssertNil(cache.onDisk(1))
    XCTAssertNotNil(cache.onDisk(2))
  }

  @MainActor func testALoadGoesOnToTheNetworkWhereWhatIsStoredIsDamaged() async throws {
    let folder = temporaryFolder().path
    let body = CacheFixture.body(1, 9000)
    let stub = StubTransport(.bytes(body, contentType: "application/json"))
    func load(_ cache: ResponseCache) async throws -> APIResponse {
      var service = TestService(stub)
      service.store = cache
      let manager = TestManager(service)
      manager.cachePolicy = .fresh()
      let response = try await manager.response([:])
      await cache.flush()
      return response
    }
    _ = try await load(cache(folder))
    try change(folder + "/bodies/" + (try XCTUnwrap(CacheFixture.bodyFiles(folder).first))) { $0[4500] ^= 1 }
    let second = cache(folder)
    let log = FaultLog(second)
    let response = try await load(second)
    XCTAssertEqual(response.provenance, .network)
    XCTAssertEqual(response.bytes, body)
    XCTAssertEqual(log.kinds, [.damagedEntry])
    let third = try await load(cache(folder))
    guard case .disk = third.provenance else { return XCTFail("it landed with \(third.provenance)") }
  }

  func testFilesLeftBehindAreSweptUp() async throws {
    let folder = temporaryFolder().path
    await fill(folder, 3)
    for name in ["left", "left.partial"] {
      try Data([1]).write(to: URL(fileURLWithPath: folder + "/bodies/" + name))
    }
    let young = cache(folder)
    await young.flush()
    XCTAssertEqual(CacheFixture.bodyFiles(folder).count, 3, "they may be another process's")
    var disk = DiskCacheConfiguration(folder: folder, bodyFileThreshold: 4096)
    disk.orphanAge = 0
    let old = ResponseCache(disk: disk)
    await old.flush()
    XCTAssertEqual(CacheFixture.bodyFiles(folder).count, 1)
    XCTAssertNotNil(old.onDisk(3))
  }

  // MARK: Sizes

  func testAResponseOfAHundredMegabytesComesBackWhole() async throws {
    let folder = temporaryFolder().path
    let body = [UInt8](unsafeUninitializedCapacity: 100 << 20) { bytes, count in
      for index in 0..<(100 << 17) {
        UnsafeMutableRawBufferPointer(bytes).storeBytes(
          of: UInt64(index) &* 0x9E37_79B9_7F4A_7C15, toByteOffset: index * 8, as: UInt64.self)
      }
      count = 100 << 20
    }
    let first = cache(folder)
    first.put(CacheFixture.entry(1).with { $0.http.body = .bytes(body) }, in: .all)
    await first.flush()
    XCTAssertEqual(first.statistics.memory.count, 0, "it would drive out all others")
    XCTAssertTrue(cache(folder).onDisk(1)?.http.bytes == body)
  }

  func testTenThousandSmallResponsesComeBackWhole() async throws {
    let folder = temporaryFolder().path
    let first = cache(folder)
    for number in 1...10_000 { first.put(CacheFixture.entry(number, bytes: 200)) }
    await first.flush()
    XCTAssertEqual(first.statistics.disk.count, 10_000)
    let second = cache(folder)
    for number in 1...10_000 {
      XCTAssertEqual(second.onDisk(number)?.http.bytes, CacheFixture.body(number, 200))
    }
  }
}
