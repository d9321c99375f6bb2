import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// Sockets under the circuit breaker, the rate and the sign-in of their service.
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

  func testARenewalThatFailsForAMomentDoesNotEndTheSocket() async throws {
    let attempts = Counter()
    let authenticator = Authenticator(
      store: MemoryCredentialStore(), rules: .init(),
      renewal: { _ in
        attempts.increment()
        guard attempts.value > 1 else { throw APIError(.transport, .connectionLost) }
        return Credential(accessToken: "new", refreshToken: "r")
      }, signIn: nil, time: stage.time)
    try authenticator.signIn(with: Credential(accessToken: "old", refreshToken: "r", expiresAt: 1))
    let socket = stage.socket { $0.authenticator = authenticator }
    socket.open()
    // The authenticator tries no renewal for five seconds after one that has failed.
    await stage.log.wait("another renewal") {
      stage.time.advance(by: .milliseconds(100))
      return attempts.value > 1
    }
    let wire = try await stage.wire()
    wire.accept()
    await stage.log.wait("open") { socket.state == .open }
    XCTAssertEqual(wire.exchange.request.headers["Authorization"], "Bearer new")
    XCTAssertEqual(attempts.value, 2, "and no more")
    socket.cancel()
  }

  func testANetworkThatItsGateRefusesHoldsUpTheNextConnectionAndDoesNotEndTheSocket() async throws {
    let socket = stage.socket()
    socket.networkGate = .fly.unmetered
    let first = try await stage.open(socket)
    socket.service.network.force(NetworkCondition(.online, over: .cellular, isExpensive: true))
    first.end(stage.broken)
    await stage.time.advanceOnceAsleep(by: .seconds(1))
    await stage.log.wait("refused") { socket.lastClosing?.error?.reason == .noNetwork }
    XCTAssertEqual(socket.state, .reconnecting)
    socket.service.network.force(NetworkCondition(.online, over: .wifi))
    await stage.time.advanceOnceAsleep(by: .seconds(2))
    let second = try await stage.wire(1)
    second.accept()
    await stage.log.wait("open again") { socket.state == .open }
    XCTAssertEqual(stage.log.lines, ["open", "disconnect", "open"])
    socket.cancel()
  }
}
