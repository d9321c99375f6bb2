/// Decides about the redirects of one load, without sending.
///
/// ``next(after:to:cookie:)`` is called for every redirect in turn; the history is kept here.
struct RedirectFollower {
  /// What to do with a redirect.
  enum Action {
    /// Return the redirect itself as the response.
    case land
    /// Send this request.
    case follow(HTTPRequest)
  }

  /// The URLs that redirected, first to last.
  private(set) var history: [HTTPURL] = []

  private let policy: RedirectPolicy
  private let credentialHeaders: Set<String>
  private var seen: Set<Step> = []

  /// What makes two requests the same. The cookies count: a redirect to the same URL that sets a cookie is
  /// not a loop.
  private struct Step: Hashable {
    let method: HTTPMethod
    let url: HTTPURL
    let cookie: String?
  }

  /// Never sent to another origin, whatever the signer (RFC 9110, 15.4).
  private static let credentials = ["Authorization", "Cookie", "Proxy-Authorization"]
  /// Meaningless without the body they describe (RFC 9110, 15.4).
  private static let bodyFields = [
    "Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location",
    "Content-MD5", "Content-Digest", "Digest", "Transfer-Encoding", "Trailer", "Last-Modified",
  ]

  init(policy: RedirectPolicy, credentialHeaders: Set<String>) {
    self.policy = policy
    self.credentialHeaders = credentialHeaders
  }

  /// Decides about a redirect.
  ///
  /// - Parameters:
  ///   - redirect: A response that the policy considers.
  ///   - request: The request that it belongs to, before cookies and signature were added.
  ///   - cookie: The `Cookie` field with which that request was sent.
  mutating func next(
    after redirect: HTTPResponse, to request: HTTPRequest, cookie: String?
  ) throws(APIError) -> Action {
    let target = try target(of: redirect, from: request.url)
    guard seen.insert(Step(method: request.method, url: request.url, cookie: cookie)).inserted else {
      throw failure(.redirectLoop, "\(request.url) redirects in a circle of \(history.count)", redirect)
    }
    guard history.count < policy.limit else {
      throw failure(.tooManyRedirects, "more than \(policy.limit) redirects", redirect)
    }
    var next = request
    next.url = target
    try changeMethod(of: &next, status: redirect.status, redirect)
    if target.origin != request.url.origin { try cross(&next, from: request.url, redirect) }
    if case .rewrite(let rewrite) = policy.kind {
      guard let rewritten = try rewrite(next, redirect) else { return .land }
      next = rewritten
    }
    history.append(request.url)
    return .follow(next)
  }

  private func target(of redirect: HTTPResponse, from url: HTTPURL) throws(APIError) -> HTTPURL {
    guard let location = redirect.headers["Location"] else {
      throw failure(.redirectRefused, "the redirect names no Location", redirect)
    }
    let target: HTTPURL
    do throws(APIError) { target = try url.resolving(location) } catch {
      throw failure(.redirectRefused, "the redirect's Location is no usable URL", redirect, error)
    }
    guard target.scheme == "http" || target.scheme == "https" else {
      throw failure(.redirectRefused, "a redirect may not lead to the scheme \(target.scheme)", redirect)
    }
    guard policy.allowsDowngrade || !(url.scheme == "https" && target.scheme == "http") else {
      throw failure(
        .redirectRefused, "the redirect leads from https to http; allow it with allowsDowngrade", redirect)
    }
    return target
  }

  private func changeMethod(
    of request: inout HTTPRequest, status: Int, _ redirect: HTTPResponse
  ) throws(APIError) {
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
    } else if !request.body.isReplayable {
      throw failure(
        .redirectRefused,
        "the redirect wants the body again, but its stream opens only once; make it replayable", redirect)
    }
  }

  /// Removes what is meant for the previous origin alone.
  private func cross(
    _ request: inout HTTPRequest, from url: HTTPURL, _ redirect: HTTPResponse
  ) throws(APIError) {
    if case .sameOrigin = policy.kind {
      throw failure(
        .redirectRefused, "the redirect leads from \(url.origin) to \(request.url.origin)", redirect)
    }
    for name in Self.credentials { request.headers.remove(name) }
    for name in credentialHeaders { request.headers.remove(name) }
    // The caller's `Host` field and the address to connect to belong to the previous origin.
    request.headers.remove("Host")
    request.options.login = nil
    request.options.connectTo = nil
  }

  private func failure(
    _ reason: APIError.Reason, _ detail: String, _ redirect: HTTPResponse, _ underlying: APIError? = nil
  ) -> APIError {
    var error = APIError(.transport, reason, detail, underlying: underlying, evidence: redirect.evidence)
    error.context.status = redirect.status
    return error
  }
}
