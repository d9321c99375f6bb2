import APIKit

/// One accepted connection: what was read from it, and what is still to be sent.
///
/// Used on the loop's thread only. Requests are handled one at a time in the order received, so a client
/// may send the next one before it has the response (RFC 9112, 9.3.2).
final class Connection {
  /// What the connection does now.
  enum ConnectionPhase {
    /// Reads until a request is complete.
    case reading
    /// Sends pieces; the next one not before its time.
    case sending
    /// Goes on sending behind the head, and reads what is not HTTP.
    case live
    /// Has sent everything and reads until the peer closes, so that a reset does not destroy the response.
    case draining
    /// Is to be closed.
    case closed
  }

  let descriptor: Int32
  let number: Int
  private(set) var phase = ConnectionPhase.reading
  /// Monotonic nanoseconds of the last progress: a byte of a request, a byte that the peer took, or the end.
  private var lastProgress: Int64
  /// Monotonic nanoseconds at which the first byte of an incomplete request was there.
  private var requestBegan: Int64?
  /// Monotonic nanoseconds before which the next piece is not sent.
  private(set) var notBefore: Int64 = 0

  private var parser: RequestParser
  private let engine: DemoEngine
  private var pieces: [DemoResponse.Piece] = []
  private var outgoing: ArraySlice<UInt8> = []
  private var closesAfterSending = false
  /// What the connection does behind the head that it sends, or has sent.
  private var live: (any LiveExchange)?
  private var hasSentOfResponse = false
  private var hasPeerEnded = false
  /// Whether its descriptor is closed.
  private(set) var isClosed = false

  init(_ descriptor: Int32, number: Int, engine: DemoEngine, now: Int64) {
    self.descriptor = descriptor
    self.number = number
    self.engine = engine
    lastProgress = now
    parser = RequestParser(limits: engine.limits)
  }

  /// Notes that its descriptor is closed; false when it was closed before.
  func markClosed() -> Bool {
    defer { isClosed = true }
    return !isClosed
  }

  /// Whether the loop should wait for bytes from the peer.
  var wantsToRead: Bool {
    switch phase {
    case .reading, .draining: true
    // Bytes of later requests may wait in the kernel; `poll` reports a broken connection anyway.
    case .sending: !hasPeerEnded && parser.pending < 64 << 10
    // A client that sends and does not read has to wait.
    case .live: outgoing.count < 64 << 10
    case .closed: false
    }
  }

  /// Whether the loop should wait until bytes can be sent.
  func wantsToWrite(now: Int64) -> Bool {
    switch phase {
    case .sending: now >= notBefore
    case .live: !outgoing.isEmpty || now >= notBefore
    case .reading, .draining, .closed: false
    }
  }

  /// Monotonic nanoseconds at which it has something to send again, unless something comes before.
  var alarm: Int64 { phase == .sending || phase == .live ? notBefore : .max }

  /// Reads what the peer has sent.
  func read(into buffer: UnsafeMutableRawBufferPointer, now: Int64) {
    switch LoopbackSocket.receive(descriptor, into: buffer) {
    case .nothing: return
    case .failed: abandon()
    case .end:
      hasPeerEnded = true
      if phase != .sending {
        phase = .closed
      } else if now < notBefore {
        abandon()  // the client no longer waits for a delayed response
      }
    case .bytes(let count):
      guard phase != .draining else { return }
      // A peer that sends and does not read makes no progress.
      if phase == .reading { lastProgress = now }
      if phase == .live, let live {
        live.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        notBefore = live.nextTime
        return pump(now: now)
      }
      parser.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      pump(now: now)
    }
  }

  /// Sends what is due, then handles the next complete request, until it has to wait.
  func pump(now: Int64) {
    while true {
      switch phase {
      case .sending: guard send(now: now) else { return }
      case .reading: guard answerNext(now: now) else { return }
      case .live: guard goOn(now: now) else { return }
      case .draining, .closed: return
      }
    }
  }

  /// Monotonic nanoseconds at which ``expire(now:)`` is due, unless there is progress before.
  var deadline: Int64 {
    let idle = engine.idleLimit.nanoseconds
    return switch phase {
    case .reading: min(lastProgress + idle, requestBegan.map { $0 + engine.requestLimit.nanoseconds } ?? .max)
    case .sending, .live: max(lastProgress, notBefore) + idle
    case .draining: lastProgress + min(idle, Self.drainLimit)
    case .closed: .max
    }
  }

  /// How long the peer may take to close after the last byte, in nanoseconds.
  private static let drainLimit: Int64 = 1_000_000_000

  /// Sends 408 for a request that is not complete in time; otherwise ends the connection.
  func expire(now: Int64) {
    guard phase == .reading, parser.isInside else { return abandon() }
    fail(408, "the request did not come to its end in time", now: now)
    pump(now: now)
  }

  /// Starts the response to the next request; false when none is complete.
  private func answerNext(now: Int64) -> Bool {
    switch parser.next() {
    case .incomplete:
      if hasPeerEnded { phase = .closed }
      if parser.isInside, requestBegan == nil { requestBegan = now }
      return false
    case .expectsContinue:
      start([DemoResponse.Piece(wait: .zero, bytes: Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))], now: now)
    case .failure(let status, let text): fail(status, text, now: now)
    case .request(var request):
      requestBegan = nil
      request.connection = number
      let response = engine.response(request)
      live = request.method == .head ? nil : response.live?()
      let wire = response.wire(
        for: request.method, keepsAlive: request.keepsAlive, date: engine.date(now: now))
      closesAfterSending = wire.closes
      start(wire.pieces, now: now)
    }
    return true
  }

  private func fail(_ status: Int, _ text: String, now: Int64) {
    engine.countBadRequest()
    let response = DemoResponse.json(["error": .string(text), "status": .int(status)], status: status)
    closesAfterSending = true
    start(response.wire(for: .get, keepsAlive: false, date: engine.date(now: now)).pieces, now: now)
  }

  private func start(_ pieces: [DemoResponse.Piece], now: Int64) {
    self.pieces = pieces
    phase = .sending
    hasSentOfResponse = false
    notBefore = now + (pieces.first?.wait.nanoseconds ?? 0)
  }

  /// Sends what is due; false when the rest must wait for its time or for the peer.
  private func send(now: Int64) -> Bool {
    while true {
      while !outgoing.isEmpty {
        guard let count = LoopbackSocket.send(descriptor, outgoing) else {
          abandon()
          return false
        }
        guard count > 0 else { return false }
        hasSentOfResponse = true
        lastProgress = now
        outgoing = outgoing.dropFirst(count)
      }
      guard !pieces.isEmpty else { break }
      guard now >= notBefore else { return false }
      outgoing = pieces.removeFirst().bytes[...]
      notBefore = now + (pieces.first?.wait.nanoseconds ?? 0)
    }
    lastProgress = now
    if let live {
      phase = .live
      let rest = parser.takeRest()
      if !rest.isEmpty { rest.withUnsafeBytes { live.receive($0) } }
      notBefore = live.nextTime
    } else if !closesAfterSending {
      phase = .reading
    } else if hasSentOfResponse {
      LoopbackSocket.finishSending(descriptor)
      phase = .draining
    } else {
      phase = .closed
    }
    return true
  }

  /// Sends what there is by now; false when the rest must wait for its time or for the peer.
  private func goOn(now: Int64) -> Bool {
    guard let live else { return false }
    while outgoing.isEmpty {
      guard let bytes = live.take(now: now) else {
        // What was said is read to its end.
        LoopbackSocket.finishSending(descriptor)
        (phase, lastProgress) = (.draining, now)
        return true
      }
      notBefore = live.nextTime
      lastProgress = now
      guard !bytes.isEmpty else { return false }
      outgoing = bytes[...]
    }
    guard let count = LoopbackSocket.send(descriptor, outgoing) else {
      abandon()
      return false
    }
    if count > 0 { lastProgress = now }
    outgoing = outgoing.dropFirst(count)
    return outgoing.isEmpty
  }

  private func abandon() {
    if phase == .sending { engine.countAbandoned() }
    phase = .closed
  }
}

extension Duration {
  /// The duration in whole nanoseconds, limited to an hour.
  var nanoseconds: Int64 {
    let parts = components
    return min(parts.seconds, 3600) * 1_000_000_000 + parts.attoseconds / 1_000_000_000
  }
}
