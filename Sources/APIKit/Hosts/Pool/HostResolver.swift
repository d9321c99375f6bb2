/// Looks up the addresses of a name by a way of its own, such as an HTTPDNS service that is asked by address.
///
/// Given to a ``HostPool`` by ``HostSource/resolver(_:fallback:)``. Needed where the system's look-up is slow, or is not
/// to be trusted; without one, the system or ``TransportConfiguration/dnsOverHTTPS`` looks up. In a test, return fixed
/// addresses. May be called from any thread, once at a time for each pool.
///
/// A load that the resolver makes for the pool's own name does not wait for the resolver: it goes to the addresses that
/// are known, or by the system.
public protocol HostResolver: Sendable {
  /// The addresses of a name, and how long they are good.
  ///
  /// - Parameter name: The name of the pool.
  func resolve(_ name: String) async throws -> HostResolution
}

/// The addresses of a name.
public struct HostResolution: Sendable, Hashable {
  /// Numeric addresses; a name among them makes the look-up a failure.
  public var addresses: [String]
  /// How long they are good. After it they are asked for anew, and used on until there are new ones.
  public var timeToLive: Duration

  /// Makes the result of a look-up.
  public init(_ addresses: [String], timeToLive: Duration) {
    self.addresses = addresses
    self.timeToLive = timeToLive
  }
}

/// Where a ``HostPool`` gets its addresses from.
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
  /// While it is asked, the list of before is used: the one that is kept on disk, or the pool's own. A list that
  /// cannot be had, is empty or has anything but addresses changes nothing, and is asked for again half a minute later.
  /// Processes that keep one list in one folder also find each other's.
  ///
  /// - Parameters:
  ///   - folder: Where the list is kept; nil, the default, is the program's own folder for what must outlive it.
  ///   - key: Seals the list on disk: 32 bytes. The default is ``SecretKey/keychain``; with nil the list is kept in memory
  ///     only.
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

  /// A look-up of the application's own.
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
