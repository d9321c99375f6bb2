#if os(Linux)
  import APIKitTesting
  import Foundation
  @testable import TestSupport
  import TestServers
  import XCTest

  @testable import APIKit
  @testable import APIKitSockets

  /// Adds a number that rises with each signature.
  private struct NumberingSigner: RequestSigner {
    let counter = Counter()
    var runsInline: Bool { true }
    func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
      request.headers["X-Signature"] = "\(counter.next())"
    }
  }

  /// What comes before a socket is open: waits, refusals, redirects, credentials, trust.
  @MainActor final class SocketOpeningTests: SocketCase {
    func testARefusalOfAnOlderServerIsToldByItsStatus() async throws {
      let server = try server([
        [.readRequest, .text("HTTP/1.0 503 No\r\nContent-Length: 4\r\n\r\nbusy")]
      ])
      let socket = try socket(server)
      socket.open()
      await log.waitForClose()
      XCTAssertEqual(log.closing?.error?.context.status, 503)
    }

    func testItWaitsForTheNetworkAndForACredential() async throws {
      let server = try server([[.readHead, .upgrade(), .waitForClose]])
      let network = NetworkMonitor(watchesSystem: false)
      network.force(.offline)
      let authenticator = Authenticator(store: MemoryCredentialStore())
      let socket = try socket(
        server,
        {
          $0.network = network
          $0.authenticator = authenticator
        })
      socket.networkGate = .wait(upTo: .seconds(60))
      socket.signIn = .required
      socket.open()
      XCTAssertEqual(socket.state, .waiting)
      network.force(.wifi)
      try await Task.sleep(for: .milliseconds(30))
      XCTAssertEqual(socket.state, .waiting, "there is no credential")
      XCTAssertEqual(server.connectionCount, 0)
      try authenticator.signIn(with: Credential(accessToken: "t", refreshToken: "r"))
      await log.wait("open") { socket.state == .open }
      XCTAssertEqual(server.requests.first?.headers["Authorization"], "Bearer t")
      socket.cancel()
      await log.waitForClose()
    }

    func testTheStartOfAnOpeningThatWasGivenUpIsNotThatOfALaterOne() async throws {
      let server = try server([[.readHead, .waitForClose]])
      let network = NetworkMonitor(watchesSystem: false)
      network.force(.wifi)
      let socket = try socket(server, { $0.network = network })
      socket.networkGate = .wait(upTo: .seconds(60))
      socket.open()
      // Blocks the main actor, so that the start is told behind what follows.
      XCTAssertTrue(server.waitForConnections(1))
      socket.cancel()
      network.force(.offline)
      socket.open()
      XCTAssertEqual(socket.state, .waiting)
      await landingsWorkedOff()
      XCTAssertEqual(socket.state, .waiting)
      XCTAssertEqual(server.connectionCount, 1)
      socket.cancel()
      await log.waitForClose()
    }

    func testEachConnectionIsSignedAnewAndSoIsARedirect() async throws {
      let server = try server([
        [.readHead, .text("HTTP/1.1 308 There\r\nLocation: /api/there\r\nContent-Length: 0\r\n\r\n")],
        [.readHead, .upgrade(), .reset],
        [.readHead, .upgrade(), .waitForClose],
      ])
      let time = ManualTime()
      let socket = try socket(server, { $0.signer = NumberingSigner() })
      socket.time = time
      socket.jitter = { 1 }
      socket.reconnection = .standard
      socket.open()
      await log.wait("lost") { log.lines == ["open", "disconnect"] }
      await time.advanceOnceAsleep(by: .seconds(1))
      await log.wait("open again") { log.openings.count == 2 }
      XCTAssertEqual(server.requests.map(\.target), ["/api/echo", "/api/there", "/api/echo"])
      XCTAssertEqual(server.requests.map { $0.headers["X-Signature"] }, ["0", "1", "2"])
      XCTAssertEqual(Set(server.requests.map { $0.headers["Sec-WebSocket-Key"] }).count, 3)
      socket.cancel()
      await log.waitForClose()
    }

    func testARedirectFromTLSToNoneIsRefused() async throws {
      let target = try server([[.readHead, .upgrade(), .waitForClose]])
      let tls = try ScriptedTLS(in: temporaryFolder())
      let place = try target.url("/open", host: "localhost", scheme: "ws").string
      let server = try server(
        [[.readHead, .text("HTTP/1.1 307 There\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n")]],
        tls: tls)
      let socket = try socket(server, configuration: { $0.tls.trust = .bundle(path: tls.root) })
      let error = await failure { try await socket.opened() }
      XCTAssertEqual(error?.reason, .redirectRefused)
      XCTAssertEqual(target.connectionCount, 0)
    }

    func testOfARefusalsBody64KiBAreKept() async throws {
      for head in ["Content-Length: 1000000", "Transfer-Encoding: chunked", "Connection: close"] {
        let body = [UInt8](repeating: 0x61, count: 1_000_000)
        let isChunked = head.contains("chunked")
        let server = try server([
          [
            .readHead, .text("HTTP/1.1 400 No\r\n\(head)\r\n\r\n" + (isChunked ? "F4240\r\n" : "")),
            .write(body), .text(isChunked ? "\r\n0\r\n\r\n" : ""),
          ]
        ])
        let socket = try socket(server)
        let error = await failure { try await socket.opened() }
        XCTAssertEqual(error?.context.status, 400, head)
        XCTAssertEqual(error?.response?.bytes.count, 64 << 10, head)
        XCTAssertTrue(server.waitUntilIdle())
      }
    }

    func testARefusalWhoseBodyDoesNotEndIsToldByItsStatus() async throws {
      for head in ["Content-Length: 10", "Transfer-Encoding: chunked", "Server: s"] {
        let server = try server([[.readHead, .text("HTTP/1.1 503 No\r\n\(head)\r\n\r\n"), .waitForClose]])
        let socket = try socket(server)
        socket.options.openLimit = .milliseconds(300)
        let error = await failure { try await socket.opened() }
        XCTAssertEqual(error?.context.status, 503, "\(head): \(error as Any)")
        XCTAssertTrue(server.waitUntilIdle())
      }
    }

    func testALengthWithASignIsNone() async throws {
      let server = try server([
        [.readHead, .text("HTTP/1.1 503 No\r\nContent-Length: +4\r\n\r\nall of it")]
      ])
      let error = await failure { try await socket(server).opened() }
      XCTAssertEqual(error?.response.map { String(decoding: $0.bytes, as: UTF8.self) }, "all of it")
    }

    func testTooManyRequestsAndOverloadAreWaitedForAsLongAsTheServerSays() async throws {
      let server = try server([
        [.readHead, .text("HTTP/1.1 429 No\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")],
        [.readHead, .text("HTTP/1.1 503 No\r\nRetry-After: 11\r\nContent-Length: 0\r\n\r\n")],
        [.readHead, .upgrade(), .waitForClose],
      ])
      let time = ManualTime()
      let socket = try socket(server)
      socket.time = time
      socket.jitter = { 0 }
      socket.reconnection = .standard
      socket.open()
      for (number, seconds) in [(1, 7), (2, 11)] {
        await log.wait("refused") { server.requests.count == number && socket.state == .reconnecting }
        await time.advanceOnceAsleep(by: .seconds(seconds - 1))
        try await Task.sleep(for: .milliseconds(20))
        XCTAssertEqual(server.requests.count, number, "\(seconds) seconds are asked for")
        await time.advanceOnceAsleep(by: .seconds(1))
      }
      await log.wait("open") { socket.state == .open }
      XCTAssertEqual(log.lines, ["open"], "no connection was lost that had been open")
      socket.cancel()
      await log.waitForClose()
    }

    func testTrustAndPinsAreCheckedForReconnectionsToo() async throws {
      for (other, reason) in [
        (CertificateMatrix.Server.expired, APIError.Reason.certificateExpired),
        (.unknownRoot, .certificateUntrusted), (.wrongHost, .pinMismatch),
      ] {
        let tls = try ScriptedTLS(in: temporaryFolder(), .good, other)
        let server = try server([[.readHead, .upgrade(), .reset]], tls: tls)
        let pin = try tls.pin(.good)
        let log = SocketLog()
        let place = ServiceEnvironments(try server.url("/api", host: "localhost"))
        let socket = try socket(server, { $0.environments = place }) {
          if other == .wrongHost { $0 = .debug }
          $0.tls.trust = .bundle(path: tls.root)
          // A valid certificate of another key is left to the pin alone.
          $0.tls.skipsHostValidation = other == .wrongHost
          $0.tls.pinning = .publicKey(PinSet([.init("localhost", pins: [pin])]))
        }
        socket.delegate = log
        let time = ManualTime()
        socket.time = time
        socket.reconnection = .standard
        socket.open()
        await log.wait("lost") { log.lines == ["open", "disconnect"] }
        await time.advanceOnceAsleep(by: .seconds(1))
        await log.waitForClose()
        XCTAssertEqual(log.closing?.error?.reason, reason, "\(other)")
        XCTAssertEqual(server.requests.count, 1, "\(other) got no request")
      }
    }
  }
#endif
