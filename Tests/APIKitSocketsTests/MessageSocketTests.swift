import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// Sockets whose frames are the system's, as on Apple platforms: the same managers over another wire.
@MainActor final class MessageSocketTests: XCTestCase {
  private let transport = StagedTransport()
  private let log = SocketLog()
  private let time = ManualTime()

  private func socket() -> EchoSocket {
    let socket = EchoSocket(
      SocketService(
        environments: ServiceEnvironments("https://homes.test/api"),
        client: HTTPClient(transport: transport)))
    socket.delegate = log
    socket.time = time
    socket.jitter = { 1 }
    return socket
  }

  private func wire(_ number: Int = 0, file: StaticString = #filePath, line: UInt = #line) async throws
    -> StagedWire
  {
    await log.wait("wire \(number)", file: file, line: line) {
      transport.wires.count > number && transport.wires[number].said.contains("open")
    }
    return try XCTUnwrap(
      transport.wires.count > number ? transport.wires[number] : nil, file: file, line: line)
  }

  private func openSocket(
    _ fields: HTTPHeaders = HTTPHeaders(), _ change: (EchoSocket) -> Void = { _ in }
  ) async throws -> (EchoSocket, StagedWire) {
    let socket = socket()
    change(socket)
    socket.open(["room": "7"])
    let wire = try await wire()
    wire.accept(fields)
    await log.wait("open") { socket.state == .open }
    return (socket, wire)
  }

  func testItOpensSendsReceivesOneByOneAndClosesBehindWhatWasSent() async throws {
    let (socket, wire) = try await openSocket(["Sec-WebSocket-Protocol": "chat"]) {
      $0.subprotocols = ["chat"]
    }
    XCTAssertEqual(wire.exchange.request.url.string, "https://homes.test/api/echo?room=7")
    XCTAssertEqual(wire.terms.subprotocols, ["chat"])
    XCTAssertEqual(wire.terms.maximumMessageBytes, 16 << 20)
    XCTAssertEqual(socket.opening?.subprotocol, "chat")
    await log.wait("asked") { wire.said == ["open", "receive"] }
    wire.tell { $0.received(.text("1")) }
    wire.tell { $0.received(.data([2])) }
    await log.wait("messages") { log.messages.count == 2 }
    XCTAssertEqual(log.messages, [.text("1"), .data([2])])
    try socket.send("a")
    try socket.send([1, 2])
    await log.wait("sent") { wire.said.last == "send 2 bytes" }
    XCTAssertEqual(wire.said, ["open", "receive", "receive", "receive", "send a", "send 2 bytes"])
    try socket.close(.normal, reason: "done")
    wire.confirm()
    XCTAssertFalse(wire.said.contains("close 1000 done"), "a message was not sent yet")
    wire.confirm()
    XCTAssertEqual(wire.said.last, "close 1000 done")
    wire.tell { $0.receivedClose(1000, "done") }
    wire.end()
    await log.waitForClose()
    XCTAssertEqual(log.closing?.end, .clean)
    XCTAssertEqual(log.closing?.code, .normal)
    XCTAssertEqual(log.closing?.reason, "done")
    XCTAssertNil(log.closing?.error)
    XCTAssertEqual(log.lines, ["open", "message", "message", "close"])
  }

  /// App Transport Security counts for the system's sockets alone.
  func testASystemThatFramesSocketsItselfIsPreferredToItsConnectionsOfBytes() async throws {
    final class Both: MessageTransport, WireTransport {
      let staged = StagedTransport()
      var capabilities: TransportCapabilities { staged.capabilities }

      func makeMessageWire(
        for exchange: HTTPExchange, _ terms: MessageWireTerms
      ) throws(APIError) -> any MessageWire { try staged.makeMessageWire(for: exchange, terms) }

      func makeWire(for exchange: HTTPExchange, speaksHTTP: Bool) throws(APIError) -> any Wire {
        throw APIError(.transport, .transportFailed, "no bytes were wanted")
      }

      func start(_ exchange: HTTPExchange, completion: @escaping Completion) -> any CancellableOperation {
        staged.start(exchange, completion: completion)
      }
    }
    let both = Both()
    let socket = EchoSocket(
      SocketService(
        environments: ServiceEnvironments("https://homes.test/api"), client: HTTPClient(transport: both)))
    socket.delegate = log
    socket.open()
    await log.wait("wire") { both.staged.wires.first?.said.contains("open") == true }
    socket.cancel()
    await log.waitForClose()
    XCTAssertEqual(log.closing?.error?.reason, .cancelled)
  }

  func testTheServersCloseIsTold() async throws {
    let (socket, wire) = try await openSocket()
    wire.tell { $0.receivedClose(4001, "enough") }
    wire.end(APIError(.transport, .connectionLost))
    await log.waitForClose()
    XCTAssertEqual(socket.state, .closed)
    XCTAssertEqual(log.closing?.code.rawValue, 4001)
    XCTAssertEqual(log.closing?.reason, "enough")
    XCTAssertEqual(log.closing?.end, .clean)
  }

  func testAnEndWithoutACloseFrameIsCutWhatIsUnsentIsTold() async throws {
    let (socket, wire) = try await openSocket()
    try socket.send("never")
    await log.wait("sent") { wire.said.contains("send never") }
    wire.tell { $0.broke(APIError(.transport, .connectionLost, "reset")) }
    wire.end(APIError(.transport, .connectionLost, "reset"))
    await log.waitForClose()
    XCTAssertEqual(log.closing?.code, .abnormal)
    XCTAssertEqual(log.closing?.end, .cut)
    XCTAssertEqual(log.unsent.map(\.message), [.text("never")])
    XCTAssertEqual(log.unsent.map(\.hasBegun), [true], "nobody knows, so it is not repeated in silence")
  }

  func testARefusalIsTheLoadsToJudge() async throws {
    let socket = socket()
    socket.open()
    let first = try await wire(0)
    first.end(
      refusal: HTTPResponse(status: 307, headers: ["Location": "wss://homes.test/other"]))
    let second = try await wire(1)
    XCTAssertEqual(second.exchange.request.url.string, "https://homes.test/other")
    second.end(refusal: HTTPResponse(status: 403))
    await log.waitForClose()
    XCTAssertEqual(log.closing?.error?.context.status, 403)
    XCTAssertEqual(log.closing?.end, .notOpened)
  }

  func testWhatTheSystemDecidesItselfIsRefusedByName() async throws {
    let bits = socket()
    bits.options.compressionBits = 9
    let error = await failure { try await bits.opened() }
    XCTAssertEqual(error?.reason, .unsupportedCapability)
    XCTAssertTrue(error?.description.contains("compressionBits") == true, "\(error as Any)")
    let size = socket()
    size.options.compressesFrom = 1
    let other = await failure { try await size.opened() }
    XCTAssertTrue(other?.description.contains("compressesFrom") == true, "\(other as Any)")
    XCTAssertTrue(transport.wires.isEmpty)
  }

  func testAServerThatCompressesIsRefusedWhereThatIsOff() async throws {
    let socket = socket()
    socket.options.compressionBits = nil
    socket.open()
    let wire = try await wire()
    wire.accept(["Sec-WebSocket-Extensions": "permessage-deflate"])
    await log.waitForClose()
    XCTAssertEqual(log.closing?.error?.reason, .unsupportedCapability)
    XCTAssertEqual(wire.said, ["open", "cut"])
  }

  func testAMessageThatMustNotBeCompressedIsRefusedWhereTheSystemCompresses() async throws {
    let (socket, wire) = try await openSocket(["Sec-WebSocket-Extensions": "permessage-deflate"])
    XCTAssertEqual(socket.opening?.isCompressed, true)
    XCTAssertThrowsError(try socket.send(.text("secret"), compressed: false)) {
      XCTAssertEqual(($0 as? APIError)?.reason, .unsupportedCapability)
    }
    try socket.send("public")
    await log.wait("sent") { wire.said.last == "send public" }
    XCTAssertFalse(wire.said.contains("send secret"))
    socket.cancel()
    await log.waitForClose()
  }

  func testACloseCodeThatTheSystemHasNotIsRefusedByName() async throws {
    let (socket, wire) = try await openSocket()
    for code: UInt16 in [1012, 1013, 1014] {
      XCTAssertThrowsError(try socket.close(.init(rawValue: code))) {
        XCTAssertEqual(($0 as? APIError)?.reason, .unsupportedCapability)
      }
    }
    XCTAssertEqual(socket.state, .open)
    try socket.close(.init(rawValue: 4999))
    await log.wait("close") { wire.said.last == "close 4999 " }
    // The server does not respond.
    await time.advanceOnceAsleep(by: .seconds(10))
    await log.waitForClose()
    XCTAssertEqual(wire.said.last, "cut")
  }

  func testASubprotocolThatWasNotOfferedFails() async throws {
    let socket = socket()
    socket.open()
    let wire = try await wire()
    wire.accept(["Sec-WebSocket-Protocol": "chat"])
    await log.waitForClose()
    XCTAssertEqual(log.closing?.error?.reason, .socketHandshakeFailed)
  }

  func testNoMessageIsAskedForWhileSomeWereNotTaken() async throws {
    let socket = socket()
    let messages = socket.messages()
    socket.open()
    let wire = try await wire()
    wire.accept()
    await log.wait("open") { wire.said.contains("receive") }
    var told = 0
    while wire.said.filter({ $0 == "receive" }).count > told, told < 200 {
      wire.tell { $0.received(.text("x")) }
      told += 1
      // The main actor takes as many as the reader has room for.
      for _ in 0..<20 { await Task.yield() }
    }
    XCTAssertGreaterThanOrEqual(told, 16)
    XCTAssertLessThan(told, 100, "reading stops")
    var taken = 0
    for try await _ in messages {
      taken += 1
      if taken == told { break }
    }
    await log.wait("asked again") { wire.said.filter { $0 == "receive" }.count > told }
    socket.cancel()
    await log.waitForClose()
  }

  func testPingsAreMeasuredAndASilentServerIsCut() async throws {
    let (socket, wire) = try await openSocket()
    await time.advanceOnceAsleep(by: .seconds(20))
    await log.wait("ping") { wire.said.last == "ping" }
    await time.advanceOnceAsleep(by: .seconds(1))
    wire.pong()
    await log.wait("measured") { socket.roundTrip == .seconds(1) }
    await time.advanceOnceAsleep(by: .seconds(19))
    await log.wait("second ping") { wire.said.filter { $0 == "ping" }.count == 2 }
    await time.advanceOnceAsleep(by: .seconds(20))
    await log.waitForClose()
    XCTAssertEqual(wire.said.last, "cut")
    XCTAssertEqual(log.closing?.error?.reason, .connectionLost)
    XCTAssertTrue(log.closing?.error?.description.contains("ping") == true)
  }

  func testAfterAStandstillAPingLeavesAndNoDeadlineHasPassed() async throws {
    let (socket, wire) = try await openSocket()
    await time.advanceOnceAsleep(by: .seconds(20))
    await log.wait("ping") { wire.said.last == "ping" }
    // The machine sleeps for an hour.
    await time.advanceOnceAsleep(by: .seconds(3600))
    await log.wait("another") { wire.said.filter { $0 == "ping" }.count == 2 }
    XCTAssertEqual(socket.state, .open)
    socket.cancel()
    await log.waitForClose()
  }

  func testOpeningHasOneLimit() async throws {
    let socket = socket()
    socket.open()
    let wire = try await wire()
    await time.advanceOnceAsleep(by: .seconds(10))
    await log.waitForClose()
    XCTAssertEqual(log.closing?.error?.reason, .connectTimeout)
    XCTAssertEqual(wire.said, ["open", "cut"])
  }

  func testAfterCancelOnlyTheEndComes() async throws {
    let (socket, wire) = try await openSocket()
    socket.cancel()
    wire.tell { $0.received(.text("late")) }
    await log.waitForClose()
    XCTAssertEqual(log.lines, ["open", "close"])
    XCTAssertEqual(wire.said.last, "cut")
  }

  func testAReleasedSocketTries1001AndIsCutWithinATenthOfASecond() async throws {
    var held: EchoSocket?
    let wire: StagedWire
    (held, wire) = try await openSocket()
    XCTAssertNotNil(held)
    held = nil
    await log.wait("1001") { wire.said.contains("close 1001 ") }
    await time.advanceOnceAsleep(by: .milliseconds(100))
    await log.wait("cut") { wire.said.last == "cut" }
    XCTAssertEqual(log.lines, ["open"])
  }

  func testALostConnectionIsOpenedAgainAndOneThatBrokeTheProtocolIsNot() async throws {
    let socket = socket()
    socket.reconnection = .standard
    socket.open()
    let first = try await wire(0)
    first.accept()
    await log.wait("open") { socket.state == .open }
    first.end(APIError(.transport, .connectionLost))
    await log.wait("lost") { socket.state == .reconnecting }
    await time.advanceOnceAsleep(by: .seconds(1))
    let second = try await wire(1)
    second.accept()
    await log.wait("open again") { log.openings.count == 2 && second.said.last == "receive" }
    second.tell { $0.broke(APIError(.transport, .responseTooLarge)) }
    XCTAssertEqual(second.said.last, "close 1009 ")
    second.end(APIError(.transport, .responseTooLarge))
    await log.waitForClose()
    XCTAssertEqual(log.closing?.error?.reason, .responseTooLarge)
    XCTAssertEqual(log.closing?.sentCode, .messageTooLarge)
    XCTAssertEqual(log.lines, ["open", "disconnect", "open", "close"])
  }
}
