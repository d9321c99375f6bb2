#if os(Linux)
  import Foundation
  @testable import TestSupport
  import XCTest

  @testable import APIKit

  /// What a server of HTTP/2 says of a request that it does not serve.
  final class CurlHTTP2Tests: XCTestCase {
    func testARequestThatWasRefusedBehindAHeadWasActedOn() async throws {
      let noSettings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
      let head: [UInt8] = [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88]  // :status 200
      let refused: [UInt8] = [0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 7]
      let server = try ScriptedServer(
        .write(noSettings), .readHead, .pause(.milliseconds(50)), .write(head),
        .pause(.milliseconds(50)), .write(refused), .waitForClose)
      defer { server.stop() }
      var configuration = TransportConfiguration.ephemeral
      configuration.versions = .http2PriorKnowledge
      let transport = try CurlTransport(configuration)
      let request = HTTPRequest(method: .post, url: try server.url(), body: .bytes([1]))
      let error = await failure { try await transport.send(request) }
      XCTAssertEqual(error?.reason, .connectionLost, "\(error as Any)")
      XCTAssertEqual(error?.requestProgress, .responseBegan)
      await transport.shutdown()
    }

    func testAConnectionOnWhichARequestTookTooLongIsNotUsedAgain() async throws {
      let noSettings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
      let server = try ScriptedServer(.write(noSettings), .readHead, .waitForClose)
      defer { server.stop() }
      for timeouts in [
        HTTPTimeouts(idle: .milliseconds(200)), HTTPTimeouts(idle: nil, total: .milliseconds(200)),
      ] {
        let before = server.connectionCount
        var configuration = TransportConfiguration.ephemeral
        configuration.versions = .http2PriorKnowledge
        configuration.timeouts = timeouts
        let transport = try CurlTransport(configuration)
        let request = HTTPRequest(url: try server.url())
        for _ in 0..<3 {
          let error = await failure { try await transport.send(request) }
          XCTAssertEqual(error?.reason, timeouts.total == nil ? .idleTimeout : .totalTimeout)
        }
        XCTAssertEqual(server.connectionCount - before, 3)
        await transport.shutdown()
      }
    }

    func testRequestsThatWaitOnOneConnectionLeaveIt() async throws {
      let noSettings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
      let server = try ScriptedServer(.write(noSettings), .readHead, .waitForClose)
      defer { server.stop() }
      var configuration = TransportConfiguration.ephemeral
      configuration.versions = .http2PriorKnowledge
      configuration.timeouts.idle = .milliseconds(300)
      let transport = try CurlTransport(configuration)
      let request = HTTPRequest(url: try server.url())
      for round in 1...2 {
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<4 { group.addTask { _ = await failure { try await transport.send(request) } } }
        }
        XCTAssertLessThanOrEqual(server.connectionCount, 4 * round)
        XCTAssertGreaterThanOrEqual(server.connectionCount, round)
      }
      await transport.shutdown()
    }
  }
#endif
