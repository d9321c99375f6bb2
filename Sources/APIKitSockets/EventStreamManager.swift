public import APIKit

/// The statements of a subclass of ``BaseEventStreamManager`` about its event stream (server-sent events).
///
/// Only `service` and `apiName` are required; the comment of every other member names its default.
///
/// ```swift
/// final class PriceEventManager: BaseEventStreamManager, EventStreamManager {
///   let service = Homes.shared
///   let apiName = "events"
/// }
/// ```
/// - SeeAlso: <https://html.spec.whatwg.org/multipage/server-sent-events.html>
@MainActor public protocol EventStreamManager: BaseEventStreamManager, StreamManager {
  /// Whether a lost stream is opened again. The default is ``ReconnectPolicy/standard``, as in browsers. The orderly end
  /// of a response is a loss as well: a server that wants to end sends status 204.
  var reconnection: ReconnectPolicy { get }
  /// The most bytes of an event. The default is 16 MiB.
  var maximumEventBytes: Int { get }

  /// Whether an event says that the stream is complete, e.g. the data `[DONE]`. It is not delivered, and the stream ends.
  /// The default is never.
  func ends(at event: ServerEvent) -> Bool
}

extension EventStreamManager {
  /// Without end.
  public var reconnection: ReconnectPolicy { .standard }
  /// 16 MiB.
  public var maximumEventBytes: Int { 16 << 20 }
  /// Never.
  public func ends(at event: ServerEvent) -> Bool { false }

  /// Opens the stream; the delegate gets the events. A stream that is open is ended first. Of several
  /// calls meanwhile only the last one opens a stream, and each of the others gets its
  /// `didCloseWith`.
  /// - Parameter parameters: Sent in the URL, or with POST in the body. None by default.
  public func open(_ parameters: Parameters = Parameters()) {
    begin(parameters, reconnection, for: presentUser)
  }

  func checkStatements() throws(APIError) {
    try checkStatements(
      streamStatements + [StatedMember("maximumEventBytes", maximumEventBytes)], of: "EventStreamManager",
      below: BaseEventStreamManager.self)
  }
}

/// The delegate of an event stream: receives its events on the main actor, in order.
///
/// For each `open`: at most one `didOpenWith` for a connection, one `didDisconnectWith` for each lost connection that
/// another one follows, and exactly one `didCloseWith`, last.
@MainActor public protocol EventStreamDelegate: AnyObject {
  /// The stream is open: the first time (`number` 1), or again. The default does nothing.
  func events(_ manager: BaseEventStreamManager, didOpenWith response: HTTPResponse, number: Int)
  /// An event was received.
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
