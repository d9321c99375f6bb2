public import APIKit

/// The common statements of stream managers. ``EventStreamManager`` and ``LineStreamManager`` inherit it.
///
/// Only `service` and `apiName` are required beside what those two name; the comment of every other member names its
/// default. The properties are read on the main actor whenever a connection is opened. An event stream adds the header fields
/// `Accept`, `Cache-Control` and `Last-Event-ID`.
@MainActor public protocol StreamManager: EndpointManager {
  /// The HTTP method. The default is GET; with POST the parameters are the body, in the service's encoding.
  var method: HTTPMethod { get }
  /// Whether a lost stream is opened again: an event stream by default (``ReconnectPolicy/standard``), a stream of values
  /// not (``ReconnectPolicy/never``).
  var reconnection: ReconnectPolicy { get }
  /// The longest time without a byte, comments of events included. The default is 300 seconds.
  var idleLimit: Duration { get }
  /// The longest time until the head of the response, from the look-up of the host's name; the default is 30 seconds. A
  /// connection that takes longer fails with `APIError.Reason.connectTimeout`. `.zero` means no limit.
  var openLimit: Duration { get }
}

extension StreamManager {
  /// GET.
  public var method: HTTPMethod { .get }
  /// 300 seconds.
  public var idleLimit: Duration { .seconds(300) }
  /// 30 seconds.
  public var openLimit: Duration { .seconds(30) }

  /// What every stream states, beside what every endpoint does.
  var streamStatements: [StatedMember] {
    [
      StatedMember("method", method), StatedMember("reconnection", reconnection),
      StatedMember("idleLimit", idleLimit), StatedMember("openLimit", openLimit),
    ]
  }
}
