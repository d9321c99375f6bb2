/// Sends a request over a transport and minds what lies above one attempt: cookies and redirects.
///
/// Every transport behaves alike under it. A value: copies share the transport and the jar.
///
/// ```swift
/// let client = HTTPClient(transport: try URLSessionTransport(.ephemeral), redirects: .sameOrigin)
/// ```
public struct HTTPClient: Sendable {
  /// What carries the requests.
  public var transport: any HTTPTransport
  /// What is done with redirects; followed by default.
  public var redirects: RedirectPolicy
  /// Keeps cookies between requests; nil, the default, neither sends nor stores any.
  public var cookies: CookieJar?

  /// Makes a client over a transport.
  public init(
    transport: any HTTPTransport, redirects: RedirectPolicy = .follow, cookies: CookieJar? = nil
  ) {
    self.transport = transport
    self.redirects = redirects
    self.cookies = cookies
  }

  /// Sends a request, and the requests that its redirects ask for.
  ///
  /// - Parameters:
  ///   - exchange: The request and what to do with the response.
  ///   - credentialHeaders: Names of further header fields that may not go to another origin, beside
  ///     `Authorization`, `Cookie` and `Proxy-Authorization`: those a signer writes. Asked for only when there is
  ///     a redirect.
  ///   - prepare: Runs before each hop within the first request's origin, after its cookies were added: to
  ///     sign it.
  public func send(
    _ exchange: HTTPExchange, credentialHeaders: @autoclosure () -> Set<String> = [],
    prepare: (inout HTTPRequest) throws(APIError) -> Void = { (_) throws(APIError) in }
  ) async throws(APIError) -> HTTPResponse {
    var hops = ClientExchange(self, exchange)
    while true {
      let response = try await transport.send(try hops.outgoing(prepare))
      if let response = try hops.receive(response, credentialHeaders: credentialHeaders()) { return response }
    }
  }
}
