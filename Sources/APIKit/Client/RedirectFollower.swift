/// Decides about the redirects of one load, without sending.
///
/// ``next(after:to:cookie:)`` is called for every redirect in turn; the history is kept here.
struct RedirectFollower {
  /// The redirects, first to last.
  private(set) var history: [HTTPRedirect] = []

  private let policy: RedirectPolicy
  /// The fields that the transport adds to requests of the first origin.
  private let added: HTTPHeaders
  private var seen: Set<Step> = []

  /// What makes two requests the same. The cookies count: a redirect to the same URL that sets a cookie is
  /// not a loop.
  private struct Step: Hashable {
    let method: HTTPMethod
    let url: HTTPURL
    let cookie: String?
  }

  /// Meaningless without the body they describe (RFC 9110, 15.4).
  private static let bodyFields = [
    "Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location",
    "Content-Disposition", "Content-Range", "Content-MD5", "Content-Digest", "Repr-Digest", "Digest",
    "Transfer-Encoding", "Trailer", "Last-Modified",
  ]

  init(policy: RedirectPolicy, added: HTTPHeaders = HTTPHeaders()) {
    self.policy = policy
    self.added = added
  }

  /// Decides about a redirect.
  ///
  /// - Parameters:
  ///   - redirect: A response that the policy considers.
  ///   - request: The request that it belongs to, before cookies and signature were added.
  ///   - cookie: The `Cookie` field with which that request was sent.
  /// - Returns: The next request; nil where the redirect itself is the response.
  mutating func next(
    after redirect: HTTPResponse, to request: HTTPRequest, cookie: String?
  ) throws(APIError) -> HTTPRequest? {
    let target = try target(of: redirect, from: request.url)
    guard seen.insert(Step(method: request.method, url: request.url, cookie: cookie)).inserted else {
      throw failure(
        .redirectLoop, "\(request.url.origin) redirects in a circle of \(history.count)", at: redirect)
    }
    guard history.count < policy.limit else {
      throw failure(.tooManyRedirects, "more than \(policy.limit) redirects", at: redirect)
    }
    var next = request
    next.url = target
    changeMethod(of: &next, status: redirect.status)
    let opensOnlyOnce = !next.body.isReplayable
    if target.origin != request.url.origin { try cross(&next, from: request.url, redirect) }
    if case .rewrite(let rewrite) = policy.kind {
      guard var rewritten = try rewrite(next, redirect) else { return nil }
      if rewritten.url.origin != next.url.origin { cross(&rewritten, keeping: next.headers) }
      next = rewritten
    }
    // Behind the closure, which may replace the body, or have the redirect land.
    guard !opensOnlyOnce || next.body.isReplayable else {
      throw failure(
        .redirectRefused,
        "the redirect wants the body again, but its stream opens only once; make it replayable", at: redirect)
    }
    history.append(HTTPRedirect(url: request.url, status: redirect.status, metrics: redirect.metrics))
    return next
  }

  private func target(of redirect: HTTPResponse, from url: HTTPURL) throws(APIError) -> HTTPURL {
    guard let location = redirect.headers["Location"] else {
      throw failure(.redirectRefused, "the redirect names no Location", at: redirect)
    }
    let target: HTTPURL
    do throws(APIError) { target = try url.resolving(location) } catch {
      throw failure(
        .redirectRefused, "the redirect's Location is no usable URL", at: redirect, underlying: error)
    }
    guard target.scheme == "http" || target.scheme == "https" else {
      throw failure(.redirectRefused, "a redirect may not lead to the scheme \(target.scheme)", at: redirect)
    }
    guard policy.allowsDowngrade || !(url.scheme == "https" && target.scheme == "http") else {
      throw failure(
        .redirectRefused, "the redirect leads from https to http; allow it with allowsDowngrade", at: redirect
      )
    }
    return target
  }

  private func changeMethod(of request: inout HTTPRequest, status: Int) {
    let becomesGet =
      switch status {
      // 303 redirects to another resource; HEAD stays HEAD.
      case 303: request.method != .get && request.method != .head
      // Clients have always changed POST to GET here, and servers rely on it (RFC 9110, 15.4.2).
      case 301, 302: request.method == .post
      default: false
      }
    if becomesGet {
      request.method = .get
      request.body = .empty
      request.options.compressesBody = false
      for name in Self.bodyFields { request.headers.remove(name) }
      // It is about a body, and belongs to no request without one (RFC 9110, 10.1.1).
      request.headers.remove("Expect")
    }
  }

  /// Refuses a redirect to another origin, or removes what is meant for the previous one alone.
  private func cross(
    _ request: inout HTTPRequest, from url: HTTPURL, _ redirect: HTTPResponse
  ) throws(APIError) {
    if case .sameOrigin = policy.kind {
      throw failure(
        .redirectRefused, "the redirect leads from \(url.origin) to \(request.url.origin)", at: redirect)
    }
    // The transport adds its own fields to requests of the first origin only.
    var headers = added
    headers.merge(request.headers)
    request.headers = headers
    cross(&request)
  }

  /// Removes what is meant for the previous origin alone: every field that is not public, wherever it was set, the
  /// login and the address to connect to. The fields of a body that is sent again go with it.
  ///
  /// - Parameter proposed: Where a closure chose another origin than was proposed to it: the fields that were. What it
  ///   has added itself is kept.
  private func cross(_ request: inout HTTPRequest, keeping proposed: HTTPHeaders? = nil) {
    let hasBody = !request.body.isEmpty
    request.headers = HTTPHeaders(
      request.headers.fields.filter { field in
        policy.isPublic(field.name)
          || hasBody && Self.bodyFields.contains { HTTPHeaders.equal($0, field.name) }
          || proposed.map { !$0.fields.contains(field) } ?? false
      })
    request.options.login = nil
    request.options.connectTo = nil
  }

  private func failure(
    _ reason: APIError.Reason, _ detail: String, at redirect: HTTPResponse, underlying: APIError? = nil
  ) -> APIError {
    // A path may have a secret in it: a reset's code, an invitation.
    let path = (redirect.url.map { "\($0.string) to " } ?? "") + (redirect.headers["Location"] ?? "nowhere")
    var error = APIError(
      .transport, reason, detail, quote: path, underlying: underlying, evidence: redirect.evidence)
    error.context.status = redirect.status
    return error
  }
}
