import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// What an outbox does while it may not send.
@MainActor final class OutboxStoppingTests: OutboxCase {
  func testAnItemExpiresWithoutANetwork() async throws {
    network.force(.offline)
    let (outbox, delegate) = (outbox { $0.lifetime = .seconds(60) }, OutboxRecorder())
    outbox.start()
    let manager = manager(delegate)
    manager.load(["text": "hello"])
    try await turn { delegate.story.count == 2 }
    XCTAssertEqual(delegate.story, ["queued 1", "failed deadline-exceeded 0"])
    XCTAssertEqual(stub.requests.count, 0)
  }
}
