#if os(Linux)
  import Foundation
  @testable import TestSupport
  import TestServers
  import XCTest

  @testable import APIKit

  /// The application's word about servers and client certificates, over real handshakes.
  final class CurlChallengeTests: XCTestCase {
    private func nginx() throws -> NginxServer { try NginxServer.shared() }

    private func transport(_ handler: ChallengeHandler? = nil) throws -> CurlTransport {
      var configuration = TransportConfiguration.ephemeral
      configuration.tls.trust = .bundle(path: try nginx().certificates.root.path)
      configuration.challenges = handler
      return try CurlTransport(configuration)
    }

    private func get(
      _ site: NginxServer.Site, over transport: CurlTransport, asking handler: ChallengeHandler? = nil,
      host: String = "localhost"
    ) async throws -> HTTPResponse {
      let url = try HTTPURL(nginx().url("/echo", site: site, host: host))
      var exchange = HTTPExchange(HTTPRequest(url: url))
      exchange.challenges = handler
      return try await transport.send(exchange)
    }

    /// What was asked: the reason of the fault, or `trusted`.
    private func recording(
      _ asked: Record<String>,
      _ answer: @escaping @Sendable (AuthenticationChallenge) async -> ChallengeAnswer
    ) -> ChallengeHandler {
      ChallengeHandler { challenge in
        switch challenge.kind {
        case .serverTrust(_, let fault): asked.add(fault?.reason.name ?? "trusted")
        case .clientCertificate: asked.add("certificate")
        default: asked.add("login")
        }
        return await answer(challenge)
      }
    }

    func testTheApplicationsWordAboutAServerServesNewConnections() async throws {
      let (asked, chains) = (Record<String>(), Record<[[UInt8]]>())
      let handler = recording(asked) { challenge in
        guard case .serverTrust(let chain, _) = challenge.kind else { return .default }
        chains.add(chain)
        return .use(.trust)
      }
      let transport = try transport(handler)
      let rows: [(CertificateMatrix.Server, String)] = [
        (.selfSigned, "certificate-self-signed"), (.expired, "certificate-expired"),
        (.wrongHost, "certificate-host-mismatch"), (.unknownRoot, "certificate-untrusted"),
      ]
      for (site, reason) in rows {
        for _ in 1...3 {
          let response = try await get(.tls(site), over: transport)
          XCTAssertEqual(response.status, 200, "\(site)")
        }
        XCTAssertEqual(asked.all.last, reason)
        let own = try PinSet.Pin(publicKeyOf: try XCTUnwrap(chains.all.last?.first))
        XCTAssertEqual(own, try PinSet.Pin(try nginx().certificates.publicKeyPin(site)))
      }
      XCTAssertEqual(asked.all.count, rows.count, "each is asked about once: \(asked.all)")
    }

    func testByDefaultThePolicyDecides() async throws {
      let asked = Record<String>()
      let transport = try transport(recording(asked) { _ in .default })
      let response = try await get(.tls(.good), over: transport)
      XCTAssertEqual(response.status, 200)
      for _ in 1...2 {
        let error = await failure { try await get(.tls(.selfSigned), over: transport) }
        XCTAssertEqual(error?.reason, .certificateSelfSigned)
      }
      XCTAssertEqual(asked.all, ["trusted", "certificate-self-signed"])
    }

    func testATrustedServerMayBeRejectedBeforeAnythingIsSent() async throws {
      let tls = try ScriptedTLS(in: temporaryFolder())
      let server = try ScriptedServer(
        scripts: [[.serve { _ in ScriptedServer.response(text: "in") }]], tls: tls)
      defer { server.stop() }
      var configuration = TransportConfiguration.ephemeral
      configuration.tls.trust = .bundle(path: tls.root)
      configuration.challenges = ChallengeHandler { _ in .reject }
      let transport = try CurlTransport(configuration)
      let url = try server.url(host: "localhost")
      let error = await failure { try await transport.send(HTTPRequest(url: url)) }
      XCTAssertEqual(error?.reason, .certificateRejected)
      XCTAssertEqual(server.requests.count, 0)
    }

    func testACancelledChallengeEndsTheLoadAndTheNextIsAskedAbout() async throws {
      let asked = Record<String>()
      let transport = try transport(recording(asked) { _ in .cancel })
      for _ in 1...2 {
        let error = await failure { try await get(.tls(.good), over: transport) }
        XCTAssertEqual(error?.reason, .challengeCancelled)
      }
      XCTAssertEqual(asked.all, ["trusted", "trusted"])
      let misfit = try self.transport(
        ChallengeHandler { _ in .use(.login(HTTPLogin(user: "a", password: "b"))) })
      let error = await failure { try await get(.tls(.good), over: misfit) }
      XCTAssertEqual(error?.reason, .misconfigured)
    }

    func testAConnectionOpenedOnOneWordServesNoLoadThatDidNotHearIt() async throws {
      let transport = try transport()
      let asked = Record<String>()
      let trusting = recording(asked) { _ in .use(.trust) }
      let rejecting = ChallengeHandler { _ in .reject }
      for _ in 1...3 {
        let response = try await get(.tls(.selfSigned), over: transport, asking: trusting)
        XCTAssertEqual(response.status, 200)
        let unasked = await failure { try await get(.tls(.selfSigned), over: transport) }
        XCTAssertEqual(unasked?.reason, .certificateSelfSigned)
        let other = await failure { try await get(.tls(.selfSigned), over: transport, asking: rejecting) }
        XCTAssertEqual(other?.reason, .certificateRejected)
      }
      XCTAssertEqual(asked.all.count, 1)
      let kept = try await get(.tls(.good), over: transport, asking: trusting)
      let again = try await get(.tls(.good), over: transport, asking: trusting)
      XCTAssertEqual([kept.metrics.isReused, again.metrics.isReused], [false, true])
      trusting.forget()
      let anew = try await get(.tls(.good), over: transport, asking: trusting)
      XCTAssertFalse(anew.metrics.isReused, "a word that was taken back serves no connection")
      XCTAssertEqual(asked.all.count, 3)
    }

    func testALoadThatWaitsForTheWordHoldsNoOtherUp() async throws {
      let gate = Latch()
      let handler = ChallengeHandler { challenge in
        await withCheckedContinuation { continuation in
          Thread.detachNewThread {
            gate.wait()
            continuation.resume(returning: .use(.trust))
          }
        }
      }
      let transport = try transport()
      let nginx = try nginx()
      let url = try HTTPURL(nginx.url("/echo", site: .tls(.selfSigned), host: "localhost"))
      let waiting = Task {
        var exchange = HTTPExchange(HTTPRequest(url: url))
        exchange.challenges = handler
        return try await transport.send(exchange).status
      }
      for _ in 0..<20 {
        let response = try await transport.send(HTTPRequest(url: try HTTPURL(nginx.url("/echo"))))
        XCTAssertEqual(response.status, 200)
      }
      XCTAssertFalse(gate.isOpened)
      gate.open()
      let status = try await waiting.value
      XCTAssertEqual(status, 200)
    }

    func testACancelledLoadEndsWhileTheApplicationIsAsked() async throws {
      let (began, ended) = (Latch(), Latch())
      let handler = ChallengeHandler { _ in
        began.open()
        do { try await Task.sleep(for: .seconds(60)) } catch { ended.open() }
        return .use(.trust)
      }
      let transport = try transport(handler)
      let outcome = Record<APIError.Reason?>()
      let done = expectation(description: "it is over")
      let url = try HTTPURL(nginx().url("/echo", site: .tls(.good), host: "localhost"))
      let load = transport.start(HTTPExchange(HTTPRequest(url: url))) { result in
        if case .failure(let error) = result { outcome.add(error.reason) } else { outcome.add(nil) }
        done.fulfill()
      }
      XCTAssertTrue(began.wait())
      load.cancel()
      await fulfillment(of: [done], timeout: 10)
      XCTAssertEqual(outcome.all, [.cancelled])
      XCTAssertTrue(ended.wait())
    }

    func testATransportThatIsStoppedWhileTheApplicationIsAskedSendsNothing() async throws {
      let (began, gate) = (Latch(), Latch())
      let handler = ChallengeHandler { _ in
        began.open()
        return await withCheckedContinuation { continuation in
          Thread.detachNewThread {
            gate.wait()
            continuation.resume(returning: .use(.trust))
          }
        }
      }
      let transport = try transport(handler)
      let url = try HTTPURL(nginx().url("/echo", site: .tls(.good), host: "localhost"))
      let load = Task { try await transport.send(HTTPRequest(url: url)) }
      XCTAssertTrue(began.wait())
      await transport.shutdown()
      gate.open()
      let error = await failure { try await load.value }
      XCTAssertEqual(error?.reason, .transportStopped)
    }

    func testAClientCertificateIsAskedForOnceTheServerIsTrusted() async throws {
      let certificates = try nginx().certificates
      let friend = ClientIdentity.pkcs12(
        .file(path: certificates.archive(.friend).path), password: certificates.password)
      let asked = Record<String>()
      let transport = try transport(
        recording(asked) { challenge in
          if case .clientCertificate = challenge.kind { .use(.identity(friend)) } else { .default }
        })
      for _ in 1...2 {
        let response = try await get(.clientCertificate, over: transport)
        XCTAssertEqual(response.status, 200)
        XCTAssertTrue(String(decoding: response.bytes, as: UTF8.self).contains("CN=friend"))
        XCTAssertTrue(response.isPersonal)
      }
      XCTAssertEqual(asked.all, ["trusted", "certificate"])
      let rejected = Record<String>()
      let stranger = try self.transport(recording(rejected) { _ in .reject })
      let error = await failure { try await get(.clientCertificate, over: stranger) }
      XCTAssertEqual(error?.reason, .certificateRejected)
      XCTAssertEqual(rejected.all, ["trusted"], "an untrusted server is shown no certificate")
    }

    func testWithoutACertificateTheServerDecides() async throws {
      let server = try StrictTLSServer(["-tls1_2"])
      defer { server.stop() }
      let names = Record<Int>()
      var configuration = TransportConfiguration.ephemeral
      configuration.tls.trust = .bundle(path: server.certificates.root.path)
      configuration.challenges = ChallengeHandler { challenge in
        guard case .clientCertificate(let authorities) = challenge.kind else { return .default }
        names.add(authorities.count)
        return .reject
      }
      let url = try HTTPURL("https://localhost:\(server.port)/")
      let transport = try CurlTransport(configuration)
      let error = await failure { try await transport.send(HTTPRequest(url: url)) }
      XCTAssertEqual(error?.reason, .clientCertificateRequired)
      XCTAssertEqual(names.all, [1], "the server says whose certificates it accepts")
    }

    func testACertificateThatTheServerRefusesIsAskedAboutAgain() async throws {
      let server = try StrictTLSServer(["-tls1_2"])
      defer { server.stop() }
      let certificates = server.certificates
      let asked = Counter()
      var configuration = TransportConfiguration.ephemeral
      configuration.tls.trust = .bundle(path: certificates.root.path)
      configuration.challenges = ChallengeHandler { challenge in
        guard case .clientCertificate = challenge.kind else { return .default }
        let client: CertificateMatrix.Client = asked.next() == 0 ? .stranger : .friend
        return .use(
          .identity(
            .pem(
              certificate: .file(path: certificates.certificate(client).path),
              key: .file(path: certificates.key(client).path))))
      }
      let url = try HTTPURL("https://localhost:\(server.port)/")
      let transport = try CurlTransport(configuration)
      let error = await failure { try await transport.send(HTTPRequest(url: url)) }
      XCTAssertEqual(error?.reason, .clientCertificateRefused)
      let response = try await transport.send(HTTPRequest(url: url))
      XCTAssertEqual(response.status, 200)
    }

    func testConnectionsAreOpenedInAdvanceOnTheApplicationsWord() async throws {
      let asked = Record<String>()
      let transport = try transport(recording(asked) { _ in .use(.trust) })
      try await transport.prewarm(try HTTPURL(nginx().url("/echo", site: .onlyTLS12, host: "localhost")))
      let response = try await get(.onlyTLS12, over: transport)
      XCTAssertEqual(response.status, 200)
      XCTAssertEqual(asked.all.count, 1)
    }

    func testABodyThatOpensOnceIsOpenedOnceThoughTheServerIsAskedAbout() async throws {
      let opened = Counter()
      let body = HTTPBodyStream(length: 4) {
        let isOver = Counter()
        guard opened.next() == 0 else { throw APIError(.transport, .unreadableBody) }
        return { isOver.next() == 0 ? Array("body".utf8) : nil }
      }
      let tls = try ScriptedTLS(in: temporaryFolder())
      let server = try ScriptedServer(
        scripts: [[.serve { ScriptedServer.response(text: $0.text) }]], tls: tls)
      defer { server.stop() }
      var configuration = TransportConfiguration.ephemeral
      configuration.challenges = ChallengeHandler { _ in .use(.trust) }
      let transport = try CurlTransport(configuration)
      let response = try await transport.send(
        HTTPRequest(method: .put, url: server.url(host: "localhost"), body: .stream(body)))
      XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "body")
      XCTAssertEqual(opened.next(), 1)
    }

    func testPinsAreThePolicysPartOfTheChallenge() async throws {
      let wrong = try PinSet.Pin(try nginx().certificates.publicKeyPin(.expired))
      let asked = Record<String>()
      var configuration = TransportConfiguration.ephemeral
      configuration.tls.trust = .bundle(path: try nginx().certificates.root.path)
      configuration.tls.pinning = .publicKey(PinSet([.init("localhost", pins: [wrong])]))
      configuration.challenges = recording(asked) { _ in .default }
      let transport = try CurlTransport(configuration)
      let error = await failure { try await get(.tls(.good), over: transport) }
      XCTAssertEqual(error?.reason, .pinMismatch)
      XCTAssertEqual(asked.all, ["pin-mismatch"])
    }
  }
#endif
