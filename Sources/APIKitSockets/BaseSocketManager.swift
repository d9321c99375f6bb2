public import APIKit

/// The base class of the managers of WebSockets: one object for one socket (RFC 6455).
///
/// Nothing here can be overridden. A subclass must adopt ``SocketManager``, which declares its decisions; `init`
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
  /// `SharedState.shared`.
  public var sharedState = SharedState.shared

  /// The state of the socket.
  public internal(set) var state = SocketState.idle
  /// The accepted handshake; nil while the socket is not open.
  public internal(set) var opening: SocketOpening?
  /// The end of the last connection; nil before the first end.
  public internal(set) var lastClosing: SocketClosing?
  /// The time between the last ping and its pong; nil before the first.
  public internal(set) var roundTrip: Duration?
  /// The name of the service; nil before it was opened.
  public internal(set) var connectedService: String?

  /// The clock of waits and limits; a test sets `ManualTime` of APIKitTesting.
  public var time: any TimeSource = SystemTime()
  /// A random number from 0 to 1; tests replace it.
  var jitter: () -> Double = { .random(in: 0...1) }

  let cycle = ConnectionCycle()
  var channel: (any SocketChannel)?
  var inbox: SocketInbox?
  var packing: SocketOptions?
  /// The parameters and header fields of the present connection.
  var asked = (parameters: Parameters(), headers: HTTPHeaders())
  var network: NetworkMonitor = .shared
  var openedAt = Duration.zero
  /// How many connections this `open` has had.
  var connections = 0
  /// The messages for the next connection.
  var kept: [SocketUnsent] = []
  /// How many bytes these take.
  var keptBytes = 0
  /// Whether the caller has closed, and whether nothing more is delivered but the end.
  var isClosedByCaller = false
  var isMuted = false
  /// The calls of `open` that wait until the present socket is closed.
  var pendingOpens = PendingOpens<Opening>()
  /// Whether the socket has ended and its `didClose` was not called yet.
  var isEnding = false
  /// The end of a connection whose last messages are not settled yet.
  var ended: (closing: SocketClosing, unsent: [SocketUnsent])?
  /// The caller that awaits the present `open`; nil where none does.
  var opener: UInt64?
  /// Nil while nobody waits.
  var openers: WaiterQueue<Void, SocketOpening>?
  /// Nil until somebody has waited.
  var senders: WaiterQueue<(message: SocketMessage, packs: Bool), Void>?
  lazy var pingers = WaiterQueue<Void, Duration>()
  var readers = ItemReaders<SocketMessage>()

  /// The arguments of one call of `open`, and the caller that awaits it.
  typealias Opening = (parameters: Parameters, opener: UInt64?, user: LoadUser)

  /// This object as its subclass's protocol: the object itself, so it lives as long as its methods run.
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
    readers.release()
    ConnectionRegistry.shared.remove(ObjectIdentifier(self))
  }

  // MARK: Sending

  /// Sends a text. See ``send(_:compressed:)``.
  public func send(_ text: String) throws(APIError) { try send(.text(text)) }

  /// Sends bytes. See ``send(_:compressed:)``.
  public func send(_ bytes: [UInt8]) throws(APIError) { try send(.data(bytes)) }

  /// Sends a value as JSON, in a text message. See ``send(_:compressed:)``.
  ///
  /// Throws `APIError.Reason.unencodableParameter` for a value that has no form in JSON.
  @_disfavoredOverload public func send(_ value: some Encodable) throws(APIError) {
    try send(.text(try RawData(encoding: value).jsonText()))
  }

  /// Queues a message to be sent, in the order of the calls.
  ///
  /// Between two connections the message is kept for the next one where the policy says so
  /// (``ReconnectPolicy/Unsent/keep(upTo:)``). Throws `APIError.Reason.socketNotOpen` in every other state but
  /// ``SocketState/open``, `APIError.Reason.sendQueueFull` when more than ``SocketOptions/maximumQueuedBytes`` would wait
  /// or a call of ``sendWhenPossible(_:compressed:within:)`` waits, and `APIError.Reason.unsupportedCapability` if the
  /// system would compress a message with `compressed: false`.
  /// - Parameters:
  ///   - message: The message.
  ///   - compressed: False sends this message without compression, e.g. one with a secret beside text of
  ///     others (CRIME).
  public func send(_ message: SocketMessage, compressed: Bool = true) throws(APIError) {
    // Those who wait for room were first.
    guard senders?.first == nil else {
      throw APIError(.transport, .sendQueueFull, "messages wait for room to be sent")
    }
    try put(message, compressed)
  }

  private func put(_ message: SocketMessage, _ compressed: Bool) throws(APIError) {
    if isBetweenConnections, case .keep(let limit) = cycle.machine.policy.unsent {
      let bytes = keptBytes + WebSocketFrame.size(of: message)
      guard bytes <= limit else {
        throw APIError(
          .transport, .sendQueueFull,
          "with this message \(bytes) bytes wait for the next connection, and \(limit) may")
      }
      keptBytes = bytes
      return kept.append(SocketUnsent(message: message, hasBegun: false, packs: compressed))
    }
    let channel = try openChannel()
    let limit = packing?.maximumQueuedBytes ?? .max
    guard channel.queuedBytes + message.byteCount <= limit else {
      throw APIError(
        .transport, .sendQueueFull, "\(channel.queuedBytes) bytes wait to be sent, and \(limit) may")
    }
    if !compressed, let objection = channel.objection(to: .sendUncompressed) { throw objection }
    channel.send(message, packs: compressed)
  }

  /// Sends a message as soon as the send queue has room for it, after messages that wait for room
  /// already. Throws what ``send(_:compressed:)`` throws for the state of the socket.
  ///
  /// Throws `APIError.Reason.cancelled` when the task is cancelled meanwhile, and
  /// `APIError.Reason.idleTimeout` after `limit`; the message is not sent then. The default has no limit.
  public func sendWhenPossible(
    _ message: SocketMessage, compressed: Bool = true, within limit: Duration? = nil
  ) async throws(APIError) {
    guard !Task.isCancelled else { throw APIError(cancelled: .taskCancelled) }
    do throws(APIError) {
      return try send(message, compressed: compressed)
    } catch {
      // A message that is larger than the queue would wait for ever.
      guard error.reason == .sendQueueFull, message.byteCount <= packing?.maximumQueuedBytes ?? 0 else {
        throw error
      }
    }
    let waiting = senders ?? WaiterQueue()
    senders = waiting
    try await waiting.wait((message, compressed), within: limit, time: time) { _ in
      sendWaiting()
    } onGivenUp: {
      [weak self] _ in
      // The one behind may need less room.
      self?.sendWaiting()
    }
  }

  /// Sends the messages that wait for room, in their order, as far as there is room.
  func sendWaiting() {
    while let senders, let (message, packs) = senders.first {
      do throws(APIError) {
        try put(message, packs)
        senders.resumeFirst(.success(()))
      } catch {
        guard error.reason == .sendQueueFull, let channel else {
          senders.resumeFirst(.failure(error))
          continue
        }
        channel.tellWhenDrained()
        // Otherwise it may have drained before the request.
        guard channel.queuedBytes + message.byteCount <= packing?.maximumQueuedBytes ?? 0 else { return }
      }
    }
  }

  /// Sends a ping and returns the time until its pong. Throws when the socket is not open, or ends before;
  /// `APIError.Reason.cancelled` when its task is cancelled, and `APIError.Reason.idleTimeout` after `limit`. Without a
  /// limit it waits until the connection is lost: for ``SocketOptions/pingLimit``, and longer while the socket does not
  /// read because messages were not read.
  @discardableResult public func ping(within limit: Duration? = nil) async throws(APIError) -> Duration {
    let channel = try openChannel()
    return try await pingers.wait((), within: limit, time: time) { channel.ping(token: $0) }
  }

  /// Whether a connection was lost, or could not be opened, and another one follows.
  private var isBetweenConnections: Bool {
    guard state == .reconnecting || state == .connecting || state == .waiting, !isClosedByCaller else {
      return false
    }
    return connections > 0 || cycle.machine.failures > 0
  }

  private func openChannel() throws(APIError) -> any SocketChannel {
    guard state == .open, let channel else {
      throw APIError(.transport, .socketNotOpen, "the socket is \(state.rawValue), so nothing can be sent")
    }
    return channel
  }

  // MARK: Closing

  /// Closes the socket in order: it sends the queued messages and then the close frame, and waits for the server's
  /// close frame for at most ``SocketOptions/closeLimit``. A socket that is not open yet ends at once.
  ///
  /// Throws `APIError.Reason.misconfigured` for a code that must not be sent (only 1000–1003, 1007–1014 and 3000–4999
  /// may) and for a reason of more than 123 bytes, `APIError.Reason.socketNotOpen` when there is nothing to close, and
  /// `APIError.Reason.unsupportedCapability` for a code that the transport's system does not know.
  public func close(_ code: SocketCloseCode = .normal, reason: String = "") throws(APIError) {
    guard SocketCloseCode.mayStand(code.rawValue) else {
      throw APIError(.transport, .misconfigured, "the close code \(code) may not be sent")
    }
    guard reason.utf8.count <= 123 else {
      throw APIError(
        .transport, .misconfigured, "a close reason has at most 123 bytes, not \(reason.utf8.count)")
    }
    guard state.isActive || !pendingOpens.isEmpty else {
      throw APIError(.transport, .socketNotOpen, "the socket is \(state.rawValue) already")
    }
    if state == .open, let objection = channel?.objection(to: .close(code)) { throw objection }
    pendingOpens.refuse(because: .byCaller)
    if state.isActive { endByCaller(code, reason) }
  }

  /// Ends the socket at once, without a close frame; unsent messages are dropped. Nothing more is delivered but
  /// `didClose`. No effect on a socket that is closed.
  public func cancel() {
    pendingOpens.refuse(because: .byCaller)
    guard state.isActive else { return }
    isClosedByCaller = true
    isMuted = true
    guard let channel else { return finish(Self.neverOpen(APIError(cancelled: .byCaller))) }
    state = .closing
    sendWaiting()
    channel.cancel()
  }

  /// The messages from now on, beside the delegate. Call it before the socket is opened: messages that arrive before
  /// the call go to the delegate alone, and without one they are lost. Each call returns a new sequence, which ends
  /// when the socket closes in order and throws its error (`APIError.Reason.cancelled` after ``cancel()``); a
  /// reconnection does not end it. While a sequence has 16 messages or 1 MiB that were not read, the socket stops
  /// reading, so that the server waits.
  public func messages() -> SocketMessages {
    readers.sequence { [weak self] in
      // The socket may have waited for room.
      self?.inbox?.deliver()
      return self != nil
    }
  }

  static func neverOpen(_ error: APIError) -> SocketClosing {
    SocketClosing(code: .abnormal, end: .notOpened, error: error)
  }
}
