#if os(Linux)
  import APIKit
  import Foundation
  import TestServers
  import XCTest

  /// Proxies of every kind against a real one, which wants a login; behind it nginx, plain and with TLS.
  final class ProxyTests: XCTestCase {
    private static let kinds: [HTTPProxy.Kind] = [.http, .connect, .socks5]

    private func transport(
      _ kind: HTTPProxy.Kind, port: UInt16? = nil, password: String? = ProxyServer.password,
      exceptions: [String] = [], _ change: (inout TransportConfiguration) throws -> Void = { _ in }
    ) throws -> CurlTransport {
      let port = try port ?? needing { try ProxyServer.shared() }.port
      var configuration = TransportConfiguration.ephemeral
      configuration.tls.trust = .bundle(path: try nginx().certificates.root.path)
      configuration.proxy = .through(
        HTTPProxy(
          kind, host: "127.0.0.1", port: Int(port),
          login: password.map { HTTPLogin(user: ProxyServer.user, password: $0, scheme: .basic) },
          exceptions: exceptions))
      try change(&configuration)
      return try CurlTransport(configuration)
    }

    private func nginx() throws -> NginxServer { try needing { try NginxServer.shared() } }

    private func get(_ site: NginxServer.Site, over transport: CurlTransport) async throws -> HTTPResponse {
      try await transport.send(
        HTTPRequest(url: try HTTPURL(nginx().url("/files/listing.json", site: site, host: "localhost"))))
    }

    private func failure(_ site: NginxServer.Site, over transport: CurlTransport) async throws -> APIError {
      do {
        let response = try await get(site, over: transport)
        throw TestServerError("\(site) responded \(response.status), and should have failed")
      } catch let error as APIError {
        return error
      }
    }

    func testRequestsTravelThroughEveryKindOfProxy() async throws {
      for kind in Self.kinds {
        let transport = try transport(kind)
        for site: NginxServer.Site in [.plain, .tls(.good), .http2] {
          for round in 0..<2 {
            let response = try await get(site, over: transport)
            XCTAssertEqual(response.status, 200, "\(kind) \(site)")
            XCTAssertEqual(try RawData(parsing: response.bytes)["total"].int, 20)
            XCTAssertEqual(response.version, site == .http2 ? .http2 : .http1_1)
            if site != .plain { XCTAssertEqual(response.metrics.isReused, round > 0, "\(kind) \(site)") }
          }
        }
      }
    }

    func testTheApplicationIsAskedForTheProxysLogin() async throws {
      for kind: HTTPProxy.Kind in [.http, .connect] {
        let handler = ChallengeHandler { challenge in
          guard challenge.space.isProxy, challenge.previousFailures < 2 else { return .default }
          let password = challenge.previousFailures == 0 ? "wrong" : ProxyServer.password
          return .use(.login(HTTPLogin(user: ProxyServer.user, password: password)))
        }
        let transport = try transport(kind, password: nil) { $0.challenges = handler }
        for site: NginxServer.Site in [.plain, .tls(.good)] {
          let response = try await get(site, over: transport)
          XCTAssertEqual(response.status, 200, "\(kind) \(site)")
        }
      }
      let rejecting = try transport(.connect, password: nil) {
        $0.challenges = ChallengeHandler { _ in .reject }
      }
      let error = try await failure(.plain, over: rejecting)
      XCTAssertEqual(error.reason, .loginDenied)
    }

    func testAWrongLoginIsToldAsTheProxyTellsIt() async throws {
      for password in ["wrong", nil] {
        let response = try await get(.plain, over: transport(.http, password: password))
        XCTAssertEqual(response.status, 407, "a plain proxy responds in the server's place")
        for (kind, site) in [(HTTPProxy.Kind.http, NginxServer.Site.tls(.good)), (.connect, .plain)] {
          let error = try await failure(site, over: transport(kind, password: password))
          XCTAssertEqual(error.reason, .loginDenied, error.description)
        }
        // This proxy hangs up on a wrong login of SOCKS5 without a word.
        let error = try await failure(.plain, over: transport(.socks5, password: password))
        XCTAssertEqual(error.reason, .proxyFailed, error.description)
      }
    }

    func testTheServersCertificateIsCheckedThroughTheProxy() async throws {
      for kind in Self.kinds {
        let wrong = try await failure(.tls(.wrongHost), over: transport(kind))
        XCTAssertEqual(wrong.reason, .certificateHostMismatch, "\(kind): \(wrong)")
        let pin = try PinSet.Pin(try nginx().certificates.publicKeyPin(.expired))
        let pinned = try transport(kind) {
          $0.tls.pinning = .publicKey(PinSet([PinSet.Host("localhost", pins: [pin])]))
        }
        let mismatch = try await failure(.tls(.good), over: pinned)
        XCTAssertEqual(mismatch.reason, .pinMismatch, "\(kind): \(mismatch)")
      }
    }

    func testAProxyThatIsNotThereIsNotTheServersFault() async throws {
      for kind in Self.kinds {
        let error = try await failure(.plain, over: transport(kind, port: 1))
        XCTAssertEqual(error.reason, .proxyFailed, "\(kind): \(error)")
        let direct = try await get(.plain, over: transport(kind, port: 1, exceptions: ["localhost"]))
        XCTAssertEqual(direct.status, 200)
      }
    }
  }
#endif
