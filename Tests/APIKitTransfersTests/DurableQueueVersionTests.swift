import APIKitTesting
import Foundation
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Databases of other versions, of others and damaged ones; what is kept, as bytes.
final class DurableQueueVersionTests: DurableQueueCase {
  func testAnOlderDatabaseIsMigratedAndANewerIsRefused() async throws {
    _ = try await queue().enqueue([entry("kept")])
    var schema = SQLiteSchema.queue
    schema.migrations.append("ALTER TABLE items ADD COLUMN note TEXT NOT NULL DEFAULT 'none';")
    let rows = try await queue(schema: schema).rows()
    XCTAssertEqual(rows.map { String(decoding: $0.payload, as: UTF8.self) }, ["kept"])
    let database = try SQLiteDatabase(path: folder + "/queue.sqlite", patience: 100)
    XCTAssertEqual(try database.number("SELECT count(*) FROM items WHERE note = 'none'"), 1)
    do {
      _ = try await queue().rows()
      XCTFail("it belongs to a later version")
    } catch {
      XCTAssertTrue("\(error)".contains("version 3"), "\(error)")
    }
    // A step that fails changes nothing.
    schema.migrations += ["CREATE TABLE more (id INTEGER)", "no SQL"]
    do {
      _ = try await queue(schema: schema).rows()
      XCTFail("the step is wrong")
    } catch {
      XCTAssertEqual(try database.number("PRAGMA user_version"), 3)
      XCTAssertEqual(try database.number("SELECT count(*) FROM sqlite_master WHERE name = 'more'"), 0)
    }
  }

  func testADatabaseThatALaterVersionMigratesWhileItIsOpenIsLeftAlone() async throws {
    let older = queue()
    _ = try await older.enqueue([entry("kept")])
    var schema = SQLiteSchema.queue
    schema.migrations.append("ALTER TABLE items ADD COLUMN note TEXT NOT NULL DEFAULT 'none';")
    let newer = queue(schema: schema)
    _ = try await newer.rows()
    do {
      _ = try await older.enqueue([entry("in the form of the earlier version")])
      XCTFail("it belongs to a later version")
    } catch {
      XCTAssertTrue("\(error)".contains("version 3"), "\(error)")
    }
    let rows = try await newer.rows()
    XCTAssertEqual(rows.map(\.id), [1])
  }

  func testWhatIsCommittedHasLeftTheMachinesMemory() async throws {
    _ = try await queue().rows()
    let database = try SQLiteDatabase(path: folder + "/queue.sqlite", patience: 100)
    _ = try SQLiteSchema.queue.prepare(database)
    XCTAssertEqual(try database.number("PRAGMA synchronous"), 2, "FULL")
    XCTAssertEqual(try database.number("PRAGMA secure_delete"), 1)
  }

  func testADatabaseOfOthersIsLeftAlone() async throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let database = try SQLiteDatabase(path: folder + "/queue.sqlite", patience: 100)
    try database.execute("CREATE TABLE theirs (id INTEGER)")
    do {
      _ = try await queue().rows()
      XCTFail("it is not ours")
    } catch {
      XCTAssertTrue("\(error)".contains("another application"), "\(error)")
    }
  }

  func testADamagedDatabaseIsPutAsideAndTheQueueGoesOn() async throws {
    _ = try await queue().enqueue((0..<500).map { entry(String(repeating: "\($0)", count: 200)) })
    let path = folder + "/queue.sqlite"
    try? FileManager.default.removeItem(atPath: path + "-wal")
    for damage in [0..<100, 4096..<40_960] {
      var bytes = try XCTUnwrap(FileManager.default.contents(atPath: path))
      bytes.replaceSubrange(damage, with: [UInt8](repeating: 0xA5, count: damage.count))
      try bytes.write(to: URL(fileURLWithPath: path))
      let queue = queue()
      await queue.forgetDamage()
      _ = try await queue.enqueue([entry("new")])
      _ = try await queue.claim(atMost: 9)
      let aside = await queue.damagedDatabases
      XCTAssertEqual(aside.count, 1)
      XCTAssertTrue(FileManager.default.contents(atPath: aside.first ?? "") == bytes)
      let rows = try await queue.rows().map { String(decoding: $0.payload, as: UTF8.self) }
      XCTAssertEqual(rows, ["new"])
      _ = try await queue.enqueue((0..<500).map { entry(String(repeating: "\($0)", count: 200)) })
    }
  }

  // MARK: Contents

  func testTheContentOfALoadIsReadAsItWasWritten() {
    var call = QueuedCall()
    call.key = "k"
    call.service = "Homes"
    call.environment = "staging"
    call.apiName = "notes/{id}"
    call.method = "PROPPATCH"
    call.parameters = Parameters([
      ("text", .string("ä\u{0}")), ("int", .integer(-5)), ("double", .double(0.1)), ("yes", .bool(true)),
      ("no", .bool(false)), ("null", .null), ("date", .date(Date(timeIntervalSince1970: 1.5))),
      ("data", .data([0, 255])), ("list", .array([.integer(1), .object(["deep": "er"])])),
      ("number", .number("1.50")),
    ])
    call.headers.add("X-A", "b")
    call.contentType = "text/plain"
    call.fills = [QueuedCall.Fill(parameter: "p", parent: 9, path: "a.b[0]")]
    for body in [QueuedCall.Body.none, .bytes([1, 2]), .spooled] {
      call.body = body
      XCTAssertEqual(QueuedCall(call.encode()), call)
    }
    // Bytes that are none never trap.
    let whole = call.encode()
    for count in 0..<whole.count { XCTAssertNil(QueuedCall(Array(whole[..<count]))) }
    for index in whole.indices {
      var bytes = whole
      bytes[index] ^= 0xFF
      _ = QueuedCall(bytes)
    }
  }
}
