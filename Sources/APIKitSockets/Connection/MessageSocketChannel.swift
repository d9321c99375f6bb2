import APIKit

/// A WebSocket whose handshake and frames are the system's.
///
/// `@unchecked Sendable`: what changes belongs to the wire's queue, but for what a lock or an atomic guards.
final class MessageSocketChannel: SocketChannel, MessageWireOwner, @unchecked Sendable {
  private enum MessageChannelPhase { case opening, accepted, open, over }

  private let wire: any MessageWire
  /// Kept as long as the connection: it stops with its last reference.
  private let transport: any HTTPTransport
  private let exchange: HTTPExchange
  private let options: SocketOptions
  private let offer: WebSocketHandshake.Offer
  private let time: any TimeSource
  private let queued = AtomicInt()
  private let agreed = Mutex(WebSocketHandshake.Accepted())
  private let isAwaited = AtomicFlag()

  // The wire's queue alone.
  private var phase = MessageChannelPhase.opening
  private var completion: HTTPTransport.Completion?
  private var machine: MessageSocketMachine?
  private var inbox: SocketInbox?
  private var isReleased = false
  private var failure: APIError?
  /// When the alarm goes off, and the task that waits for it.
  private var alarm: (due: Duration, task: Task<Void, Never>)?
  private var openDue: Duration?

  /// Throws `APIError.Reason.unsupportedCapability` for options that the system cannot honour.
  init(
    _ opener: any MessageTransport, _ transport: any HTTPTransport, for exchange: HTTPExchange,
    options: SocketOptions, offer: WebSocketHandshake.Offer, time: any TimeSource
  ) throws(APIError) {
    try Self.refuse(options)
    let terms = MessageWireTerms(
      subprotocols: offer.subprotocols, maximumMessageBytes: options.maximumMessageBytes)
    wire = try opener.makeMessageWire(for: exchange, terms)
    self.transport = transport
    self.exchange = exchange
    self.options = options
    self.offer = offer
    self.time = time
  }

  /// Refuses settings that the system decides itself. That nothing is compressed (`nil`) is checked when the server has
  /// accepted.
  static func refuse(_ options: SocketOptions) throws(APIError) {
    let standard = SocketOptions()
    if let bits = options.compressionBits, bits != standard.compressionBits {
      throw unsupported("a window for compression of its own (compressionBits)")
    }
    if options.compressesFrom != standard.compressesFrom {
      throw unsupported("a size from which messages are compressed (compressesFrom)")
    }
  }

  private static func unsupported(_ what: String) -> APIError {
    APIError(unsupported: "\(what): the system compresses as it likes")
  }

  // MARK: From any thread

  var accepted: WebSocketHandshake.Accepted { agreed.withLock { $0 } }
  var queuedBytes: Int { queued.load() }

  func objection(to feature: OptionalSocketFeature) -> APIError? {
    switch feature {
    case .close(let code) where !wire.canClose(with: code.rawValue):
      APIError(unsupported: "the close code \(code): the system has none")
    case .sendUncompressed where accepted.deflate != nil: Self.unsupported("a message that is not compressed")
    default: nil
    }
  }

  func open(_ completion: @escaping HTTPTransport.Completion) {
    wire.perform {
      self.completion = completion
      self.openDue = self.now + self.options.openLimit(of: self.exchange)
      self.setAlarm()
      self.wire.open(for: self)
    }
  }

  func begin(_ inbox: SocketInbox) { wire.perform { self.adopt(inbox) } }

  func tellWhenDrained() { isAwaited.exchange(true) }

  func send(_ message: SocketMessage, packs: Bool) {
    queued.add(WebSocketFrame.size(of: message))
    wire.perform {
      var isTaken = false
      if packs || self.objection(to: .sendUncompressed) == nil {
        self.drive { isTaken = $0.send(message, into: &$2) }
      }
      guard !isTaken else { return }
      self.count(WebSocketFrame.size(of: message))
      _ = self.inbox?.put([.unsent(SocketUnsent(message: message, hasBegun: false, packs: packs))])
    }
  }

  func ping(token: UInt64?) { wire.perform { self.drive { $0.ping(token: token, now: $1, into: &$2) } } }

  func close(_ code: SocketCloseCode?, _ reason: String) {
    wire.perform { self.drive { $0.close(code ?? .normal, reason, now: $1, into: &$2) } }
  }

  func cancel() { wire.perform { self.wire.cut() } }

  func release() {
    wire.perform {
      self.isReleased = true
      self.inbox?.release()
      guard case .open = self.phase else { return self.wire.cut() }
      self.openDue = self.now + SocketOptions.releaseLimit
      self.drive { $0.close(.goingAway, "", now: $1, into: &$2) }
    }
  }

  func settle() { wire.perform { _ = self.inbox?.put([.settled]) } }

  func readOn() { wire.perform { self.drive { $0.read(true, now: $1, into: &$2) } } }

  // MARK: The wire's queue: opening

  private var now: Duration { time.now }

  func opened(_ response: HTTPResponse) {
    guard case .opening = phase else { return }
    openDue = nil
    setAlarm()
    do throws(HandshakeFault) {
      // The system's own offer may have any window.
      let accepted = try offer.judge(response.headers, bits: 15)
      guard accepted.deflate == nil || options.compressionBits != nil else {
        return fail(Self.unsupported("sockets without compression (compressionBits of nil) at this server"))
      }
      agreed.withLock { $0 = accepted }
    } catch {
      return fail(
        APIError(.transport, .socketHandshakeFailed, error.text, evidence: response.evidence))
    }
    phase = .accepted
    complete(.success(response.ofHandshake(exchange)))
  }

  private func fail(_ error: APIError) {
    failure = error
    wire.cut()
  }

  private func complete(_ result: Result<HTTPResponse, APIError>) { completion.take()?(result) }

  private func adopt(_ inbox: SocketInbox) {
    self.inbox = inbox
    guard case .accepted = phase else {
      _ = inbox.put([.ended(.atOnce(failure), unsent: [])])
      return
    }
    phase = .open
    machine = MessageSocketMachine(options, now: now)
    drive { machine, _, output in machine.receive(into: &output) }
  }

  // MARK: The wire's queue: open

  func received(_ message: SocketMessage) {
    drive { machine, _, output in machine.received(message, into: &output) }
  }

  func receivedClose(_ code: UInt16?, _ reason: String) {
    drive { $0.receivedClose(code.map(SocketCloseCode.init), reason, now: $1, into: &$2) }
  }

  func broke(_ error: APIError) {
    drive { $0.broke(error, now: $1, into: &$2) }
    if machine == nil { failure = failure ?? error }
  }

  func ended(_ error: APIError?, refusal: HTTPResponse?) {
    alarm?.task.cancel()
    let wasOpen = if case .open = phase { true } else { false }
    phase = .over
    let error = failure ?? error
    failure = error
    if let refusal, failure == nil {
      // Any other status is the load's to judge: a redirect, a credential that was refused.
      complete(.success(refusal.ofHandshake(exchange)))
    } else {
      complete(.failure(error ?? APIError(.transport, .cancelled)))
    }
    guard wasOpen, let machine else { return }
    // Whether a part has left, the system does not say.
    let unsent = machine.unsentMessages.map { SocketUnsent(message: $0, hasBegun: true, packs: true) }
    _ = inbox?.put([.ended(machine.closing(after: error), unsent: unsent)])
    self.machine = nil
  }

  /// So many bytes wait no longer.
  private func count(_ bytes: Int) {
    queued.add(-bytes)
    guard bytes > 0 else { return }
    if isAwaited.exchange(false) { _ = inbox?.put([.drained]) }
  }

  private func sent(_ number: Int) {
    var bytes = 0
    drive { bytes = $0.sent(number, into: &$2) }
    count(bytes)
  }

  /// Has the machine take something, and does what comes of it.
  private func drive(
    _ work: (inout MessageSocketMachine, _ now: Duration, inout MessageSocketMachine.Output) -> Void
  ) {
    guard case .open = phase, machine != nil else { return }
    var output = MessageSocketMachine.Output()
    work(&machine!, now, &output)
    if !output.events.isEmpty {
      let hasRoom = inbox?.put(output.events.map(SocketInboxItem.init)) ?? true
      if hasRoom { machine!.receive(into: &output) } else { machine!.read(false, now: now, into: &output) }
    }
    for action in output.actions {
      switch action {
      case .send(let message, let number): wire.send(message) { self.sent(number) }
      case .receive: wire.receive()
      case .ping(let number):
        wire.ping { self.drive { $0.takePong(number, now: $1, into: &$2) } }
      case .close(let code, let reason): wire.close(code.rawValue, reason)
      case .cut: return wire.cut()
      }
    }
    setAlarm()
  }

  // MARK: The wire's queue: time

  /// Has the alarm go off at the earliest time that counts.
  private func setAlarm() {
    let due = [openDue, isReleased ? nil : machine?.due].compactMap(\.self).min()
    guard due != alarm?.due else { return }
    alarm?.task.cancel()
    alarm = nil
    guard let due else { return }
    let time = time
    let task = Task.detached {
      // The task may begin late.
      let wait = due - time.now
      if wait > .zero { do { try await time.sleep(for: wait) } catch { return } }
      self.wire.perform { self.alarmWentOff(due) }
    }
    alarm = (due, task)
  }

  /// How late an alarm may be before the process or the machine stood still: more than a busy machine makes of it.
  private static let tolerance = Duration.seconds(2)

  private func alarmWentOff(_ due: Duration) {
    guard alarm?.due == due else { return }
    alarm = nil
    if let openDue, openDue <= now {
      if !isReleased {
        failure = APIError(
          .transport, .connectTimeout,
          "the WebSocket was not open after \(options.openLimit(of: exchange).shortText)")
      }
      return wire.cut()
    }
    let isLate = now - due > Self.tolerance
    drive { machine, now, output in
      if isLate { machine.wake(now: now, into: &output) } else { machine.tick(now: now, into: &output) }
    }
    setAlarm()
  }
}
