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
    prepare: (inout HTTPRequest) throws(APIError) -> Void = { (_) throws(APIError) in }
  ) async throws(APIError) -> HTTPResponse {
    var hop = exchange.inspectHead == nil ? exchange : sparingRedirects(exchange)
    let cookie = addCookies(to: &hop.request)
    try prepare(&hop.request)
    let response = try await transport.send(hop)
    cookies?.store(response.headers, from: hop.request.url)
    guard redirects.considers(response) else { return response }

    do throws(APIError) {
      hop.request = exchange.request
      return try await follow(response, cookie, hop, exchange.inspectHead, credentialHeaders(), prepare)
    } catch {
      // The redirect's own body stands in the file that the answer was meant for.
      if case .file(let path, _) = exchange.destination { ResponseFile.remove(path) }
      throw error
    }
  }

  @inline(never)
  private func follow(
    _ first: HTTPResponse, _ firstCookie: String?, _ exchange: HTTPExchange,
    _ inspect: ((_ status: Int, _ headers: HTTPHeaders) throws -> Void)?,
    _ credentialHeaders: Set<String>, _ prepare: (inout HTTPRequest) throws(APIError) -> Void
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
        var hop = exchange
        cookie = addCookies(to: &hop.request)
        if request.url.origin == origin { try prepare(&hop.request) }
        response = try await transport.send(hop)
        cookies?.store(response.headers, from: request.url)
      }
    }
    return record(follower, in: response)
  }

  /// Adds what the jar has for a request. Gives the whole `Cookie` field that goes along, where there is a jar.
  private func addCookies(to request: inout HTTPRequest) -> String? {
    guard let cookies else { return nil }
    if let stored = cookies.header(for: request.url) {
      request.headers["Cookie"] = request.headers["Cookie"].map { $0 + "; " + stored } ?? stored
    }
    return request.headers["Cookie"]
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

  private func inspectLate(
    _ response: HTTPResponse, _ inspect: ((_ status: Int, _ headers: HTTPHeaders) throws -> Void)?
  ) throws(APIError) {
    guard let inspect else { return }
    do { try inspect(response.status, response.headers) } catch {
      throw APIError(.transport, .refusedAtHeaders, underlying: error, evidence: response.evidence)
    }
  }
}
