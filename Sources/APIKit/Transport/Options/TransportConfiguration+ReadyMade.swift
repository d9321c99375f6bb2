extension TransportConfiguration {
  /// Cookies and stored responses on disk, 64 connections per host, no limit for the whole attempt.
  public static let standard = TransportConfiguration()

  /// As ``standard``, but cookies and stored responses stay in memory.
  public static let ephemeral: Self = {
    var configuration = TransportConfiguration()
    configuration.persistence = .memory
    return configuration
  }()

  /// For released applications: `Accept: application/json`, 15 s to connect, 30 s between bytes, 5 min in
  /// all, 6 connections per host. The cache follows the network's condition.
  public static let production: Self = {
    var configuration = TransportConfiguration()
    configuration.headers["Accept"] = "application/json"
    configuration.timeouts = limits(connect: .seconds(15), idle: .seconds(30), total: .seconds(300))
    configuration.connections = ConnectionLimits(perHost: 6)
    configuration.cacheFollowsNetwork = true
    return configuration
  }()

  /// As ``production``, with time for breakpoints: 60 s to connect and between bytes, 10 min in all. Every cache is
  /// ignored, and nothing is kept on disk. The checks of certificates may be skipped
  /// (``TLSPolicy/allowsInvalidCertificates``); they are not unless that is set.
  public static let debug: Self = {
    var configuration = production
    configuration.timeouts = limits(connect: .seconds(60), idle: .seconds(60), total: .seconds(600))
    configuration.persistence = .memory
    configuration.ignoresCaches = true
    configuration.cacheFollowsNetwork = false
    configuration.isForDebugging = true
    return configuration
  }()

  /// For transfers that no user waits for: 30 s to connect, 60 s between bytes, an hour in all, 2
  /// connections per host. The cache follows the network's condition.
  ///
  /// On Apple systems they have the service type `background`. The transfers end with the process.
  public static let background: Self = {
    var configuration = TransportConfiguration()
    configuration.timeouts = limits(connect: .seconds(30), idle: .seconds(60), total: .seconds(3600))
    configuration.connections = ConnectionLimits(perHost: 2)
    configuration.cacheFollowsNetwork = true
    #if canImport(Darwin)
      configuration.interfaces.serviceType = .background
    #endif
    return configuration
  }()

  /// The time limits of a preset. Where a transport cannot tell when a connection is established, as Apple's session cannot,
  /// connecting has no limit of its own.
  static func limits(
    connect: Duration, idle: Duration, total: Duration, tellsConnections: Bool = tellsConnections
  ) -> HTTPTimeouts {
    HTTPTimeouts(
      connect: tellsConnections ? connect : HTTPTimeouts.standard.connect, idle: idle, total: total)
  }

  /// Whether the platform's own transport does.
  private static let tellsConnections: Bool = {
    #if canImport(Darwin)
      false
    #else
      true
    #endif
  }()
}
