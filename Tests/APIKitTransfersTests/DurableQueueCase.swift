import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Tests of the queue on the disk by itself, with a folder and a clock of their own.
class DurableQueueCase: XCTestCase {
  lazy var folder = temporaryPath()
  let time = ManualTime()

  func queue(
    limits: QueueStore.Limits = QueueStore.Limits(), schema: SQLiteSchema = .queue, boot: String = "one"
  ) -> DurableQueue {
    DurableQueue(folder: folder, limits: limits, schema: schema, time: time, boot: boot)
  }

  func entry(
    _ text: String = "x", lane: String? = nil, user: String = "", lifetime: Double? = nil,
    after: [Int64] = [],
    afterEntries: [Int] = []
  ) -> QueueStore.QueueEntry {
    var entry = QueueStore.QueueEntry()
    entry.lane = lane
    entry.user = user
    entry.payload = Array(text.utf8)
    entry.lifetime = lifetime
    entry.after = after
    entry.afterEntries = afterEntries
    return entry
  }

  func tidy(_ queue: DurableQueue) async throws -> [Int64] {
    try await queue.tidy { _ in [7] }.map(\.id)
  }
}
