import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// What every transport must do, run over the platform's default one. Subclasses run it over the others.
///
/// Where a transport lacks a capability the test asserts that asking for it fails with its name. Where the
/// system below a transport has a defect that cannot be cured from here, ``quirks`` names it, and the test
/// asserts what was measured, so that a cure is noticed.
class TransportConformanceTests: XCTestCase {
  /// Defects of the system below a transport.
  enum Quirk {
    /// Header fields lose their order and the case of their names, and repeated ones are joined.
    case reordersHeaders
    /// The body of a redirect is not delivered.
    case dropsBodiesOfRedirects
    /// Dot segments of a path are removed before it is sent.
    case removesDotSegments
    /// A GET with a body is refused.
    case refusesBodyInGet
    /// A server that closes within the header fields, or sends fields behind a chunked body, ends the program.
    case trapsOnUnfinishedHead
    /// Failures have no reason of their own, and an empty query is not sent: Foundation does not know the later libcurl
    /// that it runs on.
    case predatesItsLibcurl
  }

  var quirks: Set<Quirk> { [] }

  /// Makes the transport under test.
  func makeTransport(_ configuration: TransportConfiguration) throws(APIError) -> any HTTPTransport {
    try DefaultTransport.make(configuration)
  }

  final func transport(
    _ change: (inout TransportConfiguration) -> Void = { _ in }
  ) throws -> any HTTPTransport {
    var configuration = TransportConfiguration.ephemeral
    change(&configuration)
    return try makeTransport(configuration)
  }

  /// A server that ends with the test.
  final func server(_ steps: ScriptedServer.Step...) throws -> ScriptedServer {
    try server(scripts: [steps])
  }

  final func server(scripts: [[ScriptedServer.Step]]) throws -> ScriptedServer {
    let server = try ScriptedServer(scripts: scripts)
    addTeardownBlock { server.stop() }
    return server
  }

  /// A server that responds by a closure and ends with the test.
  final func serving(_ response: @escaping @Sendable (ScriptedServer.Received) -> [UInt8]) throws
    -> ScriptedServer
  {
    try server(.serve(response))
  }

  /// Whether the transport can; when it cannot, asserts that the exchange fails and names the capability.
  final func can(
    _ capability: TransportCapabilities, _ name: String, _ transport: any HTTPTransport,
    _ exchange: HTTPExchange, line: UInt = #line
  ) async -> Bool {
    if transport.capabilities.isSuperset(of: capability) { return true }
    let error = await failure(line: line) { try await transport.send(exchange) }
    XCTAssertEqual(error?.reason, .unsupportedCapability, line: line)
    XCTAssertTrue(
      error?.detail.contains(name) == true, "\(error as Any) does not name \(name)", line: line)
    return false
  }

  /// The error with which one exchange fails against a script.
  final func error(
    _ steps: ScriptedServer.Step..., line: UInt = #line,
    exchange change: (inout HTTPExchange) -> Void = { _ in }
  ) async throws -> APIError? {
    let server = try server(scripts: [steps])
    var exchange = HTTPExchange(HTTPRequest(url: try server.url("/")))
    change(&exchange)
    let transport = try transport()
    return await failure(line: line) { [exchange] in try await transport.send(exchange) }
  }

  static func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  }

  static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var encoder = GzipEncoder()
    var packed: [UInt8] = []
    encoder.encode(bytes, into: &packed)
    encoder.finish(into: &packed)
    return packed
  }
}

extension HTTPExchange {
  /// An exchange whose request was changed by a closure.
  static func make(_ url: HTTPURL, _ change: (inout HTTPExchange) -> Void = { _ in }) -> HTTPExchange {
    var exchange = HTTPExchange(HTTPRequest(url: url))
    change(&exchange)
    return exchange
  }
}
