#if os(Linux)
  import APIKitTesting
  import Foundation
  @testable import TestSupport
  import XCTest

  @testable import APIKit
  @testable import APIKitSockets

  /// Event streams and streams of values over libcurl, against servers that follow a script.
  @MainActor final class StreamManagerTests: StreamCase {
    func testARefusalWhoseBodyDoesNotEndIsToldByItsStatus() async throws {
      let (service, server) = try service([
        [.readHead, .text("HTTP/1.1 404 No\r\nContent-Length: 10\r\n\r\nno"), .waitForClose]
      ])
      let stream = Events(service)
      stream.delegate = log
      stream.openLimit = .milliseconds(300)
      stream.open()
      await log.wait { log.closing != nil }
      XCTAssertEqual(log.closing?.error?.context.status, 404, "\(log.closing as Any)")
      XCTAssertTrue(server.waitUntilIdle())
    }

    func testEventsComeAndALostStreamGoesOnBehindTheLastOne() async throws {
      let (service, server) = try service([
        [
          .readRequest,
          .text(
            Self.head("Text/Event-Stream; charset=utf-8")
              + "retry: 3000\nid: 1\ndata: a\n\ndata: b\n\nid: 9\n\ndata: cut"),
        ],
        [.readRequest, .text("HTTP/1.1 503 No\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")],
        [
          .readRequest, .text(Self.head() + "event: add\ndata: c\n\ndata: [DONE]\n\ndata: never\n\n"),
          .waitForClose,
        ],
      ])
      let events = Events(service)
      let time = ManualTime()
      events.time = time
      events.jitter = { 0 }
      events.delegate = log
      events.open(["city": "Suzhou"])
      await log.wait { log.lines.count == 4 }
      XCTAssertEqual(log.lines, ["open 1", "message a", "message b", "lost 3.0 seconds"])
      await time.advanceOnceAsleep(by: .seconds(3))
      await log.wait { server.requests.count == 2 && events.state == .reconnecting }
      await time.advanceOnceAsleep(by: .seconds(7))
      await log.wait { log.closing != nil }
      XCTAssertEqual(Array(log.lines.dropFirst(4)), ["open 2", "add c"])
      XCTAssertEqual(log.closing?.end, .complete)
      XCTAssertEqual(server.requests.map { $0.headers["Last-Event-ID"] }, [nil, "9", "9"])
      XCTAssertEqual(Set(server.requests.map(\.target)), ["/api/events?city=Suzhou"])
      XCTAssertEqual(server.requests[0].headers["Accept"], "text/event-stream")
      XCTAssertTrue(server.waitUntilIdle(), "the connection is closed")
    }

    func testWhatIsNoEventStreamEndsWithoutAnother() async throws {
      for (answer, end) in [
        (Self.head("text/html") + "<p>", StreamClosing.End.failed),
        ("HTTP/1.1 204 No\r\n\r\n", .finished),
        ("HTTP/1.1 404 No\r\nContent-Length: 4\r\n\r\ngone", .failed),
      ] {
        let (service, server) = try service([[.readRequest, .text(answer)]])
        let log = StreamLog()
        let events = Events(service)
        events.delegate = log
        events.open()
        await log.wait { log.closing != nil }
        XCTAssertEqual(log.closing?.end, end, answer)
        XCTAssertEqual(server.connectionCount, 1)
        if let error = log.closing?.error {
          XCTAssertTrue(error.description.hasPrefix("GET events ("), error.description)
        }
        if answer.contains("404") {
          XCTAssertEqual(
            log.closing?.error?.response.map { String(decoding: $0.bytes, as: UTF8.self) }, "gone")
        }
      }
    }

    func testAPOSTHasABodyAndEventsAreIterated() async throws {
      let (service, server) = try service([
        [
          .readRequest,
          .text(Self.head() + (0..<3000).map { "data: \($0)\n\n" }.joined() + "data: [DONE]\n\n"),
          .waitForClose,
        ]
      ])
      let events = Events(service)
      events.method = .post
      let sequence = events.events()
      events.open(["prompt": "hi"])
      var next = 0
      for try await event in sequence {
        XCTAssertEqual(event.data, "\(next)")
        next += 1
      }
      XCTAssertEqual(next, 3000)
      XCTAssertEqual(server.requests[0].method, "POST")
      XCTAssertEqual(server.requests[0].text, #"{"prompt":"hi"}"#)
    }

    func testCommentsKeepAStreamAliveAndSilenceEndsIt() async throws {
      let (service, _) = try service([
        [
          .readRequest, .text(Self.head()),
          .drip(Array(String(repeating: ":\n", count: 20).utf8), size: 2, every: .milliseconds(30)),
          .text("data: alive\n\n"), .waitForClose,
        ]
      ])
      let events = Events(service)
      events.idleLimit = .milliseconds(400)
      events.reconnection = .never
      events.delegate = log
      events.open()
      await log.wait { log.closing != nil }
      XCTAssertEqual(log.lines, ["open 1", "message alive"])
      XCTAssertEqual(log.closing?.error?.reason, .idleTimeout)
    }

    func testAStreamThatIsReleasedDeliversNothingMore() async throws {
      let (service, server) = try service([
        [.readRequest, .text(Self.head() + "data: 1\n\ndata: 2\n\n"), .waitForClose]
      ])
      var events: Events? = Events(service)
      events?.delegate = log
      log.onEvent = { events = nil }
      events?.open()
      await log.wait { log.lines.count >= 2 }
      XCTAssertTrue(server.waitUntilIdle())
      XCTAssertEqual(log.lines, ["open 1", "message 1"])
      XCTAssertNil(events)
    }

    func testLinesComeAsTheyAreWritten() async throws {
      let (service, server) = try service([
        [
          .readRequest, .text(Self.head("application/x-ndjson")),
          .drip(Array("1\n\n2\n33".utf8), size: 1, every: .milliseconds(1)),
        ],
        [.readRequest, .text(Self.head("application/x-ndjson") + "1\nbad\n2\n")],
      ])
      let lines = Lines(service)
      lines.delegate = log
      lines.open()
      await log.wait { log.closing != nil }
      XCTAssertEqual(log.lines, ["1 1", "3 2", "4 33"])
      XCTAssertEqual(log.closing?.end, .finished)
      log.closing = nil
      lines.open()
      await log.wait { log.closing != nil }
      XCTAssertEqual(log.lines.last, "1 1")
      XCTAssertEqual(log.closing?.error?.reason, .malformedBody)
      XCTAssertEqual(server.connectionCount, 2)
    }

    func testEachReconnectionBeginsAtTheFirstURL() async throws {
      let (_, other) = try service([
        [.readRequest, .text(Self.head() + "retry: 0\nid: 5\ndata: a\n\n")]
      ])
      let place = try other.url("/moved").string
      let (service, server) = try service([
        [.readRequest, .text("HTTP/1.1 307 There\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n")],
        [.readRequest, .text("HTTP/1.1 204 Enough\r\n\r\n")],
      ])
      let events = Events(service)
      events.jitter = { 0 }
      events.delegate = log
      events.open()
      await log.wait { log.closing != nil }
      XCTAssertEqual(log.closing?.end, .finished)
      XCTAssertEqual(server.requests.map(\.target), ["/api/events", "/api/events"])
      XCTAssertEqual(server.requests.map { $0.headers["Last-Event-ID"] }, [nil, "5"])
      XCTAssertEqual(other.requests.map(\.target), ["/moved"])
    }

    func testEventsOfACompressedStreamComeAsTheyAreWritten() async throws {
      let deflater = MessageDeflater(windowBits: 15, keepsContext: true)
      func piece(_ text: String) -> [UInt8] {
        var packed: [UInt8] = []
        Array(text.utf8).withUnsafeBufferPointer { deflater.pack($0, into: &packed) }
        return packed + [0, 0, 0xFF, 0xFF]
      }
      let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
      let go = Latch()
      let head = Self.head().replacingOccurrences(
        of: "Connection", with: "Content-Encoding: gzip\r\nConnection")
      let (service, _) = try service([
        [
          .readRequest, .text(head), .write(gzip + piece("data: first\n\n")), .wait(go),
          .write(piece("data: second\n\ndata: [DONE]\n\n")), .waitForClose,
        ]
      ])
      let events = Events(service)
      events.delegate = log
      events.open()
      await log.wait { log.lines.count == 2 }
      XCTAssertEqual(log.lines, ["open 1", "message first"], "before the server writes on")
      go.open()
      await log.wait { log.closing != nil }
      XCTAssertEqual(log.lines.last, "message second")
      XCTAssertEqual(log.closing?.end, .complete)
    }

    func testBadLinesLandWithTheirNumbersWhereThatIsChosen() async throws {
      let (service, _) = try service([
        [.readRequest, .text(Self.head("application/x-ndjson") + "1\nbad\n2\n{\"cut")]
      ])
      let lines = Lines(service)
      lines.deliversBadLines = true
      lines.delegate = log
      lines.open()
      await log.wait { log.closing != nil }
      XCTAssertEqual(log.lines, ["1 1", "2 -1", "3 2", "4 -1"])
      XCTAssertEqual(log.closing?.end, .finished)
    }

    func testAStreamThatIsCancelledInEndsAtDeliversNothingMore() async throws {
      for opensAgain in [false, true] {
        let (service, server) = try service(
          [[.readRequest, .text(Self.head() + "data: 1\n\ndata: 2\n\n"), .waitForClose]]
            + (opensAgain ? [[.readRequest, .text("HTTP/1.1 204 Enough\r\n\r\n")]] : []))
        let log = StreamLog()
        let events = Events(service)
        events.delegate = log
        events.onEnds = { events in
          if opensAgain { events.open(["again": "1"]) } else { events.cancel() }
        }
        let items = events.events()
        events.open()
        await log.wait { log.closings == (opensAgain ? 2 : 1) }
        try await Task.sleep(for: .milliseconds(20))
        XCTAssertEqual(log.lines, ["open 1"], "opens again: \(opensAgain)")
        XCTAssertEqual(log.closing?.end, opensAgain ? .finished : .cancelled)
        XCTAssertEqual(server.connectionCount, opensAgain ? 2 : 1)
        let error = await failure { for try await _ in items { XCTFail("it is over") } }
        XCTAssertEqual(error?.reason, .cancelled)
      }
    }

    func testRetryHoldsUntilTheNextOneAndAnIDWithoutDataIsCarriedOver() async throws {
      let (service, server) = try service([
        [.readRequest, .text(Self.head() + "retry: 3000\nid: 1\ndata: a\n\n")],
        [.readRequest, .text(Self.head() + "data: b\n\nid: 9\n\n")],
        [.readRequest, .text(Self.head() + "retry: 0\n\nid:\n\n")],
        [.readRequest, .text(Self.head() + "id: 11\n\ndata: [DONE]\n\n"), .waitForClose],
      ])
      let events = Events(service)
      let time = ManualTime()
      events.time = time
      events.jitter = { 0 }
      events.delegate = log
      events.open()
      for number in 1...2 {
        await log.wait { log.lines.filter { $0 == "lost 3.0 seconds" }.count == number }
        await time.advanceOnceAsleep(by: .seconds(3))
      }
      await log.wait { log.closing != nil }
      XCTAssertEqual(log.lines.last, "open 4")
      XCTAssertEqual(server.requests.map { $0.headers["Last-Event-ID"] }, [nil, "1", "9", nil])
      XCTAssertEqual(events.lastEventID, "11", "the stream was ended before its connection")
    }

    func testALostStreamIsNotOpenedAgainAsTheNextUser() async throws {
      for isLost in [true, false] {
        let go = Latch()
        var (service, server) = try service([
          [.readRequest, .text(Self.head() + "data: a\n\n"), .wait(go)],
          [.readRequest, .text(Self.head()), .waitForClose],
        ])
        let authenticator = Authenticator(store: MemoryCredentialStore())
        service.authenticator = authenticator
        try authenticator.signIn(with: Credential(accessToken: "anna", refreshToken: "r"))
        let (log, events, time) = (StreamLog(), Events(service), ManualTime())
        events.time = time
        events.delegate = log
        events.open()
        await log.wait { log.lines.count == 2 }
        if isLost {
          go.open()
          await log.wait { events.state == .reconnecting }
        }
        try authenticator.signOut()
        try authenticator.signIn(with: Credential(accessToken: "bert", refreshToken: "r"))
        // One that waits for another connection ends at once.
        if !isLost { go.open() }
        await log.wait { log.closing != nil }
        XCTAssertEqual(log.closing?.error?.reason, .signedOut)
        XCTAssertEqual(server.requests.map { $0.headers["Authorization"] }, ["Bearer anna"])
      }
    }

    func testAServerThatNeverRespondsMeetsAConnectTimeout() async throws {
      let (service, server) = try service([[.readRequest, .waitForClose]])
      let events = Events(service)
      events.openLimit = .milliseconds(100)
      events.reconnection = .never
      events.delegate = log
      events.open()
      await log.wait { log.closing != nil }
      XCTAssertEqual(log.closing?.error?.reason, .connectTimeout)
      XCTAssertTrue(server.waitUntilIdle(), "the connection is closed")
    }

    func testTheTimeInWhichAResponseMustBeginIsThatOfTheManagersClock() async throws {
      let (service, server) = try service([[.readRequest, .waitForClose]])
      let (events, time) = (Events(service), ManualTime())
      events.time = time
      events.reconnection = .never
      events.delegate = log
      events.open()
      try await time.advance(by: .seconds(30), whenAsleep: 1)
      await log.wait { log.closing != nil }
      XCTAssertEqual(log.closing?.error?.reason, .connectTimeout)
      XCTAssertTrue(server.waitUntilIdle(), "the connection is closed")
    }

    func testStreamsTakeNoPlaceOfLoadsAndSayThatTheyWait() async throws {
      let stream: [ScriptedServer.Step] = [.readRequest, .text(Self.head()), .waitForClose]
      let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
      let server = try ScriptedServer(
        scripts: [stream, stream, [.readRequest, .text(answer), .waitForClose], stream])
      servers.append(server)
      var configuration = TransportConfiguration.ephemeral
      configuration.connections = ConnectionLimits(perHost: 2)
      let service = SocketService(
        environments: ServiceEnvironments(try server.url("/api")),
        client: HTTPClient(transport: try CurlTransport(configuration)))
      let streams = (0..<3).map { _ in Events(service) }
      for stream in streams.prefix(2) {
        stream.open()
        await log.wait { stream.state == .open }
      }
      // Its place is waited for longer than a response may take to begin.
      streams[2].openLimit = .milliseconds(50)
      streams[2].reconnection = .never
      streams[2].open()
      await log.wait { streams[2].state == .waiting }
      let load = SocketLoad(service)
      _ = try await load.response()
      try await Task.sleep(for: .milliseconds(100))
      XCTAssertEqual(streams[2].state, .waiting)
      streams[0].cancel()
      await log.wait { streams[2].state == .open }
      XCTAssertEqual(
        server.requests.map(\.target), ["/api/events", "/api/events", "/api/load", "/api/events"])
      for stream in streams { stream.cancel() }
    }

    func testEveryOpenOfAStreamHasOneDidClose() async throws {
      let (service, server) = try service([[.readRequest, .text(Self.head()), .waitForClose]])
      let events = Events(service)
      events.delegate = log
      for _ in 0..<4 { events.open() }
      await log.wait { log.lines == ["open 1"] }
      XCTAssertEqual(log.closings, 3)
      // Opened from the callback, while another open is under way.
      log.onClose = { [log] in
        log.onClose = nil
        events.open(["from": "callback"])
      }
      events.open(["from": "outside"])
      await log.wait { log.closings == 5 && events.state == .open }
      XCTAssertEqual(server.requests.last?.target, "/api/events?from=callback")
      events.cancel()
      XCTAssertEqual(log.closings, 6)
    }

    func testTheRegistryCancelsStreamsToo() async throws {
      let (service, server) = try service([[.readRequest, .text(Self.head()), .waitForClose]])
      let events = Events(service)
      events.delegate = log
      events.open()
      await log.wait { log.lines == ["open 1"] }
      XCTAssertEqual(ConnectionRegistry.shared.cancel(.owner(log)), 1)
      XCTAssertEqual(log.closing?.end, .cancelled)
      XCTAssertTrue(server.waitUntilIdle())
    }
  }
#endif
