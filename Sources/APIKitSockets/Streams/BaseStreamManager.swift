import APIKit

/// What the managers of streams have in common: one object for one stream. Its subclasses are
/// ``BaseEventStreamManager`` and ``BaseLineStreamManager``; there can be no others.
///
/// Isolated to the main actor; the stream is parsed off it. Releasing the last reference ends the stream, and nothing is
/// delivered.
@MainActor open class BaseStreamManager<Item: Sendable>: RegisteredConnection {
  /// The object that the stream works for, by which ``ConnectionRegistry`` finds it. Weak; the default is the delegate.
  public weak var owner: AnyObject?
  /// Tags for ``ConnectionRegistry``. None by default.
  public var tags: Set<String> = []

  /// Where the stream stands.
  public var state: SocketState { runner.state }
  /// How the last stream ended; nil before the first end.
  public private(set) var lastClosing: StreamClosing?

  let runner = StreamRunner<Item>()
  /// How many connections this `open` has had.
  private(set) var connections = 0
  private var parameters = Parameters()
  private var serviceName: String?

  init() {
    runner.prepare = { [unowned self] (onPlace) throws(APIError) in try opening(onPlace) }
    runner.tell = { [weak self] notice in self?.take(notice) }
    ConnectionRegistry.shared.add(self)
  }

  deinit {
    runner.release()
    ConnectionRegistry.shared.remove(ObjectIdentifier(self))
  }

  /// Ends the stream; `didCloseWith` is called before this returns, and sequences of its items throw
  /// `APIError.Reason.cancelled`. No effect on a stream that is closed.
  public func cancel() { runner.cancel() }

  /// The owner, or the delegate where none is set.
  public var beneficiary: AnyObject? { owner ?? recipient }
  /// The name of its service; nil before it was opened.
  public var connectedService: String? { serviceName }
  /// Whether something is under way.
  public var isConnected: Bool { state.isActive }

  // MARK: For the subclasses

  /// The delegate.
  var recipient: AnyObject? { nil }

  /// What the next connection needs, by ``opening(of:headers:_:_:)``.
  func opening(_ onPlace: @escaping @Sendable (_ isWaiting: Bool) -> Void) throws(APIError)
    -> StreamRunner<Item>.Opening
  {
    throw APIError(.takeoff, .misconfigured, "a stream is opened by a subclass")
  }

  /// Tells the delegate.
  func tell(_ notice: StreamRunner<Item>.Notice) {}

  func begin(_ parameters: Parameters, _ policy: ReconnectPolicy, for user: LoadUser) {
    runner.open(policy, for: user) { [weak self] in
      self?.parameters = parameters
      self?.connections = 0
    }
  }

  /// What a connection needs, of what a manager states.
  func opening(
    of manager: some StreamManager, headers: HTTPHeaders, _ parser: any StreamParser<Item>,
    _ onPlace: @escaping @Sendable (_ isWaiting: Bool) -> Void
  ) throws(APIError) -> StreamRunner<Item>.Opening {
    serviceName = manager.service.name
    let (idleLimit, openLimit) = (manager.idleLimit, manager.openLimit)
    var transport: StreamTransport?
    var terms = OpeningCall.Terms(
      type(of: self), manager.apiName, parameters, headers: headers, networkGate: manager.networkGate,
      signIn: manager.signIn, expectation: ConnectionCall.streamExpectation)
    terms.method = manager.method
    let call = try OpeningCall(terms, of: manager.service, for: runner.user, runner.time) { base in
      let stream = StreamTransport(base, idleLimit: idleLimit, openLimit: openLimit, onPlace: onPlace)
      transport = stream
      return stream
    }
    guard let transport else { preconditionFailure("a call is made with a transport") }
    return .init(call: call, transport: transport, parser: parser)
  }

  private func take(_ notice: StreamRunner<Item>.Notice) {
    switch notice {
    case .opened: connections += 1
    case .ended(let closing): lastClosing = closing
    case .item, .lost: break
    }
    tell(notice)
  }
}
