import APIKit

/// A WebSocket over a wire: the handshake, then the machine of an open connection.
///
/// `@unchecked Sendable`: what changes belongs to the wire's thread, but for what a lock or an atomic guards.
final class WireSocketChannel: SocketChannel, WireOwner, @unchecked Sendable {
  private enum WireChannelPhase {
    case opening(UpgradeResponseParser)
    /// The server has accepted; these bytes came with its response.
    case accepted([UInt8])
    case open
    case over
  }

  private let wire: any Wire
  /// Kept as long as the connection: it stops with its last reference.
  private let transport: any HTTPTransport
  private let exchange: HTTPExchange
  private let options: SocketOptions
  private let handshake: WebSocketHandshake
  private let queued = AtomicInt()
  private let agreed = Mutex(WebSocketHandshake.Accepted())
  /// The inbox, for what comes when the wire's thread has ended.
  private let told = Mutex<SocketInbox?>(nil)
  /// Whether a sender waits for room.
  private let isAwaited = AtomicFlag()

  // The wire's thread alone.
  private var phase: WireChannelPhase
  private var completion: HTTPTransport.Completion?
  private var machine: WebSocketMachine?
  private var inbox: SocketInbox?
  private var output = WebSocketMachine.Output()
  /// Messages that the kernel has not taken as a whole, with their byte ranges in the stream.
  private var outgoing: [(message: SocketMessage, packs: Bool, range: Range<Int>)] = []
  /// How many of them were taken meanwhile.
  private var takenCount = 0
  private var writtenBytes = 0
  /// Received bytes that wait until the inbox has room.
  private var unread: [UInt8] = []
  private var isReleased = false
  private var hasReceivedEnd = false
  private var end: CloseHandshake.WireEnd

  init(
    _ wire: any Wire, _ transport: any HTTPTransport, for exchange: HTTPExchange, options: SocketOptions,
    offer: WebSocketHandshake.Offer
  ) {
    self.wire = wire
    self.transport = transport
    self.exchange = exchange
    self.options = options
    handshake = WebSocketHandshake(offer: offer, nonce: Crypto.random(16))
    phase = .opening(UpgradeResponseParser())
    end = .here(after: options.closeLimit)
  }

  // MARK: From any thread

  var accepted: WebSocketHandshake.Accepted { agreed.withLock { $0 } }
  var queuedBytes: Int { queued.load() }

  func open(_ completion: @escaping HTTPTransport.Completion) {
    let isTaken = wire.perform {
      self.completion = completion
      self.wire.due = self.wire.now + self.openLimit.microseconds
      self.wire.open(for: self)
    }
    if !isTaken { completion(.failure(APIError(.transport, .transportStopped))) }
  }

  func tellWhenDrained() { isAwaited.exchange(true) }

  func begin(_ inbox: SocketInbox) {
    told.withLock { $0 = inbox }
    let isTaken = wire.perform { self.adopt(inbox) }
    if !isTaken { _ = inbox.put([.ended(Self.stopped, unsent: [])]) }
  }

  func send(_ message: SocketMessage, packs: Bool) {
    let size = WebSocketFrame.size(of: message)
    queued.add(size)
    let isTaken = wire.perform { self.write(message, packs) }
    if !isTaken { drop(message, packs) }
  }

  private func drop(_ message: SocketMessage, _ packs: Bool) {
    queued.add(-WebSocketFrame.size(of: message))
    let inbox = told.withLock { $0 }
    _ = inbox?.put([.unsent(SocketUnsent(message: message, hasBegun: false, packs: packs))])
  }

  func ping(token: UInt64?) {
    wire.perform { self.drive { $0.ping(token: token, now: $1, into: &$2) } }
  }

  func close(_ code: SocketCloseCode?, _ reason: String) {
    wire.perform { self.drive { $0.close(code, reason, now: $1, into: &$2) } }
  }

  func cancel() { wire.perform { self.wire.cut() } }

  func release() {
    wire.perform {
      self.isReleased = true
      self.inbox?.release()
      guard case .open = self.phase else { return self.wire.cut() }
      self.drive { $0.close(.goingAway, "", now: $1, into: &$2) }
      self.wire.due = self.wire.now + SocketOptions.releaseLimit.microseconds
    }
  }

  func settle() {
    let inbox = told.withLock { $0 }
    if !wire.perform({ _ = inbox?.put([.settled]) }) { _ = inbox?.put([.settled]) }
  }

  func readOn() { wire.perform { self.read(true) } }

  private static let stopped = SocketClosing(
    code: .abnormal, end: .aborted, error: APIError(.transport, .transportStopped))

  /// From how many unsent bytes on only the latest ping is responded to. Some wait for the end of the turn only.
  private static let congestion = 4 << 10

  // MARK: Opening

  func opened() {
    // To another origin go none of the transport's own fields.
    let added = exchange.crossesOrigin ? HTTPHeaders() : transport.headers
    wire.write(handshake.bytes(of: exchange.request, adding: added))
  }

  private func receive(_ bytes: UnsafeRawBufferPointer, _ parser: inout UpgradeResponseParser) {
    do throws(APIError) {
      guard case .complete(let response, let taken) = try parser.take(bytes) else {
        return phase = .opening(parser)
      }
      guard response.status == 101 else { return refuse(with: response) }
      let accepted: WebSocketHandshake.Accepted
      do throws(HandshakeFault) { accepted = try handshake.judge(response.headers) } catch {
        throw APIError(.transport, .socketHandshakeFailed, error.text, evidence: response.evidence)
      }
      agreed.withLock { $0 = accepted }
      phase = .accepted(Array(bytes[taken...]))
      wire.isReading = false
      wire.due = .max
      complete(.success(response.ofHandshake(exchange)))
    } catch {
      fail(error)
    }
  }

  /// Any other status is the load's to judge: a redirect, a credential that was refused.
  private func refuse(with response: HTTPResponse) {
    phase = .over
    complete(.success(response.ofHandshake(exchange)))
    wire.cut()
  }

  private func fail(_ error: APIError) {
    phase = .over
    complete(.failure(error))
    wire.cut()
  }

  private func complete(_ result: Result<HTTPResponse, APIError>) { completion.take()?(result) }

  private var openLimit: Duration { options.openLimit(of: exchange) }

  private func adopt(_ inbox: SocketInbox) {
    self.inbox = inbox
    guard case .accepted(let rest) = phase else {
      // It has ended meanwhile.
      _ = inbox.put([.ended(.atOnce(nil), unsent: [])])
      return
    }
    phase = .open
    machine = WebSocketMachine(options, accepted.deflate, now: now)
    wire.isReading = true
    setDue()
    if !rest.isEmpty { rest.withUnsafeBytes { received($0) } }
  }

  // MARK: Open

  private var now: Duration { .microseconds(wire.now) }

  func received(_ bytes: UnsafeRawBufferPointer) {
    switch phase {
    case .opening(var parser):
      phase = .over
      receive(bytes, &parser)
    case .accepted(let rest): phase = .accepted(rest + Array(bytes))
    case .open: if unread.isEmpty { parse(bytes) } else { unread.append(contentsOf: bytes) }
    case .over: break
    }
  }

  /// Reads frames as long as the inbox has room: a few bytes may unpack to many messages.
  private func parse(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while case .open = phase, !rest.isEmpty {
      let isCongested = wire.unsentBytes > Self.congestion
      var taken = rest.count
      drive { machine, now, output in
        taken = machine.receive(
          UnsafeRawBufferPointer(rebasing: rest), now: now, isCongested: isCongested, into: &output)
      }
      rest = rest.dropFirst(taken)
      if !wire.isReading { return unread = Array(rest) }
    }
  }

  func flushed() {
    guard case .open = phase else { return }
    giveCredit()
    if hasReceivedEnd { return wire.cut() }
    drive { machine, _, output in machine.flushed(into: &output) }
  }

  func flushedPart() { giveCredit() }

  /// There is room for other messages when the kernel has taken one as a whole.
  private func giveCredit() {
    guard case .open = phase else { return }
    let (taken, before) = (writtenBytes - wire.unsentBytes, takenCount)
    var bytes = 0
    while takenCount < outgoing.count, outgoing[takenCount].range.upperBound <= taken {
      bytes += WebSocketFrame.size(of: outgoing[takenCount].message)
      takenCount += 1
    }
    guard takenCount > before else { return }
    if takenCount == outgoing.count {
      outgoing.removeAll(keepingCapacity: outgoing.capacity <= 64)
      takenCount = 0
    } else if takenCount > outgoing.count / 2 {
      outgoing.removeFirst(takenCount)
      takenCount = 0
    }
    queued.add(-bytes)
    if isAwaited.exchange(false) { _ = inbox?.put([.drained]) }
  }

  func timeHasCome() {
    switch phase {
    case .opening(var parser):
      // The server has refused, and only the end of its words is missing.
      if let response = parser.end() { return refuse(with: response) }
      fail(
        APIError(
          .transport, .connectTimeout,
          "the WebSocket was not open after \(openLimit.shortText)"))
    case .open where isReleased || hasReceivedEnd: wire.cut()
    case .open: drive { $0.tick(now: $1, into: &$2) }
    case .accepted, .over: break
    }
  }

  func stoodStill() { drive { $0.wake(now: $1, into: &$2) } }

  func receivedEnd(isOrderly: Bool) {
    let truncated = "TLS ended without a close_notify: the end may be an attacker's"
    end = isOrderly ? .byServer : .broken(APIError(.transport, .connectionLost, truncated))
    if case .opening(var parser) = phase {
      if let response = parser.end() { return refuse(with: response) }
      return fail(APIError(.transport, .connectionLost, "the server closed before the end of its response"))
    }
    guard case .open = phase, wire.unsentBytes > 0 else { return wire.cut() }
    // A close frame that is on its way leaves first, where the server still reads.
    hasReceivedEnd = true
    wire.due = wire.now + 1_000_000
  }

  func ended(_ error: APIError?) {
    if let error { end = .broken(error) }
    let wasOpen = if case .open = phase { true } else { false }
    phase = .over
    complete(.failure(error ?? APIError(.transport, .cancelled)))
    guard wasOpen, let machine else { return }
    let taken = writtenBytes - wire.unsentBytes
    let unsent = outgoing.filter { $0.range.upperBound > taken }.map {
      SocketUnsent(message: $0.message, hasBegun: $0.range.lowerBound < taken, packs: $0.packs)
    }
    // Nothing follows a close frame: with unsent bytes it has not left as a whole.
    let closing = machine.closing(after: end, isSent: wire.unsentBytes == 0)
    _ = inbox?.put([.ended(closing, unsent: unsent)])
    self.machine = nil
    outgoing = []
  }

  private func write(_ message: SocketMessage, _ packs: Bool) {
    let start = writtenBytes
    var isTaken = false
    drive { machine, _, output in isTaken = machine.send(message, packs: packs, into: &output) }
    if isTaken { outgoing.append((message, packs, start..<writtenBytes)) } else { drop(message, packs) }
  }

  private func read(_ isOn: Bool) {
    guard case .open = phase else { return }
    wire.isReading = isOn
    machine?.read(isOn, now: now)
    setDue()
    guard isOn, !unread.isEmpty else { return }
    var bytes: [UInt8] = []
    swap(&bytes, &unread)
    bytes.withUnsafeBytes { parse($0) }
  }

  /// Has the machine take something, and does what comes of it.
  private func drive(
    _ work: (inout WebSocketMachine, _ now: Duration, inout WebSocketMachine.Output) -> Void
  ) {
    guard case .open = phase, machine != nil else { return }
    work(&machine!, now, &output)
    if !output.bytes.isEmpty {
      writtenBytes += output.bytes.count
      wire.write(output.bytes)
      output.bytes = []
    }
    if !output.events.isEmpty {
      let items = output.events.map(SocketInboxItem.init)
      output.events.removeAll(keepingCapacity: true)
      if inbox?.put(items) == false { read(false) }
    }
    if output.endsSending {
      output.endsSending = false
      wire.endSending()
      // Further bytes are read and dropped: closing with unread bytes would reset the connection.
      wire.isReading = true
    }
    if output.cuts { return wire.cut() }
    setDue()
  }

  private func setDue() {
    guard !isReleased, !hasReceivedEnd, let machine else { return }
    wire.due = machine.due?.microseconds ?? .max
  }
}
