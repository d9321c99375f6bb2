#if os(Linux)
  import APIKit
  import APIKitSockets
  import TestServers
  import XCTest

  private struct Sockets: APIService {
    let name = "Sockets"
    let environments: ServiceEnvironments
    let client: HTTPClient
    var wire: WireOptions { WireOptions(client: client) }
  }

  private final class Socket: BaseSocketManager, SocketManager {
    let service: Sockets
    let apiName: String
    var subprotocols: [String] = []
    var options = SocketOptions()

    init(_ service: Sockets, _ apiName: String) {
      self.service = service
      self.apiName = apiName
    }
  }

  /// WebSockets against the package `websockets`, over TCP, TLS and proxies.
  @MainActor final class SocketTests: XCTestCase {
    private func socket(
      _ path: String, isSecure: Bool = false,
      _ change: (inout TransportConfiguration) throws -> Void = { _ in }
    ) throws -> Socket {
      let server = try needing { try SocketServer.shared() }
      var configuration = TransportConfiguration.ephemeral
      configuration.tls.trust = .bundle(path: server.certificates.root.path)
      try change(&configuration)
      let client = HTTPClient(transport: try CurlTransport(configuration))
      return Socket(
        Sockets(
          environments: ServiceEnvironments(try HTTPURL(server.url(isSecure: isSecure))), client: client),
        path)
    }

    private func echo(_ socket: Socket, file: StaticString = #filePath, line: UInt = #line) async throws {
      var received = socket.messages().makeAsyncIterator()
      _ = try await socket.opened()
      var sent: [SocketMessage] = []
      for count in [0, 1, 125, 126, 1023, 1024, 65_535, 65_536, 300_000] {
        sent.append(
          .text(String(repeating: "ä€", count: count / 5) + String(repeating: "x", count: count % 5)))
        sent.append(.data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0) }))
      }
      for message in sent { try socket.send(message) }
      for message in sent {
        let back = try await received.next()
        XCTAssertEqual(back, message, file: file, line: line)
      }
      let time = try await socket.ping()
      XCTAssertGreaterThan(time, .zero, file: file, line: line)
      try socket.close(.init(rawValue: 3001), reason: "genug")
      let last = try await received.next()
      XCTAssertNil(last, file: file, line: line)
      XCTAssertEqual(socket.lastClosing?.end, .clean, file: file, line: line)
      XCTAssertEqual(socket.lastClosing?.code.rawValue, 3001, file: file, line: line)
    }

    func testMessagesComeBackOverTCPAndTLS() async throws {
      for isSecure in [false, true] {
        for bits in [nil, 9, 12, 15] {
          let socket = try socket("echo", isSecure: isSecure)
          socket.options.compressionBits = bits
          try await echo(socket)
          XCTAssertEqual(socket.lastClosing?.reason, "genug")
        }
      }
    }

    func testMessagesComeBackThroughProxies() async throws {
      let proxy = try needing { try ProxyServer.shared() }
      for kind: HTTPProxy.Kind in [.connect, .http, .socks5] {
        for isSecure in [false, true] {
          try await echo(
            try socket("echo", isSecure: isSecure) {
              $0.proxy = .through(
                HTTPProxy(
                  kind, host: "127.0.0.1", port: Int(proxy.port),
                  login: HTTPLogin(user: ProxyServer.user, password: ProxyServer.password, scheme: .basic)))
            })
        }
      }
    }

    func testTrustAndPinsHold() async throws {
      let server = try needing { try SocketServer.shared() }
      let untrusted = try socket("echo", isSecure: true) { $0.tls.trust = .system }
      do {
        _ = try await untrusted.opened()
        XCTFail("the certificate is not trusted")
      } catch {
        XCTAssertEqual(error.reason, .certificateUntrusted)
      }
      for (pin, isRight) in [(CertificateMatrix.Server.good, true), (.expired, false)] {
        let pins = PinSet([
          .init("localhost", pins: [try PinSet.Pin(try server.certificates.publicKeyPin(pin))])
        ])
        let pinned = try socket("echo", isSecure: true) { $0.tls.pinning = .publicKey(pins) }
        do {
          _ = try await pinned.opened()
          XCTAssertTrue(isRight)
          pinned.cancel()
        } catch {
          XCTAssertFalse(isRight, "\(error)")
          XCTAssertEqual(error.reason, .pinMismatch)
        }
      }
    }

    func testTheServersClosingIsTold() async throws {
      for code: UInt16 in [1000, 1001, 1011, 4999] {
        let socket = try socket("close/\(code)")
        let messages = socket.messages()
        _ = try await socket.opened()
        for try await _ in messages { XCTFail("there is no message") }
        XCTAssertEqual(socket.lastClosing?.code.rawValue, code)
        XCTAssertEqual(socket.lastClosing?.reason, "as asked")
        XCTAssertEqual(socket.lastClosing?.end, .clean)
      }
    }

    func testPingsOfTheServerAreAnsweredAndASubprotocolIsChosen() async throws {
      let socket = try socket("ping")
      socket.subprotocols = ["soap", "chat"]
      var messages = socket.messages().makeAsyncIterator()
      let opening = try await socket.opened()
      XCTAssertEqual(opening.subprotocol, "chat")
      XCTAssertTrue(opening.isCompressed)
      let pong = try await messages.next()
      XCTAssertEqual(pong, .text("pong"))
      socket.cancel()
    }

    func testALongStreamArrivesInOrder() async throws {
      let socket = try socket("count/5000", isSecure: true)
      let messages = socket.messages()
      socket.open()
      var next = 0
      for try await message in messages {
        XCTAssertEqual(message, .text("\(next)"))
        next += 1
      }
      XCTAssertEqual(next, 5_000)
    }

    func testTLSBeginsOnAnOpenStream() async throws {
      let server = try needing { try SocketServer.shared() }
      for (pin, isRight) in [(CertificateMatrix.Server.good, true), (.expired, false)] {
        var configuration = TransportConfiguration.ephemeral
        configuration.tls.trust = .bundle(path: server.certificates.root.path)
        configuration.tls.pinning = .publicKey(
          PinSet([.init("localhost", pins: [try PinSet.Pin(try server.certificates.publicKeyPin(pin))])]))
        let stream = try await ByteStream.open(
          "127.0.0.1", port: server.bytesPort, over: try CurlTransport(configuration))
        try await stream.write(Array("plain\nSTARTTLS\n".utf8))
        let plain = try await stream.read(until: [10])
        XCTAssertEqual(plain.bytes, Array("plain\n".utf8))
        let go = try await stream.read(until: [10])
        XCTAssertEqual(go.bytes, Array("go ahead\n".utf8))
        do {
          try await stream.startTLS(host: "localhost")
          XCTAssertTrue(isRight)
        } catch {
          XCTAssertFalse(isRight, "\(error)")
          XCTAssertEqual(error.reason, .pinMismatch)
          continue
        }
        let long = [UInt8](repeating: 65, count: 3 << 20) + [10]
        async let back = stream.read(minimum: long.count, maximum: long.count)
        try await stream.write(long)
        let read = try await back
        XCTAssertEqual(read.bytes, long)
        try await stream.closeWrite()
        let end = try await stream.read()
        XCTAssertEqual(end.end, .closed)
      }
    }

    func testAMessageAboveTheLimitEndsTheSocketWith1009() async throws {
      for path in ["large/3000000", "large/200000000"] {
        let socket = try socket(path)
        socket.options.maximumMessageBytes = 1 << 20
        let messages = socket.messages()
        _ = try await socket.opened()
        do {
          for try await _ in messages { XCTFail("it is too large") }
          XCTFail("it ended in order")
        } catch {
          XCTAssertEqual(error.reason, .responseTooLarge)
        }
        XCTAssertEqual(socket.lastClosing?.sentCode, .messageTooLarge)
      }
    }
  }
#endif
