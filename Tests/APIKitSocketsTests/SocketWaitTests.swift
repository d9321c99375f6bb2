import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// Every wait for a socket obeys cancellation and its limit.
@MainActor final class SocketWaitTests: XCTestCase {
  private let stage = SocketStage()

  /// Whether a task ends soon after it was cancelled, with `cancelled`.
  private func checkCancelling(_ task: Task<some Sendable, any Error>, line: UInt = #line) async {
    let end = Record<String>()
    Task { end.add((await failure { try await task.value })?.reason.description ?? "none") }
    for _ in 0..<10 { await Task.yield() }
    XCTAssertEqual(end.all, [], line: line)
    task.cancel()
    await stage.log.wait("cancelled", line: line) { !end.all.isEmpty }
    XCTAssertEqual(end.all, ["cancelled"], line: line)
  }

  func testOpenedThatIsCancelledEndsTheSocket() async throws {
    let socket = stage.socket()
    let task = Task { try await socket.opened() }
    let wire = try await stage.wire()
    await checkCancelling(task)
    XCTAssertEqual(stage.log.lines, ["close"])
    XCTAssertEqual(socket.state, .closed)
    await stage.log.wait("cut") { wire.said.last == "cut" }
    // One that waits for another to end ends alone.
    _ = try await stage.open(socket, 1)
    let second = Task { try await socket.opened(["room": "2"]) }
    await checkCancelling(second)
    XCTAssertTrue(stage.log.closings.count >= 1)
  }

  func testAPingObeysCancellationAndItsLimit() async throws {
    let socket = stage.socket()
    _ = try await stage.open(socket)
    await checkCancelling(Task { try await socket.ping() })
    let task = Task { try await socket.ping(within: .seconds(3)) }
    await stage.time.advanceOnceAsleep(by: .seconds(3), sleepers: 2)
    let error = await failure { try await task.value }
    XCTAssertEqual(error?.reason, .idleTimeout)
    XCTAssertEqual(socket.state, .open)
  }

  func testWhatWaitsForRoomIsSentInTheOrderOfTheCalls() async throws {
    let socket = stage.socket()
    socket.options.maximumQueuedBytes = 17
    let wire = try await stage.open(socket)
    try socket.send("0123456789")
    let sent = Record<String>()
    func send(_ text: String) async -> Task<Void, any Error> {
      let task = Task {
        try await socket.sendWhenPossible(.text(text))
        sent.add(text)
      }
      for _ in 0..<10 { await Task.yield() }
      return task
    }
    var tasks = [await send("a23456"), await send("b23456"), await send("c23")]
    let given = await send("d2345678")
    let last = await send("e2")
    await checkCancelling(given)
    XCTAssertEqual(sent.all, [])
    let jumped = await failure { try socket.send("x") }
    XCTAssertEqual(jumped?.reason, .sendQueueFull)
    tasks.append(last)
    await stage.log.wait("all are sent") {
      wire.confirm()
      return sent.all.count == 4
    }
    for task in tasks { try await task.value }
    XCTAssertEqual(
      wire.said.filter { $0.hasPrefix("send") },
      ["send 0123456789", "send a23456", "send b23456", "send c23", "send e2"])
  }

  func testWhatWaitsForRoomObeysItsLimitAndTheEndOfTheSocket() async throws {
    let socket = stage.socket()
    socket.options.maximumQueuedBytes = 16
    _ = try await stage.open(socket)
    try socket.send("0123456789")
    let late = Task { try await socket.sendWhenPossible(.text("late"), within: .seconds(3)) }
    await stage.time.advanceOnceAsleep(by: .seconds(3), sleepers: 2)
    let error = await failure { try await late.value }
    XCTAssertEqual(error?.reason, .idleTimeout)
    let closed = Task { try await socket.sendWhenPossible(.text("closed")) }
    for _ in 0..<10 { await Task.yield() }
    try socket.close()
    let end = await failure { try await closed.value }
    XCTAssertEqual(end?.reason, .socketNotOpen)
    socket.cancel()
  }

  func testAnOpenedThatWasGivenUpEndsNoOtherCaller() async throws {
    let stage = SocketStage()
    let socket = stage.socket()
    let wire = try await stage.open(socket)
    let first = Task { try await socket.opened() }
    await stage.log.wait("closing") { socket.state == .closing }
    first.cancel()
    _ = await first.result
    var second: Task<SocketOpening, any Error>?
    stage.log.onClose = { _ in
      stage.log.onClose = nil
      second = Task { try await socket.opened() }
    }
    wire.end(stage.broken)
    await stage.log.wait("closed") { stage.log.closings.count == 2 }
    try await stage.wire(1).accept()
    let opening = try await second?.value
    XCTAssertEqual(opening?.number, 1)
    XCTAssertEqual(stage.log.lines, ["open", "close", "close", "open"])
    socket.cancel()
  }

  func testACancelInAStatementBeforeTheOpenHasNoEffect() async throws {
    let stage = SocketStage()
    let socket = EndingSocket(stage.socket().service)
    socket.delegate = stage.log
    socket.open()
    try await stage.wire().accept()
    await stage.log.wait("open") { socket.state == .open }
    socket.cancel()
    await stage.log.waitForClose()
    XCTAssertEqual(stage.log.lines, ["open", "close"])
  }
}

/// Ends itself while it is asked for its policy.
private final class EndingSocket: BaseSocketManager, SocketManager {
  let service: SocketService
  let apiName = "echo"
  private var isAsked = false
  var reconnection: ReconnectPolicy {
    if !isAsked {
      isAsked = true
      cancel()
    }
    return .never
  }
  init(_ service: SocketService) { self.service = service }
}
