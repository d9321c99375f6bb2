/// The rule for redirects: follow it, return it to the caller, or decide case by case.
///
/// With every policy, credentials stay within their origin. A request to another origin has only `Accept` and
/// `Accept-…`, `User-Agent`, the fields that ``publicHeaders`` names, the body with the fields that describe it,
/// and the jar's cookies of that origin. It has no credential, signature, login, client certificate or header
/// field of the transport, wherever they were set. Methods change as RFC 9110 says.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9110#section-15.4>
public struct RedirectPolicy: Sendable {
  /// Returns the next request, given the proposed one and the redirect; nil returns the redirect to the
  /// caller.
  ///
  /// In the proposed request method, body and header fields are changed already. What the closure adds is
  /// sent as it is. An error that it throws ends the load. May be called on the transport's thread, so it
  /// must not block.
  public typealias Rewrite =
    @Sendable (_ proposed: HTTPRequest, _ redirect: HTTPResponse) throws(APIError) -> HTTPRequest?

  package enum RedirectRule: Sendable {
    case follow
    case refuse
    case sameOrigin
    case rewrite(Rewrite)
  }

  package var kind: RedirectRule
  /// The largest number of redirects in a row; the default is 20.
  ///
  /// One more fails with ``APIError/Reason/tooManyRedirects``.
  public var limit = 20
  /// Whether a redirect may lead from https to http; the default is false.
  ///
  /// Otherwise it fails with ``APIError/Reason/redirectRefused``.
  public var allowsDowngrade = false

  /// Names of header fields that may go to another origin, besides `Accept`, `Accept-…` and `User-Agent`; case does not matter.
  /// The default is `Range` with its condition `If-Range`, so that a part of a file is still a part, and of the same file, when
  /// it is stored elsewhere, and `Last-Event-ID`, so that an event stream goes on where it was, as in browsers.
  public var publicHeaders: Set<String> = ["If-Range", "Last-Event-ID", "Range"]

  /// Follows redirects to any origin.
  public static let follow = RedirectPolicy(kind: .follow)
  /// Follows none: the response with status 3xx is the response of the load.
  public static let refuse = RedirectPolicy(kind: .refuse)
  /// Follows redirects within the origin; others fail with ``APIError/Reason/redirectRefused``.
  public static let sameOrigin = RedirectPolicy(kind: .sameOrigin)
  /// Lets a closure decide about each redirect and change the next request.
  public static func rewriting(_ rewrite: @escaping Rewrite) -> RedirectPolicy {
    RedirectPolicy(kind: .rewrite(rewrite))
  }

  /// Whether a header field may go to another origin.
  func isPublic(_ name: String) -> Bool {
    HTTPHeaders.describesClient(name) || publicHeaders.contains { HTTPHeaders.equal($0, name) }
  }

  /// Whether redirects are followed to any origin, without a word of the application.
  package var isFollow: Bool {
    if case .follow = kind { return true }
    return false
  }

  /// Whether redirects are returned to the caller.
  var isRefuse: Bool {
    if case .refuse = kind { return true }
    return false
  }

  /// Whether a response is a redirect that this policy handles.
  func considers(_ response: borrowing HTTPResponse) -> Bool {
    !isRefuse && Self.isRedirect(response.status, response.headers)
  }

  /// Whether a response can be followed: 300 and 304 to 306 cannot, and none without a `Location`, or with an empty one, which
  /// would lead a form back to its own page; browsers and curl follow neither.
  static func isRedirect(_ status: Int, _ headers: borrowing HTTPHeaders) -> Bool {
    switch status {
    case 301, 302, 303, 307, 308: headers["Location"].map { !$0.isEmpty } ?? false
    default: false
    }
  }
}
