#if canImport(FoundationNetworking)
  @testable import TestSupport
  import XCTest

  @testable import APIKit

  /// What the texts of libcurl below URLSession on Linux are told as.
  final class URLSessionReasonTests: XCTestCase {
    func testAConnectionThatEndsInTheHandshakeHasAReason() async throws {
      let saysNothing = URLSessionConformanceTests.systemQuirks.contains(.predatesItsLibcurl)
      let rows: [(ScriptedServer.Step, APIError.Reason)] = [
        (.end, saysNothing ? .transportFailed : .tlsHandshakeFailed), (.reset, .connectionLost),
      ]
      for (end, reason) in rows {
        let server = try ScriptedServer(.pause(.milliseconds(50)), end, .waitForClose)
        defer { server.stop() }
        let transport = try URLSessionTransport(TransportConfiguration())
        let request = HTTPRequest(url: try HTTPURL("https://127.0.0.1:\(server.port)/"))
        let error = await failure { try await transport.send(request) }
        XCTAssertEqual(error?.reason, reason, "\(end): \(error as Any)")
        transport.shutdown()
      }
    }
  }
#endif
