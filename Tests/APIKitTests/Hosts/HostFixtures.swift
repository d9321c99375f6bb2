@testable import TestSupport
import APIKitTesting

@testable import APIKit

extension HostPool {
  /// A pool whose network does not change.
  static func still(
    _ addresses: [HostAddress], name: String = "named.test", origins: [HTTPURL] = [],
    source: HostSource? = nil, measuringInterval: Duration? = nil
  ) -> HostPool {
    HostPool(
      name, addresses: addresses, origins: origins, source: source, measuringInterval: measuringInterval,
      network: NetworkHub { _ in nil })
  }

  /// What is known of a server.
  func status(of host: PooledHost, _ now: Duration) -> Status? { status(now).first { $0.host == host } }
}

extension PooledHost: ExpressibleByStringLiteral {
  init(stringLiteral value: String) { self = .address(HostAddress(stringLiteral: value)) }
}

/// Connects as a test says, without sockets, and sends like a stub.
final class ConnectingStub: ConnectingTransport, AsyncHTTPTransport {
  typealias Connect = @Sendable (_ address: String) async throws(APIError) -> Duration?

  let stub: StubTransport
  let connected = Record<String>()
  private let connecting: Connect

  init(_ stub: StubTransport, _ connecting: @escaping Connect) {
    self.stub = stub
    self.connecting = connecting
  }

  var capabilities: TransportCapabilities { stub.capabilities }

  func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    try await stub.respond(to: exchange)
  }

  func connect(for exchange: HTTPExchange, keeping: Bool) async throws(APIError) -> Duration? {
    let address = exchange.request.options.connectTo ?? exchange.request.url.origin
    connected.add((keeping ? "race " : "measure ") + address)
    return try await connecting(address)
  }
}

extension APIError {
  static func transport(_ reason: Reason) -> APIError { APIError(.transport, reason) }
}
