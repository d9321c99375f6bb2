import APIKit

/// One open WebSocket connection: takes inputs from the wire, from the application and from the clock, and returns what
/// is to be written and delivered. It has no socket or clock of its own, and its masks are passed in.
///
/// Legal moves: open → closing → closed; open → closed when the server closes first; any of them → failing after a
/// violation. The end of the wire ends all of them: ``closing(after:isSent:)``.
struct WebSocketMachine {
  enum Event: Equatable {
    case message(SocketMessage)
    /// The response to a ping, with the token of who waits for it.
    case pong(token: UInt64?, after: Duration)
    /// The server has closed, or the protocol was broken: nothing more is taken for sending.
    case closing
  }

  /// The results of inputs; each input appends to them.
  struct Output {
    /// The bytes for the wire.
    var bytes: [UInt8] = []
    /// The events to deliver, in order.
    var events: [Event] = []
    /// Whether the own side of the connection ends behind the bytes.
    var endsSending = false
    /// Whether the connection ends now.
    var cuts = false
  }

  enum WebSocketPhase { case open, closing, closed, failing }

  private(set) var phase = WebSocketPhase.open
  private let options: SocketOptions
  private let terms: DeflateTerms?
  private var parser: WebSocketParser
  private var deflater: MessageDeflater?
  private var packed: [UInt8] = []

  private var pings: PingTimer
  /// When the connection has had its time to end.
  private var limit: Duration?
  /// The latest ping that was not responded to, because bytes wait to be sent.
  private var owedPong: [UInt8]?

  private var closeHandshake = CloseHandshake()
  private var masks: MaskSource

  init(_ options: SocketOptions, _ terms: DeflateTerms?, masks: MaskSource = MaskSource(), now: Duration) {
    self.masks = masks
    self.options = options
    self.terms = terms
    let inflater: (() -> MessageInflater)? = terms.map { terms in
      { MessageInflater(windowBits: terms.serverBits, keepsContext: terms.serverKeepsContext) }
    }
    parser = WebSocketParser(maximumBytes: options.maximumMessageBytes, inflater: inflater)
    pings = PingTimer(options, now: now)
  }

  /// When ``tick(now:into:)`` is to be called next.
  var due: Duration? { phase == .open ? pings.due : limit }

  // MARK: From the wire

  /// Reads frames until much has come of them, and returns how many of the bytes it has read: so many messages, or so many
  /// of their bytes, as the inbox has room for. The rest is to be given to it again.
  ///
  /// - Parameter isCongested: Whether bytes wait to be sent.
  @discardableResult mutating func receive(
    _ bytes: UnsafeRawBufferPointer, now: Duration, isCongested: Bool, into output: inout Output
  ) -> Int {
    guard phase != .failing, phase != .closed else { return bytes.count }
    var events: [WebSocketParser.Event] = []
    var violation: WebSocketParser.Violation?
    var (taken, size) = (bytes.count, 0)
    do throws(WebSocketParser.Violation) {
      taken = try parser.parse(bytes) { event in
        events.append(event)
        size += event.byteCount
        return events.count < SocketInbox.messageLimit && size < SocketInbox.byteLimit
      }
    } catch {
      violation = error
    }
    // Events before a violation are valid.
    for event in events { take(event, now: now, isCongested: isCongested, into: &output) }
    if let violation, phase != .closed { fail(violation, now: now, into: &output) }
    return taken
  }

  private mutating func take(
    _ event: WebSocketParser.Event, now: Duration, isCongested: Bool, into output: inout Output
  ) {
    switch event {
    case .text(let text): output.events.append(.message(.text(text)))
    case .data(let bytes): output.events.append(.message(.data(bytes)))
    case .ping(let payload):
      guard phase == .open else { return }
      // Only the latest is responded to (RFC 6455, 5.5.3), so that a server cannot fill the queue.
      if isCongested { owedPong = payload } else { write(WebSocketFrame.Opcode.pong, payload, into: &output) }
    case .pong(let payload): takePong(payload, now: now, into: &output)
    case .close(let code, let reason):
      closeHandshake.received = (code.map(SocketCloseCode.init) ?? .none, reason)
      if phase == .open {
        sendClose(code.map(SocketCloseCode.init), "", into: &output)
        output.events.append(.closing)
      }
      phase = .closed
      // The server ends the connection (RFC 6455, 7.1.1).
      limit = now + options.closeLimit
    }
  }

  private mutating func takePong(_ payload: [UInt8], now: Duration, into output: inout Output) {
    guard payload.count == 8 else { return }
    let number = payload.reduce(0) { $0 << 8 | UInt64($1) }
    for (token, after) in pings.takePong(number, now: now) {
      output.events.append(.pong(token: token, after: after))
    }
  }

  private mutating func fail(_ violation: WebSocketParser.Violation, now: Duration, into output: inout Output)
  {
    closeHandshake.failure = APIError(
      .transport, violation.code == 1009 ? .responseTooLarge : .socketProtocolBroken,
      "the server broke the protocol: \(violation.text)")
    if phase == .open {
      sendClose(SocketCloseCode(rawValue: violation.code), violation.text, into: &output)
      output.events.append(.closing)
    }
    phase = .failing
    output.endsSending = true
    limit = now + min(options.closeLimit, .seconds(1))
  }

  // MARK: From the application

  /// Sends a message. False when the connection is no longer open.
  mutating func send(_ message: SocketMessage, packs: Bool, into output: inout Output) -> Bool {
    guard phase == .open else { return false }
    switch message {
    case .text(var text):
      text.withUTF8 {
        write(WebSocketFrame.Opcode.text, UnsafeRawBufferPointer($0), packs: packs, into: &output)
      }
    case .data(let bytes):
      bytes.withUnsafeBytes { write(WebSocketFrame.Opcode.binary, $0, packs: packs, into: &output) }
    }
    return true
  }

  /// Sends a ping; its pong is an event with this token.
  mutating func ping(token: UInt64? = nil, now: Duration, into output: inout Output) {
    guard phase == .open else { return }
    let number = pings.leave(token: token, now: now)
    write(WebSocketFrame.Opcode.ping, withUnsafeBytes(of: number.bigEndian) { Array($0) }, into: &output)
  }

  /// Starts to close, behind the messages that were sent before.
  mutating func close(_ code: SocketCloseCode?, _ reason: String, now: Duration, into output: inout Output) {
    guard phase == .open else { return }
    phase = .closing
    limit = now + options.closeLimit
    sendClose(code, reason, into: &output)
  }

  /// Nothing waits to be sent any longer: the pong that was deferred goes out.
  mutating func flushed(into output: inout Output) {
    guard phase == .open, let payload = owedPong else { return }
    owedPong = nil
    write(WebSocketFrame.Opcode.pong, payload, into: &output)
  }

  /// Reading stops or resumes. No deadline for a pong passes while it is stopped.
  mutating func read(_ isOn: Bool, now: Duration) { pings.read(isOn, now: now) }

  // MARK: From the clock

  mutating func tick(now: Duration, into output: inout Output) {
    guard phase == .open else {
      if let limit, limit <= now { output.cuts = true }
      return
    }
    if pings.isOverdue(at: now) {
      closeHandshake.failure = pings.failure
      output.cuts = true
    } else if pings.isDue(at: now) {
      ping(now: now, into: &output)
    }
  }

  /// The process or the machine stood still: no deadline for a pong has passed meanwhile, and a ping finds out whether the
  /// server is still there.
  mutating func wake(now: Duration, into output: inout Output) {
    guard phase == .open else { return }
    ping(now: now, into: &output)
    pings.postpone(now: now)
  }

  // MARK: The end

  /// How the connection has ended, once its wire has.
  ///
  /// - Parameter isSent: Whether all bytes for the wire have left.
  func closing(after end: CloseHandshake.WireEnd, isSent: Bool = true) -> SocketClosing {
    var handshake = closeHandshake
    if !isSent { handshake.sentCode = nil }
    return handshake.closing(after: end)
  }

  // MARK: Frames

  private mutating func sendClose(_ code: SocketCloseCode?, _ reason: String, into output: inout Output) {
    closeHandshake.sentCode = code ?? SocketCloseCode.none
    write(WebSocketFrame.Opcode.close, WebSocketFrame.closePayload(code?.rawValue, reason), into: &output)
  }

  private mutating func write(_ opcode: UInt8, _ payload: [UInt8], into output: inout Output) {
    payload.withUnsafeBytes { WebSocketFrame.append(opcode, $0, mask: masks.next(), to: &output.bytes) }
  }

  private mutating func write(
    _ opcode: UInt8, _ payload: UnsafeRawBufferPointer, packs: Bool, into output: inout Output
  ) {
    guard packs, let terms, terms.packs, payload.count >= options.compressesFrom else {
      return WebSocketFrame.append(opcode, payload, mask: masks.next(), to: &output.bytes)
    }
    let deflater =
      deflater ?? MessageDeflater(windowBits: terms.clientBits, keepsContext: terms.clientKeepsContext)
    self.deflater = deflater
    packed.removeAll(keepingCapacity: true)
    deflater.pack(payload.bindMemory(to: UInt8.self), into: &packed)
    packed.withUnsafeBytes {
      WebSocketFrame.append(opcode, $0, isPacked: true, mask: masks.next(), to: &output.bytes)
    }
    // The buffer of a large message is not kept.
    if packed.capacity > 64 << 10 { packed = [] }
  }
}
