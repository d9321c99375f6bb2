public import APIKit

/// The settings of the background session of a ``TransferQueue`` on Apple systems, for the transfers of all services.
///
/// A session has one set of options. If the transport of a service is stricter, enqueuing a transfer fails and names the
/// setting: `APIError.Reason.unsupportedCapability`. State the same in later launches: the system continues with tasks as
/// they were made. On other systems, and where ``TransferQueueConfiguration/sessionIdentifier`` is nil, they have no
/// effect.
/// - SeeAlso: <https://developer.apple.com/documentation/foundation/urlsessionconfiguration>
public struct BackgroundSessionOptions: Sendable, Hashable {
  /// Whether the system may delay transfers until it has power and Wi-Fi. The default is false. Transfers that begin
  /// while the application is in the background are delayed in any case.
  public var isDiscretionary = false
  /// The largest number of connections to one host; the default is 2.
  public var connectionsPerHost = 2
  /// The longest time of a request in all, waits and retries of the system included. The default, `.zero`, leaves it to the
  /// system: seven days. A file that takes longer than the limit never arrives.
  public var limit = Duration.zero
  /// The proxies; the default is `ProxyChoice.standard`, those of the system. The transports of the services must state the
  /// same.
  public var proxy = ProxyChoice.standard
  /// The oldest version of TLS; the default is TLS 1.2. A transport that wants a newer one is refused.
  public var minimumTLS = TLSVersion.tls1_2
  /// The identifier of the app group for the files that the system receives; an extension must state one. None by
  /// default.
  public var sharedContainerIdentifier: String?

  /// Makes the options, each with its default.
  public init() {}

  /// For transfers that no user waits for: those of `TransportConfiguration.background`, an hour in all and two connections per
  /// host, and the system may delay them.
  public static let background: Self = {
    let preset = TransportConfiguration.background
    var options = Self()
    options.isDiscretionary = true
    options.connectionsPerHost = preset.connections.perHost
    options.limit = preset.timeouts.total ?? .zero
    return options
  }()

  /// Why no session can be made with them; nil where one can.
  ///
  /// - Parameter isExtension: Whether the process is an extension of an application.
  func fault(inExtension isExtension: Bool) -> APIError? {
    if isExtension, sharedContainerIdentifier == nil {
      return APIError(
        .takeoff, .misconfigured,
        "an extension's background session needs an app group: state the sharedContainerIdentifier of its options, or nil as "
          + "sessionIdentifier")
    }
    guard connectionsPerHost > 0, limit >= .zero else {
      return APIError(
        .takeoff, .misconfigured,
        "a background session has at least one connection per host, and no negative limit")
    }
    do throws(APIError) { _ = try transport.systemTerms() } catch { return error }
    return nil
  }

  /// The same as settings of a transport.
  var transport: TransportConfiguration {
    var configuration = TransportConfiguration()
    configuration.connections.perHost = connectionsPerHost
    configuration.proxy = proxy
    configuration.tls.minimumVersion = minimumTLS
    return configuration
  }
}
