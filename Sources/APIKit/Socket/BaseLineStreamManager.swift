/// The base class of the managers of streams of values: JSON lines (NDJSON) or JSON text sequences (RFC 7464).
///
/// Nothing here can be overridden. What a subclass decides is declared in ``LineStreamManager``, which it must adopt;
/// `init` traps otherwise. The class is isolated to the main actor; the stream is parsed off it. Releasing the last
/// reference ends the stream, and nothing is delivered.
@MainActor open class BaseLineStreamManager: RegisteredConnection {
  /// Receives the values. Weak.
  public weak var delegate: (any LineStreamDelegate)?
  /// The object that the stream works for, by which ``ConnectionRegistry`` finds it. Weak; the default is the delegate.
  public weak var owner: AnyObject?
  /// Tags for ``ConnectionRegistry``. None by default.
  public var tags: Set<String> = []

  /// Where the stream stands.
  public var state: SocketState { runner.state }
  /// How the last stream ended; nil before the first end.
  public private(set) var lastClosing: StreamClosing?

  let runner = StreamRunner<StreamLine>()
  var parameters = Parameters()
  private var connections = 0
  private var serviceName: String?

  /// The child's side of this object: the object itself, so it is there as long as anything of it runs.
  private var child: any LineStreamManager { adopted.unsafelyUnwrapped }
  private unowned(unsafe) var adopted: (any LineStreamManager)?

  /// Makes a manager. Traps when the subclass does not adopt ``LineStreamManager``.
  public init() {
    guard let child = self as? any LineStreamManager else {
      // A subclass without it has no API: a mistake in the code, which no run can mend.
      fatalError("\(type(of: self)) must adopt LineStreamManager: it states the API's name and service")
    }
    adopted = child
    runner.prepare = { [unowned self] (onStart) throws(APIError) in try opening(onStart) }
    runner.tell = { [weak self] notice in self?.take(notice) }
    ConnectionRegistry.shared.add(self)
  }

  deinit {
    runner.release()
    ConnectionRegistry.shared.remove(ObjectIdentifier(self))
  }

  /// Ends the stream; `didCloseWith` is called before this returns. No effect on a stream that is closed.
  public func cancel() { runner.cancel() }

  /// The values from now on, beside the delegate. Each call returns a new sequence, which ends when the stream ends in
  /// order and throws what it failed with. While a sequence has 16 values that were not taken, reading stops.
  public func lines() -> StreamItems<StreamLine> { runner.items { _ in 0 } }

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
  ) throws(APIError) -> StreamRunner<StreamLine>.Opening {
    try child.checkStatements()
    serviceName = child.service.name
    var transport: StreamTransport?
    let idleLimit = child.idleLimit
    let call = try child.makeCall(parameters) { base in
      let stream = StreamTransport(base, idleLimit: idleLimit, onStart: onStart)
      transport = stream
      return stream
    }
    guard let transport else { preconditionFailure("a call is made with a transport") }
    return .init(
      call: call, transport: transport,
      parser: LineParser(
        child.format, maximumBytes: child.maximumLineBytes, deliversBad: child.deliversBadLines))
  }

  private func take(_ notice: StreamRunner<StreamLine>.Notice) {
    switch notice {
    case .opened(let response):
      connections += 1
      delegate?.lines(self, didOpenWith: response, number: connections)
    case .item(let line): delegate?.lines(self, didReceive: line)
    case .lost(let closing, let wait): delegate?.lines(self, didDisconnectWith: closing, retryAfter: wait)
    case .ended(let closing):
      lastClosing = closing
      delegate?.lines(self, didCloseWith: closing)
    }
  }
}
