/// What a client does with a redirect: follow it, hand it to the caller, or decide case by case.
///
/// Whatever the policy: `Authorization`, `Cookie`, `Proxy-Authorization`, the request's login and the
/// header fields its signer writes never go to another origin, and methods change as RFC 9110 says.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9110#section-15.4>
public struct RedirectPolicy: Sendable {
  /// Makes the next request, given the one proposed and the redirect; nil hands the redirect to the caller.
  ///
  /// The proposed request has its method, body and header fields changed already. What the closure puts
  /// in goes on the wire as it is. An error it throws ends the load.
  public typealias Rewrite =
    @Sendable (_ proposed: HTTPRequest, _ redirect: HTTPResponse) throws(APIError) -> HTTPRequest?

  enum Kind: Sendable {
    case follow
    case refuse
    case sameOrigin
    case rewrite(Rewrite)
  }

  let kind: Kind
  /// The most redirects that are followed in a row; the default is 20.
  ///
  /// One more fails with ``APIError/Reason/tooManyRedirects``.
  public var limit = 20
  /// Whether a redirect may lead from https to http; the default is false.
  ///
  /// Otherwise it fails with ``APIError/Reason/redirectRefused``.
  public var allowsDowngrade = false

  /// Follows redirects to any origin.
  public static let follow = RedirectPolicy(kind: .follow)
  /// Follows none: the answer with the status 3xx is the answer of the load.
  public static let refuse = RedirectPolicy(kind: .refuse)
  /// Follows redirects within the origin; others fail with ``APIError/Reason/redirectRefused``.
  public static let sameOrigin = RedirectPolicy(kind: .sameOrigin)
  /// Lets a closure decide about each redirect and change the next request.
  public static func rewriting(_ rewrite: @escaping Rewrite) -> RedirectPolicy {
    RedirectPolicy(kind: .rewrite(rewrite))
  }

  /// Whether redirects are handed to the caller.
  var isRefuse: Bool {
    if case .refuse = kind { return true }
    return false
  }

  /// Whether an answer is a redirect that this policy looks at.
  func considers(_ response: borrowing HTTPResponse) -> Bool {
    !isRefuse && Self.isRedirect(response.status, response.headers)
  }

  /// 300 and 304 to 306 are no redirects that can be followed, and without a Location nothing is.
  static func isRedirect(_ status: Int, _ headers: borrowing HTTPHeaders) -> Bool {
    switch status {
    case 301, 302, 303, 307, 308: headers.contains("Location")
    default: false
    }
  }
}
