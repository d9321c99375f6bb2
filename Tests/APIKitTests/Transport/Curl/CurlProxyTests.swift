#if os(Linux)
  import Foundation
  import Glibc
  @testable import TestSupport
  import TestServers
  import XCTest

  @testable import APIKit

  /// Proxies and logins, which only the libcurl transport has.
  final class CurlProxyTests: XCTestCase {
    private func transport(
      _ change: (inout TransportConfiguration) -> Void = { _ in }
    ) throws -> CurlTransport {
      var configuration = TransportConfiguration.ephemeral
      configuration.cleartext = .allowed
      change(&configuration)
      return try CurlTransport(configuration)
    }

    // MARK: Proxies

    func testAPlainProxyGetsTheWholeURLAndItsLogin() async throws {
      let proxy = try ScriptedServer.serving { _ in ScriptedServer.response(text: "by proxy") }
      defer { proxy.stop() }
      let transport = try transport {
        $0.proxy = .through(
          HTTPProxy(
            .http, host: "127.0.0.1", port: proxy.port,
            login: HTTPLogin(user: "u", password: "p", scheme: .basic)))
      }
      let response = try await transport.send(HTTPRequest(url: "http://far.test:81/path?q"))
      XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "by proxy")
      XCTAssertEqual(proxy.requests.first?.target, "http://far.test:81/path?q")
      XCTAssertEqual(proxy.requests.first?.headers["Proxy-Authorization"], "Basic dTpw")
      XCTAssertEqual(proxy.requests.first?.headers["Host"], "far.test:81")
    }

    func testTheEnvironmentsProxiesAreUsedWhereTheyAreAskedForOnly() async throws {
      let proxy = try ScriptedServer.serving { _ in ScriptedServer.response(text: "by proxy") }
      let server = try ScriptedServer.serving { _ in ScriptedServer.response(text: "direct") }
      defer {
        proxy.stop()
        server.stop()
      }
      let environment = ["http_proxy": "http://127.0.0.1:\(proxy.port)", "no_proxy": "127.0.0.1"]
      func text(_ choice: ProxyChoice, _ url: HTTPURL) async throws -> String {
        let transport = try transport {
          $0.proxy = choice
          $0.proxyTable = try? ProxyTable(choice, environment: environment)
        }
        return String(decoding: try await transport.send(HTTPRequest(url: url)).bytes, as: UTF8.self)
      }
      for _ in 1...2 {
        let far = try await text(.system, "http://far.test/")
        XCTAssertEqual(far, "by proxy")
        let near = try await text(.system, server.url())
        XCTAssertEqual(near, "direct")
      }
      let unasked = try await text(.none, server.url(host: "localhost"))
      XCTAssertEqual(unasked, "direct")
      XCTAssertEqual(TransportConfiguration().proxy, .none, "on Linux none is used unasked")
      let asked = try await text(.system, server.url(host: "localhost"))
      XCTAssertEqual(asked, "by proxy")
    }

    func testExceptionsAreReachedWithoutTheProxy() async throws {
      let server = try ScriptedServer.serving { _ in ScriptedServer.response(text: "direct") }
      defer { server.stop() }
      let transport = try transport {
        $0.proxy = .through(HTTPProxy(.http, host: "127.0.0.1", port: 1, exceptions: ["127.0.0.1"]))
      }
      let url = try server.url()
      let response = try await transport.send(HTTPRequest(url: url))
      XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "direct")
    }

    func testATunnelIsAskedForByCONNECTAndItsHeadIsNotTheServers() async throws {
      let proxy = try ScriptedServer(
        .readHead, .text("HTTP/1.1 200 Tunnel\r\nX-Proxy: 1\r\n\r\n"), .readRequest,
        .write(ScriptedServer.response(text: "through")))
      defer { proxy.stop() }
      let transport = try transport {
        $0.proxy = .through(HTTPProxy(.connect, host: "127.0.0.1", port: proxy.port))
      }
      let response = try await transport.send(HTTPRequest(url: "http://far.test/"))
      XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "through")
      XCTAssertNil(response.headers["X-Proxy"])
      XCTAssertEqual(proxy.requests.map(\.method), ["CONNECT", "GET"])
      XCTAssertEqual(proxy.requests.first?.target, "far.test:80")
    }

    func testAnEmptyQueryTravelsThroughATunnelInTheFormOfTheOrigin() async throws {
      for target in ["/?", "/homes?", "/homes?page=2"] {
        let proxy = try ScriptedServer(
          .readHead, .text("HTTP/1.1 200 Tunnel\r\n\r\n"), .readRequest, .write(ScriptedServer.response()))
        defer { proxy.stop() }
        let transport = try transport {
          $0.proxy = .through(HTTPProxy(.connect, host: "127.0.0.1", port: proxy.port))
        }
        _ = try await transport.send(HTTPRequest(url: try HTTPURL("http://far.test\(target)")))
        XCTAssertEqual(proxy.requests.last?.target, target)
      }
    }

    func testAProxyThatRefusesOrIsNotThereIsTold() async throws {
      let refusing = try ScriptedServer(
        .readHead, .text("HTTP/1.1 407 No\r\nContent-Length: 0\r\nProxy-Authenticate: Basic\r\n\r\n"))
      defer { refusing.stop() }
      let refused = try transport {
        $0.proxy = .through(HTTPProxy(.connect, host: "127.0.0.1", port: refusing.port))
      }
      let first = await failure { try await refused.send(HTTPRequest(url: "http://far.test/")) }
      XCTAssertEqual(first?.reason, .loginDenied)
      let broken = try ScriptedServer(.readHead, .text("HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n"))
      defer { broken.stop() }
      let failing = try transport {
        $0.proxy = .through(HTTPProxy(.connect, host: "127.0.0.1", port: broken.port))
      }
      let third = await failure { try await failing.send(HTTPRequest(url: "http://far.test/")) }
      XCTAssertEqual(third?.reason, .proxyFailed)
      let unknown = try transport { $0.proxy = .through(HTTPProxy(.http, host: "nowhere.invalid", port: 1)) }
      let second = await failure { try await unknown.send(HTTPRequest(url: "http://far.test/")) }
      XCTAssertEqual(second?.reason, .proxyFailed)
    }

    func testAResponseToCONNECTThatIsNoSuccessIsTheProxysFault() async throws {
      for text in [
        "HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n", "garbage\r\n\r\n", "",
      ] {
        let proxy = try ScriptedServer(.readHead, .text(text))
        defer { proxy.stop() }
        let transport = try transport {
          $0.proxy = .through(HTTPProxy(.connect, host: "127.0.0.1", port: proxy.port))
        }
        let error = await failure { try await transport.send(HTTPRequest(url: "https://far.test/")) }
        XCTAssertEqual(error?.reason, .proxyFailed, "\(text.debugDescription): \(error as Any)")
        XCTAssertEqual(error?.requestProgress, .unsent)
      }
    }

    func testAServerOrProxyThatCallsEachLoginStaleIsNotAskedWithoutEnd() async throws {
      for (status, field) in [(401, "WWW-Authenticate"), (407, "Proxy-Authenticate")] {
        let nonces = Counter()
        let server = try ScriptedServer.serving { _ in
          let nonce = nonces.next()
          return ScriptedServer.response(
            status, [field: "Digest realm=\"r\", nonce=\"\(nonce)\", qop=\"auth\", stale=true"], text: "no")
        }
        defer { server.stop() }
        let login = HTTPLogin(user: "anna", password: "secret", scheme: .digest)
        let transport = try transport {
          $0.timeouts.connect = .seconds(2)
          guard status == 407 else { return }
          $0.proxy = .through(HTTPProxy(.http, host: "127.0.0.1", port: server.port, login: login))
        }
        var request = HTTPRequest(method: .put, url: try server.url(), body: .bytes([1]))
        if status == 401 { request.options.login = login }
        let error = await failure { [request] in try await transport.send(request) }
        XCTAssertEqual(error?.reason, .loginDenied, "\(error as Any)")
        XCTAssertLessThan(server.requests.count, 10)
        await transport.shutdown()
      }
    }

    func testSOCKS5ResolvesTheNameAtTheProxy() async throws {
      let proxy = try ScriptedServer(
        .write([5, 0]), .write([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]), .pause(.milliseconds(50)),
        .write(ScriptedServer.response(text: "by socks")), .waitForClose)
      defer { proxy.stop() }
      let transport = try transport {
        $0.proxy = .through(HTTPProxy(.socks5, host: "127.0.0.1", port: proxy.port))
      }
      let response = try await transport.send(HTTPRequest(url: "http://nowhere.invalid/"))
      XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "by socks")
      await transport.shutdown()
    }

    func testATunnelAndSOCKS5TakeALogin() async throws {
      let login = HTTPLogin(user: "u", password: "p", scheme: .basic)
      let tunnel = try ScriptedServer(
        .readHead, .text("HTTP/1.1 200 Tunnel\r\n\r\n"), .readRequest,
        .write(ScriptedServer.response(text: "through")))
      defer { tunnel.stop() }
      let tunnelled = try transport {
        $0.proxy = .through(HTTPProxy(.connect, host: "127.0.0.1", port: tunnel.port, login: login))
      }
      _ = try await tunnelled.send(HTTPRequest(url: "http://far.test/"))
      XCTAssertEqual(tunnel.requests.map { $0.headers["Proxy-Authorization"] }, ["Basic dTpw", nil])
      // Method 2 is user and password (RFC 1929); a status other than 0 refuses them.
      for status: UInt8 in [0, 1] {
        let proxy = try ScriptedServer(
          .write([5, 2]), .write([1, status]), .write([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
          .pause(.milliseconds(50)),
          .write(ScriptedServer.response(text: "by socks")), .waitForClose)
        defer { proxy.stop() }
        let transport = try transport {
          $0.proxy = .through(HTTPProxy(.socks5, host: "127.0.0.1", port: proxy.port, login: login))
        }
        let request = HTTPRequest(url: "http://nowhere.invalid/")
        if status == 0 {
          let response = try await transport.send(request)
          XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "by socks")
        } else {
          let error = await failure { try await transport.send(request) }
          XCTAssertEqual(error?.reason, .loginDenied, error?.description ?? "")
        }
        await transport.shutdown()
      }
    }

    func testAnExceptionIsOneNameUnlessItBeginsWithADot() async throws {
      let proxy = try ScriptedServer.serving { ScriptedServer.response(text: "by proxy to \($0.target)") }
      let server = try ScriptedServer.serving { _ in ScriptedServer.response(text: "direct") }
      defer {
        proxy.stop()
        server.stop()
      }
      let transport = try transport {
        $0.proxy = .through(
          HTTPProxy(
            .http, host: "127.0.0.1", port: proxy.port, exceptions: ["one.test", ".all.test"]))
      }
      for (host, isDirect) in [
        ("one.test", true), ("sub.one.test", false), ("all.test", true), ("sub.all.test", true),
        ("small.test", false),
      ] {
        var request = HTTPRequest(url: try HTTPURL("http://\(host)/"))
        // Where no name of the test resolves, a direct request is one that connects to the server's address.
        if isDirect { request.options.connectTo = "127.0.0.1:\(server.port)" }
        let response = try await transport.send(request)
        XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self) == "direct", isDirect, host)
      }
      XCTAssertEqual(proxy.requests.map(\.target), ["http://sub.one.test/", "http://small.test/"])
    }

    func testTheEnvironmentsProxyDoesNotCount() async throws {
      let server = try ScriptedServer.serving { _ in ScriptedServer.response(text: "direct") }
      defer { server.stop() }
      setenv("http_proxy", "http://127.0.0.1:1", 1)
      defer { unsetenv("http_proxy") }
      let (transport, url) = (try transport(), try server.url())
      let response = try await transport.send(HTTPRequest(url: url))
      XCTAssertEqual(response.status, 200)
    }

    // MARK: Logins

    func testABasicLoginGoesAlongAndADigestMeetsTheChallenge() async throws {
      let server = try ScriptedServer.serving { received in
        let authorization = received.headers["Authorization"] ?? ""
        if authorization.hasPrefix("Basic ") || authorization.hasPrefix("Digest ") {
          return ScriptedServer.response(text: "\(authorization.prefix(6)) \(received.body.count)")
        }
        return ScriptedServer.response(
          401, ["WWW-Authenticate": #"Digest realm="r", nonce="n", algorithm=MD5, qop="auth""#], text: "no")
      }
      defer { server.stop() }
      let file = try temporaryFile("four".utf8)
      let transport = try transport()
      var request = HTTPRequest(method: .put, url: try server.url("/homes?page=2"))
      request.options.login = HTTPLogin(user: "u", password: "p", scheme: .basic)
      let basic = try await transport.send(request)
      XCTAssertEqual(String(decoding: basic.bytes, as: UTF8.self), "Basic  0")
      for scheme: HTTPLogin.Scheme in [.digest, .any] {
        for body: HTTPBody in [
          .bytes(Array("four".utf8)), .file(path: file),
          .bytes([UInt8](repeating: 1, count: CurlBytesSource.threshold)),
          .stream(
            HTTPBodyStream(isReplayable: true) {
              let pieces = Pieces(["ab", "cd"])
              return { pieces.next() }
            }),
        ] {
          request.options.login = HTTPLogin(user: "u", password: "p", scheme: scheme)
          request.body = body
          let response = try await transport.send(request)
          XCTAssertEqual(response.status, 200)
          let count = if case .bytes(let bytes) = body { bytes.count } else { 4 }
          XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "Digest \(count)")
          let login = server.requests.last?.headers["Authorization"] ?? ""
          XCTAssertTrue(login.contains(#"uri="/homes?page=2""#), login)
        }
      }
      // The login stays with its request: the handle is used again without it.
      let after = try await transport.send(HTTPRequest(url: try server.url()))
      XCTAssertEqual(after.status, 401)
      XCTAssertEqual(String(decoding: after.bytes, as: UTF8.self), "no")
      XCTAssertEqual(server.requests.map(\.target).last, "/")
    }

    func testABodyForADigestArrivesOnceWhereNoLoginIsAskedFor() async throws {
      let login = HTTPLogin(user: "u", password: "p", scheme: .digest)
      for isProxy in [true, false] {
        for status in [200, 422] {
          let server = try ScriptedServer.serving { received in
            ScriptedServer.response(received.body.isEmpty ? 422 : status, text: "\(received.body.count)")
          }
          defer { server.stop() }
          let transport = try transport {
            guard isProxy else { return }
            $0.proxy = .through(HTTPProxy(.http, host: "127.0.0.1", port: server.port, login: login))
          }
          var request = HTTPRequest(method: .post, url: try server.url(), body: .bytes(Array("four".utf8)))
          if !isProxy { request.options.login = login }
          let response = try await transport.send(request)
          XCTAssertEqual(response.status, status)
          XCTAssertEqual(server.requests.map(\.body.count), [4], "isProxy: \(isProxy)")
          await transport.shutdown()
        }
      }
    }

    func testABodyThatCanBeReadOnceIsSentBehindTheChallengeOfADigest() async throws {
      let server = try ScriptedServer.serving { received in
        if received.headers["Authorization"] != nil {
          return ScriptedServer.response(text: "\(received.body.count)")
        }
        return ScriptedServer.response(
          401, ["WWW-Authenticate": #"Digest realm="r", nonce="n", algorithm=MD5, qop="auth""#], text: "no")
      }
      defer { server.stop() }
      let body = HTTPBodyStream(isReplayable: false) {
        let pieces = Pieces(["ab", "cd"])
        return { pieces.next() }
      }
      var request = HTTPRequest(method: .post, url: try server.url(), body: .stream(body))
      request.options.login = HTTPLogin(user: "u", password: "p", scheme: .digest)
      let response = try await transport().send(request)
      XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "4")
    }

    func testAWrongLoginIsAResponseWithItsBody() async throws {
      let nginx = try NginxServer.shared()
      let transport = try transport()
      var request = HTTPRequest(url: try HTTPURL(nginx.url("/basic")))
      request.options.login = HTTPLogin(user: "flight", password: "wrong")
      let refused = try await transport.send(request)
      XCTAssertEqual(refused.status, 401)
      XCTAssertFalse(refused.bytes.isEmpty)
      request.options.login = HTTPLogin(user: "flight", password: "landing")
      let response = try await transport.send(request)
      XCTAssertEqual(response.status, 200)
    }
  }

  private final class Pieces: Sendable {
    private let rest: Record<String>
    private let texts: [String]
    init(_ texts: [String]) {
      self.texts = texts
      rest = Record()
    }
    func next() -> [UInt8]? {
      let index = rest.all.count
      guard index < texts.count else { return nil }
      rest.add(texts[index])
      return Array(texts[index].utf8)
    }
  }
#endif
