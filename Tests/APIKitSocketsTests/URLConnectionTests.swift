#if os(Linux)
  import APIKitSockets
  @testable import TestSupport
  import XCTest

  import APIKit

  /// WebSockets and event streams of a URL, without a class.
  @MainActor final class URLConnectionTests: SocketCase {
    func testAWebSocketOfAURLOpensSendsAndReceives() async throws {
      let server = try server([
        [.readHead, .upgrade(then: ServerFrames.text("hello") + Self.closing)]
      ])
      let url = "ws" + (try server.url("/chat?room=7").string.dropFirst("http".count))
      let socket = try await WebSocket.open(url, headers: ["X-Own": "1"])
      var texts: [String] = []
      for try await message in socket.messages() { if case .text(let text) = message { texts.append(text) } }
      XCTAssertEqual(texts, ["hello"])
      XCTAssertEqual(server.requests.map(\.target), ["/chat?room=7"])
      XCTAssertEqual(server.requests.first?.headers["X-Own"], "1")
    }

    func testWhatCannotBeOpenedIsThrown() async throws {
      for (url, reason) in [
        ("nothing", APIError.Reason.invalidURL), ("ftp://127.0.0.1/x", .unsupportedScheme),
        ("ws://example.test/x", .cleartextRefused),
      ] {
        let error = await failure { try await WebSocket.open(url) }
        XCTAssertEqual(error?.reason, reason, url)
      }
      let server = try server([[.readHead, .text("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")]])
      let error = await failure { try await WebSocket.open(try server.url("/").string) }
      XCTAssertEqual(error?.context.status ?? error?.evidence?.status, 403)
    }

    func testTheEventsOfAURLCome() async throws {
      let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
      let server = try server([[.readRequest, .text(head + "data: 1\n\ndata: 2\n\n"), .waitForClose]])
      let events = try await EventSource.open(try server.url("/prices?unit=EUR").string)
      var data: [String] = []
      for try await event in events.events() {
        data.append(event.data)
        if data.count == 2 { break }
      }
      XCTAssertEqual(data, ["1", "2"])
      XCTAssertEqual(server.requests.map(\.target), ["/prices?unit=EUR"])
      events.cancel()
      let error = await failure { try await EventSource.open("no URL") }
      XCTAssertEqual(error?.reason, .invalidURL)
    }

    func testAStreamThatIsLostEndsOrIsOpenedAgainAsStated() async throws {
      let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
      let server = try server([[.readRequest, .text(head + "retry: 0\ndata: 1\n\n")]])
      let url = try server.url("/prices").string
      let once = try await EventSource.open(url, reconnection: .never)
      var data: [String] = []
      for try await event in once.events() { data.append(event.data) }
      XCTAssertEqual(data, ["1"])
    }

    func testAFirstConnectionThatFailsIsThrownAndNotTriedAgain() async throws {
      let server = try server([[.readRequest, .text("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")]])
      let url = try server.url("/prices").string
      let refused = await failure { try await EventSource.open(url) }
      XCTAssertEqual(refused?.reason, .unacceptableStatus)
      server.stop()
      let gone = await failure { try await EventSource.open(url) }
      XCTAssertEqual(gone?.reason, .connectionRefused)
      XCTAssertEqual(server.requests.count, 1)
    }

    func testATaskThatIsCancelledDoesNotWaitForTheResponse() async throws {
      let server = try server([[.readRequest, .waitForClose]])
      let url = try server.url("/prices").string
      let opening = Task { try await EventSource.open(url) }
      await log.wait("asked") { server.requests.count == 1 }
      opening.cancel()
      let error = await failure { try await opening.value }
      XCTAssertEqual(error?.reason, .cancelled)
      XCTAssertTrue(server.waitUntilIdle(), "the connection is closed")
    }
  }
#endif
