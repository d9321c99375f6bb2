/// A proxy as `URLSessionConfiguration.connectionProxyDictionary` takes it.
///
/// Its keys are those of CFNetwork's dictionaries, whose constants iOS does not declare for all of them. An empty
/// dictionary means no proxy; none at all means those of the system.
struct ProxySettings: Equatable {
  /// A value of the dictionary.
  enum Value: Equatable {
    case number(Int)
    case text(String)
    case list([String])
  }

  /// Nil for those of the system.
  let values: [String: Value]?

  /// Throws ``APIError/Reason/unsupportedCapability`` for what `URLSession` cannot do.
  init(_ choice: ProxyChoice) throws(APIError) {
    guard case .through(let proxy) = choice else {
      values = choice == .system ? nil : [:]
      return
    }
    var values: [String: Value] = [:]
    func add(_ name: String) {
      values[name + "Enable"] = .number(1)
      values[name + "Proxy"] = .text(proxy.host)
      values[name + "Port"] = .number(proxy.port)
    }
    switch proxy.kind {
    case .http:
      add("HTTP")
      add("HTTPS")
    case .socks5:
      guard proxy.login == nil else {
        throw APIError(unsupported: "a login for a SOCKS proxy, for which URLSession has no challenge")
      }
      add("SOCKS")
    case .connect: throw APIError(unsupported: "tunnels for http: (a proxy of the kind connect)")
    }
    guard !proxy.exceptions.contains(where: { $0.contains("/") }) else {
      throw APIError(unsupported: "exceptions that are ranges of addresses")
    }
    // A leading dot means the name and all below it.
    let exceptions = proxy.exceptions.flatMap {
      $0.hasPrefix(".") ? [String($0.dropFirst()), "*" + $0] : [$0]
    }
    if !exceptions.isEmpty { values["ExceptionsList"] = .list(exceptions) }
    self.values = values
  }
}
