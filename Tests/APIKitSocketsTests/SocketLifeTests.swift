#if os(Linux)
  import APIKitTesting
  import Foundation
  @testable import TestSupport
  import XCTest

  @testable import APIKit
  @testable import APIKitSockets

  /// What becomes of a socket over time: release, back-pressure, losses and reconnections.
  @MainActor final class SocketLifeTests: SocketCase {
    func testASocketThatIsReleasedClosesItsConnectionAndDeliversNothing() async throws {
      let answer = Mutex<[UInt8]>([])
      let go = Latch()
      let server = try server([
        [
          .readHead, .upgrade(), .wait(go), .write(ServerFrames.text("late")),
          .readRest { bytes in answer.withLock { $0 = bytes } },
        ]
      ])
      var socket: EchoSocket? = try socket(server)
      _ = try await socket?.opened()
      let gone = ContinuousClock.now
      weak let held = socket
      socket = nil
      XCTAssertNil(held)
      go.open()
      XCTAssertTrue(server.waitUntilIdle())
      XCTAssertLessThan(ContinuousClock.now - gone, .seconds(2))
      XCTAssertEqual(ServerFrames.read(answer.withLock { $0 }).first?.payload, [0x03, 0xE9])
      XCTAssertEqual(log.lines, ["open"])
    }

    func testASocketThatIsReleasedWithinACallbackDeliversNothingMore() async throws {
      let server = try server([
        [.readHead, .upgrade(then: (0..<10).flatMap { ServerFrames.text("\($0)") }), .waitForClose]
      ])
      var socket: EchoSocket? = try socket(server)
      log.onMessage = { _, _ in socket = nil }
      socket?.open()
      await log.wait { !log.messages.isEmpty }
      XCTAssertTrue(server.waitUntilIdle())
      XCTAssertEqual(log.lines, ["open", "message"])
      XCTAssertNil(socket)
    }

    func testReadingStopsWhileMessagesAreNotTaken() async throws {
      let flood = ServerFrames.frame(2, [UInt8](repeating: 7, count: 1 << 20))
      let written = Counter()
      let server = try server([
        [.readHead, .upgrade()]
          + (0..<64).flatMap { _ -> [ScriptedServer.Step] in
            [
              .write(flood),
              .response { _ in
                written.increment()
                return []
              },
            ]
          } + [.write(Self.closing)]
      ])
      let socket = try socket(server)
      let messages = socket.messages()
      socket.open()
      await log.wait { !log.messages.isEmpty }
      try await Task.sleep(for: .milliseconds(300))
      XCTAssertLessThan(written.value, 40, "the server waits")
      var taken = 0
      for try await message in messages {
        XCTAssertEqual(message.byteCount, 1 << 20)
        taken += 1
      }
      XCTAssertEqual(taken, 64)
      await log.waitForClose()
    }

    func testSendingIsRefusedAboveItsLimitAndTheAwaitedFormWaits() async throws {
      let go = Latch()
      let server = try server([[.readHead, .upgrade(), .wait(go), .readRest { _ in }]])
      let socket = try socket(server)
      socket.options.maximumQueuedBytes = (8 << 20) + 1024  // Each message has a frame.
      _ = try await socket.opened()
      let megabyte = [UInt8](repeating: 1, count: 1 << 20)
      var sent = 0
      var refusal: APIError?
      while refusal == nil, sent < 100 {
        do throws(APIError) {
          try socket.send(megabyte)
          sent += 1
        } catch {
          refusal = error
        }
      }
      XCTAssertEqual(refusal?.reason, .sendQueueFull)
      XCTAssertGreaterThanOrEqual(sent, 8)
      async let waiting: Void = socket.sendWhenPossible(.data(megabyte))
      go.open()
      try await waiting
      let error = await failure {
        try await socket.sendWhenPossible(.data([UInt8](repeating: 0, count: 9 << 20)))
      }
      XCTAssertEqual(error?.reason, .sendQueueFull)
      socket.cancel()
      await log.waitForClose()
    }

    func testWhatIsLostIsOpenedAgainAndUnsentMessagesAreKept() async throws {
      let received = Mutex<[UInt8]>([])
      let server = try server([
        [.readHead, .upgrade(), .reset],
        [.readHead, .text("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")],
        [.readHead, .upgrade(), .readRest { bytes in received.withLock { $0 = bytes } }],
      ])
      let socket = try socket(server)
      let time = ManualTime()
      socket.time = time
      socket.jitter = { 1 }
      socket.reconnection = .standard
      socket.onPrepare = { next in
        next.parameters = ["from": ParameterValue.integer(next.failures)]
        next.headers["Last-Event"] = "9"
      }
      socket.open()
      await log.wait("lost") { log.lines == ["open", "disconnect"] }
      XCTAssertEqual(socket.state, .reconnecting)
      await time.advanceOnceAsleep(by: .seconds(1))
      await log.wait("refused") { server.requests.count == 2 && socket.state == .reconnecting }
      await time.advanceOnceAsleep(by: .seconds(2))
      await log.wait("open again") { log.openings.count == 2 }
      XCTAssertEqual(log.openings.last?.number, 2)
      XCTAssertEqual(server.requests.map(\.target), ["/api/echo", "/api/echo?from=1", "/api/echo?from=2"])
      XCTAssertEqual(server.requests.last?.headers["Last-Event"], "9")
      XCTAssertEqual(Set(server.requests.map { $0.headers["Sec-WebSocket-Key"] }).count, 3)
      try socket.close()
      await log.wait { socket.state == .closing }
      socket.cancel()
      await log.waitForClose()
      XCTAssertEqual(log.lines, ["open", "disconnect", "open", "close"])
    }

    func testWhatHasNotLeftIsToldAndKeptUpToTheBound() async throws {
      for keeps in [false, true] {
        let received = Mutex<[UInt8]>([])
        let go = Latch()
        let server = try server([
          [.readHead, .upgrade(), .wait(go), .reset],
          [.readHead, .upgrade(), .readRest { bytes in received.withLock { $0 = bytes } }],
        ])
        let log = SocketLog()
        let socket = try socket(server)
        socket.delegate = log
        let time = ManualTime()
        socket.time = time
        socket.reconnection = .standard
        if keeps { socket.reconnection.unsent = .keep(upTo: 150_000) }
        _ = try await socket.opened()
        // More than the kernel takes; what is small waits behind it.
        for number in 0..<80 {
          try socket.send(.data([UInt8](repeating: UInt8(number), count: 100_000)), compressed: false)
        }
        try socket.send("small")
        try socket.send([UInt8](repeating: 200, count: 200))
        try await Task.sleep(for: .milliseconds(300))
        go.open()
        await log.wait("lost") { log.lines.contains("disconnect") }
        XCTAssertLessThanOrEqual(log.unsent.filter(\.hasBegun).count, 1)
        XCTAssertTrue(log.unsent.dropFirst().allSatisfy { !$0.hasBegun })
        let told = log.unsent.map(\.message)
        XCTAssertFalse(told.isEmpty)
        XCTAssertEqual(Array(told.suffix(2)), [.text("small"), .data([UInt8](repeating: 200, count: 200))])
        await time.advanceOnceAsleep(by: .seconds(1))
        await log.wait("open again") { log.openings.count == 2 }
        try socket.send("new")
        try await Task.sleep(for: .milliseconds(50))
        socket.cancel()
        await log.waitForClose()
        XCTAssertTrue(server.waitUntilIdle())
        // Of what had not begun, the first fits the bound.
        let frames = ServerFrames.read(received.withLock { $0 })
        XCTAssertEqual(frames.map(\.payload.count), keeps ? [100_000, 3] : [3])
      }
    }

    func testWhatIsSentBetweenTwoConnectionsLeavesOnTheNextOne() async throws {
      let received = Mutex<[UInt8]>([])
      let server = try server([
        [.readHead, .upgrade(), .reset],
        [.readHead, .upgrade(), .readRest { bytes in received.withLock { $0 = bytes } }],
      ])
      let socket = try socket(server)
      let time = ManualTime()
      socket.time = time
      socket.reconnection = .standard
      socket.reconnection.unsent = .keep(upTo: 60)
      XCTAssertThrowsError(try socket.send("before the first")) {
        XCTAssertEqual(($0 as? APIError)?.reason, .socketNotOpen)
      }
      socket.open()
      await log.wait("lost") { log.lines == ["open", "disconnect"] }
      try socket.send("one")
      try socket.send(["two": 2])
      XCTAssertThrowsError(try socket.send([UInt8](repeating: 0, count: 100))) {
        XCTAssertEqual(($0 as? APIError)?.reason, .sendQueueFull)
      }
      await time.advanceOnceAsleep(by: .seconds(1))
      await log.wait("open again") { log.openings.count == 2 }
      try socket.send("three")
      try await Task.sleep(for: .milliseconds(50))
      socket.cancel()
      await log.waitForClose()
      XCTAssertTrue(server.waitUntilIdle())
      let frames = ServerFrames.read(received.withLock { $0 })
      XCTAssertEqual(
        frames.map { String(decoding: $0.payload, as: UTF8.self) }, ["one", #"{"two":2}"#, "three"])
      XCTAssertEqual(log.unsent.count, 0)
    }

    func testWhatWaitedForRoomStaysBehindWhatWasSentBefore() async throws {
      let received = Mutex<[UInt8]>([])
      let go = Latch()
      let server = try server([
        [.readHead, .upgrade(), .wait(go), .reset],
        [.readHead, .upgrade(), .readRest { bytes in received.withLock { $0 = bytes } }],
      ])
      let socket = try socket(server)
      let time = ManualTime()
      socket.time = time
      socket.options.maximumQueuedBytes = 9_000_000
      socket.reconnection = .standard
      socket.reconnection.unsent = .keep(upTo: 1 << 30)
      _ = try await socket.opened()
      // More than the kernel takes; the last one waits until nearly all of it has left.
      for number in 0..<80 {
        try socket.send(.data([UInt8](repeating: UInt8(number), count: 100_000)), compressed: false)
      }
      async let late: Void = socket.sendWhenPossible(
        .data([UInt8](repeating: 200, count: 8_900_000)), compressed: false)
      try await Task.sleep(for: .milliseconds(200))
      go.open()
      await log.wait("lost") { log.lines.contains("disconnect") }
      try await late
      await time.advanceOnceAsleep(by: .seconds(1))
      await log.wait("open again") { log.openings.count == 2 }
      await log.wait("all has left") { socket.channel?.queuedBytes == 0 }
      socket.cancel()
      await log.waitForClose()
      XCTAssertTrue(server.waitUntilIdle())
      let firsts = ServerFrames.read(received.withLock { $0 }).filter { $0.payload.count > 1000 }.map {
        $0.payload[0]
      }
      XCTAssertEqual(firsts.last, 200)
      XCTAssertGreaterThan(firsts.count, 2)
      XCTAssertEqual(firsts, firsts.sorted())
    }

    func testReconnectingWaitsForTheNetworkWithoutCounting() async throws {
      let server = try server([
        [.readHead, .upgrade(), .reset], [.readHead, .upgrade(), .waitForClose],
      ])
      let network = NetworkMonitor(watchesSystem: false)
      let socket = try socket(server, { $0.network = network })
      let time = ManualTime()
      socket.time = time
      socket.reconnection = ReconnectPolicy(attempts: 1)
      socket.open()
      await log.wait("lost") { log.lines == ["open", "disconnect"] }
      network.force(.offline)
      await time.advanceOnceAsleep(by: .seconds(60))
      try await Task.sleep(for: .milliseconds(50))
      XCTAssertEqual(server.connectionCount, 1)
      network.force(.wifi)
      await log.wait("open again") { log.openings.count == 2 }
      socket.cancel()
      await log.waitForClose()
    }

    func testASequenceSeesTheEndThatComesWithItsLastMessages() async throws {
      for _ in 0..<20 {
        let frames = (0..<40).flatMap { ServerFrames.text("\($0)") }
        let server = try server([[.readHead, .upgrade(then: frames + Self.closing)]])
        let socket = try socket(server)
        let messages = socket.messages()
        socket.open()
        // What comes while nobody takes waits; the end is among it.
        try await Task.sleep(for: .milliseconds(3))
        var count = 0
        for try await _ in messages { count += 1 }
        XCTAssertEqual(count, 40)
        server.stop()
      }
    }

    func testPingsAreMeasuredAndAChangeOfTheNetworkSendsOne() async throws {
      let pongs = Mutex<[UInt8]>([])
      let server = try server([
        [.readHead, .upgrade(), .readRest { bytes in pongs.withLock { $0 = bytes } }]
      ])
      let network = NetworkMonitor(watchesSystem: false)
      network.force(.wifi)
      let socket = try socket(server, { $0.network = network })
      _ = try await socket.opened()
      try await Task.sleep(for: .milliseconds(20))
      network.force(.cellular)
      try await Task.sleep(for: .milliseconds(50))
      socket.cancel()
      await log.waitForClose()
      XCTAssertTrue(server.waitUntilIdle())
      XCTAssertEqual(ServerFrames.read(pongs.withLock { $0 }).map(\.first), [0x89])
    }

    func testTheRegistryCancelsByOwnerTagAndService() async throws {
      let server = try server([[.readHead, .upgrade(), .waitForClose]])
      let sockets = try (0..<4).map { _ in try socket(server) }
      sockets[1].tags = ["list"]
      let owner = NSObject()
      sockets[2].owner = owner
      for socket in sockets { _ = try await socket.opened() }
      let registry = ConnectionRegistry.shared
      XCTAssertEqual(registry.cancel(.tag("list")), 1)
      await log.wait { sockets[1].state == .closed }
      XCTAssertEqual(registry.cancel(.owner(owner)), 1)
      await log.wait { sockets[2].state == .closed }
      XCTAssertEqual(registry.cancel(.service("Sockets")), 2)
      await log.wait { sockets.allSatisfy { $0.state == .closed } }
      XCTAssertEqual(log.lines.filter { $0 == "close" }.count, 4)
    }

    func testASocketOfATransportThatOpensNoneIsRefusedByName() async throws {
      let service = SocketService(
        environments: ServiceEnvironments("https://homes.test"),
        client: HTTPClient(transport: StubTransport()))
      let socket = EchoSocket(service)
      let error = await failure { try await socket.opened() }
      XCTAssertEqual(error?.reason, .unsupportedCapability)
      socket.headers = ["Upgrade": "h2c"]
      let refused = await failure { try await socket.opened() }
      XCTAssertEqual(refused?.reason, .misconfigured)
    }

    func testUnixSocketsAndGivenAddressesAreThoseOfTheTransport() async throws {
      let path = temporaryPath()
      let server = try ScriptedServer(scripts: [[.readHead, .upgrade(), .waitForClose]], unixPath: path)
      defer { server.stop() }
      var configuration = TransportConfiguration()
      configuration.unixSocketPath = path
      let service = SocketService(
        environments: ServiceEnvironments("http://nowhere.test"),
        client: HTTPClient(transport: try CurlTransport(configuration)))
      let socket = EchoSocket(service)
      _ = try await socket.opened()
      XCTAssertEqual(server.requests.first?.headers["Host"], "nowhere.test")
      socket.cancel()

      let other = try self.server([[.readHead, .upgrade(), .waitForClose]])
      var exchange = HTTPExchange(HTTPRequest(url: HTTPURL("http://homes.test/x")))
      exchange.request.options.connectTo = "127.0.0.1:\(other.port)"
      exchange.request.options.cleartext = .allowed
      let upgrade = UpgradeTransport(
        try CurlTransport(), options: SocketOptions(), offer: .init(), onStart: {})
      let response = try await upgrade.send(exchange)
      XCTAssertEqual(response.status, 101)
      XCTAssertEqual(other.requests.first?.headers["Host"], "homes.test")
      upgrade.takeChannel()?.release()
    }

    func testAStoppedTransportEndsItsSockets() async throws {
      let server = try server([[.readHead, .upgrade(), .waitForClose]])
      let transport = try CurlTransport()
      let socket = try socket(server, { $0.client = HTTPClient(transport: transport) })
      _ = try await socket.opened()
      await transport.shutdown()
      await log.waitForClose()
      XCTAssertEqual(log.closing?.error?.reason, .transportStopped)
      XCTAssertTrue(server.waitUntilIdle())
    }

    func testManySocketsLeaveNothingBehind() async throws {
      let server = try server([[.readHead, .upgrade(), .waitForClose]])
      let transport = try CurlTransport()
      for _ in 0..<50 {
        let socket = try socket(server, { $0.client = HTTPClient(transport: transport) })
        _ = try await socket.opened()
      }
      XCTAssertTrue(server.waitUntilIdle())
      let counts = await transport.counts(of: .wires)
      XCTAssertEqual(counts?.active, 0)
      XCTAssertEqual(counts?.openSockets, 0)
    }
  }
#endif
