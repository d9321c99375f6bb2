import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// A socket whose frames are the test's, and what it tells.
@MainActor final class SocketStage {
  let transport = StagedTransport()
  let log = SocketLog()
  let time = ManualTime()
  let broken = APIError(.transport, .connectionLost, "the test has ended it")

  func socket(_ change: (inout SocketService) -> Void = { _ in }) -> EchoSocket {
    var service = SocketService(
      environments: ServiceEnvironments("https://homes.test/api"), client: HTTPClient(transport: transport))
    change(&service)
    let socket = EchoSocket(service)
    socket.delegate = log
    socket.time = time
    socket.jitter = { 1 }
    socket.reconnection = .standard
    return socket
  }

  func wire(_ number: Int = 0) async throws -> StagedWire {
    await log.wait("wire \(number)") {
      transport.wires.count > number && transport.wires[number].said.contains("open")
    }
    return try XCTUnwrap(transport.wires.count > number ? transport.wires[number] : nil)
  }

  /// Opens a socket; its wire.
  func open(_ socket: EchoSocket, _ number: Int = 0) async throws -> StagedWire {
    socket.open()
    let wire = try await wire(number)
    wire.accept()
    await log.wait("open") { socket.state == .open }
    return wire
  }

  /// A socket whose connection is lost with a message that was not sent.
  func lose(_ socket: EchoSocket) async throws {
    socket.open(["room": "1"])
    let wire = try await wire()
    wire.accept()
    await log.wait("open") { socket.state == .open }
    try socket.send("unsent")
    await log.wait("given") { wire.said.contains("send unsent") }
    wire.end(broken)
  }

  /// Time passes, and whatever was begun has a chance to show itself.
  func settle() async throws {
    for _ in 0..<5 {
      time.advance(by: .seconds(600))
      for _ in 0..<20 { await Task.yield() }
      try await Task.sleep(for: .milliseconds(2))
    }
    // A connection that was opened although it must not be is shown by what it delivers.
    for wire in transport.wires { wire.accept() }
    try await Task.sleep(for: .milliseconds(10))
  }
}

private enum Deed: String, CaseIterable {
  case cancel, close, open, cancelAndOpen, closeAndOpen

  @MainActor func callAsFunction(_ socket: BaseSocketManager) {
    let socket = socket as? EchoSocket
    if self == .cancel || self == .cancelAndOpen { socket?.cancel() }
    if self == .close || self == .closeAndOpen { try? socket?.close() }
    if opens { socket?.open(["room": "2"]) }
  }

  var opens: Bool { self != .cancel && self != .close }
}

/// What a callback does to its socket counts: nothing that was decided before the call happens after it.
@MainActor final class SocketCallbackTests: XCTestCase {
  private let stage = SocketStage()
  private var log: SocketLog { stage.log }
  private var transport: StagedTransport { stage.transport }

  private typealias Act = @MainActor (BaseSocketManager) -> Void

  /// Does something once within a callback, and looks at what comes of it.
  private func check(
    _ deed: Deed, in place: String, _ before: [String],
    _ arrange: (SocketLog, EchoSocket, @escaping Act) -> Void
  ) async throws {
    let stage = SocketStage()
    let (log, socket) = (stage.log, stage.socket())
    var isDone = false
    arrange(log, socket) { manager in
      guard !isDone else { return }
      isDone = true
      deed(manager)
    }
    try await stage.lose(socket)
    await log.wait("\(deed) in \(place)") { isDone && log.closings.count >= 1 }
    if deed.opens {
      let wire = try await stage.wire(1)
      XCTAssertEqual(wire.exchange.request.url.query, "room=2", "\(deed) in \(place)")
      wire.accept()
      await log.wait("open again") { log.openings.count == 2 }
      XCTAssertEqual(log.lines, before + ["close", "open"], "\(deed) in \(place)")
      XCTAssertEqual(log.openings.last?.number, 1)
    } else {
      try await stage.settle()
      XCTAssertEqual(log.lines, before + ["close"], "\(deed) in \(place)")
      XCTAssertEqual(socket.state, .closed)
      XCTAssertEqual(stage.transport.wires.count, 1)
    }
    socket.cancel()
  }

  func testASocketThatIsEndedInDidNotSendStaysClosedOrOpensWhatIsAskedForThere() async throws {
    for deed in Deed.allCases {
      try await check(deed, in: "didNotSend", ["open", "unsent"]) { log, _, act in log.onUnsent = act }
    }
  }

  func testASocketThatIsEndedInPrepareStaysClosedOrOpensWhatIsAskedForThere() async throws {
    for deed in Deed.allCases {
      try await check(deed, in: "prepare", ["open", "unsent"]) { _, socket, act in
        socket.onPrepare = { [unowned socket] _ in act(socket) }
      }
    }
  }

  func testASocketThatIsEndedInDidDisconnectStaysClosedOrOpensWhatIsAskedForThere() async throws {
    for deed in Deed.allCases {
      try await check(deed, in: "didDisconnect", ["open", "unsent", "disconnect"]) { log, _, act in
        log.onDisconnect = act
      }
    }
  }

  func testASocketThatIsReleasedInDidNotSendTellsNothingMore() async throws {
    var socket: EchoSocket? = stage.socket()
    var isPrepared = false
    socket?.onPrepare = { _ in isPrepared = true }
    log.onUnsent = { _ in socket = nil }
    try await stage.lose(XCTUnwrap(socket))
    await log.wait("released") { socket == nil }
    try await stage.settle()
    XCTAssertEqual(log.lines, ["open", "unsent"])
    XCTAssertFalse(isPrepared)
    XCTAssertEqual(transport.wires.count, 1)
  }

  func testTheEndOfASocketIsToldOnceWhateverDidNotSendDoes() async throws {
    for deed in Deed.allCases {
      let test = SocketStage()
      let socket = test.socket()
      socket.reconnection = .never
      var isDone = false
      test.log.onUnsent = { manager in
        guard !isDone else { return }
        isDone = true
        deed(manager)
      }
      try await test.lose(socket)
      await test.log.wait("closed") { test.log.closings.count == 1 }
      if deed.opens {
        try await test.wire(1).accept()
        await test.log.wait("open again") { test.log.openings.count == 2 }
      } else {
        try await test.settle()
      }
      XCTAssertEqual(
        test.log.lines, ["open", "unsent", "close"] + (deed.opens ? ["open"] : []), deed.rawValue)
      socket.cancel()
    }
  }

  func testKeptMessagesOfASocketThatIsClosedBeforeItsNextConnectionAreTold() async throws {
    let socket = stage.socket()
    socket.reconnection.unsent = .keep(upTo: 1 << 20)
    socket.open()
    let wire = try await stage.wire()
    wire.accept()
    await log.wait("open") { socket.state == .open }
    // The wire has ended, and the main actor does not know yet.
    wire.end(stage.broken)
    try socket.send("kept")
    await log.wait("lost") { log.lines.contains("disconnect") }
    XCTAssertEqual(log.unsent, [])
    try socket.close()
    await log.waitForClose()
    XCTAssertEqual(log.lines.sorted(), ["close", "disconnect", "open", "unsent"])
    XCTAssertEqual(log.unsent.map(\.message), [.text("kept")])
  }

  func testNothingIsDeliveredAfterDidClose() async throws {
    let socket = stage.socket()
    socket.reconnection = .never
    socket.open()
    let wire = try await stage.wire()
    wire.accept()
    await log.wait("open") { socket.state == .open }
    wire.end(stage.broken)
    // The end is on its way to the main actor.
    try socket.send("late")
    await log.waitForClose()
    try await stage.settle()
    XCTAssertEqual(log.lines, ["open", "unsent", "close"])
    XCTAssertEqual(log.unsent.map(\.message), [.text("late")])
  }

  func testEveryOpenHasOneDidClose() async throws {
    let socket = stage.socket()
    for room in 1...4 { socket.open(["room": "\(room)"]) }
    await log.wait("superseded") { log.closings.count == 3 }
    await log.wait("the last one") { transport.wires.last?.exchange.request.url.query == "room=4" }
    let wire = try await stage.wire(transport.wires.count - 1)
    wire.accept()
    await log.wait("open") { socket.state == .open }
    XCTAssertEqual(log.lines, ["close", "close", "close", "open"])
    socket.open(["room": "5"])
    socket.open(["room": "6"])
    socket.cancel()
    await log.wait("closed") { log.closings.count == 6 }
    try await stage.settle()
    XCTAssertEqual(log.lines.filter { $0 == "close" }.count, 6)
    XCTAssertEqual(socket.state, .closed)
    XCTAssertTrue(log.closings.allSatisfy { $0.error?.isCancellation == true })
  }

  func testASocketThatIsCancelledWhereItsServiceIsReadDoesNotOpen() async throws {
    let socket = stage.socket()
    socket.onService = { [unowned socket] in
      guard socket.state == .connecting else { return }
      socket.onService = nil
      socket.cancel()
    }
    socket.open()
    try await stage.settle()
    XCTAssertEqual(log.lines, ["close"])
    XCTAssertEqual(socket.state, .closed)
    XCTAssertEqual(transport.wires.count, 0)
  }

  func testAnOpenInDidCloseIsTheNextOne() async throws {
    let socket = stage.socket()
    socket.open(["room": "1"])
    let wire = try await stage.wire()
    wire.accept()
    await log.wait("open") { socket.state == .open }
    var isDone = false
    log.onClose = { manager in
      guard !isDone else { return }
      isDone = true
      (manager as? EchoSocket)?.open(["room": "3"])
    }
    socket.open(["room": "2"])
    wire.tell { $0.receivedClose(1000, "") }
    wire.end()
    let next = try await stage.wire(1)
    XCTAssertEqual(next.exchange.request.url.query, "room=3")
    next.accept()
    await log.wait("open again") { log.openings.count == 2 }
    XCTAssertEqual(log.lines, ["open", "close", "close", "open"])
    socket.cancel()
  }
}
