#if os(Linux)
  import APIKitTesting
  import Foundation
  @testable import TestSupport
  import XCTest

  @testable import APIKit
  @testable import APIKitSockets

  /// How a socket opens, is used and closes.
  @MainActor final class SocketManagerTests: SocketCase {
    func testASocketOpensReceivesSendsAndCloses() async throws {
      let sent = Mutex<[UInt8]>([])
      let server = try server([
        [
          .readHead, .upgrade("Sec-WebSocket-Protocol: chat\r\n", then: ServerFrames.text("behind the head")),
          .write(ServerFrames.frame(2, [1, 2, 3])), .readRest { bytes in sent.withLock { $0 = bytes } },
        ]
      ])
      let socket = try socket(server)
      socket.subprotocols = ["chat"]
      socket.headers = ["X-Own": "1"]
      socket.options.closeLimit = .milliseconds(50)
      let opening = try await socket.opened(["room": "7"])
      XCTAssertEqual(opening.subprotocol, "chat")
      XCTAssertEqual(opening.number, 1)
      XCTAssertEqual(socket.state, .open)
      try socket.send("hello")
      try socket.send([9])
      await log.wait { log.messages.count == 2 }
      XCTAssertEqual(log.messages, [.text("behind the head"), .data([1, 2, 3])])
      try socket.close(.init(rawValue: 4000), reason: "bye")
      XCTAssertEqual(socket.state, .closing)
      await log.waitForClose()
      XCTAssertTrue(server.waitUntilIdle())
      XCTAssertEqual(log.lines, ["open", "message", "message", "close"])
      XCTAssertEqual(socket.state, .closed)
      let frames = ServerFrames.read(sent.withLock { $0 })
      XCTAssertEqual(frames.map(\.first), [0x81, 0x82, 0x88], "what was sent leaves before the close frame")
      XCTAssertEqual(frames.map(\.payload), [Array("hello".utf8), [9], [0x0F, 0xA0] + Array("bye".utf8)])
      let request = server.requests[0]
      XCTAssertEqual(request.target, "/api/echo?room=7")
      XCTAssertEqual(request.headers["X-Own"], "1")
      XCTAssertEqual(request.headers["Sec-WebSocket-Version"], "13")
      XCTAssertNotNil(request.headers["User-Agent"], "the transport's own fields are sent")
    }

    func testASequenceHasTheMessagesFromItsCallOn() async throws {
      let go = Latch()
      let server = try server([
        [
          .readHead, .upgrade(then: ServerFrames.text("early")), .wait(go),
          .write(ServerFrames.text("late") + ServerFrames.close(1000)), .end, .readRest { _ in },
        ]
      ])
      let socket = try socket(server)
      let whole = socket.messages()
      _ = try await socket.opened()
      await log.wait { log.messages.count == 1 }
      let rest = socket.messages()
      go.open()
      var messages: [[SocketMessage]] = [[], []]
      for try await message in whole { messages[0].append(message) }
      for try await message in rest { messages[1].append(message) }
      XCTAssertEqual(messages, [[.text("early"), .text("late")], [.text("late")]])
    }

    func testTheServersCloseIsAnsweredAndTold() async throws {
      let answer = Mutex<[UInt8]>([])
      let server = try server([
        [
          .readHead, .upgrade(then: ServerFrames.close(1012, Array("soon back".utf8))), .end,
          .readRest { bytes in answer.withLock { $0 = bytes } },
        ]
      ])
      let socket = try socket(server)
      socket.open()
      await log.waitForClose()
      XCTAssertEqual(log.closing?.code, .serviceRestart)
      XCTAssertEqual(log.closing?.reason, "soon back")
      XCTAssertEqual(log.closing?.end, .clean)
      XCTAssertNil(log.closing?.error)
      XCTAssertTrue(server.waitUntilIdle())
      XCTAssertEqual(ServerFrames.read(answer.withLock { $0 }).map(\.first), [0x88])
    }

    func testCallsInTheWrongStateGetAReason() async throws {
      let server = try server([[.readHead, .upgrade(), .waitForClose]])
      let socket = try socket(server)
      for state in 0..<2 {
        XCTAssertThrowsError(try socket.send("x"), "\(state)") {
          XCTAssertEqual(($0 as? APIError)?.reason, .socketNotOpen)
        }
        XCTAssertThrowsError(try socket.close()) { XCTAssertEqual(($0 as? APIError)?.reason, .socketNotOpen) }
        let error = await failure { try await socket.ping() }
        XCTAssertEqual(error?.reason, .socketNotOpen)
        socket.cancel()
        if state == 0 {
          _ = try await socket.opened()
          for bad: UInt16 in [999, 1004, 1005, 1006, 1015, 2999, 5000] {
            XCTAssertThrowsError(try socket.close(.init(rawValue: bad)))
          }
          XCTAssertThrowsError(try socket.close(.normal, reason: String(repeating: "é", count: 62)))
          XCTAssertEqual(socket.state, .open)
          socket.cancel()
          await log.waitForClose()
        }
      }
      XCTAssertEqual(log.lines, ["open", "close"])
    }

    func testARefusalHasStatusFieldsAndBody() async throws {
      let server = try server([
        [
          .readHead, .text("HTTP/1.1 403 Forbidden\r\nX-Why: no\r\nContent-Length: 9\r\n\r\nnot for u"),
          .waitForClose,
        ]
      ])
      let socket = try socket(server)
      let error = await failure { try await socket.opened() }
      XCTAssertEqual(error?.reason, .unacceptableStatus)
      XCTAssertEqual(error?.context.status, 403)
      XCTAssertEqual(error?.response?.headers["X-Why"], "no")
      XCTAssertEqual(error?.response.map { String(decoding: $0.bytes, as: UTF8.self) }, "not for u")
      XCTAssertEqual(log.lines, ["close"])
      XCTAssertEqual(log.closing?.end, .notOpened)
    }

    func testAPlainResponseSaysThatTheServerDidNotUpgrade() async throws {
      let server = try server([
        [.readHead, .text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"), .waitForClose]
      ])
      let error = await failure { try await self.socket(server).opened() }
      XCTAssertEqual(error?.label, "response.unacceptable-status")
      XCTAssertEqual(error?.detail, "the server did not upgrade to WebSocket: status 200")
      XCTAssertEqual(error?.context.status, 200)
    }

    func testAWrongHandshakeEndsWithoutBeingOpen() async throws {
      for answer in [
        "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: wrong\r\n\r\n",
        "HTTP/1.1 101 S\r\nConnection: Upgrade\r\n\r\n", "HTTP/1.1 101 S\r\nUpgrade: websocket\r\n\r\n",
      ] {
        let server = try server([[.readHead, .text(answer), .waitForClose]])
        let socket = try socket(server)
        let error = await failure { try await socket.opened() }
        XCTAssertEqual(error?.reason, .socketHandshakeFailed, answer)
        XCTAssertTrue(server.waitUntilIdle(), "the connection is closed")
      }
    }

    func testOpeningHasOneLimitInTime() async throws {
      let server = try server([[.readHead, .text("HTTP/1.1 101"), .waitForClose]])
      let socket = try socket(server)
      socket.options.openLimit = .milliseconds(80)
      let error = await failure { try await socket.opened() }
      XCTAssertEqual(error?.reason, .connectTimeout)
      XCTAssertTrue(server.waitUntilIdle())
    }

    func testARedirectIsFollowedWithANewKeyAndWithoutCredentials() async throws {
      let target = try server([[.readHead, .upgrade(), .waitForClose]])
      let place = try target.url("/moved", host: "localhost", scheme: "ws").string
      let server = try server([
        [
          .readHead, .text("HTTP/1.1 307 Elsewhere\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n"),
          .waitForClose,
        ]
      ])
      let socket = try socket(server)
      socket.headers = ["Authorization": "Bearer secret", "X-Own": "1"]
      _ = try await socket.opened()
      XCTAssertEqual(target.requests[0].target, "/moved")
      XCTAssertNil(target.requests[0].headers["Authorization"])
      XCTAssertNil(target.requests[0].headers["X-Own"])
      XCTAssertNotEqual(
        target.requests[0].headers["Sec-WebSocket-Key"], server.requests[0].headers["Sec-WebSocket-Key"])
      socket.cancel()
      await log.waitForClose()
    }

    func testCookiesGoBothWays() async throws {
      let server = try server([
        [.readHead, .upgrade("Set-Cookie: seen=yes\r\n"), .waitForClose],
        [.readHead, .upgrade(), .waitForClose],
      ])
      let jar = CookieJar()
      let socket = try socket(server, cookies: jar)
      _ = try await socket.opened()
      socket.cancel()
      await log.waitForClose()
      _ = try await socket.opened()
      XCTAssertEqual(server.requests.map { $0.headers["Cookie"] }, [nil, "seen=yes"])
      socket.cancel()
    }

    func testARefusedCredentialIsRenewedOnceForAllThatWait() async throws {
      let server = try server([
        [
          .serve { request in
            request.headers["Authorization"] == "Bearer new"
              ? ScriptedServer.response(500)
              : Array("HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n".utf8)
          }
        ]
      ])
      let renewals = Counter()
      let authenticator = Authenticator(
        store: MemoryCredentialStore(),
        renewal: { _ in
          renewals.increment()
          return Credential(accessToken: "new", refreshToken: "r")
        })
      try authenticator.signIn(with: Credential(accessToken: "old", refreshToken: "r"))
      let sockets = try (0..<3).map { _ in try socket(server, { $0.authenticator = authenticator }) }
      for socket in sockets { socket.open() }
      await log.wait { log.lines.count == 3 }
      XCTAssertEqual(renewals.value, 1)
      XCTAssertEqual(log.closing?.error?.context.status, 500, "sent again with the new credential")
      let tokens = server.requests.compactMap { $0.headers["Authorization"] }
      XCTAssertEqual(tokens.filter { $0 == "Bearer new" }.count, 3, "once for each")
    }

    func testAViolationOfTheServersEndsTheSocketAndIsToldToIt() async throws {
      let answer = Mutex<[UInt8]>([])
      let server = try server([
        [
          .readHead, .upgrade(then: ServerFrames.text("good") + ServerFrames.frame(1, [0xFF])),
          .readRest { bytes in answer.withLock { $0 = bytes } },
        ]
      ])
      let socket = try socket(server)
      socket.open()
      await log.waitForClose()
      XCTAssertEqual(log.messages, [.text("good")])
      XCTAssertEqual(log.closing?.error?.reason, .socketProtocolBroken)
      XCTAssertEqual(log.closing?.sentCode, .invalidData)
      XCTAssertTrue(server.waitUntilIdle())
      XCTAssertEqual(
        ServerFrames.read(answer.withLock { $0 }).first.map { Array($0.payload.prefix(2)) }, [0x03, 0xEF])
    }

    func testFromEachCallbackTheSocketMayBeUsed() async throws {
      let server = try server([
        [.readHead, .upgrade(then: ServerFrames.text("1") + ServerFrames.text("2")), .waitForClose]
      ])
      let socket = try socket(server)
      log.onMessage = { manager, _ in
        try? manager.send("echo")
        manager.cancel()
      }
      var opened = 0
      log.onClose = { [weak socket] _ in
        opened += 1
        if opened == 1 { socket?.open() }
      }
      socket.open()
      await log.wait { opened == 2 }
      // After `cancel` nothing of that connection came but its end.
      XCTAssertEqual(log.lines, ["open", "message", "close", "open", "message", "close"])
    }

    func testOpenWhileOpenClosesFirst() async throws {
      let server = try server([
        [.readHead, .upgrade(), .pause(.milliseconds(20)), .write(Self.closing), .waitForClose],
        [.readHead, .upgrade(), .waitForClose],
      ])
      let socket = try socket(server)
      socket.options.closeLimit = .milliseconds(50)
      _ = try await socket.opened(["n": 1])
      let again = try await socket.opened(["n": 2])
      XCTAssertEqual(again.number, 1)
      XCTAssertEqual(log.lines, ["open", "close", "open"])
      XCTAssertEqual(server.requests.map(\.target), ["/api/echo?n=1", "/api/echo?n=2"])
      // A server that does not answer has its time; while the socket opens there is nothing to wait for.
      socket.open(["n": 3])
      socket.open(["n": 4])
      await log.wait { log.lines.count >= 4 }
      socket.cancel()
      await log.wait { socket.state == .closed }
    }
  }
#endif
