/// A proxy through which requests are sent.
///
/// ``ProxyChoice`` says whether it is used.
public struct HTTPProxy: Sendable, Hashable, CustomStringConvertible {
  /// The protocol of the proxy.
  public enum Kind: Sendable, Hashable {
    /// `http` requests are sent to the proxy, `https` uses a tunnel made with CONNECT.
    case http
    /// All requests use a tunnel made with CONNECT (RFC 9110, 9.3.6).
    case connect
    /// SOCKS version 5; the proxy resolves host names (RFC 1928).
    case socks5
  }

  /// The protocol of the proxy.
  public var kind: Kind
  /// The host name or address of the proxy.
  public var host: String
  /// The port of the proxy.
  public var port: Int
  /// User and password for the proxy. None by default.
  public var login: HTTPLogin?
  /// Hosts that are reached without the proxy: names, addresses, names with a leading dot (the name and all
  /// below it), ranges of addresses (`10.0.0.0/8`), or `*` for all. None by default.
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
    let host = URLHost.name(host)
    return exceptions.contains { rule in
      if rule == "*" { return true }
      if let slash = rule.firstIndex(of: "/") { return URLHost.isAddress(host, in: rule, slash) }
      let name = URLHost.name(rule.hasPrefix(".") ? String(rule.dropFirst()) : rule)
      return host == name || rule.hasPrefix(".") && host.hasSuffix("." + name)
    }
  }

  /// Kind, host and port, without the login.
  public var description: String { "\(kind) proxy \(host):\(port)" }

  func validate() throws(APIError) {
    do { try login?.validate("the login of the proxy") } catch {
      throw TransportConfiguration.misconfigured(error.detail)
    }
    let usable = !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "@") }
    guard usable, (1...65535).contains(port) else {
      throw TransportConfiguration.misconfigured(
        "the proxy needs a host name and a port from 1 to 65535, not \(host.debugDescription), \(port)")
    }
  }
}
