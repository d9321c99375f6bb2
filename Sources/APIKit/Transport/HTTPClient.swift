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
  ///   - exchange: The request and what to do with the answer.
  ///   - credentialHeaders: Names of further header fields that may not go to another origin, beside
  ///     `Authorization`, `Cookie` and `Proxy-Authorization`: those a signer writes. Asked for only when there is a redirect.
  ///   - prepare: Runs before each hop within the first request's origin, after its cookies were added: to
  ///     sign it. Never for another origin, which has no claim to a signature.
  public func send(
    _ exchange: HTTPExchange, credentialHeaders: @autoclosure () -> Set<String> = [],
    prepare: (@Sendable (inout HTTPRequest) async throws(APIError) -> Void)? = nil
  ) async throws(APIError) -> HTTPResponse {
    if exchange.inspectHead != nil {
      return try await send(sparingRedirects(exchange), exchange.inspectHead, credentialHeaders, prepare)
    }
    return try await send(exchange, nil, credentialHeaders, prepare)
  }

  private typealias Inspection = @Sendable (_ status: Int, _ headers: HTTPHeaders) throws -> Void
  private typealias Preparation = @Sendable (inout HTTPRequest) async throws(APIError) -> Void

  private func send(
    _ exchange: HTTPExchange, _ inspect: Inspection?, _ credentialHeaders: () -> Set<String>,
    _ prepare: Preparation?
  ) async throws(APIError) -> HTTPResponse {
    let (response, cookie) = try await attempt(exchange, prepare)
    guard redirects.considers(response) else { return response }

    do throws(APIError) {
      return try await follow(response, cookie, exchange, inspect, credentialHeaders(), prepare)
    } catch {
      // The redirect's own body stands in the file that the answer was meant for.
      if case .file(let path, _) = exchange.destination { ResponseFile.remove(path) }
      throw error
    }
  }

  private func follow(
    _ first: HTTPResponse, _ firstCookie: String?, _ exchange: HTTPExchange, _ inspect: Inspection?,
    _ credentialHeaders: Set<String>, _ prepare: Preparation?
  ) async throws(APIError) -> HTTPResponse {
    var (response, cookie) = (first, firstCookie)
    var exchange = exchange
    let origin = exchange.request.url.origin
    var follower = RedirectFollower(policy: redirects, credentialHeaders: credentialHeaders)
    while redirects.considers(response) {
      switch try follower.next(after: response, to: exchange.request, cookie: cookie) {
      case .land:
        try inspectLate(response, inspect)
        return record(follower, in: response)
      case .follow(let request):
        exchange.request = request
        (response, cookie) = try await attempt(exchange, request.url.origin == origin ? prepare : nil)
      }
    }
    return record(follower, in: response)
  }

  /// One hop: cookies, preparation, wire, cookies. Gives the `Cookie` field that was sent along.
  private func attempt(
    _ exchange: HTTPExchange, _ prepare: Preparation?
  ) async throws(APIError) -> (HTTPResponse, cookie: String?) {
    guard prepare != nil || cookies != nil else { return (try await transport.send(exchange), nil) }
    var hop = exchange
    if let stored = cookies?.header(for: hop.request.url) {
      let own = hop.request.headers["Cookie"]
      hop.request.headers["Cookie"] = own.map { $0 + "; " + stored } ?? stored
    }
    if let prepare { try await prepare(&hop.request) }
    let response = try await transport.send(hop)
    cookies?.store(response.headers, from: hop.request.url)
    return (response, cookies == nil ? nil : hop.request.headers["Cookie"])
  }

  private func record(_ follower: RedirectFollower, in response: HTTPResponse) -> HTTPResponse {
    var response = response
    response.redirects = follower.history
    response.metrics.redirectCount = follower.history.count
    return response
  }

  /// The caller inspects the heads of answers; a redirect that is followed is none.
  private func sparingRedirects(_ exchange: HTTPExchange) -> HTTPExchange {
    guard let inspect = exchange.inspectHead, !redirects.isRefuse else { return exchange }
    var spared = exchange
    spared.inspectHead = { status, headers in
      if !RedirectPolicy.isRedirect(status, headers) { try inspect(status, headers) }
    }
    return spared
  }

  private func inspectLate(_ response: HTTPResponse, _ inspect: Inspection?) throws(APIError) {
    guard let inspect else { return }
    do { try inspect(response.status, response.headers) } catch {
      throw APIError(.transport, .refusedAtHeaders, underlying: error, evidence: response.evidence)
    }
  }
}
