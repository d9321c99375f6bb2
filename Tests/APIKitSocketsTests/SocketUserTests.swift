import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// A socket belongs to the user for whom it was opened.
@MainActor final class SocketUserTests: XCTestCase {
  private let stage = SocketStage()
  private let authenticator = Authenticator(store: MemoryCredentialStore())

  private func signIn(_ name: String) throws {
    try authenticator.signIn(with: Credential(accessToken: name, refreshToken: "r"))
  }

  private func authorization(_ wire: StagedWire) -> String? { wire.exchange.request.headers["Authorization"] }

  private func checkSignedOut(_ socket: EchoSocket, line: UInt = #line) async throws {
    await stage.log.waitForClose(line: line)
    XCTAssertEqual(stage.log.closing?.error?.reason, .signedOut, line: line)
    try await stage.settle()
    XCTAssertEqual(stage.transport.wires.count, 1, line: line)
    XCTAssertEqual(socket.state, .closed, line: line)
  }

  func testALostSocketIsNotOpenedAgainAsTheNextUser() async throws {
    try signIn("anna")
    let socket = stage.socket { $0.authenticator = authenticator }
    let wire = try await stage.open(socket)
    XCTAssertEqual(authorization(wire), "Bearer anna")
    try authenticator.signOut()
    try signIn("bert")
    wire.end(stage.broken)
    try await checkSignedOut(socket)
    XCTAssertEqual(stage.log.lines, ["open", "close"])
  }

  func testASocketThatWaitsForItsNextConnectionEndsWithTheSignOut() async throws {
    try signIn("anna")
    let socket = stage.socket { $0.authenticator = authenticator }
    let wire = try await stage.open(socket)
    wire.end(stage.broken)
    await stage.log.wait("lost") { stage.log.lines == ["open", "disconnect"] }
    try authenticator.signOut()
    try await checkSignedOut(socket)
    XCTAssertEqual(stage.log.lines, ["open", "disconnect", "close"])
  }

  func testASocketThatWaitedForASignInKeepsTheUserWhoCame() async throws {
    let socket = stage.socket { $0.authenticator = authenticator }
    socket.signIn = .required
    socket.open()
    await stage.log.wait("waits") { socket.state == .waiting && authenticator.waiterCount == 1 }
    try signIn("anna")
    let wire = try await stage.wire()
    XCTAssertEqual(authorization(wire), "Bearer anna")
    wire.accept()
    await stage.log.wait("open") { socket.state == .open }
    try authenticator.signOut()
    try signIn("bert")
    wire.end(stage.broken)
    try await checkSignedOut(socket)
  }

  func testAnOpenThatWaitsForTheSocketBeforeKeepsItsUser() async throws {
    try signIn("anna")
    let socket = stage.socket { $0.authenticator = authenticator }
    let wire = try await stage.open(socket)
    // Each comes from within a callback of the one before, where it waits.
    stage.log.onClose = { [stage, authenticator] _ in
      stage.log.onClose = nil
      socket.open()
      socket.open()
      try? authenticator.signOut()
      try? authenticator.signIn(with: Credential(accessToken: "bert", refreshToken: "r"))
    }
    wire.end(stage.broken)
    socket.cancel()
    await stage.log.wait("closed") { stage.log.closings.count == 3 }
    XCTAssertEqual(stage.log.closings.last?.error?.reason, .signedOut)
    try await stage.settle()
    // The first of them may have begun before the sign-out.
    XCTAssertEqual(Set(stage.transport.wires.map { authorization($0) }), ["Bearer anna"])
  }

  func testTheSameUserIsConnectedAgainAndSoIsTheNextOneByAnOpen() async throws {
    try signIn("anna")
    let socket = stage.socket { $0.authenticator = authenticator }
    let wire = try await stage.open(socket)
    wire.end(stage.broken)
    await stage.time.advanceOnceAsleep(by: .seconds(1))
    let second = try await stage.wire(1)
    XCTAssertEqual(authorization(second), "Bearer anna")
    try authenticator.signOut()
    try signIn("bert")
    socket.open()
    await stage.log.wait("closed") { stage.log.closings.count == 1 }
    let third = try await stage.wire(2)
    XCTAssertEqual(authorization(third), "Bearer bert")
    socket.cancel()
  }
}
