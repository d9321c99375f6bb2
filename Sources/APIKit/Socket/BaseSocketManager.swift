import Synchronization

/// The base class of the managers of WebSockets: one object for one socket (RFC 6455).
///
/// Nothing here can be overridden. What a subclass decides is declared in ``SocketManager``, which it must adopt; `init`
/// traps otherwise. The class is isolated to the main actor. The connection is read, written and kept alive by pings on a
/// thread of its transport. Releasing the last reference, on any thread, ends the connection with 1001, and nothing is
/// delivered.
@MainActor open class BaseSocketManager: RegisteredConnection {
  /// Receives messages and the ends of connections. Weak.
  public weak var delegate: (any SocketManagerDelegate)?
  /// The object that the socket works for, by which ``ConnectionRegistry`` finds it. Weak; the default is the delegate.
  public weak var owner: AnyObject?
  /// Tags for ``ConnectionRegistry``. None by default.
  public var tags: Set<String> = []
  /// The limits, breakers and budgets that connections share with the loads of other managers; the default is
  /// ``SharedState/shared``.
  public var sharedState = SharedState.shared

  /// Where the socket stands.
  public internal(set) var state = SocketState.idle
  /// What the server accepted; nil while the socket is not open.
  public internal(set) var opening: SocketOpening?
  /// How the last connection ended; nil before the first end.
  public internal(set) var lastClosing: SocketClosing?
  /// The time between the last ping and its pong; nil before the first.
  public internal(set) var roundTrip: Duration?

  /// The clock of reconnections; tests replace it with a manual one.
  var time: any TimeSource = SystemTime()
  /// A random number from 0 to 1; tests replace it.
  var jitter: () -> Double = { .random(in: 0...1) }

  let cycle = ConnectionCycle()
  let lifeline = SocketLifeline()
  var link: (any SocketLink)?
  var inbox: SocketInbox?
  var packing: SocketOptions?
  /// What the present connection asks for.
  var asked = (parameters: Parameters(), headers: HTTPHeaders())
  var network: NetworkMonitor = .shared
  var openedAt = Duration.zero
  /// How many connections this `open` has had.
  var connections = 0
  /// What is sent on the next connection.
  var kept: [SocketUnsent] = []
  /// Whether the caller has closed, and whether nothing more is delivered but the end.
  var isClosedByCaller = false
  var isMuted = false
  /// What is opened when the present socket is closed.
  var following: (parameters: Parameters, waiter: OpenWaiter?)?
  var openWaiters: [OpenWaiter] = []
  var roomWaiters: [CheckedContinuation<Void, Never>] = []
  var pingWaiters: [UInt64: CheckedContinuation<Result<Duration, APIError>, Never>] = [:]
  var lastToken: UInt64 = 0
  var readers: [WeakReader<SocketMessage>] = []
  var serviceName: String?

  typealias OpenWaiter = CheckedContinuation<Result<SocketOpening, APIError>, Never>

  /// The child's side of this object: the object itself, so it is there as long as anything of it runs.
  var child: any SocketManager { adopted.unsafelyUnwrapped }
  private unowned(unsafe) var adopted: (any SocketManager)?

  /// Makes a manager. Traps when the subclass does not adopt ``SocketManager``.
  public init() {
    guard let child = self as? any SocketManager else {
      // A subclass without it has no API: a mistake in the code, which no run can mend.
      fatalError("\(type(of: self)) must adopt SocketManager: it states the API's name and service")
    }
    adopted = child
    ConnectionRegistry.shared.add(self)
  }

  deinit {
    cycle.release()
    lifeline.release()
    ConnectionRegistry.shared.remove(ObjectIdentifier(self))
  }

  // MARK: Sending

  /// Sends a text. See ``send(_:compressed:)``.
  public func send(_ text: String) throws(APIError) { try send(.text(text)) }

  /// Sends bytes. See ``send(_:compressed:)``.
  public func send(_ bytes: [UInt8]) throws(APIError) { try send(.data(bytes)) }

  /// Queues a message to be sent, in the order of the calls.
  ///
  /// Throws ``APIError/Reason/socketNotOpen`` in every state but ``SocketState/open``,
  /// ``APIError/Reason/sendQueueFull`` when more than ``SocketOptions/maximumQueuedBytes`` would wait, and
  /// ``APIError/Reason/unsupportedCapability`` where the system compresses what must not be.
  /// - Parameters:
  ///   - message: The message.
  ///   - compressed: False leaves this message as it is, e.g. one with a secret beside text of others (CRIME).
  public func send(_ message: SocketMessage, compressed: Bool = true) throws(APIError) {
    let link = try openLink()
    let limit = packing?.maximumQueuedBytes ?? .max
    guard link.queuedBytes + message.byteCount <= limit else {
      throw APIError(
        .transport, .sendQueueFull, "\(link.queuedBytes) bytes wait to be sent, and \(limit) may")
    }
    if !compressed, let objection = link.objection(to: .sendUncompressed) { throw objection }
    link.send(message, packs: compressed)
  }

  /// Sends a message when there is room for it; throws what ``send(_:compressed:)`` throws of the state.
  public func sendWhenPossible(_ message: SocketMessage, compressed: Bool = true) async throws(APIError) {
    while true {
      let link = try openLink()
      do throws(APIError) {
        return try send(message, compressed: compressed)
      } catch {
        // What is larger than the queue would wait for ever.
        guard error.reason == .sendQueueFull, message.byteCount <= packing?.maximumQueuedBytes ?? 0 else {
          throw error
        }
      }
      link.tellWhenDrained()
      guard link.queuedBytes > 0 else { continue }
      await withCheckedContinuation { roomWaiters.append($0) }
      if Task.isCancelled { throw APIError(cancelled: .taskCancelled) }
    }
  }

  /// Sends a ping and returns the time until its pong. Throws when the socket is not open, or ends before.
  @discardableResult public func ping() async throws(APIError) -> Duration {
    let link = try openLink()
    lastToken += 1
    let token = lastToken
    return try await withCheckedContinuation { waiter in
      pingWaiters[token] = waiter
      link.ping(token: token)
    }.get()
  }

  private func openLink() throws(APIError) -> any SocketLink {
    guard state == .open, let link else {
      throw APIError(.transport, .socketNotOpen, "the socket is \(state.rawValue), so nothing can be sent")
    }
    return link
  }

  // MARK: Closing

  /// Closes the socket in order: what was sent before leaves first, then the close frame, then the server's end is waited
  /// for, at most ``SocketOptions/closeLimit``. A socket that is not open yet ends at once.
  ///
  /// Throws ``APIError/Reason/misconfigured`` for a code that may not be sent (only 1000–1003, 1007–1014 and 3000–4999
  /// may) and for a reason of more than 123 bytes, ``APIError/Reason/socketNotOpen`` when there is nothing to close, and
  /// ``APIError/Reason/unsupportedCapability`` for a code that the transport's system does not know.
  public func close(_ code: SocketCloseCode = .normal, reason: String = "") throws(APIError) {
    guard SocketCloseCode.mayStand(code.rawValue) else {
      throw APIError(.transport, .misconfigured, "the close code \(code) may not be sent")
    }
    guard reason.utf8.count <= 123 else {
      throw APIError(
        .transport, .misconfigured, "a close reason has at most 123 bytes, not \(reason.utf8.count)")
    }
    guard state.isActive else {
      throw APIError(.transport, .socketNotOpen, "the socket is \(state.rawValue) already")
    }
    if state == .open, let objection = link?.objection(to: .close(code)) { throw objection }
    following?.waiter?.resume(returning: .failure(APIError(cancelled: .byCaller)))
    following = nil
    endByCaller(code, reason)
  }

  /// Ends the socket at once, without a close frame; what was not sent yet is dropped. Nothing more is delivered but
  /// `didClose`. No effect on a socket that is closed.
  public func cancel() {
    guard state.isActive else { return }
    following?.waiter?.resume(returning: .failure(APIError(cancelled: .byCaller)))
    following = nil
    isClosedByCaller = true
    isMuted = true
    guard let link else { return finish(Self.neverOpen(APIError(cancelled: .byCaller))) }
    state = .closing
    link.cancel()
  }

  /// The messages from now on, beside the delegate. Each call returns a new sequence, which ends when the socket closes in
  /// order and throws what it failed with (``APIError/Reason/cancelled`` after ``cancel()``); a reconnection does not end it. While a sequence has 16 messages or 1 MiB that
  /// were not taken, reading stops, so that the server waits.
  public func messages() -> SocketMessages {
    let reader = ItemReader<SocketMessage>(size: \.byteCount) { [weak self] in
      // The socket may have waited for room.
      self?.inbox?.deliver()
      return self != nil
    }
    readers.append(WeakReader(reader: reader))
    return SocketMessages(reader: reader)
  }

  static func neverOpen(_ error: APIError) -> SocketClosing {
    SocketClosing(code: .abnormal, end: .notOpened, error: error)
  }
}

/// What of a socket ends with its manager, on whatever thread that is released.
final class SocketLifeline: Sendable {
  private struct State {
    var link: (any SocketLink)?
    var watch: Task<Void, Never>?
  }
  private let state = Mutex(State())

  func hold(_ link: any SocketLink, _ watch: Task<Void, Never>) {
    state.withLock { $0 = State(link: link, watch: watch) }
  }

  /// The connection has ended by itself.
  func letGo() {
    let watch = state.withLock { state in
      defer { state = State() }
      return state.watch
    }
    watch?.cancel()
  }

  func release() {
    let held = state.withLock { state in
      defer { state = State() }
      return state
    }
    held.watch?.cancel()
    held.link?.release()
  }
}
