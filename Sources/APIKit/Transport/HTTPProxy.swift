/// A proxy through which requests travel.
///
/// Proxies are set here and nowhere else: the environment (`http_proxy` and its kin) is not read, so that
/// what a process does follows from its code.
public struct HTTPProxy: Sendable, Hashable, CustomStringConvertible {
  /// How the proxy is spoken to.
  public enum Kind: Sendable, Hashable {
    /// Plain HTTP requests are handed to it whole, TLS goes through a tunnel.
    case http
    /// Everything goes through a tunnel made with CONNECT (RFC 9110, 9.3.6).
    case connect
    /// SOCKS version 5; the proxy resolves the names (RFC 1928).
    case socks5
  }

  /// How it is spoken to.
  public var kind: Kind
  /// Its name or address.
  public var host: String
  /// Its port.
  public var port: Int
  /// User and password for it. None by default.
  public var login: HTTPLogin?
  /// Hosts that are reached without it: names, names with a leading dot for all below, addresses.
  public var exceptions: [String]

  /// Makes a proxy.
  public init(_ kind: Kind, host: String, port: Int, login: HTTPLogin? = nil, exceptions: [String] = []) {
    self.kind = kind
    self.host = host
    self.port = port
    self.login = login
    self.exceptions = exceptions
  }

  /// Whether a host is reached without the proxy.
  public func isException(_ host: String) -> Bool {
    let host = host.lowercased()
    return exceptions.contains { rule in
      let rule = rule.lowercased()
      if rule == "*" { return true }
      return rule.hasPrefix(".") ? host.hasSuffix(rule) || host == rule.dropFirst() : host == rule
    }
  }

  /// The proxy without its password.
  public var description: String { "\(kind) proxy \(host):\(port)" }

  func validate() throws(APIError) {
    let usable = !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "@") }
    guard usable, (1...65535).contains(port) else {
      throw APIError(
        .transport, .misconfigured,
        "the proxy needs a host name and a port from 1 to 65535, not \(host.debugDescription), \(port)")
    }
  }
}
