/// The base class of the managers of event streams (server-sent events): one object for one stream.
///
/// Nothing here can be overridden. What a subclass decides is declared in ``EventStreamManager``, which it must adopt;
/// `init` traps otherwise. The class is isolated to the main actor; the stream is parsed off it. Releasing the last
/// reference ends the stream, and nothing is delivered.
@MainActor open class BaseEventStreamManager: RegisteredConnection {
  /// Receives the events. Weak.
  public weak var delegate: (any EventStreamDelegate)?
  /// The object that the stream works for, by which ``ConnectionRegistry`` finds it. Weak; the default is the delegate.
  public weak var owner: AnyObject?
  /// Tags for ``ConnectionRegistry``. None by default.
  public var tags: Set<String> = []

  /// Where the stream stands.
  public var state: SocketState { runner.state }
  /// The id of the last event that had one; empty before. The stream is opened again from there. It may be set before
  /// ``EventStreamManager/open(_:)``, to go on where an earlier run of the application has ended.
  public var lastEventID = ""
  /// How the last stream ended; nil before the first end.
  public private(set) var lastClosing: StreamClosing?

  let runner = StreamRunner<ServerEvent>()
  var parameters = Parameters()
  private var connections = 0
  private var serviceName: String?

  /// The child's side of this object: the object itself, so it is there as long as anything of it runs.
  private var child: any EventStreamManager { adopted.unsafelyUnwrapped }
  private unowned(unsafe) var adopted: (any EventStreamManager)?

  /// Makes a manager. Traps when the subclass does not adopt ``EventStreamManager``.
  public init() {
    guard let child = self as? any EventStreamManager else {
      // A subclass without it has no API: a mistake in the code, which no run can mend.
      fatalError("\(type(of: self)) must adopt EventStreamManager: it states the API's name and service")
    }
    adopted = child
    runner.endIsLoss = true
    runner.prepare = { [unowned self] (onStart) throws(APIError) in try opening(onStart) }
    runner.check = { (response) throws(APIError) in
      guard response.mediaType == "text/event-stream" else {
        throw APIError(
          .response, .unacceptableContentType,
          "content type \(response.mediaType ?? "none"), expected text/event-stream",
          evidence: response.evidence)
      }
    }
    runner.isLast = { [unowned self] event in self.child.ends(at: event) }
    // An id may come without an event.
    runner.onResumePoint = { [weak self] id in self?.lastEventID = id }
    runner.tell = { [weak self] notice in self?.take(notice) }
    ConnectionRegistry.shared.add(self)
  }

  deinit {
    runner.release()
    ConnectionRegistry.shared.remove(ObjectIdentifier(self))
  }

  /// Ends the stream; `didCloseWith` is called before this returns. No effect on a stream that is closed.
  public func cancel() { runner.cancel() }

  /// The events from now on, beside the delegate. Each call returns a new sequence, which ends when the stream ends in
  /// order and throws what it failed with. While a sequence has 16 events that were not taken, reading stops.
  public func events() -> StreamItems<ServerEvent> { runner.items { $0.data.utf8.count } }

  /// The owner, or the delegate where none is set.
  public var beneficiary: AnyObject? { owner ?? delegate }
  /// The name of its service; nil before it was opened.
  public var connectedService: String? { serviceName }
  /// Whether something is under way.
  public var isConnected: Bool { state.isActive }

  func begin(_ parameters: Parameters) {
    self.parameters = parameters
    connections = 0
    runner.open(child.reconnection)
  }

  private func opening(
    _ onStart: @escaping @Sendable () -> Void
  ) throws(APIError) -> StreamRunner<ServerEvent>.Opening {
    try child.checkStatements()
    serviceName = child.service.name
    var transport: StreamTransport?
    let idleLimit = child.idleLimit
    let call = try child.makeCall(parameters, lastEventID) { base in
      let stream = StreamTransport(base, idleLimit: idleLimit, onStart: onStart)
      transport = stream
      return stream
    }
    guard let transport else { preconditionFailure("a call is made with a transport") }
    return .init(
      call: call, transport: transport,
      parser: EventStreamParser(maximumBytes: child.maximumEventBytes, lastEventID: lastEventID))
  }

  private func take(_ notice: StreamRunner<ServerEvent>.Notice) {
    switch notice {
    case .opened(let response):
      connections += 1
      delegate?.events(self, didOpenWith: response, number: connections)
    case .item(let event):
      lastEventID = event.id
      delegate?.events(self, didReceive: event)
    case .lost(let closing, let wait): delegate?.events(self, didDisconnectWith: closing, retryAfter: wait)
    case .ended(let closing):
      lastClosing = closing
      delegate?.events(self, didCloseWith: closing)
    }
  }
}
