public import APIKit

/// The common base of stream managers: one object for one stream. Its subclasses are
/// ``BaseEventStreamManager`` and ``BaseLineStreamManager``; there can be no others.
///
/// Isolated to the main actor; the stream is parsed off it. Releasing the last reference ends the stream, and nothing is
/// delivered.
@MainActor open class BaseStreamManager<Item: Sendable>: RegisteredConnection {
  /// The object that the stream works for, by which ``ConnectionRegistry`` finds it. Weak; the default is the delegate.
  public weak var owner: AnyObject?
  /// Tags for ``ConnectionRegistry``. None by default.
  public var tags: Set<String> = []

  /// The state of the stream.
  public internal(set) var state = SocketState.idle
  /// The end of the last stream; nil before the first end.
  public internal(set) var lastClosing: StreamClosing?

  /// The clock of waits and limits; a test sets `ManualTime` of APIKitTesting.
  public var time: any TimeSource = SystemTime()
  /// A random number from 0 to 1; tests replace it.
  var jitter: () -> Double = { .random(in: 0...1) }

  let cycle = ConnectionCycle()
  var parameters = Parameters()
  /// How many connections this `open` has had.
  var connections = 0
  /// That of the present connection, or of the last one.
  var source: ReformSource?
  /// The calls of `open` that wait until the present stream has ended.
  var pendingOpens = PendingOpens<(parameters: Parameters, policy: ReconnectPolicy, user: LoadUser)>()
  /// Whether a stream has ended and its `didCloseWith` was not called yet.
  var isEnding = false
  var inbox: ConnectionInbox<StreamInboxItem>?
  var readers = ItemReaders<Item>()
  var network: NetworkMonitor = .shared
  var openedAt = Duration.zero
  /// The wait before another connection that the server has named.
  var retry = Duration.zero

  init() { ConnectionRegistry.shared.add(self) }

  deinit {
    cycle.release()
    readers.release()
    ConnectionRegistry.shared.remove(ObjectIdentifier(self))
  }

  /// Ends the stream; `didCloseWith` is called before this returns, and sequences of its items throw
  /// `APIError.Reason.cancelled`. No effect on a stream that is closed.
  public func cancel() {
    pendingOpens.refuse(because: .byCaller)
    if state.isActive { finish(StreamClosing(.cancelled)) }
  }

  /// The owner, or the delegate where none is set.
  public var beneficiary: AnyObject? { owner ?? recipient }
  /// The name of its service; nil before it was opened.
  public private(set) var connectedService: String?
  /// Whether something is under way.
  public var isConnected: Bool { state.isActive }

  // MARK: For the subclasses

  /// The parts of the next connection.
  typealias Opening = (call: OpeningCall, transport: StreamTransport, parser: any StreamParser<Item>)

  /// An item of the task that reads.
  enum StreamInboxItem: InboxItem {
    case item(Item, bytes: Int)
    /// The id behind which the next connection resumes has changed.
    case place(String)
    case ended(APIError?, retry: Duration?)

    var keptBytes: Int? { if case .item(_, let bytes) = self { bytes } else { nil } }
    var isEnd: Bool { if case .ended = self { true } else { false } }
  }
  typealias Inbox = ConnectionInbox<StreamInboxItem>

  /// The delegate.
  var recipient: AnyObject? { nil }
  /// Whether the orderly end of a body is a loss, as with server-sent events.
  var endIsLoss: Bool { false }

  /// Whether a first connection that fails is followed by others, as the policy says.
  var retriesFirstConnection: Bool { true }

  /// Makes the next connection, by ``opening(of:headers:_:_:)``.
  func opening(_ onSlot: @escaping @Sendable (_ isWaiting: Bool) -> Void) throws(APIError) -> Opening {
    throw APIError(.takeoff, .misconfigured, "a stream is opened by a subclass")
  }

  /// Throws when a response ends the stream.
  func check(_ response: HTTPResponse) throws(APIError) {}

  /// Whether an item only says that the stream is complete; it is not delivered.
  func isLast(_ item: Item) -> Bool { false }

  /// The id behind which the next connection resumes has changed.
  func goesOn(behind place: String) {}

  /// The next connection does not continue those before: their user is no longer there, or they were to another server.
  func beginsAnew() {}

  // Callbacks of the delegate.
  func didOpen(with response: HTTPResponse) {}
  func didReceive(_ item: Item) {}
  func didDisconnect(with closing: StreamClosing, retryAfter wait: Duration) {}
  func didClose(with closing: StreamClosing) {}

  /// Makes a connection of a manager's statements.
  func opening(
    of manager: some StreamManager, headers: HTTPHeaders, _ parser: any StreamParser<Item>,
    _ onSlot: @escaping @Sendable (_ isWaiting: Bool) -> Void
  ) throws(APIError) -> Opening {
    connectedService = manager.service.name
    let (idleLimit, openLimit, time) = (manager.idleLimit, manager.openLimit, time)
    // 200 with a body that is read later, or 204 for its end.
    let expectation = ResponseExpectation(statuses: 200..<205, format: .bytes)
    let (call, transport) = try manager.opening(
      parameters, method: manager.method, headers: headers, expectation: expectation, for: cycle.user,
      time: time
    ) { StreamTransport($0, idleLimit: idleLimit, openLimit: openLimit, time: time, onSlot: onSlot) }
    return (call, transport, parser)
  }
}
