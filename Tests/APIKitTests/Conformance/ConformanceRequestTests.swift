import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

extension TransportConformanceTests {
  func testEveryMethodArrivesWithItsBody() async throws {
    let server = try serving { ScriptedServer.response(text: "\($0.method) \($0.text)") }
    let transport = try transport()
    for method: HTTPMethod in [.get, .post, .put, .patch, .delete, .options, "PURGE", "M-SEARCH"] {
      var request = HTTPRequest(method: method, url: try server.url())
      if method != .get { request.body = .bytes(Array("body".utf8)) }
      let response = try await transport.send(request)
      XCTAssertEqual(
        String(decoding: response.bytes, as: UTF8.self), method == .get ? "GET " : "\(method) body")
    }
  }

  func testABodyInAGetArrivesOrIsRefusedClearly() async throws {
    let server = try serving { ScriptedServer.response(text: "\($0.method) \($0.text)") }
    let transport = try transport()
    let request = HTTPRequest(url: try server.url(), body: .bytes(Array("body".utf8)))
    if quirks.contains(.refusesBodyInGet) {
      let error = await failure { try await transport.send(request) }
      XCTAssertEqual(error?.reason, .unsupportedCapability)
    } else {
      let response = try await transport.send(request)
      XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "GET body")
    }
  }

  func testTheTargetArrivesAsItIsWritten() async throws {
    let server = try serving { ScriptedServer.response(text: $0.target) }
    let transport = try transport()
    for target in [
      "/", "/a%2Fb/c%20d", "/x?y=1&z=%E2%82%AC&plus=a+b", "/?", "/a//b", "/q?a=b?c/d", "/~u/;p=1",
    ] {
      let response = try await transport.send(HTTPRequest(url: try server.url(target)))
      let isDropped = target == "/?" && quirks.contains(.predatesItsLibcurl)
      XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), isDropped ? "/" : target)
    }
    let dots = try await transport.send(HTTPRequest(url: try server.url("/a/./b/../c")))
    XCTAssertEqual(
      String(decoding: dots.bytes, as: UTF8.self),
      quirks.contains(.removesDotSegments) ? "/a/c" : "/a/./b/../c")
    let brackets = try await transport.send(HTTPRequest(url: try server.url("/x?a[]=1&b=%20")))
    let seen = String(decoding: brackets.bytes, as: UTF8.self)
    XCTAssertTrue(["/x?a[]=1&b=%20", "/x?a%5B%5D=1&b=%20"].contains(seen), seen)
  }

  func testTheClientSaysWhatItIsAndWhichLanguagesItsUserPrefers() async throws {
    let server = try serving { _ in ScriptedServer.response() }
    var sent = HTTPRequest(url: try server.url())
    let languages = HTTPHeaders.acceptLanguage(["zh-Hans", "en"])
    let client = try transport { $0.headers["Accept-Language"] = languages }
    _ = try await client.send(sent)
    sent.headers["User-Agent"] = "own/2"
    _ = try await client.send(sent)
    let application = HTTPHeaders.userAgent(application: "Listings", version: "2.4")
    _ = try await transport { $0.headers["User-Agent"] = application }.send(
      HTTPRequest(url: try server.url()))
    let agents = server.requests.map { $0.headers.values("User-Agent") }
    XCTAssertEqual(agents, [[HTTPHeaders.standard["User-Agent"] ?? ""], ["own/2"], [application]])
    XCTAssertEqual(server.requests.first?.headers.values("Accept-Language"), ["zh-Hans, en;q=0.9"])
  }

  func testHeaderFieldsOfARequestArrive() async throws {
    let server = try serving { _ in ScriptedServer.response() }
    let headers: HTTPHeaders = [
      "X-First": "1", "x-lower": "two words", "X-Repeated": "a", "X-Repeated": "b", "Accept": "text/plain",
      "Cookie": "k=v", "X-Latin": "caf\u{e9}", "X-Empty-Not": "0",
    ]
    _ = try await transport().send(HTTPRequest(url: try server.url(), headers: headers))
    let arrived = try XCTUnwrap(server.requests.first).headers
    if quirks.contains(.reordersHeaders) {
      for name in ["X-First", "x-lower", "Accept", "Cookie", "X-Latin"] {
        XCTAssertEqual(arrived.values(name), headers.values(name), name)
      }
      XCTAssertEqual(arrived.combined("X-Repeated")?.replacingOccurrences(of: " ", with: ""), "a,b")
    } else {
      let ours = Set(headers.map(\.name))
      XCTAssertEqual(arrived.fields.filter { ours.contains($0.name) }, headers.fields)
    }
  }

  func testNothingIsAddedThatChangesTheMeaning() async throws {
    let server = try serving { _ in ScriptedServer.response() }
    let transport = try transport()
    _ = try await transport.send(HTTPRequest(method: .post, url: try server.url(), body: .bytes([1, 2, 3])))
    _ = try await transport.send(HTTPRequest(method: .post, url: try server.url()))
    let (full, empty) = (server.requests[0], server.requests[1])
    XCTAssertNil(full.headers["Content-Type"], "a body without a type is no form")
    XCTAssertNil(full.headers["Expect"])
    XCTAssertNil(full.headers["Cookie"])
    XCTAssertNil(full.headers["Authorization"])
    XCTAssertEqual(full.headers.values("Content-Length"), ["3"])
    XCTAssertEqual(empty.headers["Content-Length"], "0")
    XCTAssertEqual(full.headers.values("Host"), ["127.0.0.1:\(server.port)"])
  }

  func testHeaderFieldsOfTheConfigurationGoAlongAndTheRequestsOwnGoBefore() async throws {
    let server = try serving { _ in ScriptedServer.response() }
    let transport = try transport { $0.headers = ["X-Session": "s", "X-Both": "session"] }
    _ = try await transport.send(HTTPRequest(url: try server.url(), headers: ["x-both": "request"]))
    let arrived = server.requests[0].headers
    XCTAssertEqual(arrived.values("X-Session"), ["s"])
    XCTAssertEqual(arrived.values("X-Both"), ["request"])
  }

  func testBodiesOfBytesArriveWholeAndWithoutAPause() async throws {
    let server = try serving { ScriptedServer.response(200, [:], $0.body) }
    let transport = try transport()
    for count in [1, 1_000, 100_000, 3_000_000] {
      let body = Self.pattern(count)
      let start = Date()
      let response = try await transport.send(
        HTTPRequest(method: .put, url: try server.url(), body: .bytes(body)))
      XCTAssertTrue(response.bytes == body, "\(count) bytes came back as \(response.bytes.count)")
      // libcurl's wait for 100-continue is a second; a large body may take that long by itself.
      if count <= 100_000 { XCTAssertLessThan(Date().timeIntervalSince(start), 0.9, "\(count) bytes") }
    }
  }

  func testAFileIsSentFromItsOffset() async throws {
    let server = try serving { ScriptedServer.response(200, [:], $0.body) }
    let transport = try transport()
    let body = Self.pattern(500_000)
    let path = try temporaryFile(body)
    var exchange = HTTPExchange.make(try server.url()) { $0.request.method = .put }
    exchange.request.body = .file(path: path)
    guard await can(.fileUpload, "fileUpload", transport, exchange) else { return }
    let whole = try await transport.send(exchange)
    XCTAssertTrue(whole.bytes == body)
    XCTAssertEqual(server.requests[0].headers["Content-Length"], "500000")
    XCTAssertEqual(whole.metrics.bytesSent, 500_000)

    exchange.request.body = .file(path: path, offset: 499_990)
    let rest = try await transport.send(exchange)
    XCTAssertEqual(rest.bytes, Array(body.suffix(10)))
    exchange.request.body = .file(path: path + "-missing")
    let error = await failure { [exchange] in try await transport.send(exchange) }
    XCTAssertEqual(error?.reason, .unreadableBody)
    XCTAssertEqual(server.requests.count, 2, "nothing is sent for a file that cannot be read")
  }

  func testAStreamIsSentWithAndWithoutALength() async throws {
    let server = try serving { ScriptedServer.response(200, [:], $0.body) }
    let transport = try transport()
    let body = Self.pattern(300_000)
    func stream(_ length: Int64?) -> HTTPBody {
      .stream(
        HTTPBodyStream(length: length) {
          let chunks = Counter()
          return {
            let from = chunks.next() * 10_000
            await Task.yield()
            return from < body.count ? Array(body[from..<(from + 10_000)]) : nil
          }
        })
    }
    var exchange = HTTPExchange.make(try server.url()) { $0.request.method = .post }
    exchange.request.body = stream(300_000)
    guard await can(.streamUpload, "streamUpload", transport, exchange) else { return }
    let counted = try await transport.send(exchange)
    XCTAssertTrue(counted.bytes == body)
    exchange.request.body = stream(nil)
    let chunked = try await transport.send(exchange)
    XCTAssertTrue(chunked.bytes == body)
    XCTAssertEqual(server.requests.map(\.isChunked), [false, true])

    struct Broken: Error {}
    let tries = Counter()
    exchange.request.body = .stream(
      HTTPBodyStream {
        {
          if tries.next() > 0 { throw Broken() }
          return [1, 2, 3]
        }
      })
    let error = await failure { [exchange] in try await transport.send(exchange) }
    XCTAssertEqual(error?.reason, .unreadableBody)
    XCTAssertTrue(error?.underlying is Broken, "\(error as Any)")
  }

  func testACompressedBodyIsSentOnDemand() async throws {
    let server = try serving { ScriptedServer.response(200, [:], $0.body) }
    let transport = try transport()
    let body = [UInt8](repeating: 65, count: 10_000)
    let path = try temporaryFile(body)
    var bodies: [HTTPBody] = [.bytes(body)]
    // A file that is packed on its way is a stream.
    if transport.capabilities.contains(.streamUpload) {
      bodies += [.file(path: path), .stream(HTTPBodyStream { Once(body).next })]
    }
    for plain in bodies {
      var request = HTTPRequest(method: .post, url: try server.url(), body: plain)
      request.options.compressesBody = true
      _ = try await transport.send(request)
      let seen = try XCTUnwrap(server.requests.last)
      XCTAssertEqual(seen.headers["Content-Encoding"], "gzip")
      XCTAssertLessThan(seen.body.count, 1000)
      var decoder = ContentDecoder(.gzip)
      var unpacked: [UInt8] = []
      try decoder.decode(seen.body, into: &unpacked)
      try decoder.finish()
      XCTAssertTrue(unpacked == body)
    }
  }

  func testSchemesThatAreNotServedAreRefused() async throws {
    let transport = try transport()
    for url: HTTPURL in ["gopher://127.0.0.1/", "ws://127.0.0.1/", "ldap://127.0.0.1/x", "smb://127.0.0.1/x"]
    {
      let error = await failure { try await transport.send(HTTPRequest(url: url)) }
      XCTAssertEqual(error?.reason, .unsupportedScheme, url.scheme)
    }
    if !transport.capabilities.contains(.ftp) {
      let error = await failure { try await transport.send(HTTPRequest(url: "ftp://127.0.0.1/x")) }
      XCTAssertEqual(error?.reason, .unsupportedScheme)
    }
  }

  func testFilesAndDataNeedNoServer() async throws {
    let transport = try transport()
    let path = try temporaryFile("a file".utf8)
    for (url, text) in [("file://\(path)", "a file"), ("data:,some%20data", "some data")] {
      let response = try await transport.send(HTTPRequest(url: try HTTPURL(url)))
      XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), text)
      XCTAssertEqual(response.status, 200)
    }
    let missing = await failure { try await transport.send(HTTPRequest(url: "file:///no/such/file")) }
    XCTAssertEqual(missing?.reason, .fileFailed)
    let written = await failure {
      try await transport.send(
        HTTPRequest(method: .put, url: try HTTPURL("file://\(path)"), body: .bytes([1])))
    }
    XCTAssertEqual(written?.reason, .unsupportedCapability)
  }

  func testASettingBeyondTheCapabilitiesIsRefusedByName() throws {
    let settings: [(TransportCapabilities, String, (inout TransportConfiguration) -> Void)] = [
      (.connectTimeout, "connect", { $0.timeouts.connect = .seconds(1) }),
      (.idleTimeout, "idle", { $0.timeouts.idle = .seconds(1) }),
      (.totalTimeout, "total", { $0.timeouts.total = .seconds(1) }),
      (.proxy, "proxies", { $0.proxy = .through(HTTPProxy(.http, host: "127.0.0.1", port: 9)) }),
      (.minimumTLS, "TLS version", { $0.tls.minimumVersion = .tls1_3 }),
      (.customTrust, "trust", { $0.tls.trust = .bundle(path: "/tmp/ca.pem") }),
      (
        .clientIdentity, "client certificate",
        { $0.tls.identity = .pem(certificate: .bytes([1]), key: .bytes([1])) }
      ),
      (
        .pinning, "pinning",
        {
          $0.tls.pinning = .publicKey(
            PinSet([.init("a.test", pins: [try! PinSet.Pin(digest: Self.pattern(32))])]))
        }
      ),
      (.insecureTLS, "certificate checks", { $0.tls.skipsHostValidation = true }),
      (.versionChoice, "HTTP versions", { $0.versions = .http1Only }),
      (.versionChoice, "HTTP versions", { $0.versions = .http2PriorKnowledge }),
      (.interfaceControl, "interfaces", { $0.interfaces.allowsExpensive = false }),
      (.interfaceControl, "interfaces", { $0.interfaces.allowsConstrained = false }),
      (.discretionary, "may delay", { $0.interfaces.isDiscretionary = true }),
      (.http3, "HTTP/3", { $0.versions = .upToHTTP3 }),
      (.challenges, "challenges", { $0.challenges = ChallengeHandler { _ in .default } }),
      (.interfaceControl, "service type", { $0.interfaces.serviceType = .voice }),
      (.insecureTLS, "certificate checks", { $0.tls.allowsInvalidCertificates = true }),
      (
        .dnsOverHTTPS, "dnsOverHTTPS", { $0.dnsOverHTTPS = "https://127.0.0.1/dns-query" }
      ),
      (.unixSocket, "Unix", { $0.unixSocketPath = "/tmp/socket" }),
      (.connectionLimits, "connection limits", { $0.connections.perHost = 2 }),
      (.interfaceControl, "interfaces", { $0.interfaces.allowsCellular = false }),
    ]
    for (capability, words, change) in settings {
      var configuration = TransportConfiguration.ephemeral
      configuration.isForDebugging = capability == .insecureTLS
      change(&configuration)
      do {
        let transport = try makeTransport(configuration)
        XCTAssertTrue(
          transport.capabilities.isSuperset(of: capability), "\(words) was dropped in silence")
      } catch {
        XCTAssertEqual(error.reason, .unsupportedCapability, words)
        XCTAssertTrue(error.detail.contains(words), error.detail)
      }
    }
  }
}

/// A body of one chunk.
private final class Once: Sendable {
  private let isOver = Counter()
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  @Sendable func next() -> [UInt8]? { isOver.next() == 0 ? bytes : nil }
}
