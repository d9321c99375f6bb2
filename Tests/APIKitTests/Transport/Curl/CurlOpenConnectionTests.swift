#if os(Linux)
  @testable import TestSupport
  import TestServers
  import XCTest

  @testable import APIKit
  @testable import APIKitSockets

  /// Connections that stay open keep what the transport's configuration says of requests.
  final class CurlOpenConnectionTests: XCTestCase {
    private enum Way: CaseIterable {
      /// TLS at once.
      case atOnce
      /// TLS on an open connection to 127.0.0.1, with the name of the server.
      case later
    }

    /// Makes a TLS handshake with a site, and closes the connection.
    private func shake(
      _ site: CertificateMatrix.Server, _ host: String, _ way: Way, over transport: CurlTransport
    ) async throws(APIError) {
      let port: Int
      do { port = Int(try NginxServer.shared().port(.tls(site))) } catch {
        throw APIError(.transport, .misconfigured, "\(error)")
      }
      switch way {
      case .atOnce:
        try await ByteStream.open(host, port: port, isSecure: true, over: transport).close()
      case .later:
        let stream = try await ByteStream.open("127.0.0.1", port: port, over: transport)
        try await stream.startTLS(host: host)
        stream.close()
      }
    }

    func testPinsThatReplaceAChainLeaveAllOtherHostsVerified() async throws {
      let nginx = try NginxServer.shared()
      let key = try PinSet.Pin(try nginx.certificates.publicKeyPin(.selfSigned))
      var configuration = TransportConfiguration.production
      configuration.tls.trust = .bundle(path: nginx.certificates.root.path)
      configuration.tls.pinning = .publicKey(
        PinSet([.init("localhost", pins: [key], replacesChain: true)]))
      let transport = try CurlTransport(configuration)
      for way in Way.allCases {
        // Twice, for a TLS session that may be kept.
        for _ in 1...2 {
          try await shake(.selfSigned, "localhost", way, over: transport)
          let forged = await failure { try await shake(.selfSigned, "127.0.0.1", way, over: transport) }
          XCTAssertEqual(forged?.reason, .certificateSelfSigned, "\(way)")
          let other = await failure { try await shake(.unknownRoot, "localhost", way, over: transport) }
          XCTAssertEqual(other?.reason, .pinMismatch, "\(way)")
          try await shake(.good, "127.0.0.1", way, over: transport)
        }
      }
    }

    func testAuthoritiesMayBeAddedToThoseOfTheSystem() async throws {
      let root = try NginxServer.shared().certificates.root.path
      var configuration = TransportConfiguration()
      configuration.tls.trust = .systemAnd(.bundle(path: root))
      let transport = try CurlTransport(configuration)
      for way in Way.allCases {
        try await shake(.good, "localhost", way, over: transport)
        let unknown = await failure { try await shake(.unknownRoot, "localhost", way, over: transport) }
        XCTAssertEqual(unknown?.reason, .certificateUntrusted, "\(way)")
      }
    }

    /// nginx responds to a client without a certificate with 400, and otherwise with what it has.
    @MainActor func testAClientCertificateIsShownByOpenConnections() async throws {
      let nginx = try NginxServer.shared()
      let (certificates, port) = (nginx.certificates, Int(nginx.port(.clientCertificate)))
      for isFriend in [true, false] {
        var configuration = TransportConfiguration.ephemeral
        configuration.tls.trust = .bundle(path: certificates.root.path)
        if isFriend {
          configuration.tls.identity = .pkcs12(
            .file(path: certificates.archive(.friend).path), password: certificates.password)
        }
        let transport = try CurlTransport(configuration)
        let socket = EchoSocket(
          SocketService(
            environments: ServiceEnvironments(try HTTPURL("https://localhost:\(port)/")),
            client: HTTPClient(transport: transport)))
        let refused = await failure { try await socket.opened() }
        XCTAssertEqual(refused?.context.status, isFriend ? 200 : 400, "\(refused as Any)")
        let stream = try await ByteStream.open("localhost", port: port, isSecure: true, over: transport)
        try await stream.write(Array("GET /echo HTTP/1.0\r\nHost: localhost\r\n\r\n".utf8))
        let read = try await stream.read(minimum: 1 << 16, maximum: 1 << 16)
        XCTAssertEqual(String(decoding: read.bytes, as: UTF8.self).contains("CN=friend"), isFriend)
      }
    }

    func testATransportThatAsksTheApplicationAboutServersOpensNoSocketWithoutAsking() async throws {
      let server = try ScriptedServer(.waitForClose)
      defer { server.stop() }
      let nginx = try NginxServer.shared()
      let asked = Record<String>()
      var configuration = TransportConfiguration.ephemeral
      configuration.tls.trust = .bundle(path: nginx.certificates.root.path)
      configuration.challenges = ChallengeHandler { _ in
        asked.add("asked")
        return .reject
      }
      let transport = try CurlTransport(configuration)
      for isSecure in [true, false] {
        let port = isSecure ? Int(nginx.port(.tls(.good))) : server.port
        let error = await failure {
          try await ByteStream.open("localhost", port: port, isSecure: isSecure, over: transport)
        }
        XCTAssertEqual(error?.reason, .unsupportedCapability)
        XCTAssertEqual(error?.detail.contains("challenges"), true, "\(String(describing: error))")
      }
      let url = try server.url("/api")
      let refused = await Task { @MainActor in
        let socket = EchoSocket(
          SocketService(environments: ServiceEnvironments(url), client: HTTPClient(transport: transport)))
        return await failure { try await socket.opened() }
      }.value
      XCTAssertEqual(refused?.reason, .unsupportedCapability)
      XCTAssertEqual(refused?.detail.contains("challenges"), true, "\(String(describing: refused))")
      XCTAssertEqual(server.connectionCount, 0)
      XCTAssertEqual(asked.all, [])
      let wires = await transport.counts(of: .wires)
      XCTAssertNil(wires, "none was begun")
    }

    func testProxiesOfTheEnvironmentAndTheirExceptionsAreThoseOfRequests() async throws {
      let proxy = try ScriptedServer(
        .readHead, .text("HTTP/1.1 200 Tunnel\r\n\r\n"), .text("by proxy"), .waitForClose)
      let server = try ScriptedServer(.text("directly"), .waitForClose)
      defer {
        proxy.stop()
        server.stop()
      }
      var configuration = TransportConfiguration.ephemeral
      configuration.cleartext = .allowed
      configuration.proxy = .system
      configuration.proxyTable = try ProxyTable(
        .system,
        environment: [
          "http_proxy": "http://127.0.0.1:\(proxy.port)", "https_proxy": "http://127.0.0.1:1",
          "no_proxy": "127.0.0.1",
        ])
      let transport = try CurlTransport(configuration)
      for (host, port, text) in [("far.test", 25, "by proxy"), ("127.0.0.1", server.port, "directly")] {
        let stream = try await ByteStream.open(host, port: port, over: transport)
        let read = try await stream.read(minimum: 8)
        XCTAssertEqual(String(decoding: read.bytes, as: UTF8.self), text)
      }
      XCTAssertEqual(proxy.requests.map(\.target), ["far.test:25"])
      let secure = await failure {
        try await ByteStream.open("far.test", port: 443, isSecure: true, over: transport)
      }
      XCTAssertEqual(secure?.reason, .proxyFailed)
    }

    @MainActor func testTheOptionsOfTheConfigurationCountForSocketsToo() async throws {
      let server = try ScriptedServer(scripts: [
        [.readHead, .upgrade(), .waitForClose], [.readHead, .upgrade(), .waitForClose],
      ])
      defer { server.stop() }
      struct Refused: Error {}
      func socket(_ options: LoadOptions) throws -> EchoSocket {
        var configuration = TransportConfiguration.ephemeral
        configuration.loadOptions = options
        return EchoSocket(
          SocketService(
            environments: ServiceEnvironments(try server.url("/api")),
            client: HTTPClient(transport: try CurlTransport(configuration))))
      }
      let known = try socket(LoadOptions(login: HTTPLogin(user: "u", password: "p", scheme: .basic)))
      _ = try await known.opened()
      XCTAssertEqual(server.requests.first?.headers["Authorization"], "Basic dTpw")
      known.cancel()
      let inspected = try socket(LoadOptions(inspectHead: { _, _ in throw Refused() }))
      let error = await failure { try await inspected.opened() }
      XCTAssertEqual(error?.reason, .refusedAtHeaders)
      XCTAssertTrue(error?.underlying is Refused)
      XCTAssertTrue(server.waitUntilIdle(), "the connection is closed")
    }
  }
#endif
