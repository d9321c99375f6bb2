import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// The level on disk, seen from above: what is stored comes back whole, from this process or the next.
final class DiskCacheTests: XCTestCase {
  private func cache(
    _ folder: String, bytes: Int = 256 << 20, key: SecretKey? = nil, time: any TimeSource = SystemTime()
  ) -> ResponseCache {
    ResponseCache(
      disk: DiskCacheConfiguration(
        folder: folder, maximumBytes: bytes, bodyFileThreshold: 4096, storageKey: key),
      time: time)
  }

  func testAResponseComesBackAfterTheCacheIsOpenedAnew() async throws {
    let folder = temporaryFolder().path
    let first = cache(folder)
    first.put(CacheFixture.entry(1, tags: ["a", "b"]))
    await first.flush()
    let found = try XCTUnwrap(cache(folder).onDisk(1))
    XCTAssertEqual(found.http.bytes, CacheFixture.body(1, 100))
    XCTAssertEqual(found.http.status, 200)
    XCTAssertEqual(found.http.headers["etag"], "\"1\"")
    XCTAssertEqual(found.http.url?.string, "https://homes.test/api/list")
    XCTAssertEqual(found.tags, ["a", "b"])
    XCTAssertFalse(found.isExpired)
  }

  func testAResponseCanBeReadBeforeItIsWritten() async throws {
    let cache = cache(temporaryFolder().path)
    cache.put(CacheFixture.entry(1))
    XCTAssertEqual(cache.onDisk(1)?.http.bytes, CacheFixture.body(1, 100))
    await cache.flush()
  }

  func testAServiceMayUseTheCacheWhileItIsAskedForTheFieldsOfAVariant() async throws {
    let cache = cache(temporaryFolder().path)
    let vary = VaryMatcher(fields: [VaryMatcher.Field(name: "accept-language", value: "de")])
    cache.put(CacheFixture.entry(1, vary: vary))
    let isFree = AtomicFlag()
    let query = CacheQuery(key: CacheFixture.key(1), type: "Fixture", version: 0) {
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        cache.expire(tags: ["other"])
        done.signal()
      }
      if done.wait(timeout: .now() + 2) == .success { isFree.store(true) }
      return ["Accept-Language": "de"]
    }
    XCTAssertNotNil(cache.disk?.find(query))
    XCTAssertTrue(isFree.load(), "the lock of the backlog is held while the service is asked")
    await cache.flush()
  }

  func testALargeBodyStandsInAFileOfItsOwn() async throws {
    let folder = temporaryFolder().path
    let first = cache(folder)
    first.put(CacheFixture.entry(1, bytes: 50_000))
    first.put(CacheFixture.entry(2, bytes: 100))
    await first.flush()
    XCTAssertEqual(CacheFixture.bodyFiles(folder).count, 1)
    XCTAssertEqual(cache(folder).onDisk(1)?.http.bytes, CacheFixture.body(1, 50_000))
  }

  func testALaterResponseTakesThePlaceOfTheEarlierAndOfItsFile() async throws {
    let folder = temporaryFolder().path
    let cache = cache(folder)
    for bytes in [50_000, 60_000] {
      cache.put(CacheFixture.entry(1, bytes: bytes))
      await cache.flush()
    }
    XCTAssertEqual(CacheFixture.bodyFiles(folder).count, 1)
    XCTAssertEqual(cache.onDisk(1)?.http.bytes.count, 60_000)
    XCTAssertEqual(cache.statistics.disk.count, 1)
  }

  func testRemovalsCountAtOnceAndAreWritten() async throws {
    let folder = temporaryFolder().path
    let first = cache(folder)
    for number in 1...4 { first.put(CacheFixture.entry(number, partition: number == 2 ? "ann" : "bob")) }
    await first.flush()
    first.remove(CacheFixture.key(1))
    first.removeAll(of: "ann")
    XCTAssertNil(first.onDisk(1))
    XCTAssertNil(first.onDisk(2))
    XCTAssertNotNil(first.onDisk(3))
    await first.flush()
    let second = cache(folder)
    XCTAssertEqual([1, 2, 3, 4].map { second.onDisk($0) != nil }, [false, false, true, true])
    second.removeAll()
    XCTAssertNil(second.onDisk(3))
    await second.flush()
    XCTAssertNil(cache(folder).onDisk(3))
  }

  func testARemovalCountsWhileItIsBeingWritten() async throws {
    let cache = cache(temporaryFolder().path)
    for round in 0..<150 {
      cache.put(CacheFixture.entry(1, tags: ["homes"], partition: "ann"))
      await cache.flush()
      // The writer commits and forgets the change somewhere among these look-ups.
      if round % 2 == 0 { cache.removeAll(of: "ann") } else { cache.expire(tags: ["homes"]) }
      for _ in 0..<20 {
        let found = cache.onDisk(1)
        if round % 2 == 0 { XCTAssertNil(found) } else { XCTAssertEqual(found?.isExpired, true) }
      }
    }
  }

  func testTagsMakeStoredResponsesStaleAtOnceAndForGood() async throws {
    let folder = temporaryFolder().path
    let first = cache(folder)
    first.put(CacheFixture.entry(1, tags: ["homes"]))
    first.put(CacheFixture.entry(2, tags: ["cars"]))
    await first.flush()
    first.expire(tags: ["homes"])
    XCTAssertEqual(first.onDisk(1)?.isExpired, true)
    XCTAssertEqual(first.onDisk(2)?.isExpired, false)
    await first.flush()
    XCTAssertEqual(cache(folder).onDisk(1)?.isExpired, true)
  }

  func testWhatAllCachesOfAFolderCountIsAddedUpUntilItIsEmptied() async throws {
    let folder = temporaryFolder().path
    for run in 1...3 {
      let cache = cache(folder)
      _ = (cache.onDisk(1), cache.onDisk(2))
      cache.put(CacheFixture.entry(1))
      await cache.flush()
      let numbers = cache.statistics
      XCTAssertEqual(
        [numbers.disk.hits, numbers.disk.misses, numbers.disk.stores], [run > 1 ? 1 : 0, run > 1 ? 1 : 2, 1])
      XCTAssertEqual(
        [numbers.diskOverall.hits, numbers.diskOverall.misses, numbers.diskOverall.stores],
        [run - 1, run + 1, run])
    }
    let last = cache(folder)
    XCTAssertNotNil(last.onDisk(1))
    XCTAssertEqual(last.statistics.diskOverall.hits, 3, "counted before it is written")
    last.removeAll()
    await last.flush()
    XCTAssertEqual(last.statistics.diskOverall, CacheStatistics.Level())
    XCTAssertEqual(last.statistics.disk.hits, 1)
  }

  func testVariantsOfOneKeyAreKeptApart() async throws {
    let folder = temporaryFolder().path
    let first = cache(folder)
    for language in ["de", "zh"] {
      let vary = VaryMatcher(response: ["Vary": "Accept-Language"], request: ["Accept-Language": language])
      first.put(CacheFixture.entry(1, bytes: language == "de" ? 100 : 200, vary: vary))
    }
    await first.flush()
    let second = cache(folder)
    XCTAssertEqual(second.onDisk(1, headers: ["accept-language": "de"])?.http.bytes.count, 100)
    XCTAssertEqual(second.onDisk(1, headers: ["accept-language": "zh"])?.http.bytes.count, 200)
    XCTAssertNil(second.onDisk(1, headers: ["accept-language": "fr"]))
  }

  // MARK: Bounds

  func testTheBoundHoldsUnderConcurrentWriting() async throws {
    let folder = temporaryFolder().path
    let bound = 400_000
    let cache = cache(folder, bytes: bound)
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for number in 0..<100 { cache.put(CacheFixture.entry(writer * 100 + number, bytes: 6000)) }
          await cache.flush()
          XCTAssertLessThanOrEqual(cache.statistics.disk.bytes, bound)
        }
      }
    }
    let numbers = cache.statistics.disk
    XCTAssertLessThanOrEqual(numbers.bytes, bound)
    XCTAssertGreaterThan(numbers.count, 40)
    XCTAssertEqual(numbers.evictions, 400 - numbers.count)
    XCTAssertEqual(CacheFixture.bodyFiles(folder).count, numbers.count, "no file is left of what went")
  }

  func testTheFilesTogetherStayNearTheBound() async throws {
    let folder = temporaryFolder().path
    let bound = 4_000_000
    let cache = cache(folder, bytes: bound)
    for number in 0..<3000 {
      cache.put(CacheFixture.entry(number, bytes: number % 2 == 0 ? 3000 : 9000))
      if number % 100 == 99 { await cache.flush() }
    }
    let database = try SQLiteDatabase(path: folder + "/responses.sqlite", patience: 1000)
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    var bytes = 0
    for case let file as String in try XCTUnwrap(FileManager.default.enumerator(atPath: folder)) {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + file)
      if attributes[.type] as? FileAttributeType == .typeRegular { bytes += attributes[.size] as? Int ?? 0 }
    }
    XCTAssertLessThan(Double(bytes), Double(bound) * 1.1)
    XCTAssertGreaterThan(Double(bytes), Double(bound) * 0.7, "the bound is used")
  }

  func testWhatHasExpiredGoesFirstThenWhatWasUsedLongestAgo() async throws {
    let time = ManualTime()
    let cache = cache(temporaryFolder().path, bytes: 14_000, time: time)
    cache.put(CacheFixture.entry(1, bytes: 3000, time: time))
    cache.put(CacheFixture.entry(2, bytes: 3000, time: time))
    cache.put(CacheFixture.entry(3, bytes: 3000, lifetime: 10, time: time))
    await cache.flush()
    time.advance(by: .seconds(100))
    XCTAssertNotNil(cache.onDisk(1))
    cache.put(CacheFixture.entry(4, bytes: 3000, time: time))
    await cache.flush()
    XCTAssertEqual([1, 2, 3, 4].map { cache.onDisk($0) != nil }, [true, true, false, true])
    time.advance(by: .seconds(100))
    XCTAssertNotNil(cache.onDisk(1))
    cache.put(CacheFixture.entry(5, bytes: 3000, time: time))
    await cache.flush()
    XCTAssertEqual([1, 2, 4, 5].map { cache.onDisk($0) != nil }, [true, false, true, true])
  }

  func testAResponseTooLargeForTheDiskIsNotStored() async throws {
    let folder = temporaryFolder().path
    let cache = cache(folder, bytes: 10_000)
    cache.put(CacheFixture.entry(1, bytes: 100))
    cache.put(CacheFixture.entry(1, bytes: 8000))
    await cache.flush()
    XCTAssertNil(cache.onDisk(1), "nor does the older response stay")
    XCTAssertEqual(CacheFixture.bodyFiles(folder), [])
  }

  // MARK: Secrets

  func testASensitiveResponseIsNotWrittenWithoutAKey() async throws {
    let folder = temporaryFolder().path
    let cache = cache(folder)
    cache.put(CacheFixture.entry(1, isSensitive: true), in: .all)
    await cache.flush()
    XCTAssertNil(cache.onDisk(1))
    XCTAssertNotNil(cache.memory.find(CacheFixture.query(1)))
  }

  func testASensitiveResponseIsWrittenEncrypted() async throws {
    for bytes in [100, 50_000] {
      let folder = temporaryFolder().path
      let key = SecretKey.random()
      let first = cache(folder, key: key)
      first.put(CacheFixture.entry(1, bytes: bytes, isSensitive: true))
      await first.flush()
      let secret = Data(CacheFixture.body(1, bytes).prefix(40))
      for case let file as String in try XCTUnwrap(FileManager.default.enumerator(atPath: folder)) {
        let data = FileManager.default.contents(atPath: folder + "/" + file) ?? Data()
        XCTAssertNil(data.range(of: secret), "\(file) holds the response in the clear")
      }
      XCTAssertEqual(cache(folder, key: key).onDisk(1)?.http.bytes, CacheFixture.body(1, bytes))
    }
  }

  func testAKeyOfAnotherLengthIsToldAndKeepsSecretsInMemory() async throws {
    let cache = cache(temporaryFolder().path, key: SecretKey("too short"))
    let log = FaultLog(cache)
    XCTAssertEqual(log.kinds, [.unusable])
    XCTAssertTrue(log.faults[0].detail.contains("9 bytes and not 32"), log.faults[0].detail)
    cache.put(CacheFixture.entry(1, isSensitive: true), in: .all)
    await cache.flush()
    XCTAssertNil(cache.onDisk(1))
  }

  func testAnotherKeyDoesNotOpenWhatIsEncrypted() async throws {
    let folder = temporaryFolder().path
    let first = cache(folder, key: .random())
    first.put(CacheFixture.entry(1, isSensitive: true))
    await first.flush()
    let second = cache(folder, key: .random())
    let log = FaultLog(second)
    XCTAssertNil(second.onDisk(1))
    await second.flush()
    XCTAssertEqual(log.kinds, [.undecipherable])
  }

  func testASealedResponseMovedToAnotherKeyDoesNotOpen() async throws {
    let folder = temporaryFolder().path
    let key = SecretKey.random()
    let first = cache(folder, key: key)
    for number in 1...2 { first.put(CacheFixture.entry(number, isSensitive: true)) }
    await first.flush()
    let database = try SQLiteDatabase(path: folder + "/responses.sqlite", patience: 1000)
    try database.execute(
      """
      UPDATE entries SET (record, checksum) = (SELECT record, checksum FROM entries WHERE id = 1) WHERE id = 2
      """)
    let second = cache(folder, key: key)
    let log = FaultLog(second)
    XCTAssertNotNil(second.onDisk(1))
    XCTAssertNil(second.onDisk(2))
    await second.flush()
    XCTAssertEqual(log.kinds, [.undecipherable])
  }

  // MARK: Through a manager

  @MainActor func testALandingFromDiskIsMarkedAndThenComesFromMemory() async throws {
    let folder = temporaryFolder().path
    let time = ManualTime()
    let stub = StubTransport(.json(#"{"items": [1, 2]}"#))
    func manager() -> (TestManager, ResponseCache) {
      let cache = cache(folder, time: time)
      var service = TestService(stub)
      service.store = cache
      let manager = TestManager(service)
      manager.cachePolicy = .fresh()
      return (manager, cache)
    }
    let (first, firstCache) = manager()
    _ = try await first.response(["page": 1])
    await firstCache.flush()
    time.advance(by: .seconds(60))
    let (second, _) = manager()
    let fromDisk = try await second.response(["page": 1])
    XCTAssertEqual(fromDisk.provenance, .disk(age: .seconds(60)))
    XCTAssertEqual(fromDisk.raw["items"][1].int, 2)
    let fromMemory = try await second.response(["page": 1])
    XCTAssertEqual(fromMemory.provenance, .memory(age: .seconds(60)))
    XCTAssertEqual(stub.requests.count, 1)
  }

  @MainActor func testAPolicyOfDiskAloneKeepsNothingInMemory() async throws {
    let cache = cache(temporaryFolder().path)
    var service = TestService(StubTransport(.json("[1]")))
    service.store = cache
    let manager = TestManager(service)
    manager.cachePolicy = .fresh(in: .disk)
    _ = try await manager.response([:])
    let second = try await manager.response([:])
    guard case .disk = second.provenance else {
      return XCTFail("it landed with \(second.provenance)")
    }
    XCTAssertEqual(cache.statistics.memory.count, 0)
  }

  @MainActor func testALandingDoesNotWaitForTheDisk() async throws {
    let folder = temporaryFolder().path
    let cache = cache(folder)
    cache.put(CacheFixture.entry(1))
    await cache.flush()
    // Somebody else is writing and does not end.
    let other = try SQLiteDatabase(path: folder + "/responses.sqlite", patience: 1000)
    try other.execute("BEGIN IMMEDIATE")
    var service = TestService(StubTransport(.json("[1]")))
    service.store = cache
    let manager = TestManager(service)
    manager.cachePolicy = .fresh(in: .disk)
    for page in 1...20 { _ = try await manager.response(["page": page]) }
    let again = try await manager.response(["page": 1])
    guard case .disk = again.provenance else { return XCTFail("it landed with \(again.provenance)") }
    XCTAssertEqual(cache.statistics.disk.count, 1, "nothing is written yet")
    try other.execute("COMMIT")
    await cache.flush()
    XCTAssertEqual(cache.statistics.disk.count, 21)
  }

  /// RFC 9111, 4.3.4.
  @MainActor func testWhatA304ChangesIsWritten() async throws {
    let folder = temporaryFolder().path
    let time = ManualTime()
    let stub = StubTransport()
    stub.on(
      "/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60", "ETag": "\"a\""]),
      .status(304, headers: ["Cache-Control": "max-age=100", "X-New": "1"]))
    func lands() async throws -> APIResponse {
      let cache = cache(folder, time: time)
      var service = TestService(stub)
      service.store = cache
      let manager = TestManager(service)
      manager.cachePolicy = .http
      let response = try await manager.response([:])
      await cache.flush()
      return response
    }
    _ = try await lands()
    time.advance(by: .seconds(70))
    let confirmed = try await lands()
    XCTAssertEqual(confirmed.provenance, .revalidated)
    time.advance(by: .seconds(90))
    let later = try await lands()
    XCTAssertEqual(later.provenance, .disk(age: .seconds(90)))
    XCTAssertEqual(later.headers["X-New"], "1")
    XCTAssertEqual(later.raw[0].int, 1)
  }
}
