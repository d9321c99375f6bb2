import Foundation

/// The proxies of a transport.
public enum ProxyChoice: Sendable, Hashable {
  /// No proxy, whatever the system or the environment says.
  case none
  /// The proxies of the system: its network settings on Apple platforms, on Linux the environment when the transport is
  /// made.
  ///
  /// The variables are `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, all but the first also in capital letters:
  /// a web server sets `HTTP_PROXY` from a request's field `Proxy`. A proxy that cannot be read, or that needs TLS
  /// (`https://`), is ``APIError/Reason/misconfigured``.
  case system
  /// This proxy, except for its exceptions.
  case through(HTTPProxy)

  /// The system's on Apple platforms, none on Linux.
  public static var standard: Self {
    #if canImport(Darwin)
      .system
    #else
      .none
    #endif
  }
}

extension TransportConfiguration {
  /// The proxies of the choice. The environment is read once, so that all threads of a transport go one way.
  mutating func readProxies() throws(APIError) -> ProxyTable {
    if let proxyTable { return proxyTable }
    let table = try ProxyTable(proxy, environment: ProcessInfo.processInfo.environment)
    proxyTable = table
    return table
  }
}

/// The proxies of a choice, by the scheme of a request.
struct ProxyTable: Sendable, Hashable {
  /// For `http:`.
  private(set) var plain: HTTPProxy?
  /// For `https:`.
  private(set) var secure: HTTPProxy?

  /// The proxies of a choice, with `system` read from an environment.
  init(_ choice: ProxyChoice, environment: [String: String]) throws(APIError) {
    switch choice {
    case .none: break
    case .through(let proxy): (plain, secure) = (proxy, proxy)
    case .system:
      func read(_ names: String...) throws(APIError) -> HTTPProxy? {
        for name in names {
          if let text = environment[name], !text.isEmpty { return try Self.proxy(text, name) }
        }
        return nil
      }
      let exceptions = Self.exceptions(environment["no_proxy"] ?? environment["NO_PROXY"] ?? "")
      plain = try read("http_proxy", "all_proxy", "ALL_PROXY")
      secure = try read("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
      plain?.exceptions = exceptions
      secure?.exceptions = exceptions
    }
  }

  /// The one proxy of all requests; nil when there is none, or not one alone.
  var single: HTTPProxy? { plain == secure ? plain : nil }
  /// Whether requests with different schemes go different ways.
  var isByScheme: Bool { plain != secure }
  /// Whether there is any.
  var isEmpty: Bool { plain == nil && secure == nil }

  /// The proxy of a request; nil when it goes to the server itself.
  func proxy(for url: HTTPURL) -> HTTPProxy? {
    let proxy: HTTPProxy? =
      switch url.scheme {
      case "http": plain
      case "https": secure
      default: single
      }
    return proxy.flatMap { $0.isException(url.host) ? nil : $0 }
  }

  /// `[scheme://][user[:password]@]host[:port]`, as programs read these variables.
  private static func proxy(_ text: String, _ variable: String) throws(APIError) -> HTTPProxy {
    var rest = text[...]
    var kind = HTTPProxy.Kind.http
    if let separator = text.range(of: "://") {
      switch text[..<separator.lowerBound].lowercased() {
      case "http": break
      case "socks5", "socks5h": kind = .socks5
      default: throw unreadable(variable, "is no proxy of HTTP or SOCKS 5")
      }
      rest = text[separator.upperBound...]
    }
    rest = rest.prefix { $0 != "/" }
    var login: HTTPLogin?
    if let at = rest.lastIndex(of: "@") {
      let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.removingPercentEncoding ?? String($0) }
      login = HTTPLogin(user: parts[0], password: parts.count > 1 ? parts[1] : "")
      rest = rest[rest.index(after: at)...]
    }
    var host = String(rest)
    // curl's default, for every kind.
    var port = 1080
    let bracket = host.lastIndex(of: "]") ?? host.startIndex
    if let colon = host[bracket...].lastIndex(of: ":") {
      guard let number = Int(digits: host[host.index(after: colon)...]) else {
        throw unreadable(variable, "has a port that is no number")
      }
      port = number
      host = String(host[..<colon])
    }
    host = host.filter { $0 != "[" && $0 != "]" }
    let proxy = HTTPProxy(kind, host: host, port: port, login: login)
    do throws(APIError) { try proxy.validate() } catch {
      throw unreadable(variable, "names no host and port")
    }
    return proxy
  }

  /// The hosts of `no_proxy`: a name means all below it as well, with or without a leading dot.
  private static func exceptions(_ text: String) -> [String] {
    text.split { $0 == "," || $0 == " " }.map(String.init).flatMap { name in
      if name == "*" || name.contains("/") || name.contains(":") { return [name] }
      let name = name.hasPrefix(".") ? String(name.dropFirst()) : name
      return [name, "." + name]
    }
  }

  private static func unreadable(_ variable: String, _ why: String) -> APIError {
    TransportConfiguration.misconfigured("the proxy of the environment's \(variable) \(why)")
  }
}
