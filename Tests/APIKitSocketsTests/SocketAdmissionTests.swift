import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// Sockets under the circuit breaker and the rate of their service.
@MainActor final class SocketAdmissionTests: XCTestCase {
  private let stage = SocketStage()

  func testAnOpenBreakerHoldsUpTheNextConnectionAndDoesNotEndTheSocket() async throws {
    let socket = stage.socket { service in
      service.breaker = BreakerPolicy()
      service.breaker?.minimumAttempts = 2
    }
    socket.sharedState = SharedState()
    let first = try await stage.open(socket)
    first.end(stage.broken)
    await stage.time.advanceOnceAsleep(by: .seconds(1))
    // One of two has failed, and the breaker opens for five seconds.
    let second = try await stage.wire(1)
    second.end(stage.broken)
    // The next connection is refused, and the one behind it is the probe.
    await stage.time.advanceOnceAsleep(by: .seconds(2))
    await stage.time.advanceOnceAsleep(by: .seconds(4))
    let probe = try await stage.wire(2)
    probe.accept()
    await stage.log.wait("open again") { socket.state == .open }
    XCTAssertEqual(stage.log.lines, ["open", "disconnect", "open"])
    socket.cancel()
  }
}
