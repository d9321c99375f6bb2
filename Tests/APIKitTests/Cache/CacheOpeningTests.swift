import XCTest

@testable import APIKit
@testable import TestSupport

/// Several connections that meet at one folder while its database is being made, or migrated.
final class CacheOpeningTests: XCTestCase {
  func testConnectionsThatOpenANewFolderAtOnceAllTakeItForTheirs() async throws {
    for _ in 0..<60 {
      let folder = temporaryFolder().path
      let caches = (0..<3).map { _ in ResponseCache(disk: DiskCacheConfiguration(folder: folder)) }
      let logs = caches.map(FaultLog.init)
      await withTaskGroup(of: Void.self) { group in
        for (number, cache) in caches.enumerated() {
          group.addTask {
            XCTAssertNil(cache.onDisk(number))
            cache.put(CacheFixture.entry(number))
            await cache.flush()
          }
        }
      }
      // A reader gives up after a quarter of a second, which is a miss; on a machine that has much to do it may.
      let faults = logs.flatMap(\.faults).filter { !$0.detail.contains("another process holds") }
      XCTAssertEqual(faults, [])
      XCTAssertEqual(caches[0].statistics.disk.count, 3)
    }
  }

  func testADatabaseThatWasCutWhileAnIdleProcessHasItOpenIsMadeAnewByANewOne() async throws {
    let folder = temporaryFolder().path
    let idle = ResponseCache(disk: DiskCacheConfiguration(folder: folder))
    idle.put(CacheFixture.entry(1))
    await idle.flush()
    XCTAssertNotNil(idle.onDisk(1))
    let path = folder + "/responses.sqlite"
    try SQLiteDatabase(path: path, patience: 1000).emptyLog()
    truncate(path, 0)
    let cache = ResponseCache(disk: DiskCacheConfiguration(folder: folder))
    let log = FaultLog(cache)
    for number in 2...3 {
      cache.put(CacheFixture.entry(number))
      await cache.flush()
    }
    XCTAssertNotNil(cache.onDisk(3), "\(log.faults)")
    idle.put(CacheFixture.entry(4))
    await idle.flush()
    XCTAssertNotNil(cache.onDisk(4), "\(log.faults)")
  }

  func testADatabaseThatALaterVersionMigratesWhileItIsOpenIsLeftAlone() async throws {
    let folder = temporaryFolder().path
    let cache = ResponseCache(disk: DiskCacheConfiguration(folder: folder))
    let log = FaultLog(cache)
    cache.put(CacheFixture.entry(1))
    await cache.flush()
    let database = try SQLiteDatabase(path: folder + "/responses.sqlite", patience: 1000)
    try database.execute("ALTER TABLE entries ADD COLUMN note TEXT DEFAULT ''; PRAGMA user_version = 99")
    cache.put(CacheFixture.entry(2), in: .all)
    await cache.flush()
    XCTAssertEqual(log.faults.map(\.kind), [.futureSchema])
    XCTAssertNotNil(cache.memory.find(CacheFixture.query(2)))
    XCTAssertEqual(try database.number("SELECT count(*) FROM entries"), 1)
  }
}
