#if canImport(FoundationNetworking)
  import Foundation
  package import FoundationNetworking
#else
  package import Foundation
#endif

extension URLSessionTransport {
  /// The system's request for one of the framework.
  ///
  /// - Parameters:
  ///   - scheme: The scheme for the system; nil for that of the request.
  ///   - terms: What the system is told besides; nil for what the request says alone.
  package static func bridge(
    _ request: HTTPRequest, headers: HTTPHeaders, scheme: String? = nil, terms: SystemRequestTerms? = nil
  ) throws(APIError) -> URLRequest {
    guard let url = request.url.ofFoundation(scheme: scheme) else {
      throw APIError(
        .transport, .invalidURL, "the system does not take the URL as it is",
        quote: request.url.string)
    }
    var system = URLRequest(
      url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: systemTimeout)
    system.httpMethod = request.method.rawValue
    system.httpShouldHandleCookies = false
    system.set(terms ?? SystemRequestTerms(request.options))
    for field in headers { system.addValue(field.value, forHTTPHeaderField: field.name) }
    return system
  }

  /// The header fields of the system's response. The system keeps neither their order nor repeated fields.
  /// So they are sorted by name, and joined values of `Set-Cookie`, which a comma alone does not separate,
  /// are split where a new cookie begins.
  package static func headers(of response: HTTPURLResponse) -> HTTPHeaders {
    var headers = HTTPHeaders()
    for (name, value) in response.allHeaderFields {
      guard let name = name as? String, let received = value as? String else { continue }
      let value = HTTPHeaders.received(received)
      if HTTPHeaders.equal(name, "Set-Cookie") {
        for cookie in splitSetCookie(value) { headers.add(name, cookie) }
      } else {
        headers.add(name, value)
      }
    }
    headers.fields.sort { $0.name < $1.name }
    return headers
  }

  /// Splits joined `Set-Cookie` values: a new one begins where a comma is followed by `token=`.
  ///
  /// The comma of an `Expires` date is followed by a space and a number, never by a token and `=`.
  static func splitSetCookie(_ joined: String) -> [String] {
    var cookies: [String] = []
    var current: Substring = ""
    for part in joined.split(separator: ",", omittingEmptySubsequences: false) {
      let name = part.drop { $0 == " " }.prefix { $0 != "=" && $0 != ";" }
      let begins =
        part.utf8.contains(UInt8(ascii: "=")) && HTTPToken.isToken(String(name))
        && part.drop { $0 == " " }.dropFirst(name.count).first == "="
      if begins || cookies.isEmpty && current.isEmpty {
        if !current.isEmpty { cookies.append(String(current).trimmingSpaces()) }
        current = part
      } else {
        current = current + "," + part
      }
    }
    if !current.isEmpty { cookies.append(String(current).trimmingSpaces()) }
    return cookies
  }
}
