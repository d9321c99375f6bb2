/// One exchange of a client with the requests of its redirects: gives the next request to send, and takes
/// the response. Neither sends nor waits.
struct ClientExchange {
  private let boxed: CopyOnWrite<HTTPClient>
  /// The caller's exchange; its request is replaced by that of each hop, without cookies and preparation.
  private var exchange: HTTPExchange
  private let inspect: (@Sendable (_ status: Int, _ headers: HTTPHeaders) throws -> Void)?
  private var first: HTTPURL
  /// The URL and the `Cookie` field with which the current hop was sent.
  private var sent: (url: HTTPURL, cookie: String?)?
  private var follower: RedirectFollower?
  /// Whether a redirect, or the response behind it, is personal; see `HTTPResponse.isPersonal`.
  private var isPersonal = false
  /// The generation of the jar whose cookies it may send and keep; nil where there is none.
  private let generation: Int?

  private var client: HTTPClient { boxed.value }
  /// Where the next request goes.
  var next: HTTPURL { exchange.request.url }

  /// - Parameter generation: Of the cookie jar when the load was called; the present one by default.
  init(_ client: CopyOnWrite<HTTPClient>, _ exchange: HTTPExchange, since generation: Int? = nil) {
    boxed = client
    self.generation = generation ?? client.value.cookies?.generation
    self.exchange = exchange
    inspect = exchange.inspectHead
    first = exchange.request.url
    guard let inspect, !client.value.redirects.isRefuse else { return }
    // The caller inspects the head of the response it gets, not those of redirects before it.
    self.exchange.inspectHead = { status, headers in
      if !RedirectPolicy.isRedirect(status, headers) { try inspect(status, headers) }
    }
  }

  /// The same exchange with another first request.
  func redirecting(_ change: (inout HTTPRequest) -> Void) -> ClientExchange {
    var other = self
    change(&other.exchange.request)
    (other.first, other.sent, other.follower) = (other.exchange.request.url, nil, nil)
    other.isPersonal = false
    return other
  }

  /// Leaves header fields out of the next requests.
  mutating func remove(_ fields: HTTPHeaders) {
    for field in fields { exchange.request.headers.remove(field.name) }
  }

  /// The exchange to send next: the current request with the jar's cookies.
  ///
  /// Neither closure is called for a hop to another origin, which must get neither credential nor signature.
  /// - Parameters:
  ///   - authorize: Adds the credential, before the cookies.
  ///   - prepare: Changes the request last, to sign it.
  mutating func outgoing(
    authorize: (inout HTTPRequest) -> Void = { _ in },
    _ prepare: (inout HTTPRequest) throws(APIError) -> Void
  ) throws(APIError) -> HTTPExchange {
    var hop = exchange
    hop.crossesOrigin = follower != nil && hop.request.url.origin != first.origin
    if !hop.crossesOrigin { authorize(&hop.request) }
    let cookie = try addCookies(to: &hop.request)
    sent = (hop.request.url, cookie)
    if !hop.crossesOrigin { try prepare(&hop.request) }
    return hop
  }

  /// Takes the response to what was sent.
  ///
  /// - Parameter counts: Whether the time that it took counts for the limit of the whole attempt.
  /// - Returns: The response of the exchange; nil when a redirect is followed and the next request is to be sent.
  mutating func receive(
    _ response: HTTPResponse, counts: @autoclosure () -> Bool = true
  ) throws(APIError) -> HTTPResponse? {
    if let sent {
      client.cookies?.store(
        response.headers, from: sent.url, document: client.cookieDocument, since: generation)
    }
    if response.isPersonal || hasForeignCookies { isPersonal = true }
    guard client.redirects.considers(response) else { return finished(response) }
    var follower =
      follower ?? RedirectFollower(policy: client.redirects, added: client.transport.headers)
    defer { self.follower = follower }
    guard let next = try follower.next(after: response, to: exchange.request, cookie: sent?.cookie) else {
      try inspectLate(response)
      self.follower = follower
      return finished(response)
    }
    exchange.request = next
    let taken = Duration.microseconds(response.metrics.total + response.metrics.challenged)
    if counts() { exchange.request.timeouts.spend(taken) }
    return nil
  }

  /// Adds the jar's cookies to the request, but for those that it states itself. Returns its `Cookie` field; nil without a
  /// jar.
  private func addCookies(to request: inout HTTPRequest) throws(APIError) -> String? {
    guard let cookies = client.cookies else { return nil }
    if let stored = try cookies.header(for: request.url, since: generation) {
      request.headers.add(cookies: stored)
    }
    return request.headers["Cookie"]
  }

  /// Whether the last request went to another host than the first one, with cookies that the first one did not get.
  private var hasForeignCookies: Bool {
    guard follower != nil, let sent, sent.cookie != nil, sent.url.host != first.host,
      let cookies = client.cookies?.senders(to: sent.url.host)
    else { return false }
    return !Set(cookies).isSubset(of: client.cookies?.senders(to: first.host) ?? [])
  }

  private func finished(_ response: HTTPResponse) -> HTTPResponse {
    guard let follower else { return response }
    var response = response
    response.redirects = follower.history
    if isPersonal { response.isPersonal = true }
    response.metrics.redirectCount = follower.history.count
    return response
  }

  private func inspectLate(_ response: HTTPResponse) throws(APIError) {
    guard let inspect else { return }
    do { try inspect(response.status, response.headers) } catch {
      throw APIError(.transport, .refusedAtHeaders, underlying: error, evidence: response.evidence)
    }
  }
}
