#if os(Linux)
  import Foundation
  @testable import TestSupport
  import TestServers
  import XCTest

  @testable import APIKit

  /// What libcurl is asked of the requests of a transfer.
  final class CurlMetricsTests: XCTestCase {
    private static let ok = ScriptedServer.response(text: "ok")

    func testARequestThatIsSentAgainKeepsTheTimesOfBoth() async throws {
      let server = try ScriptedServer(scripts: [
        [.readRequest, .write(Self.ok), .readRequest, .pause(.milliseconds(80))],
        [.readRequest, .pause(.milliseconds(40)), .write(Self.ok), .waitForClose],
      ])
      defer { server.stop() }
      let transport = try CurlTransport(.ephemeral)
      let first = try await transport.send(HTTPRequest(url: try server.url())).metrics
      XCTAssertEqual(first.earlier, [])
      let second = try await transport.send(HTTPRequest(url: try server.url())).metrics
      XCTAssertEqual(second.resends, 1)
      let lost = try XCTUnwrap(second.earlier.first)
      XCTAssertEqual(second.earlier.count, 1)
      XCTAssertTrue(lost.isReused)
      XCTAssertEqual(lost.localPort, first.localPort)
      XCTAssertEqual(lost.total, second.queued, "the one ends where the other begins")
      XCTAssertGreaterThan(lost.total, 75_000)
      XCTAssertNil(lost.version, "it had no response")
      XCTAssertFalse(second.isReused)
      XCTAssertNotEqual(second.localPort, first.localPort)
      XCTAssertGreaterThan(second.connect, second.queued)
      XCTAssertLessThan(second.connect, second.queued + 30_000)
      XCTAssertGreaterThan(second.firstByte, second.requestSent + 35_000)
      XCTAssertGreaterThan(second.total, 115_000)
      XCTAssertEqual(lost.headBytesSent, second.headBytesSent)
      XCTAssertGreaterThan(lost.headBytesSent, 0)
      XCTAssertEqual(lost.headBytesReceived, 0)
    }

    func testAChallengeForALoginIsARequestOfItsOwn() async throws {
      let challenge = ScriptedServer.response(
        401, ["WWW-Authenticate": #"Digest realm="r", nonce="n", qop="auth""#], text: "no")
      let server = try ScriptedServer(
        .readRequest, .pause(.milliseconds(60)), .write(challenge), .readRequest, .write(Self.ok),
        .waitForClose)
      defer { server.stop() }
      var request = HTTPRequest(url: try server.url())
      request.options.login = HTTPLogin(user: "u", password: "p", scheme: .digest)
      let metrics = try await CurlTransport(.ephemeral).send(request).metrics
      XCTAssertEqual(metrics.resends, 0)
      let asked = try XCTUnwrap(metrics.earlier.first)
      XCTAssertEqual(asked.version, .http1_1)
      XCTAssertGreaterThan(asked.firstByte, 55_000)
      XCTAssertEqual(asked.headBytesReceived, Int64(challenge.count - 2))
      XCTAssertLessThan(metrics.total - metrics.queued, 50_000)
      XCTAssertTrue(metrics.isReused)
      XCTAssertEqual(metrics.headBytesReceived, Int64(Self.ok.count - 2))
      XCTAssertGreaterThan(metrics.headBytesSent, asked.headBytesSent, "it has the login")
    }

    func testTheProxyIsNamed() async throws {
      let proxy = try ScriptedServer.serving { _ in Self.ok }
      defer { proxy.stop() }
      var configuration = TransportConfiguration.ephemeral
      configuration.cleartext = .allowed
      configuration.proxy = .through(
        HTTPProxy(
          .http, host: "127.0.0.1", port: proxy.port, login: HTTPLogin(user: "u", password: "secret"),
          exceptions: ["localhost"]))
      let transport = try CurlTransport(configuration)
      let by = try await transport.send(HTTPRequest(url: "http://far.test/")).metrics
      XCTAssertEqual(by.proxy, "http proxy 127.0.0.1:\(proxy.port)")
      let direct = try await transport.send(HTTPRequest(url: try proxy.url("/", host: "localhost"))).metrics
      XCTAssertNil(direct.proxy)
    }

    func testAnUploadIsSentWhenItsLastByteIs() async throws {
      // More than the buffers of both sockets hold.
      let body = [UInt8](repeating: 7, count: 24 << 20)
      let server = try ScriptedServer(
        .readHead, .pause(.milliseconds(100)), .readRest { _ in })
      defer { server.stop() }
      var request = HTTPRequest(method: .put, url: try server.url(), body: .bytes(body))
      request.timeouts.total = .milliseconds(1500)
      let error = await failure { [request] in try await CurlTransport(.ephemeral).send(request) }
      let metrics = try XCTUnwrap(error?.metrics)
      XCTAssertEqual(metrics.bytesSent, Int64(body.count))
      XCTAssertGreaterThan(metrics.requestSent, 95_000)
    }

    func testVersionAndCipherOfTLSAreTold() async throws {
      let nginx = try NginxServer()
      addTeardownBlock { nginx.stop() }
      var configuration = TransportConfiguration.ephemeral
      configuration.tls.trust = .bundle(path: nginx.certificates.root.path)
      let url = try HTTPURL(nginx.url("/echo", site: .onlyTLS13, host: "localhost"))
      let metrics = try await CurlTransport(configuration).send(HTTPRequest(url: url)).metrics
      XCTAssertEqual(metrics.tlsVersion, "TLSv1.3")
      XCTAssertEqual(metrics.tlsCipher?.hasPrefix("TLS_"), true)
      XCTAssertGreaterThan(metrics.tls, metrics.connect)
      XCTAssertGreaterThanOrEqual(metrics.requestSent, metrics.tls)
    }
  }
#endif
