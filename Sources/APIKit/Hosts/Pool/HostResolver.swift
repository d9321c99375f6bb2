/// Looks up the addresses of a name in place of the system, e.g. with an HTTPDNS service at a known address.
///
/// Given to a ``HostPool`` by ``HostSource/resolver(_:fallback:)``. Use it if the system's look-up is slow or cannot be
/// trusted; without one, the system or ``TransportConfiguration/dnsOverHTTPS`` looks up. In a test, return fixed
/// addresses. May be called from any thread, once at a time for each pool.
///
/// A load that the resolver makes for the pool's own name does not wait for the resolver: it uses the known addresses,
/// or the system's look-up.
public protocol HostResolver: Sendable {
  /// The addresses of a name, and the time for which they are valid.
  ///
  /// - Parameter name: The name of the pool.
  func resolve(_ name: String) async throws -> HostResolution
}

/// The addresses of a name.
public struct HostResolution: Sendable, Hashable {
  /// Numeric addresses; a name among them makes the look-up a failure.
  public var addresses: [String]
  /// The time for which the addresses are valid. After it they are looked up again, and stay in use
  /// until there are new ones.
  public var timeToLive: Duration

  /// Makes the result of a look-up.
  public init(_ addresses: [String], timeToLive: Duration) {
    self.addresses = addresses
    self.timeToLive = timeToLive
  }
}

/// The source of the addresses of a ``HostPool``.
public struct HostSource: Sendable {
  /// The rule for a load before a resolver has returned, while no address is known.
  public enum Fallback: Sendable, Hashable {
    /// The system looks the name up.
    case system
    /// The load fails with ``APIError/Reason/unknownHost``.
    case none
  }

  enum HostSourceKind: Sendable {
    case daily(KeptHosts)
    case resolver(Fallback)
  }

  let kind: HostSourceKind
  let ask: @Sendable (_ name: String) async throws -> HostResolution

  /// An API that lists the addresses, asked at the first load of each day (UTC).
  ///
  /// While it loads, the previous list is used: the list on disk, or the pool's addresses. A list that cannot be
  /// loaded, is empty or has anything but addresses changes nothing, and is loaded again half a minute later. Processes
  /// with the same folder share the list.
  ///
  /// - Parameters:
  ///   - folder: The folder of the list; nil, the default, is the program's own folder for persistent data.
  ///   - key: Encrypts the list on disk: 32 bytes. The default is ``SecretKey/keychain``; with nil the list is kept in
  ///     memory only.
  ///   - ask: Loads the list, with a manager for example. Its loads do not wait for the pool.
  /// - Throws: ``APIError/Reason/misconfigured`` for a key of another length.
  public static func daily(
    in folder: String? = nil, key: SecretKey? = .keychain,
    _ ask: @escaping @Sendable () async throws -> [String]
  ) throws(APIError) -> HostSource {
    HostSource(kind: .daily(try KeptHosts(folder: folder, key: key))) { _ in
      HostResolution(try await ask(), timeToLive: .zero)
    }
  }

  /// A look-up by the application.
  ///
  /// - Parameters:
  ///   - resolver: Looks the name up.
  ///   - fallback: The rule for loads while no address is known; the default is ``Fallback/system``.
  public static func resolver(
    _ resolver: any HostResolver, fallback: Fallback = .system
  ) -> HostSource {
    HostSource(kind: .resolver(fallback)) { try await resolver.resolve($0) }
  }

  /// Whether a pool without any address leaves its loads to the system.
  var fallsBack: Bool {
    if case .resolver(.none) = kind { return false }
    return true
  }

  /// The addresses of a look-up. Throws where it has none, or anything else.
  static func hosts(of resolution: HostResolution) throws(APIError) -> [PooledHost] {
    guard !resolution.addresses.isEmpty else {
      throw APIError(.response, .unexpectedShape, "the list of hosts is empty")
    }
    guard resolution.addresses.count <= mostAddresses else {
      throw APIError(
        .response, .unexpectedShape, "the list of hosts has \(resolution.addresses.count) addresses")
    }
    return try resolution.addresses.map { text throws(APIError) in .address(try HostAddress(text)) }
  }

  /// Each is measured; a longer list is not one.
  private static let mostAddresses = 64
}
