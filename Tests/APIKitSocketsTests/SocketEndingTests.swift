#if os(Linux)
  import APIKitTesting
  import Foundation
  @testable import TestSupport
  import XCTest

  @testable import APIKit
  @testable import APIKitSockets

  /// How sockets end: cancelled, cut, released.
  @MainActor final class SocketEndingTests: SocketCase {
    func testACancelledSocketSendsNoCloseFrameAndDeliversItsEndAlone() async throws {
      let received = Mutex<[UInt8]>([])
      let go = Latch()
      let server = try server([
        [
          .readHead, .upgrade(then: ServerFrames.text("1")), .wait(go),
          .readRest { bytes in received.withLock { $0 = bytes } },
        ]
      ])
      let socket = try socket(server)
      let messages = socket.messages()
      log.onMessage = { manager, _ in
        try? manager.send("sent before")
        manager.cancel()
        XCTAssertNil(try? manager.send("late"), "it is cancelled")
      }
      socket.open()
      await log.waitForClose()
      go.open()
      XCTAssertEqual(log.lines, ["open", "message", "close"])
      XCTAssertEqual(log.closing?.error?.reason, .cancelled)
      XCTAssertEqual(log.closing?.end, .aborted, "it was not the server")
      XCTAssertTrue(server.waitUntilIdle())
      XCTAssertFalse(ServerFrames.read(received.withLock { $0 }).contains { $0.first == 0x88 })
      XCTAssertTrue(log.unsent.isEmpty)
      let error = await failure { for try await _ in messages {} }
      XCTAssertEqual(error?.reason, .cancelled)
    }

    func testAnEndOfTLSWithoutACloseNotifyIsCut() async throws {
      for isOrderly in [true, false] {
        let tls = try ScriptedTLS(in: temporaryFolder())
        let server = try server(
          [[.readHead, .upgrade(then: ServerFrames.text("last")), isOrderly ? .end : .cut, .waitForClose]],
          tls: tls)
        let log = SocketLog()
        let socket = try socket(server, configuration: { $0.tls.trust = .bundle(path: tls.root) })
        socket.delegate = log
        socket.open()
        await log.waitForClose()
        XCTAssertEqual(log.messages, [.text("last")])
        XCTAssertEqual(log.closing?.code, .abnormal)
        XCTAssertEqual(log.closing?.end, isOrderly ? .dropped : .cut)
        XCTAssertEqual(log.closing?.error?.reason, .connectionLost)
      }
    }

    func testASocketMayBeReleasedOnAnyThreadAndItsDescriptorIsClosedInATenthOfASecond() async throws {
      let received = Mutex<[UInt8]>([])
      // A server that neither responds to the close frame nor ends the connection.
      let server = try server([
        [
          .readHead, .upgrade(then: ServerFrames.text("hello")),
          .readRest { bytes in received.withLock { $0 = bytes } },
        ]
      ])
      let transport = try CurlTransport()
      // A busy machine may be late; the server would have kept the connection for good.
      var shortest = [Duration.seconds(9), .seconds(9)]
      for round in 0..<6 {
        let isOnMain = round % 2 == 1
        let log = SocketLog()
        var socket: EchoSocket? = try socket(server, { $0.client = HTTPClient(transport: transport) })
        socket?.delegate = log
        _ = try await socket?.opened()
        await log.wait("hello") { log.messages.count == 1 }
        weak let held = socket
        if isOnMain {
          socket = nil
        } else {
          let last = Mutex(socket)
          socket = nil
          await Task.detached { last.withLock { $0 = nil } }.value
        }
        XCTAssertNil(held)
        let gone = ContinuousClock.now
        while await transport.counts(of: .wires)?.openSockets != 0, ContinuousClock.now - gone < .seconds(2) {
          try await Task.sleep(for: .milliseconds(2))
        }
        shortest[round % 2] = min(shortest[round % 2], ContinuousClock.now - gone)
        XCTAssertEqual(log.lines, ["open", "message"])
      }
      for time in shortest { XCTAssertLessThan(time, .milliseconds(100)) }
      XCTAssertTrue(server.waitUntilIdle())
      XCTAssertEqual(ServerFrames.read(received.withLock { $0 }).map(\.payload), [[0x03, 0xE9]])
    }

    func testASocketNeverHasTwoConnections() async throws {
      let server = try server([[.readHead, .upgrade(), .waitForClose]])
      let transport = try CurlTransport()
      let socket = try socket(server, { $0.client = HTTPClient(transport: transport) })
      socket.options.closeLimit = .milliseconds(10)
      socket.reconnection = .standard
      for round in 0..<40 {
        switch round % 4 {
        case 0: socket.open()
        case 1: socket.cancel()
        case 2: try? socket.close()
        default:
          socket.open()
          socket.open()
        }
        if round % 3 == 0 { try await Task.sleep(for: .milliseconds(1)) }
        let active = await transport.counts(of: .wires)?.active ?? 0
        XCTAssertLessThanOrEqual(active, 1, "after \(round)")
      }
      await log.wait("settled") { socket.state == .open || socket.state == .closed }
      socket.cancel()
      await log.wait("closed") { socket.state == .closed }
      let active = await transport.counts(of: .wires)?.active
      XCTAssertEqual(active, 0)
    }

    func testWhileItIsOpenedAgainACallerMayCloseAndOpen() async throws {
      let server = try server([
        [.readHead, .upgrade(), .reset], [.readHead, .upgrade(), .waitForClose],
      ])
      let socket = try socket(server)
      let time = ManualTime()
      socket.time = time
      socket.reconnection = .standard
      socket.open()
      await log.wait("lost") { log.lines == ["open", "disconnect"] }
      try socket.close()
      XCTAssertEqual(log.lines, ["open", "disconnect", "close"])
      time.advance(by: .seconds(3600))
      try await Task.sleep(for: .milliseconds(20))
      XCTAssertEqual(server.connectionCount, 1, "after the caller's close there is no other")
      _ = try await socket.opened()
      XCTAssertEqual(server.connectionCount, 2)
      socket.cancel()
      await log.wait("closed") { socket.state == .closed }
    }

    func testACloseWaitsForTheServersEndNoLongerThanItsLimit() async throws {
      let server = try server([[.readHead, .upgrade(), .waitForClose]])
      let socket = try socket(server)
      socket.options.closeLimit = .milliseconds(60)
      _ = try await socket.opened()
      let start = ContinuousClock.now
      try socket.close(.init(rawValue: 4321), reason: "enough")
      XCTAssertThrowsError(try socket.send("late"))
      await log.waitForClose()
      XCTAssertGreaterThanOrEqual(ContinuousClock.now - start, .milliseconds(50))
      XCTAssertEqual(log.closing?.sentCode?.rawValue, 4321)
      XCTAssertEqual(log.closing?.code, .abnormal)
      XCTAssertEqual(log.closing?.end, .aborted, "it was not the server")
      XCTAssertEqual(log.closing?.error?.reason, .idleTimeout)
      XCTAssertTrue(server.waitUntilIdle())
    }

    func testACloseFrameThatHasNotLeftIsNoSentCode() async throws {
      let server = try server([[.readHead, .upgrade(), .wait(Latch())]])
      let socket = try socket(server)
      socket.options.closeLimit = .milliseconds(60)
      socket.options.maximumQueuedBytes = 64 << 20
      _ = try await socket.opened()
      try socket.send([UInt8](repeating: 7, count: 32 << 20))
      try socket.close(.normal)
      await log.waitForClose()
      XCTAssertEqual(log.closing?.code, .abnormal)
      XCTAssertEqual(log.unsent.count, 1)
      XCTAssertNil(log.closing?.sentCode)
    }

    func testMessagesThatAreKeptAreNotCountedAgainForEachOther() async throws {
      let socket = try socket(server([[.readHead, .upgrade(), .reset]]))
      socket.time = ManualTime()
      socket.reconnection = .standard
      socket.reconnection.unsent = .keep(upTo: .max)
      socket.open()
      await log.wait("lost") { log.lines == ["open", "disconnect"] }
      let start = ContinuousClock.now
      for _ in 0..<20_000 { try socket.send("x") }
      XCTAssertLessThan(ContinuousClock.now - start, .seconds(3))
      socket.cancel()
    }

    func testMasksAreDrawnAnewForEachFrame() {
      var source = MaskSource()
      let masks = (0..<10_000).map { _ in source.next() }
      XCTAssertGreaterThan(Set(masks).count, 9_990)
      // Each bit is as often set as not.
      for bit in 0..<32 {
        let count = masks.filter { $0 & 1 << bit != 0 }.count
        XCTAssertTrue((4_500...5_500).contains(count), "bit \(bit): \(count)")
      }
    }
  }
#endif
