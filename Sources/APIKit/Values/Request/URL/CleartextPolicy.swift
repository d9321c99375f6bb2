/// The servers that may be used without TLS, with `http:` and `ws:`. Without TLS anybody on the network
/// can read and change the requests.
///
/// The default of a configuration is ``loopback``. A request to another server fails with
/// ``APIError/Reason/cleartextRefused`` before anything is sent, and so does a redirect to one. A service states an
/// exception for one of its environments in ``ServiceEnvironments``, which takes precedence over the configuration. The
/// policy does not apply to other schemes, such as `ftp:`.
public struct CleartextPolicy: Sendable, Hashable {
  package enum CleartextRule: Sendable, Hashable {
    case all
    case loopbackAnd(Set<String>)
  }

  package let kind: CleartextRule

  /// Servers of this machine only: `localhost` and the names below it, `127.0.0.0/8` and `::1`.
  public static let loopback = loopback(and: [])

  /// Servers of this machine and these hosts, by name or address as in a URL; without the names below them.
  public static func loopback(and hosts: Set<String>) -> Self {
    Self(kind: .loopbackAnd(Set(hosts.map(URLHost.name))))
  }

  /// Every server.
  public static let allowed = Self(kind: .all)

  /// Throws ``APIError/Reason/cleartextRefused`` where a request would leave this machine without TLS.
  func check(_ request: HTTPRequest) throws(APIError) {
    guard request.url.scheme == "http" || request.url.scheme == "ws",
      case .loopbackAnd(let hosts) = kind, !hosts.contains(request.url.host)
    else { return }
    // What is connected to counts, not the name under which it is.
    let server = request.options.connectTo.map { String(URLHost.split($0).host) } ?? request.url.host
    guard !Self.isLoopback(server) else { return }
    throw APIError(
      .assembly, .cleartextRefused,
      "\(request.url.authorityText) would be asked without TLS; write https, or name the host in a CleartextPolicy"
    )
  }

  /// Whether a host in its canonical form is this machine (RFC 6761, 6.3; RFC 6890).
  static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host == "::1"
      || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
  }
}

extension APIError.Reason {
  /// The request would be sent without TLS to a server that the ``CleartextPolicy`` does not name.
  public static let cleartextRefused = Self("cleartext-refused", "the request would be sent without TLS")
}
