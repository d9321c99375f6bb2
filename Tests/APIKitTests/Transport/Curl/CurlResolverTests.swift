#if os(Linux)
  import APIKitTesting
  @testable import TestSupport
  import TestServers
  import XCTest

  @testable import APIKit

  /// Look-ups over HTTPS.
  final class CurlResolverTests: XCTestCase {
    private lazy var tls = Result { try ScriptedTLS(in: temporaryFolder()) }

    /// A resolver that knows 127.0.0.1 for every name, and no address of IPv6.
    private func resolver(_ tls: ScriptedTLS, knows: Bool = true) throws -> ScriptedServer {
      try ScriptedServer(
        scripts: [
          [
            .serve { request in
              ScriptedServer.response(
                200, ["Content-Type": "application/dns-message"], knows ? Self.answer(to: request.body) : [])
            }
          ]
        ], tls: tls)
    }

    /// A message of DNS (RFC 1035, 4) that answers a question.
    private static func answer(to question: [UInt8]) -> [UInt8] {
      guard question.count > 16, let end = question[12...].firstIndex(of: 0), question.count >= end + 5 else {
        return []
      }
      let asksIPv4 = question[end + 1] == 0 && question[end + 2] == 1
      let head = [question[0], question[1], 0x81, 0x80, 0, 1, 0, asksIPv4 ? 1 : 0, 0, 0, 0, 0]
      let record: [UInt8] = [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]
      return head + question[12...(end + 4)] + (asksIPv4 ? record : [])
    }

    private func transport(_ tls: ScriptedTLS, _ resolver: ScriptedServer) throws -> CurlTransport {
      var configuration = TransportConfiguration.ephemeral
      configuration.tls.trust = .bundle(path: tls.root)
      configuration.dnsOverHTTPS = try resolver.url("/dns-query")
      configuration.cleartext = .allowed
      return try CurlTransport(configuration)
    }

    func testNamesAreLookedUpByTheResolverThatIsAsked() async throws {
      let tls = try self.tls.get()
      let (resolver, server) = (
        try resolver(tls), try ScriptedServer.serving { _ in ScriptedServer.response(text: "hello") }
      )
      defer {
        resolver.stop()
        server.stop()
      }
      let transport = try transport(tls, resolver)
      let url = try HTTPURL("http://named.test:\(server.port)/")
      let response = try await transport.send(HTTPRequest(url: url))
      XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "hello")
      XCTAssertEqual(server.requests.first?.headers["Host"], "named.test:\(server.port)")
      XCTAssertTrue(resolver.requests.allSatisfy { $0.method == "POST" && $0.target == "/dns-query" })
      XCTAssertGreaterThan(resolver.requests.count, 0)
      await transport.shutdown()
    }

    func testAResolverThatFailsIsNotReplacedByTheSystem() async throws {
      let tls = try self.tls.get()
      let resolver = try resolver(tls, knows: false)
      defer { resolver.stop() }
      let transport = try transport(tls, resolver)
      let error = await failure { try await transport.send(HTTPRequest(url: "http://named.test:1/")) }
      XCTAssertEqual(error?.reason, .unknownHost)
      await transport.shutdown()
    }

    func testAResolverWithoutTLSIsRefusedAndSoIsOneOnATransportWithoutIt() throws {
      var configuration = TransportConfiguration.ephemeral
      configuration.dnsOverHTTPS = "http://1.1.1.1/dns-query"
      XCTAssertThrowsError(try CurlTransport(configuration)) { error in
        XCTAssertEqual((error as? APIError)?.reason, .misconfigured)
      }
      configuration.dnsOverHTTPS = "https://1.1.1.1/dns-query"
      XCTAssertThrowsError(try configuration.validate(for: .all.subtracting(.dnsOverHTTPS))) { error in
        XCTAssertEqual((error as? APIError)?.reason, .unsupportedCapability)
        XCTAssertTrue((error as? APIError)?.detail.contains("dnsOverHTTPS") == true)
      }
    }
  }
#endif
