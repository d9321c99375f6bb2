import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// Sequences of the items of a stream: what they keep, and what they hold up.
@MainActor final class ItemReaderTests: XCTestCase {
  private final class Item: Sendable {}

  func testAnItemThatWasTakenIsNotKept() async throws {
    let reader = ItemReader<Item> { true }
    weak var first: Item?
    do {
      let item = Item()
      first = item
      reader.put(item, bytes: 1)
    }
    // It is never read to its end: one item always waits.
    for _ in 0..<100 {
      reader.put(Item(), bytes: 1)
      _ = try await reader.take()
    }
    XCTAssertNil(first)
  }
}
