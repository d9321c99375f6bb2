import Foundation
import XCTest

@testable import APIKit
@testable import TestSupport

/// Bits of the database that flip on the disk: the cache gives what was stored last or nothing, and can be used again.
final class CacheBitTests: XCTestCase {
  private func fill(_ folder: String, _ entries: [CacheEntry]) async throws -> [UInt8] {
    let cache = ResponseCache(disk: DiskCacheConfiguration(folder: folder))
    for entry in entries {
      cache.put(entry)
      await cache.flush()
    }
    try SQLiteDatabase(path: folder + "/responses.sqlite", patience: 1000).emptyLog()
    return [UInt8](try XCTUnwrap(FileManager.default.contents(atPath: folder + "/responses.sqlite")))
  }

  /// Calls `check` with a cache whose database has one flipped bit, for each of these bits.
  private func flip(
    _ bits: some Sequence<Int>, of database: [UInt8], in folder: String,
    _ check: (ResponseCache, String) async throws -> Void
  ) async throws {
    for bit in bits {
      // Another folder each time: SQLite must not find another file under a name that it has open.
      let own = "\(folder)/\(bit)"
      var bytes = database
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      try PrivateFile.makeFolder(own)
      try Data(bytes).write(to: URL(fileURLWithPath: own + "/responses.sqlite"))
      let cache = ResponseCache(disk: DiskCacheConfiguration(folder: own))
      try await check(cache, "byte \(bit / 8), bit \(bit % 8)")
      await cache.flush()
      // A connection may be about to remove its files itself.
      try? FileManager.default.removeItem(atPath: own)
    }
  }

  /// The bits in and before the key of the first response wherever that stands: in its row and in an index.
  private func placesOfKey(in database: [UInt8]) -> [Int] {
    let key = CacheFixture.key(1).bytes.prefix(8)
    let places = (24..<database.count - 40).filter { database[$0..<$0 + 8].elementsEqual(key) }
    return places.flatMap { place in Array((place - 24) * 8..<(place + 8) * 8) }
  }

  func testACacheWhoseDatabaseIsCutToNothingStoresAgainInABoundedTimeWhoeverHasItOpen() async throws {
    let folder = temporaryFolder().path
    let caches = [1, 2].map { _ in ResponseCache(disk: DiskCacheConfiguration(folder: folder)) }
    for (number, cache) in caches.enumerated() {
      cache.put(CacheFixture.entry(number))
      await cache.flush()
    }
    try SQLiteDatabase(path: folder + "/responses.sqlite", patience: 1000).emptyLog()
    truncate(folder + "/responses.sqlite", 0)
    let start = ContinuousClock.now
    for (number, cache) in caches.enumerated() {
      cache.put(CacheFixture.entry(10 + number))
      await cache.flush()
    }
    let later = ResponseCache(disk: DiskCacheConfiguration(folder: folder))
    XCTAssertEqual([0, 1, 10, 11].map { later.onDisk($0) != nil }, [false, false, true, true])
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(2))
  }

  func testTheCacheCanBeUsedAfterAFlippedBitInTheHeaderOrTheListOfTables() async throws {
    let folder = temporaryFolder().path
    let database = try await fill(folder, [CacheFixture.entry(1)])
    var failed: [String] = []
    // Who may write the file, its form, the version and the application; and what is behind the header.
    var bits = Array(144..<160) + Array(376..<384)
    bits += stride(from: 480, to: 576, by: 3)
    bits += stride(from: 800, to: 4096 * 8, by: 499)
    try await flip(bits, of: database, in: folder) { cache, what in
      let faults = FaultLog(cache)
      cache.put(CacheFixture.entry(2))
      await cache.flush()
      cache.put(CacheFixture.entry(2))
      await cache.flush()
      if cache.onDisk(2) == nil { failed.append("\(what): \(faults.faults.map(\.detail))") }
    }
    XCTAssertEqual(failed.count, 0, failed.joined(separator: "\n"))
  }

  func testAFlippedBitDoesNotShowTheResponseBefore() async throws {
    let folder = temporaryFolder().path
    let vary = VaryMatcher(fields: [VaryMatcher.Field(name: "accept", value: "a")])
    let database = try await fill(
      folder, [CacheFixture.entry(1), CacheFixture.entry(1, bytes: 300, vary: vary)])
    var failed: [String] = []
    try await flip(placesOfKey(in: database), of: database, in: folder) { cache, what in
      let found = cache.onDisk(1, headers: ["Accept": "a"])
      if let found, found.http.bytes != CacheFixture.body(1, 300) { failed.append(what) }
    }
    XCTAssertEqual(failed.count, 0, failed.joined(separator: "\n"))
  }

  func testAFlippedBitDoesNotMakeAResponseFreshAgain() async throws {
    let folder = temporaryFolder().path
    let first = ResponseCache(disk: DiskCacheConfiguration(folder: folder))
    first.put(CacheFixture.entry(1, tags: ["t"]))
    await first.flush()
    first.disk?.enqueue(.expireTags(["t"]))
    await first.flush()
    let database = try await fill(folder, [])
    var failed: [String] = []
    try await flip(placesOfKey(in: database), of: database, in: folder) { cache, what in
      if cache.onDisk(1)?.isExpired == false { failed.append(what) }
    }
    XCTAssertEqual(failed.count, 0, failed.joined(separator: "\n"))
  }

  func testAPipeInThePlaceOfABodyIsAMiss() async throws {
    let folder = temporaryFolder().path
    let cache = ResponseCache(disk: DiskCacheConfiguration(folder: folder, bodyFileThreshold: 100))
    cache.put(CacheFixture.entry(1, bytes: 9000))
    await cache.flush()
    let path = folder + "/bodies/" + (try XCTUnwrap(CacheFixture.bodyFiles(folder).first))
    unlink(path)
    XCTAssertEqual(mkfifo(path, 0o600), 0)
    let isOver = expectation(description: "a look-up ends")
    DispatchQueue.global().async {
      XCTAssertNil(cache.onDisk(1))
      isOver.fulfill()
    }
    await fulfillment(of: [isOver], timeout: 5)
  }

  func testAFullDiskDoesNotTakeWhatWasStoredBefore() async throws {
    let folder = temporaryFolder().path
    var disk = DiskCacheConfiguration(folder: folder)
    disk.maximumPages = 60
    let cache = ResponseCache(disk: disk)
    for number in 1...10 { cache.put(CacheFixture.entry(number)) }
    await cache.flush()
    let faults = FaultLog(cache)
    for number in 1000..<6000 {
      cache.put(CacheFixture.entry(number, bytes: 6000))
      if number % 200 == 199 { cache.disk?.queue.sync {} }
    }
    XCTAssertEqual(faults.kinds, [.unusable])
    XCTAssertEqual((1...10).count { cache.onDisk($0) != nil }, 10)
    await cache.flush()
    XCTAssertEqual((1...10).count { cache.onDisk($0) != nil }, 10)
  }
}
