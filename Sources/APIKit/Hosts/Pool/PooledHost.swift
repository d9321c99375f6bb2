/// One of the servers that a ``HostPool`` chooses from.
public enum PooledHost: Hashable, Sendable, CustomStringConvertible {
  /// An address of the pool's name. URL, `Host`, SNI, certificate, pins, cookies, cache and signature are those of the
  /// name.
  case address(HostAddress)
  /// Another name for the same backend: scheme, host and port of this URL. Requests are made and signed for it.
  case origin(HTTPURL)

  /// The address, or the origin.
  public var description: String {
    switch self {
    case .address(let address): address.description
    case .origin(let url): url.origin
    }
  }

  private var isIPv6: Bool {
    if case .address(let address) = self { return address.isIPv6 }
    return false
  }

  /// Has a request go to this server.
  func direct(_ request: inout HTTPRequest) {
    switch self {
    case .address(let address): request.options.connectTo = address.description
    case .origin(let url):
      let asked = request.url
      request.url = HTTPURL(
        scheme: url.scheme, host: url.host, port: url.port, path: asked.path, query: asked.query)
      request.url.pathSecrets = asked.pathSecrets
    }
  }

  /// The order in which connections are tried: as given, but the two families of addresses alternate, beginning with that
  /// of the first (RFC 8305, 4).
  static func alternatingFamilies(_ hosts: [PooledHost]) -> [PooledHost] {
    guard let first = hosts.first else { return hosts }
    let (own, other) = (
      hosts.filter { $0.isIPv6 == first.isIPv6 }, hosts.filter { $0.isIPv6 != first.isIPv6 }
    )
    return (0..<max(own.count, other.count)).flatMap { index in
      [own, other].compactMap { index < $0.count ? $0[index] : nil }
    }
  }
}
