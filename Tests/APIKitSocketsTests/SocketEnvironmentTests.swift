import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// A switch of the environment while a socket waits for its next connection.
@MainActor final class SocketEnvironmentTests: XCTestCase {
  private let stage = SocketStage()

  private func lostSocket() async throws -> EchoSocket {
    let environments = ServiceEnvironments([
      .release: "https://homes.test/api", .development: "https://dev.homes.test/api",
    ])
    let socket = stage.socket { $0.environments = environments }
    socket.reconnection.unsent = .keep(upTo: 1 << 20)
    let wire = try await stage.open(socket)
    wire.end(stage.broken)
    await stage.log.wait("lost") { stage.log.lines == ["open", "disconnect"] }
    try socket.send("for the first server")
    return socket
  }

  func testMessagesKeptForOneServerAreNotSentToAnother() async throws {
    let socket = try await lostSocket()
    socket.service.environments.current = .development
    await stage.time.advanceOnceAsleep(by: .seconds(1))
    let wire = try await stage.wire(1)
    XCTAssertEqual(wire.exchange.request.url.host, "dev.homes.test")
    try socket.send("for the second server")
    wire.accept()
    await stage.log.wait("sent") { wire.said.contains("send for the second server") }
    XCTAssertFalse(wire.said.contains("send for the first server"))
    XCTAssertEqual(stage.log.unsent.map(\.message), [.text("for the first server")])
    XCTAssertEqual(stage.log.lines, ["open", "disconnect", "unsent", "open"])
    socket.cancel()
  }

  func testMessagesKeptForTheSameServerAreSentThere() async throws {
    let socket = try await lostSocket()
    await stage.time.advanceOnceAsleep(by: .seconds(1))
    let wire = try await stage.wire(1)
    wire.accept()
    await stage.log.wait("sent") { wire.said.contains("send for the first server") }
    XCTAssertEqual(stage.log.unsent, [])
    socket.cancel()
  }

  func testASocketThatIsEndedAsItsMessagesComeBackStaysClosed() async throws {
    let socket = try await lostSocket()
    socket.service.environments.current = .development
    stage.log.onUnsent = { $0.cancel() }
    await stage.time.advanceOnceAsleep(by: .seconds(1))
    await stage.log.waitForClose()
    try await stage.settle()
    XCTAssertEqual(stage.log.lines, ["open", "disconnect", "unsent", "close"])
    XCTAssertEqual(socket.state, .closed)
  }
}
