import Foundation
import XCTest

@testable import APIKit
@testable import TestSupport

/// Who may read and change what the cache has on disk, and what stands there.
final class CachePrivacyTests: XCTestCase {
  private func cache(_ folder: String, key: SecretKey? = nil) -> ResponseCache {
    ResponseCache(disk: DiskCacheConfiguration(folder: folder, bodyFileThreshold: 4096, storageKey: key))
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  /// Every file below a folder, by its path.
  private func contents(of folder: String) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for case let name as String in try XCTUnwrap(FileManager.default.enumerator(atPath: folder)) {
      files[name] = FileManager.default.contents(atPath: folder + "/" + name)
    }
    return files
  }

  private func withCookie(_ number: Int, bytes: Int = 100) -> CacheEntry {
    CacheFixture.entry(number, bytes: bytes, tags: ["rents"]).with {
      $0.http.headers.add("Set-Cookie", "sid=hunter2; Path=/")
      $0.http.headers.add("X-Auth-Token", "hunter3")
      $0.http.url = "https://homes.test/api/list?page=2&access_token=hunter4"
    }
  }

  // MARK: Secrets

  func testWithoutAKeySecretFieldsStayInMemory() async throws {
    let folder = temporaryFolder().path
    let first = cache(folder)
    for (number, bytes) in [(1, 100), (2, 9000)] { first.put(withCookie(number, bytes: bytes), in: .all) }
    await first.flush()
    for (name, data) in try contents(of: folder) {
      XCTAssertNil(data.range(of: Data("hunter".utf8)), "\(name) has a secret in the clear")
    }
    XCTAssertEqual(
      first.memory.find(CacheFixture.query(1))?.http.headers["Set-Cookie"], "sid=hunter2; Path=/")
    let found = try XCTUnwrap(cache(folder).onDisk(1))
    XCTAssertEqual(found.http.headers.fields.map(\.name), ["Content-Type", "ETag"])
    XCTAssertEqual(found.http.url?.string, "https://homes.test/api/list?page=2")
    XCTAssertEqual(found.http.bytes, CacheFixture.body(1, 100))
  }

  func testUnderAKeyAResponseWithSecretFieldsIsSealed() async throws {
    let folder = temporaryFolder().path
    let key = SecretKey.random()
    let first = cache(folder, key: key)
    for (number, bytes) in [(1, 100), (2, 9000)] { first.put(withCookie(number, bytes: bytes)) }
    first.put(CacheFixture.entry(3))
    await first.flush()
    let files = try contents(of: folder)
    for (name, data) in files {
      XCTAssertNil(data.range(of: Data("hunter".utf8)), "\(name) has a secret in the clear")
    }
    for number in 1...2 {
      let found = try XCTUnwrap(cache(folder, key: key).onDisk(number))
      XCTAssertEqual(found.http.headers["Set-Cookie"], "sid=hunter2; Path=/")
      XCTAssertEqual(found.http.url?.query, "page=2&access_token=hunter4")
    }
    let plain = Data(CacheFixture.body(3, 100).prefix(40))
    XCTAssertTrue(files.values.contains { $0.range(of: plain) != nil }, "what is no secret stays open")
  }

  func testAResponseThatDependsOnASecretIsNotWrittenWithoutAKey() async throws {
    let vary = VaryMatcher(response: ["Vary": "Cookie"], request: ["Cookie": "sid=hunter2"])
    for key in [nil, SecretKey.random()] {
      let folder = temporaryFolder().path
      let first = cache(folder, key: key)
      first.put(CacheFixture.entry(1, vary: vary), in: .all)
      await first.flush()
      XCTAssertEqual(first.onDisk(1, headers: ["Cookie": "sid=hunter2"]) != nil, key != nil)
      XCTAssertNotNil(first.memory.find(CacheFixture.query(1, headers: ["Cookie": "sid=hunter2"])))
      for (name, data) in try contents(of: folder) {
        XCTAssertNil(data.range(of: Data("hunter2".utf8)), "\(name) has a secret in the clear")
      }
    }
  }

  func testEverythingWrittenHasItsEnvelope() async throws {
    let folder = temporaryFolder().path
    let first = cache(folder)
    first.put(CacheFixture.entry(1, bytes: 9000))
    await first.flush()
    let name = try XCTUnwrap(CacheFixture.bodyFiles(folder).first)
    let body = try XCTUnwrap(FileManager.default.contents(atPath: folder + "/bodies/" + name))
    XCTAssertEqual(Array(body), CacheRecord.bodyEnvelope.wrap(CacheFixture.body(1, 9000)))
    let database = try SQLiteDatabase(path: folder + "/responses.sqlite", patience: 1000)
    let record = try database.prepare("SELECT record FROM entries")
    XCTAssertTrue(try record.step())
    XCTAssertNotNil(record.withBlob(0) { (try? Envelope(kind: .cachedResponse).unwrap($0))?.count })
  }

  // MARK: Rights

  func testTheFilesAreTheirOwnersAlone() async throws {
    let folder = temporaryFolder().path + "/deep/responses"
    let first = cache(folder)
    first.put(CacheFixture.entry(1, bytes: 9000))
    await first.flush()
    for name in ["", "/bodies"] { XCTAssertEqual(try mode(folder + name), 0o700, name) }
    let names = ["responses.sqlite", "responses.sqlite-wal", "responses.sqlite-shm"]
    for name in names + ["bodies/" + (try XCTUnwrap(CacheFixture.bodyFiles(folder).first))] {
      XCTAssertEqual(try mode(folder + "/" + name), 0o600, name)
    }
    for name in names { XCTAssertEqual(chmod(folder + "/" + name, 0o644), 0) }
    XCTAssertNotNil(cache(folder).onDisk(1))
    for name in names { XCTAssertEqual(try mode(folder + "/" + name), 0o600, name) }
  }

  func testASymbolicLinkInThePlaceOfTheDatabaseIsNotFollowed() async throws {
    let folder = temporaryFolder().path
    let target = folder + "/letter"
    try Data("Dear all".utf8).write(to: URL(fileURLWithPath: target))
    for name in ["responses.sqlite", "responses.sqlite-wal"] {
      let place = folder + "/" + name + ".d"
      try FileManager.default.createDirectory(
        atPath: place, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      XCTAssertEqual(symlink(target, place + "/" + name), 0)
      let cache = cache(place)
      let log = FaultLog(cache)
      cache.put(CacheFixture.entry(1), in: .all)
      await cache.flush()
      XCTAssertEqual(log.kinds, [.unusable], name)
      XCTAssertNotNil(cache.memory.find(CacheFixture.query(1)))
      XCTAssertEqual(FileManager.default.contents(atPath: target), Data("Dear all".utf8), name)
    }
  }

  func testAFolderMayBeReachedThroughALink() async throws {
    let (folder, link) = (temporaryFolder().path, temporaryPath())
    XCTAssertEqual(symlink(folder, link), 0)
    let cache = cache(link)
    let log = FaultLog(cache)
    cache.put(CacheFixture.entry(1))
    await cache.flush()
    XCTAssertEqual(log.faults, [])
    XCTAssertNotNil(self.cache(folder).onDisk(1))
  }

  func testAFolderThatOthersMayChangeIsNotUsed() async throws {
    let folder = temporaryFolder().path
    XCTAssertEqual(chmod(folder, 0o777), 0)
    let cache = cache(folder)
    let log = FaultLog(cache)
    cache.put(CacheFixture.entry(1), in: .all)
    await cache.flush()
    XCTAssertEqual(log.kinds, [.unusable])
    XCTAssertEqual(log.faults.first?.detail.contains("changed by others"), true, "\(log.faults)")
    XCTAssertEqual(try contents(of: folder), [:])
    XCTAssertNotNil(cache.memory.find(CacheFixture.query(1)))
  }

  // MARK: Other processes

  func testADatabaseMadeAnewIsTheSameFileForAllWhoHaveItOpen() async throws {
    let folder = temporaryFolder().path
    let path = folder + "/responses.sqlite"
    let other = cache(folder)
    other.put(CacheFixture.entry(1))
    await other.flush()
    XCTAssertNotNil(other.onDisk(1))
    let number = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.write(contentsOf: Data(repeating: 0x58, count: 4096))
    try file.close()
    let cache = cache(folder)
    XCTAssertNil(cache.onDisk(7))
    cache.put(CacheFixture.entry(2))
    await cache.flush()
    XCTAssertEqual(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int, number)
    XCTAssertNotNil(other.onDisk(2), "the other one sees what is stored after")
    other.put(CacheFixture.entry(3))
    await other.flush()
    XCTAssertNotNil(cache.onDisk(3))
  }

  /// Ids of rows are given again: what is found damaged may have made way for another response already.
  func testDroppingADamagedRowLeavesTheResponseThatHasItsIdNow() async throws {
    let folder = temporaryFolder().path
    let cache = cache(folder)
    let disk = try XCTUnwrap(cache.disk)
    cache.put(CacheFixture.entry(1))
    await cache.flush()
    let store = DiskStore(
      try SQLiteDatabase(path: folder + "/responses.sqlite", patience: 1000), process: 1)
    let row = try XCTUnwrap(store.rows(of: CacheFixture.key(1)).first)
    cache.put(CacheFixture.entry(1, version: 0, tags: ["newer"]))
    disk.enqueue(.dropRow(row.id, checksum: row.checksum, "it was damaged", .damagedEntry))
    await cache.flush()
    let now = try XCTUnwrap(store.rows(of: CacheFixture.key(1)).first)
    XCTAssertEqual(now.id, row.id, "the id is given again")
    XCTAssertEqual(cache.onDisk(1)?.tags, ["newer"])
    disk.enqueue(.dropRow(now.id, checksum: now.checksum, "it was damaged", .damagedEntry))
    await cache.flush()
    XCTAssertNil(cache.onDisk(1))
  }
}
