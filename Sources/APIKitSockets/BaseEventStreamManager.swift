import APIKit

/// The base class of the managers of event streams (server-sent events): one object for one stream.
///
/// Nothing here can be overridden. A subclass must adopt ``EventStreamManager``, which declares its decisions;
/// `init` traps otherwise. The class is isolated to the main actor; the stream is parsed off it. Releasing the last
/// reference ends the stream, and nothing is delivered.
@MainActor open class BaseEventStreamManager: BaseStreamManager<ServerEvent> {
  /// Receives the events. Weak.
  public weak var delegate: (any EventStreamDelegate)?
  /// The id of the last event that had one; empty before. The stream is opened again from there. An id with control
  /// characters, which no header field can have, is passed over. It may be set before ``EventStreamManager/open(_:)``, to
  /// continue where an earlier run of the application has ended. An id that came in the stream of another user, or
  /// from another base URL of the service, is not sent.
  public var lastEventID = ""
  /// The last one that came in a stream.
  private var receivedID = ""

  /// This object as its subclass's protocol: the object itself, so it lives as long as its methods run.
  private var child: any EventStreamManager { adopted.unsafelyUnwrapped }
  private unowned(unsafe) var adopted: (any EventStreamManager)?

  /// Makes a manager. Traps when the subclass does not adopt ``EventStreamManager``.
  public override init() {
    super.init()
    guard let child = self as? any EventStreamManager else {
      // A subclass without it has no API: a mistake in the code, which no run can mend.
      fatalError("\(type(of: self)) must adopt EventStreamManager: it states the API's name and service")
    }
    adopted = child
  }

  /// The events from now on, beside the delegate. Call it before `open`: events that arrive before the call go to the
  /// delegate alone, and without one they are lost. Each call returns a new sequence, which ends when the stream ends
  /// in order and throws its error, `APIError.Reason.cancelled` after ``BaseStreamManager/cancel()``. While a sequence
  /// has 16 events or 1 MiB that were not read, the stream stops reading.
  public func events() -> StreamItems<ServerEvent> { items() }

  override var recipient: AnyObject? { delegate }
  override var endIsLoss: Bool { true }

  override func opening(
    _ onSlot: @escaping @Sendable (_ isWaiting: Bool) -> Void
  ) throws(APIError) -> Opening {
    try child.checkStatements()
    if cycle.isSwitched(to: child.service.environments.selection().baseURL) { beginsAnew() }
    var headers = child.headers
    for (name, value) in [("Accept", "text/event-stream"), ("Cache-Control", "no-store")]
    where !headers.contains(name) { headers.add(name, value) }
    if !lastEventID.isEmpty { headers["Last-Event-ID"] = lastEventID }
    let parser = EventStreamParser(maximumBytes: child.maximumEventBytes, lastEventID: lastEventID)
    return try opening(of: child, headers: headers, parser, onSlot)
  }

  override func check(_ response: HTTPResponse) throws(APIError) {
    guard response.mediaType == "text/event-stream" else {
      throw APIError(
        .response, .unacceptableContentType,
        "content type \(response.mediaType ?? "none"), expected text/event-stream",
        evidence: response.evidence)
    }
  }

  override func isLast(_ event: ServerEvent) -> Bool {
    goesOn(behind: event.id)
    return child.ends(at: event)
  }

  /// An id may come without an event. One that no header field can have could not be sent back: the one before it stays.
  override func goesOn(behind id: String) {
    guard HTTPHeaders.mayBeValue(id) else { return }
    (lastEventID, receivedID) = (id, id)
  }

  /// One that the application has set stays.
  override func beginsAnew() { if lastEventID.equalsExactly(receivedID) { lastEventID = "" } }

  override func didOpen(with response: HTTPResponse) {
    delegate?.events(self, didOpenWith: response, number: connections)
  }

  override func didReceive(_ event: ServerEvent) { delegate?.events(self, didReceive: event) }

  override func didDisconnect(with closing: StreamClosing, retryAfter wait: Duration) {
    delegate?.events(self, didDisconnectWith: closing, retryAfter: wait)
  }

  override func didClose(with closing: StreamClosing) { delegate?.events(self, didCloseWith: closing) }
}
