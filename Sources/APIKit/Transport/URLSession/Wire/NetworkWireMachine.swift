import Foundation

/// What a connection of Apple's Network framework reports.
enum NetworkEvent: Sendable {
  /// It is established.
  ///
  /// - Parameter usesProxy: Whether it goes through a proxy, whoever has named it.
  case ready(usesProxy: Bool)
  /// It cannot be established now, and would be tried again when the network changes.
  case waiting(NetworkFault)
  case failed(NetworkFault)
  case cancelled
  /// Whether bytes can go both ways at present.
  case viable(Bool)
  /// The server wants a client certificate.
  case askedForCertificate
  /// The server is not trusted, or the own certificate cannot be read.
  case refused(APIError)
  /// What a request for bytes has brought.
  case received(Data?, isComplete: Bool, NetworkFault?)
  /// The system has taken a part of what was to be sent.
  case sent(number: Int, NetworkFault?)
}

/// A connection of Apple's Network framework as a ``Wire``: takes what the system reports and what the owner asks for,
/// and says what is to be done next. It has no connection, no queue and no clock.
///
/// One action is taken at a time (``next()``), so that each follows from what is so at that moment, whatever an owner has done
/// within the callback before.
///
/// Legal moves: idle → connecting → open → over; each of them → over. A report that does not fit counts for nothing.
struct NetworkWireMachine {
  /// What is to be done.
  enum Action {
    // At the connection.
    case start
    case receive(atMost: Int)
    case send(Data, number: Int)
    /// A FIN behind what was sent, over TLS a close_notify as well.
    case endSending
    /// - Parameter isForced: Whether at once, without an orderly end.
    case cancel(isForced: Bool)
    // At the owner.
    case opened
    case received(Data)
    case flushedPart
    case flushed
    case stoodStill
    case receivedEnd(isOrderly: Bool)
    case ended(APIError?)
  }

  enum NetworkWirePhase { case idle, connecting, open, over }

  /// How the reading side ends, once everything that came before was given to the owner.
  private enum Ending {
    case end(isOrderly: Bool)
    case broken(APIError)
  }

  private(set) var phase = NetworkWirePhase.idle
  /// Whether bytes are read and given to the owner.
  var isReading = true
  /// Whether a callback of the owner runs. No other begins meanwhile but the last, ``Action/ended(_:)``.
  var isTelling = false

  private var circumstances: NetworkFault.Circumstances
  private let forbidsProxies: Bool
  private var failure: APIError?
  private var isCancelled = false
  private var isStarted = false
  private var hasToldOpening = false
  private var hasToldEnd = false

  // Reading: one request at a time, of which the owner gets the bytes before there is another.
  private var isReceiving = false
  private var inbox: Data?
  private var ending: Ending?
  private var hasReadEnd = false
  private var isViable = true
  private var wasRevived = false

  // Writing: a few parts are with the system, the rest waits here.
  private var outgoing: [UInt8] = []
  private var start = 0
  private var parts: [(number: Int, count: Int)] = []
  private var lastPart = 0
  private var hasFlushed = false
  private var endsSending = false
  private var hasEndedSending = false
  /// Whether the system has ended the connection, of which the owner knows the reading side only.
  private var isDead = false

  /// The most bytes of a request, and of a part.
  static let portion = 64 << 10
  /// How many parts the system has at most.
  static let mostParts = 4

  /// - Parameters:
  ///   - circumstances: What is known of the connection.
  ///   - forbidsProxies: Whether a connection through a proxy fails, where the system knows one that nobody has named.
  init(_ circumstances: NetworkFault.Circumstances, forbidsProxies: Bool) {
    self.circumstances = circumstances
    self.forbidsProxies = forbidsProxies
  }

  /// How many bytes the system has not taken yet.
  var unsentBytes: Int { outgoing.count - start + parts.reduce(0) { $0 + $1.count } }

  // MARK: From the owner

  mutating func open() { if phase == .idle { phase = .connecting } }

  mutating func write(_ bytes: [UInt8]) {
    guard phase == .open, !endsSending, !bytes.isEmpty else { return }
    if isDead { ending = .broken(Self.lost("the connection has ended")) }
    if start == outgoing.count { (outgoing, start) = (bytes, 0) } else { outgoing += bytes }
  }

  mutating func endSending() { if phase == .open { endsSending = true } }

  /// Ends it at once; nil by the owner's wish.
  mutating func end(_ error: APIError?) {
    guard phase != .over else { return }
    phase = .over
    failure = error
  }

  // MARK: From the system

  mutating func take(_ event: NetworkEvent) {
    switch event {
    case .ready(let usesProxy):
      guard phase == .connecting else { return }
      guard !usesProxy || !forbidsProxies else {
        return end(
          APIError(
            .transport, .proxyFailed,
            "the system went through a proxy of its own, and the configuration wants none"))
      }
      phase = .open
    case .waiting(let fault): stop(fault)
    case .failed(let fault):
      guard phase == .open, fault.isTruncation, !hasReadEnd else { return stop(fault) }
      isDead = true
      readEnd(isOrderly: false)
    case .cancelled:
      let cancelled = "the system has cancelled the connection"
      if phase == .connecting { end(APIError(.transport, .transportFailed, cancelled)) }
      if phase == .open { ending = .broken(Self.lost(cancelled)) }
    case .viable(let isViable):
      if isViable, !self.isViable, phase == .open { wasRevived = true }
      self.isViable = isViable
    case .askedForCertificate: circumstances.wasAskedForCertificate = true
    case .refused(let error): end(error)
    case .received(let data, let isComplete, let fault): take(data, isComplete, fault)
    case .sent(let number, let fault):
      if let fault { return stop(fault) }
      guard let index = parts.firstIndex(where: { $0.number == number }) else { return }
      parts.remove(at: index)
      hasFlushed = true
    }
  }

  private mutating func take(_ data: Data?, _ isComplete: Bool, _ fault: NetworkFault?) {
    guard isReceiving, phase == .open else { return }
    isReceiving = false
    // The state has told the end already.
    guard !hasReadEnd else { return }
    if let data, !data.isEmpty { inbox = data }
    if let fault {
      if fault.isTruncation { readEnd(isOrderly: false) } else { stop(fault) }
    } else if isComplete {
      readEnd(isOrderly: true)
    } else if inbox == nil {
      // Every further request would bring the same.
      ending = .broken(Self.lost("the system gave neither bytes nor an end"))
    }
  }

  private mutating func readEnd(isOrderly: Bool) {
    hasReadEnd = true
    if ending == nil { ending = .end(isOrderly: isOrderly) }
  }

  private mutating func stop(_ fault: NetworkFault) {
    if phase == .connecting { end(fault.opening(circumstances)) }
    if phase == .open { ending = .broken(fault.breaking(circumstances)) }
  }

  private static func lost(_ detail: String) -> APIError { APIError(.transport, .connectionLost, detail) }

  // MARK: What is next

  /// The next action, which counts as done; nil when there is none now.
  mutating func next() -> Action? {
    if phase == .connecting, !isStarted {
      isStarted = true
      return .start
    }
    if phase == .open { if let action = nextOpen() { return action } }
    guard phase == .over else { return nil }
    if isStarted, !isCancelled {
      isCancelled = true
      // An orderly end would wait for a server that does not read.
      return .cancel(isForced: failure != nil || unsentBytes > 0)
    }
    guard !hasToldEnd else { return nil }
    hasToldEnd = true
    return .ended(failure)
  }

  /// Nil as well where the connection is over with it.
  private mutating func nextOpen() -> Action? {
    if let part = nextPart() { return part }
    if endsSending, !hasEndedSending, start == outgoing.count, !isDead {
      hasEndedSending = true
      return .endSending
    }
    if !isTelling, let news = nextNews() { return news }
    guard phase == .open, isReading, !isReceiving, !hasReadEnd, inbox == nil, ending == nil else {
      return nil
    }
    isReceiving = true
    return .receive(atMost: Self.portion)
  }

  private mutating func nextPart() -> Action? {
    guard !isDead, parts.count < Self.mostParts, start < outgoing.count else { return nil }
    let count = min(Self.portion, outgoing.count - start)
    let data = Data(outgoing[start..<(start + count)])
    start += count
    // What has left is not kept, nor is a large buffer for an idle connection.
    if start == outgoing.count {
      outgoing.removeAll(keepingCapacity: outgoing.capacity <= 4 << 10)
      start = 0
    } else if start > 1 << 20, start > outgoing.count / 2 {
      outgoing.removeSubrange(..<start)
      start = 0
    }
    lastPart += 1
    parts.append((lastPart, count))
    return .send(data, number: lastPart)
  }

  /// The owner's next callback.
  private mutating func nextNews() -> Action? {
    if !hasToldOpening {
      hasToldOpening = true
      return .opened
    }
    let isBroken = if case .broken = ending { true } else { false }
    if isReading || isBroken, let data = inbox.take() { return .received(data) }
    switch ending {
    case .broken(let error):
      end(error)
      return nil
    case .end(let isOrderly) where isReading:
      ending = nil
      return .receivedEnd(isOrderly: isOrderly)
    case .end, nil: break
    }
    if hasFlushed {
      hasFlushed = false
      return unsentBytes == 0 ? .flushed : .flushedPart
    }
    if wasRevived {
      wasRevived = false
      return .stoodStill
    }
    return nil
  }
}
