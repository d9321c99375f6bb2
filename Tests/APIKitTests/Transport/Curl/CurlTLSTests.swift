#if os(Linux)
  import CAPIKit
  import Foundation
  @testable import TestSupport
  import TestServers
  import XCTest

  @testable import APIKit

  /// What the suites for every transport do not ask: each switch of the TLS policy alone, and its traps.
  final class CurlTLSTests: XCTestCase {
    private func get(
      _ site: NginxServer.Site, host: String = "localhost", from preset: TransportConfiguration = .standard,
      _ change: (inout TransportConfiguration) throws -> Void
    ) async throws -> HTTPResponse {
      let nginx = try NginxServer.shared()
      var configuration = preset
      configuration.tls.trust = .bundle(path: nginx.certificates.root.path)
      try change(&configuration)
      let transport = try CurlTransport(configuration)
      return try await transport.send(
        HTTPRequest(url: try HTTPURL(nginx.url("/echo", site: site, host: host))))
    }

    private func pins(
      _ texts: String..., host: String = "localhost", expires: Date? = nil, reportOnly: Bool = false,
      onMismatch: (@Sendable (PinMismatch) -> Void)? = nil
    ) throws -> PinSet {
      PinSet(
        [.init(host, pins: try texts.map { try PinSet.Pin($0) }, expires: expires)], isReportOnly: reportOnly,
        onMismatch: onMismatch)
    }

    func testTheConnectionsProtocolAndCipherAreInTheMetrics() async throws {
      let metrics = try await get(.onlyTLS13) { _ in }.metrics
      XCTAssertEqual(metrics.tlsProtocol?.hasPrefix("TLSv1.3 TLS_"), true, "\(metrics)")
      XCTAssertGreaterThan(metrics.tls, metrics.connect)
    }

    func testTrustMayBeGivenInMemory() async throws {
      let pem = [UInt8](try Data(contentsOf: try NginxServer.shared().certificates.root))
      let response = try await get(.tls(.good)) { $0.tls.trust = .certificates(pem: pem) }
      XCTAssertEqual(response.status, 200)
    }

    func testATrustStoreThatCannotBeReadIsAnErrorOfItsOwn() async throws {
      for trust: TLSPolicy.Trust in [
        .bundle(path: "/no/such/file"), .certificates(pem: Array("-----BEGIN NOTHING-----".utf8)),
      ] {
        let error = await failure { try await get(.tls(.good)) { $0.tls.trust = trust } }
        XCTAssertEqual(error?.reason, .trustStoreUnreadable, "\(String(describing: error))")
      }
    }

    func testInvalidCertificatesAndWrongNamesAreAllowedSeparately() async throws {
      for site: CertificateMatrix.Server in [.expired, .notYetValid, .selfSigned, .unknownRoot] {
        let response = try await get(.tls(site), from: .debug) { $0.tls.allowsInvalidCertificates = true }
        XCTAssertEqual(response.status, 200, "\(site)")
        let error = await failure {
          try await get(.tls(site), from: .debug) { $0.tls.skipsHostValidation = true }
        }
        XCTAssertNotNil(error, "\(site)")
      }
      for site: CertificateMatrix.Server in [.wrongHost, .commonNameOnly, .mailOnly] {
        let response = try await get(.tls(site), from: .debug) { $0.tls.skipsHostValidation = true }
        XCTAssertEqual(response.status, 200, "\(site)")
        let error = await failure {
          try await get(.tls(site), from: .debug) { $0.tls.allowsInvalidCertificates = true }
        }
        XCTAssertEqual(error?.reason, .certificateHostMismatch, "\(site)")
      }
    }

    func testABackupPinIsAsGoodAsTheFirst() async throws {
      let certificates = try NginxServer.shared().certificates
      let (good, other) = (try certificates.publicKeyPin(.good), try certificates.publicKeyPin(.expired))
      let response = try await get(.tls(.good)) { $0.tls.pinning = .publicKey(try pins(other, good)) }
      XCTAssertEqual(response.status, 200)
      let error = await failure {
        try await get(.tls(.good)) { $0.tls.pinning = .publicKey(try pins(other)) }
      }
      XCTAssertEqual(error?.reason, .pinMismatch)
    }

    func testAMismatchIsFoundAgainOnAConnectionThatStayedOpen() async throws {
      let nginx = try NginxServer.shared()
      var configuration = TransportConfiguration()
      configuration.tls.trust = .bundle(path: nginx.certificates.root.path)
      configuration.tls.pinning = .publicKey(try pins(try nginx.certificates.publicKeyPin(.expired)))
      let transport = try CurlTransport(configuration)
      for _ in 0..<3 {
        let url = try HTTPURL(nginx.url("/echo", site: .http2, host: "localhost"))
        let error = await failure { try await transport.send(HTTPRequest(url: url)) }
        XCTAssertEqual(error?.reason, .pinMismatch)
      }
    }

    func testACertificatePinIsOfTheWholeCertificate() async throws {
      let certificates = try NginxServer.shared().certificates
      let fingerprint = try Self.fingerprint(certificates.certificate(.good))
      let response = try await get(.tls(.good)) { $0.tls.pinning = .certificate(try pins(fingerprint)) }
      XCTAssertEqual(response.status, 200)
      // The authority's certificate is part of the proven chain.
      let root = try Self.fingerprint(certificates.root)
      let rooted = try await get(.tls(.good)) { $0.tls.pinning = .certificate(try pins(root)) }
      XCTAssertEqual(rooted.status, 200)
      let error = await failure {
        let key = try certificates.publicKeyPin(.good)
        return try await get(.tls(.good)) { $0.tls.pinning = .certificate(try pins(key)) }
      }
      XCTAssertEqual(error?.reason, .pinMismatch)
    }

    func testPinsThatReplaceAChainLeaveAllOtherHostsVerified() async throws {
      let nginx = try NginxServer.shared()
      let key = try PinSet.Pin(try nginx.certificates.publicKeyPin(.selfSigned))
      var configuration = TransportConfiguration.production
      configuration.tls.trust = .bundle(path: nginx.certificates.root.path)
      configuration.tls.pinning = .publicKey(
        PinSet([.init("localhost", pins: [key], replacesChain: true)]))
      let transport = try CurlTransport(configuration)
      func status(_ site: CertificateMatrix.Server, _ host: String) async throws -> Int {
        let url = try HTTPURL(nginx.url("/echo", site: .tls(site), host: host))
        return try await transport.send(HTTPRequest(url: url)).status
      }
      // Twice, over connections that may be kept.
      for _ in 1...2 {
        let pinned = try await status(.selfSigned, "localhost")
        XCTAssertEqual(pinned, 200)
        let forged = await failure { try await status(.selfSigned, "127.0.0.1") }
        XCTAssertEqual(forged?.reason, .certificateSelfSigned)
        let other = await failure { try await status(.unknownRoot, "localhost") }
        XCTAssertEqual(other?.reason, .pinMismatch)
        let good = try await status(.good, "127.0.0.1")
        XCTAssertEqual(good, 200)
      }
    }

    func testPinsThatReplacedAChainAndHaveExpiredReplaceNothing() async throws {
      let key = try PinSet.Pin(try NginxServer.shared().certificates.publicKeyPin(.selfSigned))
      let past = PinSet([
        .init("localhost", pins: [key], expires: Date(timeIntervalSinceNow: -1), replacesChain: true)
      ])
      let error = await failure { try await get(.tls(.selfSigned)) { $0.tls.pinning = .publicKey(past) } }
      XCTAssertEqual(error?.reason, .certificateSelfSigned)
    }

    func testAuthoritiesMayBeAddedToThoseOfTheSystem() async throws {
      let root = try NginxServer.shared().certificates.root.path
      let response = try await get(.tls(.good)) { $0.tls.trust = .systemAnd(.bundle(path: root)) }
      XCTAssertEqual(response.status, 200)
      let error = await failure {
        try await get(.tls(.unknownRoot)) { $0.tls.trust = .systemAnd(.bundle(path: root)) }
      }
      XCTAssertEqual(error?.reason, .certificateUntrusted)
      let unread = await failure {
        try await get(.tls(.good)) { $0.tls.trust = .systemAnd(.bundle(path: "/no/such/file")) }
      }
      XCTAssertEqual(unread?.reason, .trustStoreUnreadable)
    }

    func testReportOnlyPinsReportAndLetPass() async throws {
      let wrong = try NginxServer.shared().certificates.publicKeyPin(.expired)
      let reports = Mutex<[PinMismatch]>([])
      for reportOnly in [true, false] {
        let set = try pins(wrong, reportOnly: reportOnly) { report in reports.withLock { $0.append(report) } }
        _ = try? await get(.tls(.good)) { $0.tls.pinning = .publicKey(set) }
      }
      let all = reports.withLock { $0 }
      XCTAssertEqual(all.map(\.isEnforced), [false, true])
      XCTAssertEqual(all.first?.host, "localhost")
      XCTAssertEqual(all.first?.expected.map(\.description), ["sha256/" + wrong])
      XCTAssertEqual(all.first?.shown.count, 2)
    }

    func testPinsBeyondTheirDateAndOfOtherHostsDoNotCount() async throws {
      let wrong = try NginxServer.shared().certificates.publicKeyPin(.expired)
      for set in [
        try pins(wrong, expires: Date(timeIntervalSinceNow: -1)), try pins(wrong, host: "other.test"),
      ] {
        let response = try await get(.tls(.good)) { $0.tls.pinning = .publicKey(set) }
        XCTAssertEqual(response.status, 200)
      }
    }

    func testTheNameStaysWithTheURLWhenConnectingElsewhere() async throws {
      let nginx = try NginxServer.shared()
      var configuration = TransportConfiguration()
      configuration.tls.trust = .bundle(path: nginx.certificates.root.path)
      let transport = try CurlTransport(configuration)
      let target = "127.0.0.1:\(nginx.port(.tls(.good)))"
      var request = HTTPRequest(url: "https://good.test/echo")
      request.options.connectTo = target
      let response = try await transport.send(request)
      let text = String(decoding: response.bytes, as: UTF8.self)
      XCTAssertTrue(text.contains(#""host": "good.test""#), text)
      XCTAssertTrue(text.contains(#""sni": "good.test""#), text)
      XCTAssertEqual(response.metrics.remoteAddress, "127.0.0.1")
      request.url = "https://bad.test/echo"
      let error = await failure { [request] in try await transport.send(request) }
      XCTAssertEqual(error?.reason, .certificateHostMismatch)
    }

    func testAnIdentityOfAKeychainIsRefusedByName() {
      var configuration = TransportConfiguration()
      configuration.tls.identity = .keychain(label: "flight")
      assertFails(.unsupportedCapability, "keychain") { try CurlTransport(configuration) }
      configuration.tls.identity = .keychain(label: "")
      assertFails(.misconfigured, "label") { try CurlTransport(configuration) }
    }

    func testAnUnreadableClientIdentityIsAnErrorOfItsOwn() async throws {
      let certificates = try NginxServer.shared().certificates
      let archive = certificates.archive(.friend).path
      let key = ClientIdentity.Source.file(path: certificates.key(.stranger).path)
      for identity: ClientIdentity in [
        .pkcs12(.file(path: archive), password: "wrong"), .pkcs12(.file(path: archive), password: ""),
        .pkcs12(.file(path: "/no/such"), password: ""),
        .pem(certificate: .file(path: certificates.certificate(.friend).path), key: key),
        .pem(certificate: .bytes([1, 2, 3]), key: key),
      ] {
        let error = await failure { try await get(.clientCertificate) { $0.tls.identity = identity } }
        XCTAssertEqual(error?.reason, .clientIdentityUnreadable, "\(identity)")
      }
    }

    func testAnEncryptedKeyWantsItsPasswordAndAsksNobody() async throws {
      let certificates = try NginxServer.shared().certificates
      for (password, isRight) in [(certificates.password, true), ("wrong", false), ("", false)] {
        let identity = ClientIdentity.pem(
          certificate: .file(path: certificates.certificate(.friend).path),
          key: .file(path: certificates.encryptedKey(.friend).path), password: password)
        if isRight {
          let response = try await get(.clientCertificate) { $0.tls.identity = identity }
          XCTAssertTrue(String(decoding: response.bytes, as: UTF8.self).contains("CN=friend"))
        } else {
          let error = await failure { try await get(.clientCertificate) { $0.tls.identity = identity } }
          XCTAssertEqual(
            error?.reason, .clientIdentityUnreadable, "the password \(password.debugDescription)")
        }
      }
    }

    func testAServerThatRefusesTheClientByAnAlertIsTold() async throws {
      // In TLS 1.2 the alert ends the handshake, in TLS 1.3 it comes when the response is read.
      for version in ["-tls1_2", "-tls1_3"] {
        let server = try StrictTLSServer([version])
        defer { server.stop() }
        let certificates = server.certificates
        func get(_ client: CertificateMatrix.Client?) async throws -> HTTPResponse {
          var configuration = TransportConfiguration.ephemeral
          configuration.tls.trust = .bundle(path: certificates.root.path)
          configuration.tls.identity = client.map {
            .pem(
              certificate: .file(path: certificates.certificate($0).path),
              key: .file(path: certificates.key($0).path))
          }
          let url = try HTTPURL("https://localhost:\(server.port)/")
          return try await CurlTransport(configuration).send(HTTPRequest(url: url))
        }
        let reasons: [(CertificateMatrix.Client?, APIError.Reason)] = [
          (nil, .clientCertificateRequired), (.stranger, .clientCertificateRefused),
          (.expired, .clientCertificateExpired),
        ]
        for (client, reason) in reasons {
          let error = await failure { try await get(client) }
          XCTAssertEqual(error?.reason, reason, "\(version) \(error?.description ?? "no error")")
          XCTAssertEqual(error?.description.contains(reason.text), true, error?.description ?? "")
        }
        let response = try await get(.friend)
        XCTAssertEqual(response.status, 200, version)
      }
    }

    func testChainPurposeAndStrengthOfACertificateAreToldApart() async throws {
      let rows: [(CertificateMatrix.Server, APIError.Reason, String)] = [
        (.unknownRoot, .certificateUntrusted, "the root is not in the trust store"),
        (.wrongPurpose, .certificateUnsuitable, "the certificate may not be used for this"),
        (.weakKey, .certificateTooWeak, "the certificate is too weak"),
      ]
      for (certificate, reason, words) in rows {
        let server = try StrictTLSServer(
          demandsCertificate: false, showing: certificate, ["-cipher", "DEFAULT@SECLEVEL=0"])
        defer { server.stop() }
        var configuration = TransportConfiguration.ephemeral
        configuration.tls.trust = .bundle(path: server.certificates.root.path)
        let transport = try CurlTransport(configuration)
        let url = try HTTPURL("https://localhost:\(server.port)/")
        let error = await failure { try await transport.send(HTTPRequest(url: url)) }
        XCTAssertEqual(error?.reason, reason, error?.description ?? "")
        XCTAssertEqual(error?.description.contains(words), true, error?.description ?? "")
      }
    }

    func testAServerThatAsksForACertificateAndClosesIsToldOf() {
      for (code, text) in [
        (UInt32(56), "OpenSSL SSL_read: Connection reset by peer, errno 104"),
        (52, "Empty reply from server"),
        (35, "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to localhost:443"),
      ] {
        var seen = CurlErrors.Circumstances(text: text, wasAskedForCertificate: true, isTLS: true)
        let none = CurlErrors.error(CURLcode(rawValue: code), seen).detail
        XCTAssertTrue(
          none.hasSuffix("; the server had asked for a client certificate, and there is none to show"), none)
        seen.hasCertificate = true
        let one = CurlErrors.error(CURLcode(rawValue: code), seen).detail
        XCTAssertTrue(
          one.hasSuffix("; the server had asked for a client certificate, and was shown one"), one)
        seen.wasAskedForCertificate = false
        let unasked = CurlErrors.error(CURLcode(rawValue: code), seen).detail
        XCTAssertFalse(unasked.contains("client certificate"), unasked)
      }
    }

    func testTheSameAlertForAnotherCauseIsAFailedHandshake() async throws {
      let server = try StrictTLSServer(
        demandsCertificate: false, ["-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256"])
      defer { server.stop() }
      var configuration = TransportConfiguration.ephemeral
      configuration.tls.trust = .bundle(path: server.certificates.root.path)
      let transport = try CurlTransport(configuration)
      let url = try HTTPURL("https://localhost:\(server.port)/")
      let error = await failure { try await transport.send(HTTPRequest(url: url)) }
      XCTAssertEqual(error?.reason, .tlsHandshakeFailed)
      XCTAssertEqual(error?.description.contains("handshake failure"), true, error?.description ?? "")
    }

    func testAClientIdentityMayBeGivenInMemory() async throws {
      let certificates = try NginxServer.shared().certificates
      let archive = [UInt8](try Data(contentsOf: certificates.archive(.friend)))
      for identity: ClientIdentity in [
        .pkcs12(.bytes(archive), password: certificates.password),
        .pem(
          certificate: .bytes([UInt8](try Data(contentsOf: certificates.certificate(.friend)))),
          key: .bytes([UInt8](try Data(contentsOf: certificates.key(.friend))))),
      ] {
        let response = try await get(.clientCertificate) { $0.tls.identity = identity }
        XCTAssertTrue(String(decoding: response.bytes, as: UTF8.self).contains("CN=friend"))
      }
    }

    func testPlainAndTLSPortsMixedUpFailOrRespondAsTheyDo() async throws {
      let nginx = try NginxServer.shared()
      let url = try HTTPURL("https://127.0.0.1:\(nginx.port(.plain))/echo")
      let error = await failure { try await CurlTransport.shared.send(HTTPRequest(url: url)) }
      XCTAssertEqual(error?.reason, .tlsHandshakeFailed)
    }

    func testManyRequestsShareOneHTTP2Connection() async throws {
      let nginx = try NginxServer.shared()
      var configuration = TransportConfiguration()
      configuration.tls.trust = .bundle(path: nginx.certificates.root.path)
      let transport = try CurlTransport(configuration)
      let url = try HTTPURL(nginx.url("/files/listing.json", site: .http2, host: "localhost"))
      let connections = try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<300 {
          group.addTask {
            let response = try await transport.send(HTTPRequest(url: url))
            XCTAssertEqual(response.version, .http2)
            return response.headers["X-Connection"]
          }
        }
        return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
      }
      XCTAssertEqual(connections.count, 1)
      // A cancelled request leaves the connection to the others.
      let slow = try HTTPURL(nginx.url("/slow/megabyte.bin", site: .http2, host: "localhost"))
      let task = Task { try await transport.send(HTTPRequest(url: slow)) }
      try await Task.sleep(for: .milliseconds(50))
      task.cancel()
      _ = try? await task.value
      let after = try await transport.send(HTTPRequest(url: url))
      XCTAssertTrue(after.metrics.isReused)
      XCTAssertEqual(after.headers["X-Connection"], connections.first ?? nil)
    }

    private static func fingerprint(_ certificate: URL) throws -> String {
      let pem = try String(contentsOf: certificate, encoding: .utf8)
      let base64 = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
      let der = try XCTUnwrap(Data(base64Encoded: base64))
      return Hex.encode(Crypto.sha256([UInt8](der)))
    }
  }
#endif
