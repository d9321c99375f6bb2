/// One cookie of a jar.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc6265>
public struct Cookie: Sendable, Hashable, Codable, Redacted {
  /// The name; case counts.
  public var name: String
  /// The value as the server sent it, quotes included.
  public var value: String
  /// The host it belongs to, in the canonical form of ``HTTPURL/host``, without a leading dot.
  public var domain: String
  /// Whether it is sent to ``domain`` alone and not to the names below it; the default is true.
  public var isHostOnly: Bool
  /// The path under which it is sent; the default is `/`.
  public var path: String
  /// When it expires, in seconds since 1970. Nil, the default, is a session cookie, which is never written
  /// to disk.
  public var expires: Int64?
  /// Whether it is sent over https alone; the default is false.
  public var isSecure: Bool
  /// Whether the server hides it from scripts; the default is false. Has no effect here.
  public var isHTTPOnly: Bool

  /// Makes a cookie.
  public init(
    _ name: String, _ value: String, domain: String, isHostOnly: Bool = true, path: String = "/",
    expires: Int64? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false
  ) {
    self.name = name
    self.value = value
    self.domain = URLHost.canonical(domain) ?? domain.lowercased()
    self.isHostOnly = isHostOnly
    self.path = path
    self.expires = expires
    self.isSecure = isSecure
    self.isHTTPOnly = isHTTPOnly
  }

  /// Name, domain and path; never the value.
  public var description: String { "\(name) (\(isHostOnly ? "" : ".")\(domain)\(path))" }

  /// Whether it is sent with a request to a URL.
  func matches(_ url: HTTPURL, now: Int64) -> Bool {
    if isSecure, url.scheme != "https" { return false }
    guard !isOver(now), isHostOnly ? url.host == domain : Self.domain(domain, matches: url.host) else {
      return false
    }
    return Self.path(path, matches: url.path)
  }

  /// Whether it has expired.
  func isOver(_ now: Int64) -> Bool { expires.map { $0 <= now } ?? false }

  /// Whether it replaces another cookie in a jar (RFC 6265, 5.3).
  func replaces(_ other: Cookie) -> Bool {
    name.equalsExactly(other.name) && domain == other.domain && path.equalsExactly(other.path)
  }

  /// Whether a host is the domain or a name below it (RFC 6265, 5.1.3). An address is below no domain.
  static func domain(_ domain: String, matches host: String) -> Bool {
    host == domain || (host.hasSuffix("." + domain) && !isAddress(host))
  }

  /// Whether a request's path is the cookie's or below it (RFC 6265, 5.1.4).
  static func path(_ cookie: String, matches request: String) -> Bool {
    let rest = request.utf8.dropFirst(cookie.utf8.count)
    return request.utf8.starts(with: cookie.utf8)
      && (rest.isEmpty || rest.first == UInt8(ascii: "/") || cookie.utf8.last == UInt8(ascii: "/"))
  }

  /// Whether a host is an IPv4 or IPv6 address.
  static func isAddress(_ host: String) -> Bool {
    host.utf8.contains(UInt8(ascii: ":"))
      || (!host.isEmpty
        && host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) })
  }
}
