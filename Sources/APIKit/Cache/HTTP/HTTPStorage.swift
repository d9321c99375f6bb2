/// Which responses a private cache may store, and what parts of them.
///
/// | rule | section of RFC 9111 |
/// |---|---|
/// | the method is GET or HEAD; requests with unsafe methods are written through | 3, 4 |
/// | the status is final | 3 |
/// | 206 is not stored, as partial responses are not combined; 304 updates and is not stored itself | 3, 3.3 |
/// | with `must-understand`, the status must be cacheable by heuristics; `no-store` is then ignored | 5.2.2.3 |
/// | otherwise neither request nor response has `no-store` | 5.2.1.5, 5.2.2.5 |
/// | `private` and `Authorization` do not prevent storing in a private cache; partitions separate users | 3.5, 5.2.2.7 |
/// | it states its freshness, or is `public` or `private`, or its status is cacheable by heuristics | 3 |
/// | `Vary: *` never matches, so the response is not stored | 4.1 |
/// | `Set-Cookie` does not prevent storing | 7.3 |
/// | connection-specific and proxy fields are not stored | 3.1 |
/// | a response behind a redirect that is not permanent is not stored: the next may lead elsewhere | 4.2.2 |
enum HTTPStorage {
  /// Statuses that may be stored without explicit freshness (RFC 9110, 15.1).
  static let heuristicallyCacheable: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

  /// Whether a response may be stored by the rules above.
  static func allows(
    method: HTTPMethod, request: CacheControl, status: Int, headers: HTTPHeaders, control: CacheControl
  ) -> Bool {
    guard method == .get || method == .head else { return false }
    guard status >= 200, status != 206, status != 304, !request.noStore else { return false }
    let understood = heuristicallyCacheable.contains(status)
    if control.mustUnderstand {
      guard understood else { return false }
    } else if control.noStore {
      return false
    }
    guard !VaryMatcher.matchesNothing(headers) else { return false }
    let isExplicit = control.maxAge != nil || headers.contains("Expires")
    return isExplicit || control.isPublic || control.isPrivate || understood
  }

  /// Whether the redirects that led to a response are permanent.
  static func leadsThereAgain(_ redirects: [HTTPRedirect]) -> Bool {
    redirects.allSatisfy { $0.status == 301 || $0.status == 308 }
  }

  private static let neverStored = [
    "Connection", "Keep-Alive", "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade", "Trailer",
    "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
  ]

  /// The header fields to store (3.1).
  static func storedFields(_ headers: HTTPHeaders) -> HTTPHeaders {
    let named = FieldNames(neverStored + headers.values("Connection").flatMap(\.listElements))
    return HTTPHeaders(headers.fields.filter { !named.contains($0.name) })
  }

  /// The URLs that a successful response to an unsafe request makes stale (4.4): its own, and those in
  /// `Location` and `Content-Location` of the same origin.
  static func invalidated(
    method: HTTPMethod, url: HTTPURL, status: Int, headers: HTTPHeaders
  ) -> [HTTPURL] {
    guard !method.isSafe, (200..<400).contains(status) else { return [] }
    var urls = [url]
    for name in ["Location", "Content-Location"] {
      guard let other = try? headers[name].map(url.resolving), other.origin == url.origin else { continue }
      urls.append(other)
    }
    return urls
  }
}
