import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitReports

/// A damaged store, a full disk, a killed process, several connections.
final class ExchangeStoreFaultTests: ExchangeStoreCase {
  func testADamagedStoreIsSetAsideAndSaid() async throws {
    stub.on("/*", .status(204))
    let before = try makeStore()
    for number in 0..<50 { try await send(before, "https://homes.test/\(number)") }
    await before.flush()
    await BlockingWork.run { before.database.withLock { $0.close() } }
    for ending in ["-wal", "-shm"] { unlink(path + ending) }
    try Data(
      "this is no database of anybody, and longer than a head of one: \(String(repeating: "x", count: 5000))"
        .utf8
    )
    .write(to: URL(fileURLWithPath: path))
    let store = try makeStore()
    try await send(store, "https://homes.test/after")
    let found = try await store.find()
    XCTAssertEqual(found.map(\.path), ["/after"])
    XCTAssertEqual(store.counts, ExchangeStore.Counts(kept: 1))
    let fault = try XCTUnwrap(store.fault)
    XCTAssertTrue(
      fault.detail.contains("were damaged") && fault.detail.contains(path + ".damaged"), fault.detail)
    let copy = try XCTUnwrap(FileManager.default.contents(atPath: path + ".damaged"))
    XCTAssertTrue(copy.starts(with: Data("this is no database".utf8)))
    try await store.erase()
    XCTAssertFalse(FileManager.default.fileExists(atPath: path + ".damaged"))
  }

  #if os(Linux)
    func testADamagedStoreOfWhichNoCopyFitsOnTheDiskLeavesNoneAndSaysWhy() async throws {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try Data(repeating: 120, count: 200_000).write(to: URL(fileURLWithPath: path))
      let store = try makeStore()
      let limit = FileSizeLimit(100_000)
      let error = await failure { try await store.find() }
      limit.remove()
      XCTAssertEqual(error?.reason, .storageFull)
      XCTAssertFalse(FileManager.default.fileExists(atPath: path + ".damaged"))
      let found = try await store.find()
      XCTAssertEqual(found.count, 0)
      XCTAssertTrue(FileManager.default.fileExists(atPath: path + ".damaged"))
    }
  #endif

  func testAStoreOfALaterVersionIsLeftAlone() async throws {
    let first = try makeStore()
    _ = try await first.find()
    try first.database.withLock { database in
      database.close()
      try SQLiteDatabase(path: path, patience: 100).execute("PRAGMA user_version = 99")
    }
    let store = try makeStore()
    try await send(store, "https://homes.test/")
    await store.flush()
    XCTAssertEqual(store.counts, ExchangeStore.Counts(failed: 1))
    XCTAssertTrue(store.fault?.detail.contains("has version 99") == true, store.fault?.detail ?? "none")
    do throws(APIError) {
      _ = try await store.find()
      XCTFail("it was read")
    } catch {
      XCTAssertEqual(error.reason, .fileFailed)
    }
  }

  func testAFullDiskIsSaidAndLoadsGoOn() async throws {
    stub.on("/*", .bytes((0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
    let store = try makeStore(maximumPages: 40)
    for number in 0..<20 {
      let response = try await store.keeping(stub).send(
        HTTPRequest(url: try HTTPURL("https://homes.test/\(number)")))
      XCTAssertEqual(response.status, 200)
      await store.flush()
    }
    XCTAssertGreaterThan(store.counts.failed, 0)
    XCTAssertEqual(store.counts.kept + store.counts.failed, 20)
    XCTAssertEqual(store.fault?.reason, .storageFull)
    let found = try await store.find()
    XCTAssertEqual(found.count, store.counts.kept, "what was kept is still there")
  }

  func testWhatAProcessThatWasKilledHasKeptIsFound() async throws {
    stub.on("/*", .status(204))
    let store = try makeStore()
    for number in 0..<30 { try await send(store, "https://homes.test/\(number)") }
    await store.flush()
    // The files as they are while the connection is open: what a kill leaves.
    let copy = folder + "/killed.sqlite"
    for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: path + ending) {
      try FileManager.default.copyItem(atPath: path + ending, toPath: copy + ending)
    }
    let after = try ExchangeStore(path: copy, key: key)
    let found = try await after.find()
    XCTAssertEqual(found.count, 30)
    XCTAssertNil(after.fault)
  }

  func testTwoConnectionsKeepSideBySideWithinOneBound() async throws {
    stub.on("/*", .bytes((0..<4000).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
    var limits = ExchangeLimits()
    limits.maximumBytes = 200_000
    let stores = try [makeStore(limits), makeStore(limits)]
    for number in 0..<60 {
      for (index, store) in stores.enumerated() {
        try await send(store, "https://homes.test/\(index)/\(number)")
      }
    }
    for store in stores {
      await store.flush()
      XCTAssertEqual(store.counts, ExchangeStore.Counts(kept: 60))
    }
    let found = try await stores[0].find()
    XCTAssertLessThan(found.count, 60)
    XCTAssertEqual(Set(found.prefix(2).map(\.path)).count, 2)
    let both = try await stores[1].find()
    XCTAssertEqual(found, both)
  }

  func testWhatWaitsIsBoundedAndTheRestIsCounted() async throws {
    stub.on("/*", .status(204))
    let store = try makeStore()
    // The queue cannot write while the database is held.
    let (held, hold) = AsyncStream.makeStream(of: Void.self)
    let latch = Latch()
    let holder = Task.detached {
      store.database.withLock { _ in
        hold.yield()
        latch.wait()
      }
    }
    for await _ in held.prefix(1) {}
    for number in 0..<1500 { try await send(store, "https://homes.test/\(number)") }
    latch.open()
    await holder.value
    await store.flush()
    XCTAssertGreaterThan(store.counts.dropped, 0)
    XCTAssertGreaterThanOrEqual(store.counts.kept, ExchangeStore.mostWaiting)
    XCTAssertEqual(store.counts.kept + store.counts.dropped, 1500)
  }
}
