import Foundation
@testable import TestSupport
import XCTest

#if canImport(FoundationNetworking)
  import CAPIKit
#endif

@testable import APIKit

/// The conformance suite over `URLSessionTransport`, and what is its own.
final class URLSessionConformanceTests: TransportConformanceTests {
  override var quirks: Set<Quirk> { Self.systemQuirks }

  /// Those of the system, whose session it is does not matter.
  #if canImport(FoundationNetworking)
    static var systemQuirks: Set<Quirk> {
      let all: Set<Quirk> = [
        .reordersHeaders, .dropsBodiesOfRedirects, .removesDotSegments, .refusesBodyInGet,
        .trapsOnUnfinishedHead,
      ]
      return Self.predatesItsLibcurl ? all.union([.predatesItsLibcurl]) : all
    }

    /// From 8.8 on.
    private static let predatesItsLibcurl = capikit_curl_version() >= 0x080800
  #else
    static var systemQuirks: Set<Quirk> { [.reordersHeaders, .refusesBodyInGet] }
  #endif

  override func makeTransport(_ configuration: TransportConfiguration) throws(APIError) -> any HTTPTransport {
    try URLSessionTransport(configuration)
  }

  /// On Linux a task that is cancelled while it ends would end the program.
  func testACancelMeetsTheEndOfATask() async throws {
    let server = try ScriptedServer.serving { _ in ScriptedServer.response() }
    defer { server.stop() }
    let exchange = HTTPExchange(HTTPRequest(url: try server.url()))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<8 {
        group.addTask {
          for round in 0..<60 {
            let transport = try URLSessionTransport(.ephemeral)
            let load = Task { try? await transport.send(exchange) }
            // At another moment of the task each time; nothing tells when it is about to end.
            usleep(UInt32((lane * 60 + round) * 37 % 900))
            load.cancel()
            if round.isMultiple(of: 2) { transport.shutdown() }
            _ = await load.value
          }
        }
      }
      try await group.waitForAll()
    }
  }

  func testStoppingLandsEveryAttempt() async throws {
    let server = try server(.readRequest, .waitForClose)
    let transport = try URLSessionTransport(.ephemeral)
    let request = HTTPRequest(url: try server.url())
    let tasks = (0..<10).map { _ in Task { await failure { try await transport.send(request) } } }
    XCTAssertTrue(server.waitForRequests(10))
    transport.shutdown()
    for task in tasks {
      let error = await task.value
      XCTAssertEqual(error?.reason, .transportStopped)
    }
    let after = await failure { try await transport.send(request) }
    XCTAssertEqual(after?.reason, .transportStopped)
    transport.shutdown()
  }

  func testTransportsThatGoLeaveNoDescriptorAndNoConnection() async throws {
    let server = try serving { _ in ScriptedServer.response() }
    let url = try server.url()
    func useOne() async throws {
      let transport = try URLSessionTransport(.ephemeral)
      _ = try await transport.send(HTTPRequest(url: url))
    }
    try await useOne()
    let before = openDescriptors()
    for _ in 0..<20 { try await useOne() }
    XCTAssertTrue(server.waitUntilIdle(), "\(server.openCount) connections are still open")
    XCTAssertLessThanOrEqual(openDescriptors(), before + 2)
  }

  private func openDescriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }

  #if canImport(FoundationNetworking)
    /// What Docs/Retry.md says of it.
    func testFoundationSendsAPostAgainWhenAReusedConnectionEnds() async throws {
      for body in [HTTPBody.empty, .bytes([1, 2, 3])] {
        // Of a body nothing arrives the second time.
        let server = try ScriptedServer(
          .readHead, .write(ScriptedServer.response(text: "fine")), .readHead, .close)
        defer { server.stop() }
        let transport = try URLSessionTransport(.ephemeral)
        _ = try await transport.send(HTTPRequest(url: try server.url()))
        let request = HTTPRequest(method: .post, url: try server.url("/order"), body: body)
        if Self.predatesItsLibcurl, body.isReplayable, case .bytes = body {
          let error = await failure { try await transport.send(request) }
          XCTAssertEqual(error?.reason, .transportFailed)
          continue
        }
        let response = try await transport.send(request)
        XCTAssertEqual(response.status, 200)
        XCTAssertEqual(response.metrics.resends, 0)
        XCTAssertEqual(server.requests.map(\.target), ["/", "/order", "/order"])
      }
    }
  #endif

  func testALimitInAllIsRefused() {
    var configuration = TransportConfiguration.ephemeral
    configuration.connections.total = 10
    XCTAssertThrowsError(try URLSessionTransport(configuration)) { error in
      XCTAssertEqual((error as? APIError)?.reason, .unsupportedCapability)
    }
  }

  func testJoinedCookiesAreTakenApart() {
    let joined = "a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT; Path=/, b=x,y; Path=/, c=, d=4"
    XCTAssertEqual(
      URLSessionTransport.splitSetCookie(joined),
      ["a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT; Path=/", "b=x,y; Path=/", "c=", "d=4"])
  }
}
