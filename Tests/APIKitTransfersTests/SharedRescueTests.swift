import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// One process repairs a damaged database while another one keeps writing to it.
final class SharedRescueTests: DurableQueueCase {
  func testWhatIsKeptWhileAnotherProcessMendsTheDatabaseStaysKept() async throws {
    let path = folder + "/queue.sqlite"
    let queue = queue()
    _ = try await queue.enqueue((0..<2_000).map { entry(String(repeating: "\($0)", count: 400)) })
    try SQLiteDatabase(path: path, patience: 1_000).execute("UPDATE totals SET bytes = bytes + 1")
    let isDone = AtomicInt()
    let mending = Task.detached {
      defer { isDone.add(1) }
      return try DatabaseRescue(path: path, schema: .queue, remains: .queue).run(isForced: true)
    }
    var kept: [Int64] = []
    while isDone.load() == 0 { kept += try await queue.enqueue([entry("new", user: "\(kept.count)")]) }
    let copy = try await mending.value
    XCTAssertNotNil(copy)
    kept += try await queue.enqueue([entry("new", user: "\(kept.count)")])
    let rows = try await queue.rows()
    let users = rows.map(\.user).filter { !$0.isEmpty }
    XCTAssertEqual(users, (0..<kept.count).map { "\($0)" })
    XCTAssertEqual(rows.count, 2_000 + kept.count)
  }
}
