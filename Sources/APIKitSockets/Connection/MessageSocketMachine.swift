import APIKit

/// One open WebSocket whose frames are the system's: takes what comes from the wire, from the application and from the
/// clock, and returns actions for the wire and events to deliver. It has no wire and no clock of its own.
///
/// Legal moves: open → closing → closed; open → closed when the server closes first. The end of the wire ends all of them:
/// ``closing(after:)``.
struct MessageSocketMachine {
  /// An action for the wire.
  enum Action: Equatable {
    case send(SocketMessage, number: Int)
    case receive
    case ping(number: UInt64)
    case close(SocketCloseCode, reason: String)
    case cut
  }

  /// The results of inputs; each input appends to them.
  struct Output {
    var actions: [Action] = []
    var events: [WebSocketMachine.Event] = []
  }

  enum MessageSocketPhase { case open, closing, closed }

  private(set) var phase = MessageSocketPhase.open
  private let options: SocketOptions
  private var pings: PingTimer
  /// When the connection has had its time to end.
  private var limit: Duration?
  private var isReading = true
  /// Whether a requested message has not come yet.
  private var isReceiving = false
  /// The messages that the system has not sent yet, the oldest first.
  private var unsent: [(number: Int, message: SocketMessage)] = []
  private var lastNumber = 0
  /// The close frame that waits for them.
  private var farewell: (code: SocketCloseCode, reason: String)?
  private var closeHandshake = CloseHandshake()
  private var failure: APIError?
  /// Whether the time after a close frame has passed.
  private var hasRunOut = false

  init(_ options: SocketOptions, now: Duration) {
    self.options = options
    pings = PingTimer(options, now: now)
  }

  /// When ``tick(now:into:)`` is to be called next.
  var due: Duration? {
    guard phase == .open, limit == nil else { return limit }
    return pings.due
  }

  /// The messages that the system has not said to have sent: whether a part of one has left is not known.
  var unsentMessages: [SocketMessage] { unsent.map(\.message) }

  // MARK: From the wire

  /// Asks for a message, where one may come.
  mutating func receive(into output: inout Output) {
    guard !isReceiving, isReading, failure == nil else { return }
    isReceiving = true
    output.actions.append(.receive)
  }

  mutating func received(_ message: SocketMessage, into output: inout Output) {
    isReceiving = false
    guard phase != .closed else { return }
    output.events.append(.message(message))
  }

  /// The system has sent a message; how many bytes it had.
  mutating func sent(_ number: Int, into output: inout Output) -> Int {
    guard let index = unsent.firstIndex(where: { $0.number == number }) else { return 0 }
    let count = WebSocketFrame.size(of: unsent.remove(at: index).message)
    leaveIfSent(&output)
    return count
  }

  mutating func takePong(_ number: UInt64, now: Duration, into output: inout Output) {
    for (token, after) in pings.takePong(number, now: now) {
      output.events.append(.pong(token: token, after: after))
    }
  }

  mutating func receivedClose(
    _ code: SocketCloseCode?, _ reason: String, now: Duration, into output: inout Output
  ) {
    guard phase != .closed else { return }
    closeHandshake.received = (code ?? .none, reason)
    if phase == .open {
      // The system has sent its own.
      closeHandshake.sentCode = code ?? SocketCloseCode.none
      output.events.append(.closing)
    }
    phase = .closed
    limit = now + options.closeLimit
  }

  /// No message comes any more. The close frame that is the reason may arrive a little later.
  mutating func broke(_ error: APIError, now: Duration, into output: inout Output) {
    guard failure == nil else { return }
    failure = error
    // What the server did wrong is told to it, as far as the system still sends.
    if let code = Self.code(for: error), phase == .open {
      closeHandshake.failure = error
      closeHandshake.sentCode = code
      output.actions.append(.close(code, reason: ""))
    }
    if phase == .open { output.events.append(.closing) }
    limit = min(limit ?? .seconds(Int64.max / 2), now + min(options.closeLimit, .seconds(1)))
  }

  /// The code for what a server did wrong; nil where it is something else that failed.
  private static func code(for error: APIError) -> SocketCloseCode? {
    switch error.reason {
    case .responseTooLarge: .messageTooLarge
    case .socketProtocolBroken: .protocolError
    default: nil
    }
  }

  // MARK: From the application

  /// Sends a message. False when the connection is no longer open.
  mutating func send(_ message: SocketMessage, into output: inout Output) -> Bool {
    guard phase == .open, failure == nil else { return false }
    lastNumber += 1
    unsent.append((lastNumber, message))
    output.actions.append(.send(message, number: lastNumber))
    return true
  }

  /// Sends a ping; its pong is an event with this token.
  mutating func ping(token: UInt64? = nil, now: Duration, into output: inout Output) {
    guard phase == .open, failure == nil else { return }
    output.actions.append(.ping(number: pings.leave(token: token, now: now)))
  }

  /// Starts to close, behind what was sent before.
  mutating func close(
    _ code: SocketCloseCode, _ reason: String, now: Duration, into output: inout Output
  ) {
    guard phase == .open else { return }
    phase = .closing
    farewell = (code, reason)
    limit = min(limit ?? .seconds(Int64.max / 2), now + options.closeLimit)
    leaveIfSent(&output)
  }

  private mutating func leaveIfSent(_ output: inout Output) {
    guard unsent.isEmpty, let (code, reason) = farewell else { return }
    farewell = nil
    closeHandshake.sentCode = code
    output.actions.append(.close(code, reason: reason))
  }

  /// Reading stops or resumes. No deadline for a pong passes while it is stopped.
  mutating func read(_ isOn: Bool, now: Duration, into output: inout Output) {
    isReading = isOn
    pings.read(isOn, now: now)
    receive(into: &output)
  }

  // MARK: From the clock

  mutating func tick(now: Duration, into output: inout Output) {
    if let limit {
      guard limit <= now else { return }
      hasRunOut = failure == nil
      output.actions.append(.cut)
    } else if pings.isOverdue(at: now) {
      closeHandshake.failure = pings.failure
      output.actions.append(.cut)
    } else if pings.isDue(at: now) {
      ping(now: now, into: &output)
    }
  }

  /// The process or the machine stood still: no deadline for a pong has passed meanwhile.
  mutating func wake(now: Duration, into output: inout Output) {
    guard phase == .open, failure == nil else { return }
    ping(now: now, into: &output)
    pings.postpone(now: now)
  }

  // MARK: The end

  /// How the connection has ended, once its wire has. Without a close frame the end never counts as orderly:
  /// the system does not say whether TLS has ended with a close_notify.
  func closing(after error: APIError?) -> SocketClosing {
    if hasRunOut { return closeHandshake.closing(after: .here(after: options.closeLimit)) }
    let unknown = APIError(
      .transport, .connectionLost, "the connection ended without the server's close frame")
    return closeHandshake.closing(after: .broken(failure ?? error ?? unknown))
  }
}
