/// An HTTP client: sends requests over a transport, and handles cookies and redirects.
///
/// Redirects and cookies work alike over every transport. A value: copies share the transport and the jar.
/// May be used from any thread.
///
/// ```swift
/// let client = HTTPClient(transport: try URLSessionTransport(.ephemeral), redirects: .sameOrigin)
/// ```
public struct HTTPClient: Sendable {
  /// The transport of the requests.
  public var transport: any HTTPTransport { didSet { configured = transport.loadOptions } }
  /// The rule for redirects; the default is ``RedirectPolicy/follow``.
  public var redirects: RedirectPolicy
  /// Keeps cookies between requests; nil, the default, neither sends nor stores any.
  public var cookies: CookieJar?
  /// The main document that the requests are for: of the cookies that responses set only those of its site are kept;
  /// nil, the default, keeps those that the jar accepts. A load may state its own, ``LoadOptions/cookieDocument``.
  public var cookieDocument: HTTPURL?
  /// The options of the transport's configuration, which loads look at.
  private(set) var configured: LoadOptions

  /// Makes a client over a transport.
  public init(
    transport: any HTTPTransport, redirects: RedirectPolicy = .follow, cookies: CookieJar? = nil
  ) {
    (self.transport, self.redirects, self.cookies) = (transport, redirects, cookies)
    configured = transport.loadOptions
  }

  /// Sends a request and follows its redirects as ``redirects`` says.
  ///
  /// - Parameters:
  ///   - exchange: The request and what to do with the response.
  ///   - prepare: Changes each request within the first one's origin, after its cookies were added: to sign
  ///     it.
  public func send(
    _ exchange: HTTPExchange,
    prepare: (inout HTTPRequest) throws(APIError) -> Void = { (_) throws(APIError) in }
  ) async throws(APIError) -> HTTPResponse {
    var hops = ClientExchange(CopyOnWrite(self), exchange)
    var sent = exchange.request
    do throws(APIError) {
      while true {
        let hop = try hops.outgoing(prepare)
        sent = hop.request
        let response = try await transport.send(hop)
        if let response = try hops.receive(response) { return response }
      }
    } catch {
      var error = error
      error.request = sent
      throw error
    }
  }
}

extension HTTPClient: CustomReflectable {
  /// The members of the client, for `dump`.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "transport": transport, "redirects": redirects, "cookies": cookies as Any,
        "cookieDocument": cookieDocument as Any,
      ], displayStyle: .struct)
  }
}
