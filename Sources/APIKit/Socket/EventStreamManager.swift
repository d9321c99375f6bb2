/// What a subclass of ``BaseEventStreamManager`` states about its event stream (server-sent events).
///
/// Only ``service`` and ``apiName`` are required; the comment of every other member names its default.
///
/// ```swift
/// final class PriceEventManager: BaseEventStreamManager, EventStreamManager {
///   let service = Homes.shared
///   let apiName = "events"
/// }
/// ```
/// - SeeAlso: <https://html.spec.whatwg.org/multipage/server-sent-events.html>
@MainActor public protocol EventStreamManager: BaseEventStreamManager {
  /// The type of the backend.
  associatedtype Service: APIService

  /// The backend.
  var service: Service { get }
  /// The API's name: the path below the service's base URL.
  var apiName: String { get }
  /// The HTTP method. The default is GET; with POST the parameters are the body, in the service's encoding.
  var method: HTTPMethod { get }
  /// Header fields. The default is none; `Accept`, `Cache-Control` and `Last-Event-ID` are added.
  var headers: HTTPHeaders { get }
  /// Whether a lost stream is opened again. The default is ``ReconnectPolicy/standard``, as in browsers. The orderly end
  /// of a response is a loss as well: a server that wants to end sends status 204.
  var reconnection: ReconnectPolicy { get }
  /// The longest time without a byte, comments included. The default is 300 seconds.
  var idleLimit: Duration { get }
  /// The most bytes of an event. The default is 16 MiB.
  var maximumEventBytes: Int { get }
  /// Whether the request needs the service's sign-in. The default carries its credential if there is one.
  var signIn: SignInRule { get }
  /// What happens while there is no network. The default is the service's gate.
  var networkGate: NetworkGate { get }

  /// Whether an event says that the stream is complete, e.g. the data `[DONE]`. It is not delivered, and the stream ends.
  /// The default is never.
  func ends(at event: ServerEvent) -> Bool
}

extension EventStreamManager {
  /// GET.
  public var method: HTTPMethod { .get }
  /// None.
  public var headers: HTTPHeaders { HTTPHeaders() }
  /// Without end.
  public var reconnection: ReconnectPolicy { .standard }
  /// 300 seconds.
  public var idleLimit: Duration { .seconds(300) }
  /// 16 MiB.
  public var maximumEventBytes: Int { 16 << 20 }
  /// With the credential, if there is one.
  public var signIn: SignInRule { .asAvailable }
  /// The service's gate.
  public var networkGate: NetworkGate { service.admission.networkGate }
  /// Never.
  public func ends(at event: ServerEvent) -> Bool { false }

  /// Opens the stream; what comes of it is told to the delegate. A stream that is open is ended first.
  public func open(_ parameters: Parameters = Parameters()) { begin(parameters) }

  func makeCall(
    _ parameters: Parameters, _ lastEventID: String, _ transport: (any HTTPTransport) -> any HTTPTransport
  ) throws(APIError) -> APICall {
    var headers = headers
    for (name, value) in [("Accept", "text/event-stream"), ("Cache-Control", "no-store")]
    where !headers.contains(name) { headers.add(name, value) }
    if !lastEventID.isEmpty { headers["Last-Event-ID"] = lastEventID }
    return try ConnectionCall.make(
      type(of: self), service, apiName, parameters, method: method, headers: headers,
      networkGate: networkGate,
      signIn: signIn, expectation: ConnectionCall.streamExpectation, time: runner.time, transport: transport)
  }

  func checkStatements() throws(APIError) {
    let statements = [
      Statement("service", service), Statement("apiName", apiName), Statement("method", method),
      Statement("headers", headers), Statement("reconnection", reconnection),
      Statement("idleLimit", idleLimit),
      Statement("maximumEventBytes", maximumEventBytes), Statement("signIn", signIn),
      Statement("networkGate", networkGate),
    ]
    try ConnectionCall.check(
      self, statements, of: "EventStreamManager", below: BaseEventStreamManager.self, service)
  }
}

/// Receives what an event stream brings, on the main actor and in order.
///
/// For each `open`: at most one `didOpenWith` for a connection, one `didDisconnectWith` for each lost connection that
/// another one follows, and exactly one `didCloseWith`, last.
@MainActor public protocol EventStreamDelegate: AnyObject {
  /// The stream is open: the first time (`number` 1), or again. The default does nothing.
  func events(_ manager: BaseEventStreamManager, didOpenWith response: HTTPResponse, number: Int)
  /// An event has come.
  func events(_ manager: BaseEventStreamManager, didReceive event: ServerEvent)
  /// A connection was lost, and another one follows in a while. The default does nothing.
  func events(
    _ manager: BaseEventStreamManager, didDisconnectWith closing: StreamClosing, retryAfter wait: Duration)
  /// The stream has ended, or could not be opened.
  func events(_ manager: BaseEventStreamManager, didCloseWith closing: StreamClosing)
}

extension EventStreamDelegate {
  /// Does nothing.
  public func events(_ manager: BaseEventStreamManager, didOpenWith response: HTTPResponse, number: Int) {}
  /// Does nothing.
  public func events(
    _ manager: BaseEventStreamManager, didDisconnectWith closing: StreamClosing, retryAfter wait: Duration
  ) {}
}
