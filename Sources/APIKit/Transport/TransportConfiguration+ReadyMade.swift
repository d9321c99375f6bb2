extension TransportConfiguration {
  /// Cookies and stored answers on disk, 64 connections per host, no total limit in time.
  public static let standard = TransportConfiguration()

  /// As ``standard``, with nothing left behind: cookies and stored answers stay in memory.
  public static let ephemeral: Self = {
    var configuration = TransportConfiguration()
    configuration.persistence = .memory
    return configuration
  }()

  /// For released applications: JSON asked for, 30 s between bytes, 5 min in all, 6 connections per host.
  public static let production: Self = {
    var configuration = TransportConfiguration()
    configuration.headers = ["Accept": "application/json"]
    configuration.timeouts = HTTPTimeouts(connect: .seconds(15), idle: .seconds(30), total: .seconds(300))
    configuration.connections = ConnectionLimits(perHost: 6)
    return configuration
  }()

  /// As ``production``, with time for breakpoints: 60 s to connect and between bytes, nothing kept on disk.
  public static let debug: Self = {
    var configuration = production
    configuration.timeouts = HTTPTimeouts(connect: .seconds(60), idle: .seconds(60), total: .seconds(600))
    configuration.persistence = .memory
    return configuration
  }()

  /// For transfers nobody waits for: 2 connections per host, an hour in all.
  ///
  /// The transfers end with the process; where the system can weigh traffic, set ``interfaces`` besides.
  public static let background: Self = {
    var configuration = TransportConfiguration()
    configuration.timeouts = HTTPTimeouts(connect: .seconds(30), idle: .seconds(60), total: .seconds(3600))
    configuration.connections = ConnectionLimits(perHost: 2)
    return configuration
  }()
}
