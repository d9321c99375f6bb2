/// One open WebSocket connection: takes what comes from the wire, from the application and from the clock, and says what
/// is written and delivered. It has no socket, clock or randomness of its own.
///
/// Legal moves: open → closing → closed; open → closed when the server closes first; any of them → failing after a
/// violation. The end of the wire ends all of them: ``closing(after:)``.
struct WebSocketMachine {
  enum Event: Equatable {
    case message(SocketMessage)
    /// The response to a ping, with the token of who waits for it.
    case pong(token: UInt64?, after: Duration)
    /// The server has closed, or the protocol was broken: nothing more is taken for sending.
    case closing
  }

  /// What comes of an input; appended to by each.
  struct Output {
    /// What goes on the wire.
    var bytes: [UInt8] = []
    /// What is delivered, in order.
    var events: [Event] = []
    /// Whether the own side of the connection ends behind the bytes.
    var endsSending = false
    /// Whether the connection ends now.
    var cuts = false
  }

  /// How the wire ended.
  enum WireEnd {
    /// The server has ended it in order, or it was ended here.
    case orderly
    /// It broke, or TLS ended without a close_notify.
    case broken(APIError)
  }

  enum Phase { case open, closing, closed, failing }

  private(set) var phase = Phase.open
  private let options: SocketOptions
  private let terms: DeflateTerms?
  private var parser: WebSocketParser
  private var deflater: MessageDeflater?
  private var packed: [UInt8] = []

  /// Pings without a response, the oldest first.
  private var pings: [(number: UInt64, at: Duration, token: UInt64?)] = []
  private var lastPing: UInt64 = 0
  private var nextPing: Duration?
  /// When the connection counts as lost for want of a pong, or has had its time to end.
  private var limit: Duration?
  private var isReading = true
  /// The latest ping that was not responded to, because bytes wait to be sent.
  private var owedPong: [UInt8]?

  private var sentCode: SocketCloseCode?
  private var received: (code: SocketCloseCode, reason: String)?
  private var failure: APIError?

  init(_ options: SocketOptions, _ terms: DeflateTerms?, now: Duration) {
    self.options = options
    self.terms = terms
    let inflater: (() -> MessageInflater)? = terms.map { terms in
      { MessageInflater(windowBits: terms.serverBits, keepsContext: terms.serverKeepsContext) }
    }
    parser = WebSocketParser(maximumBytes: options.maximumMessageBytes, inflater: inflater)
    nextPing = options.pingInterval.map { now + $0 }
  }

  /// When ``tick(now:mask:into:)`` is to be called next.
  var due: Duration? {
    guard phase == .open else { return limit }
    return [nextPing, isReading ? limit : nil].compactMap(\.self).min()
  }

  // MARK: From the wire

  /// - Parameter isCongested: Whether bytes wait to be sent.
  mutating func receive(
    _ bytes: UnsafeRawBufferPointer, now: Duration, isCongested: Bool, mask: () -> UInt32,
    into output: inout Output
  ) {
    guard phase != .failing, phase != .closed else { return }
    var events: [WebSocketParser.Event] = []
    var violation: WebSocketParser.Violation?
    do throws(WebSocketParser.Violation) {
      try parser.parse(bytes) { events.append($0) }
    } catch {
      violation = error
    }
    // What came before a violation was good.
    for event in events { take(event, now, isCongested, mask, &output) }
    if let violation, phase != .closed { fail(violation, now, mask, &output) }
  }

  private mutating func take(
    _ event: WebSocketParser.Event, _ now: Duration, _ isCongested: Bool, _ mask: () -> UInt32,
    _ output: inout Output
  ) {
    switch event {
    case .text(let text): output.events.append(.message(.text(text)))
    case .data(let bytes): output.events.append(.message(.data(bytes)))
    case .ping(let payload):
      guard phase == .open else { return }
      // Only the latest is responded to (RFC 6455, 5.5.3), so that a server cannot fill the queue.
      if isCongested { owedPong = payload } else { write(WebSocketFrame.Opcode.pong, payload, mask, &output) }
    case .pong(let payload): takePong(payload, now, &output)
    case .close(let code, let reason):
      received = (code.map(SocketCloseCode.init) ?? .none, reason)
      if phase == .open {
        sendClose(code.map(SocketCloseCode.init), "", mask, &output)
        output.events.append(.closing)
      }
      phase = .closed
      // The server ends the connection (RFC 6455, 7.1.1).
      limit = now + options.closeLimit
    }
  }

  private mutating func takePong(_ payload: [UInt8], _ now: Duration, _ output: inout Output) {
    guard payload.count == 8,
      case let number = payload.reduce(0, { $0 << 8 | UInt64($1) }),
      let index = pings.firstIndex(where: { $0.number == number })
    else { return }
    // It counts for the ones before as well.
    for ping in pings[...index] { output.events.append(.pong(token: ping.token, after: now - ping.at)) }
    pings.removeFirst(index + 1)
    if phase == .open { limit = pings.first.map { $0.at + options.pingLimit } }
  }

  private mutating func fail(
    _ violation: WebSocketParser.Violation, _ now: Duration, _ mask: () -> UInt32, _ output: inout Output
  ) {
    failure = APIError(
      .transport, violation.code == 1009 ? .responseTooLarge : .socketProtocolBroken,
      "the server broke the protocol: \(violation.text)")
    if phase == .open {
      sendClose(SocketCloseCode(rawValue: violation.code), violation.text, mask, &output)
      output.events.append(.closing)
    }
    phase = .failing
    output.endsSending = true
    limit = now + min(options.closeLimit, .seconds(1))
  }

  // MARK: From the application

  /// Sends a message. False when the connection is no longer open.
  mutating func send(
    _ message: SocketMessage, packs: Bool, mask: () -> UInt32, into output: inout Output
  ) -> Bool {
    guard phase == .open else { return false }
    switch message {
    case .text(var text):
      text.withUTF8 { write(WebSocketFrame.Opcode.text, UnsafeRawBufferPointer($0), packs, mask, &output) }
    case .data(let bytes):
      bytes.withUnsafeBytes { write(WebSocketFrame.Opcode.binary, $0, packs, mask, &output) }
    }
    return true
  }

  /// Sends a ping; its pong is an event with this token.
  mutating func ping(token: UInt64? = nil, now: Duration, mask: () -> UInt32, into output: inout Output) {
    guard phase == .open else { return }
    lastPing += 1
    pings.append((lastPing, now, token))
    if let interval = options.pingInterval { nextPing = now + interval }
    if pings.count == 1 { limit = now + options.pingLimit }
    write(WebSocketFrame.Opcode.ping, withUnsafeBytes(of: lastPing.bigEndian) { Array($0) }, mask, &output)
  }

  /// Starts to close. What was sent before goes out first.
  mutating func close(
    _ code: SocketCloseCode?, _ reason: String, now: Duration, mask: () -> UInt32, into output: inout Output
  ) {
    guard phase == .open else { return }
    phase = .closing
    limit = now + options.closeLimit
    sendClose(code, reason, mask, &output)
  }

  /// Nothing waits to be sent any longer: a pong that was owed goes out.
  mutating func flushed(mask: () -> UInt32, into output: inout Output) {
    guard phase == .open, let payload = owedPong else { return }
    owedPong = nil
    write(WebSocketFrame.Opcode.pong, payload, mask, &output)
  }

  /// Reading stops or goes on. No deadline for a pong passes while it stands still.
  mutating func read(_ isOn: Bool, now: Duration) {
    guard isOn != isReading else { return }
    isReading = isOn
    if isOn, phase == .open, !pings.isEmpty { limit = now + options.pingLimit }
  }

  // MARK: From the clock

  mutating func tick(now: Duration, mask: () -> UInt32, into output: inout Output) {
    if let limit, limit <= now, phase != .open || isReading {
      if phase == .open {
        failure = APIError(
          .transport, .connectionLost,
          "the server did not respond to a ping in \(options.pingLimit.shortText)")
      }
      output.cuts = true
      return
    }
    if phase == .open, let nextPing, nextPing <= now { ping(now: now, mask: mask, into: &output) }
  }

  /// The process or the machine stood still: no deadline for a pong has passed meanwhile, and a ping finds out whether the
  /// server is still there.
  mutating func wake(now: Duration, mask: () -> UInt32, into output: inout Output) {
    guard phase == .open else { return }
    ping(now: now, mask: mask, into: &output)
    limit = now + options.pingLimit
  }

  // MARK: The end

  /// What is told of the connection after its wire has ended.
  mutating func closing(after end: WireEnd) -> SocketClosing {
    var closing = SocketClosing(
      code: received?.code ?? .abnormal, reason: received?.reason ?? "", sentCode: sentCode)
    let isClean = received != nil && sentCode != nil && failure == nil
    var broken: APIError?
    if case .broken(let error) = end { broken = error }
    if isClean {
      closing.end = .clean
    } else if case .orderly = end, failure == nil {
      closing.end = .dropped
    } else {
      closing.end = .cut
    }
    if let failure {
      closing.error = failure
    } else if received == nil {
      closing.error =
        broken
        ?? APIError(
          .transport, .connectionLost,
          phase == .closing
            ? "the server ended the connection without a close frame, after one was sent"
            : "the server ended the connection without a close frame")
    }
    return closing
  }

  // MARK: Frames

  private mutating func sendClose(
    _ code: SocketCloseCode?, _ reason: String, _ mask: () -> UInt32, _ output: inout Output
  ) {
    sentCode = code ?? SocketCloseCode.none
    write(WebSocketFrame.Opcode.close, WebSocketFrame.closePayload(code?.rawValue, reason), mask, &output)
  }

  private func write(_ opcode: UInt8, _ payload: [UInt8], _ mask: () -> UInt32, _ output: inout Output) {
    payload.withUnsafeBytes {
      WebSocketFrame.append(opcode, $0, mask: mask(), to: &output.bytes)
    }
  }

  private mutating func write(
    _ opcode: UInt8, _ payload: UnsafeRawBufferPointer, _ packs: Bool, _ mask: () -> UInt32,
    _ output: inout Output
  ) {
    guard packs, let terms, terms.packs, payload.count >= options.compressesFrom else {
      return WebSocketFrame.append(opcode, payload, mask: mask(), to: &output.bytes)
    }
    let deflater =
      deflater ?? MessageDeflater(windowBits: terms.clientBits, keepsContext: terms.clientKeepsContext)
    self.deflater = deflater
    packed.removeAll(keepingCapacity: true)
    deflater.pack(payload.bindMemory(to: UInt8.self), into: &packed)
    packed.withUnsafeBytes {
      WebSocketFrame.append(opcode, $0, isPacked: true, mask: mask(), to: &output.bytes)
    }
    // The buffer of a large message is not kept.
    if packed.capacity > 64 << 10 { packed = [] }
  }
}
