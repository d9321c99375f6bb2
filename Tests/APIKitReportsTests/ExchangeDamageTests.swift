import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitReports

/// Databases of exchanges whose bits or numbers were changed, and clocks that were.
final class ExchangeDamageTests: XCTestCase {
  private let key = SecretKey(bytes: [UInt8](0..<32))
  private let stub = StubTransport()
  private lazy var folder = temporaryPath()

  override func setUp() {
    stub.on("/*", .bytes((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
  }

  private var path: String { folder + "/exchanges.sqlite" }

  private func makeStore(
    _ limits: ExchangeLimits = .init(), time: any TimeSource = SystemTime()
  ) throws -> ExchangeStore {
    let store = try ExchangeStore(path: path, key: key, limits: limits, time: time)
    store.isOn = true
    return store
  }

  private func send(_ store: ExchangeStore, _ paths: String...) async throws {
    for path in paths {
      _ = try await store.keeping(stub).send(HTTPRequest(url: try HTTPURL("https://homes.test\(path)")))
    }
    await store.flush()
  }

  private func close(_ store: ExchangeStore) async {
    await BlockingWork.run { store.database.withLock { $0.close() } }
    store.isOn = false
  }

  /// A database with a dozen exchanges, closed.
  private func makeFile() async throws -> Data {
    let store = try makeStore()
    for number in 0..<12 { try await send(store, "/\(number)") }
    await close(store)
    return try XCTUnwrap(FileManager.default.contents(atPath: path))
  }

  private func write(_ bytes: Data) throws {
    for ending in ["", "-wal", "-shm", ".damaged"] { unlink(path + ending) }
    try bytes.write(to: URL(fileURLWithPath: path))
    chmod(path, 0o600)
  }

  private func change(_ sql: String) throws { try SQLiteDatabase(path: path, patience: 100).execute(sql) }

  func testADatabaseThatALaterVersionMigratesWhileItIsOpenIsLeftAlone() async throws {
    let store = try makeStore()
    try await send(store, "/kept")
    try change("ALTER TABLE exchanges ADD COLUMN note TEXT NOT NULL DEFAULT ''; PRAGMA user_version = 3")
    try await send(store, "/in-the-form-of-the-earlier-version")
    XCTAssertEqual(store.fault?.reason, .fileFailed)
    XCTAssertTrue("\(store.fault, default: "none")".contains("version 3"))
    XCTAssertEqual(try SQLiteDatabase(path: path, patience: 100).number("SELECT count(*) FROM exchanges"), 1)
    await close(store)
  }

  func testAVersionThatNoneWritesIsSaid() async throws {
    let whole = try await makeFile()
    for version in [Int32.min + 2, -1, 3] {
      var bytes = whole
      bytes.replaceSubrange(60..<64, with: withUnsafeBytes(of: version.bigEndian) { Array($0) })
      try write(bytes)
      let store = try makeStore()
      do throws(APIError) {
        _ = try await store.find()
        XCTFail("it was read")
      } catch {
        XCTAssertTrue(error.detail.contains("has version \(version),"), error.detail)
      }
    }
  }

  func testTablesThatTheStatementsDoNotFitAreSetAsideAndSaid() async throws {
    let whole = try await makeFile()
    for damage in [
      "UPDATE sqlite_master SET sql = replace(sql, 'begun', 'begqn')", "PRAGMA user_version = 0",
      "DROP TABLE contents", "INSERT INTO contents VALUES (13, x'')",
    ] {
      try write(whole)
      try change("PRAGMA writable_schema = ON; " + damage)
      let store = try makeStore()
      try await send(store, "/after")
      XCTAssertEqual(store.counts, ExchangeStore.Counts(kept: 1), damage)
      let found = try await store.find()
      XCTAssertEqual(found.map(\.path), ["/after"], damage)
      XCTAssertTrue(store.fault?.detail.contains("a copy is") == true, damage)
      XCTAssertTrue(FileManager.default.fileExists(atPath: path + ".damaged"), damage)
    }
  }

  func testWhatIsKeptAfterTheFolderWasRemovedIsThereForTheNextProcess() async throws {
    let store = try makeStore()
    try await send(store, "/before")
    try FileManager.default.removeItem(atPath: folder)
    try await send(store, "/after")
    XCTAssertTrue(store.fault?.detail.contains("were removed") == true, "\(store.fault as Any)")
    let found = try await makeStore().find()
    XCTAssertEqual(found.map(\.path), ["/after"])
  }

  func testADatabaseThatIsCutToNothingIsBegunAnewInABoundedTimeWhoeverHasItOpen() async throws {
    let (store, other) = (try makeStore(), try makeStore())
    for store in [store, other] { try await send(store, "/before") }
    try SQLiteDatabase(path: path, patience: 100).emptyLog()
    truncate(path, 0)
    let start = ContinuousClock.now
    for store in [store, other] { try await send(store, "/after") }
    let found = try await makeStore().find()
    XCTAssertEqual(found.map(\.path), ["/after", "/after"])
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(2))
  }

  func testNumbersThatNoExchangeHasAreReadAndKeepNothingOut() async throws {
    _ = try await makeFile()
    var limits = ExchangeLimits()
    limits.maximumBytes = 30_000
    for number in ["1e300", "-1e300", "9e999", "\(Int64.max)", "\(Int64.min)", "'x'"] {
      try change(
        """
        UPDATE exchanges SET took = \(number), flight = \(number), status = \(number), sent = \(number),
        received = \(number), size = \(number) WHERE id = (SELECT max(id) FROM exchanges)
        """)
      try change("UPDATE totals SET bytes = \(number)")
      let store = try makeStore(limits)
      let before = try await store.find()
      XCTAssertGreaterThan(before.count, 0, number)
      XCTAssertEqual(before.map(\.duration).filter { $0 < .zero }, [], number)
      for _ in 0..<30 { try await send(store, "/after") }
      let found = try await store.find()
      XCTAssertEqual(found.first?.path, "/after", number)
      XCTAssertLessThan(found.count, 12, "it is bounded, \(number)")
      XCTAssertNil(store.fault, number)
      await close(store)
    }
  }

  func testNothingOfADamagedDatabaseStaysWhenItIsErased() async throws {
    let whole = try await makeFile()
    // The head and the places of rows in the first page of a table; what SQLite does not see when it reads it.
    for offset in 4096..<4120 {
      var bytes = whole
      bytes[offset] ^= 8
      try write(bytes)
      let store = try makeStore()
      try await store.erase()
      let left = try await store.find()
      XCTAssertEqual(left.count, 0, "bit 3 of \(offset)")
      await close(store)
    }
  }

  func testExchangesFromFurtherAheadThanTheirAgeAllowsAreRemoved() async throws {
    var limits = ExchangeLimits()
    limits.maximumAge = .seconds(60)
    do {
      let store = try makeStore(limits)
      try await send(store, "/now")
      await close(store)
    }
    // The clock had been ahead, and is set right.
    let store = try makeStore(limits, time: ManualTime(wallClock: WallClock.now - 3600))
    let found = try await store.find()
    XCTAssertEqual(found.map(\.path), [])
    // The next one that is written makes room; it has the time of the clock that was ahead.
    try await send(store, "/then")
    await close(store)
    let rows = try SQLiteDatabase(path: path, patience: 100).number("SELECT count(*) FROM exchanges")
    XCTAssertEqual(rows, 0)
  }
}
