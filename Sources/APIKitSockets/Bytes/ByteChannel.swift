import APIKit

/// The wire of a stream of bytes, and the calls that wait for it.
///
/// `@unchecked Sendable`: what changes belongs to the wire's thread, to which every call from another goes by
/// `Wire.perform(_:)`; the count of reads is an atomic.
final class ByteChannel: WireOwner, @unchecked Sendable {
  private typealias Waiter<Value> = CheckedContinuation<Result<Value, APIError>, Never>

  private let wire: any Wire
  /// Kept as long as the connection: it stops with its last reference.
  private let transport: any HTTPTransport
  private let time: any TimeSource
  private let lastID = AtomicInt()

  // The wire's thread alone.
  private var machine = ByteStreamMachine()
  private var isOpen = false
  private var opening: (id: Int, waiter: Waiter<Void>)?
  private var reads: [Int: Waiter<ByteStream.Read>] = [:]
  /// The callers that wait until the kernel has taken what was written.
  private var writes: [(id: Int, waiter: Waiter<Void>)] = []
  private var isReadClosed = false
  private var isWriteClosed = false
  private var failure: APIError?
  private var limit = Duration.zero

  init(_ wire: any Wire, _ transport: any HTTPTransport, _ time: any TimeSource) {
    self.wire = wire
    self.transport = transport
    self.time = time
  }

  private static let stopped = APIError(.transport, .transportStopped)
  private static let cancelled = APIError(.transport, .cancelled)
  private static let securing = APIError(
    .transport, .misconfigured, "nothing can be written until startTLS has returned")
  private static let closed = APIError(.transport, .connectionLost, "the stream is closed")

  // MARK: From any thread

  func open(within limit: Duration) async throws(APIError) {
    try await call(orGiveUp: giveUpOpening) { (id, waiter: Waiter<Void>) in
      self.setOpening(id, waiter, within: limit)
      self.wire.open(for: self)
    }
  }

  func read(_ request: ByteStreamMachine.ReadRequest, within limit: Duration?) async throws(APIError)
    -> ByteStream.Read
  {
    try await call(within: limit, "not enough bytes", orGiveUp: giveUpRead) {
      (id, waiter: Waiter<ByteStream.Read>) throws(APIError) in
      guard !self.isReadClosed else { throw Self.cancelled }
      self.reads[id] = waiter
      self.tell(self.machine.read(request, id: id))
    }
  }

  func write(_ bytes: [UInt8], within limit: Duration?) async throws(APIError) {
    try await call(within: limit, "the server did not take everything", orGiveUp: giveUpWrite) {
      (id, waiter: Waiter<Void>) throws(APIError) in
      guard self.isOpen, !self.isWriteClosed else { throw self.failure ?? Self.closed }
      guard self.opening == nil else { throw Self.securing }
      guard !bytes.isEmpty else { return waiter.resume(returning: .success(())) }
      self.writes.append((id, waiter))
      self.wire.write(bytes)
    }
  }

  func closeWrite(within limit: Duration?) async throws(APIError) {
    try await call(within: limit, "the server did not take everything", orGiveUp: giveUpWrite) {
      (id, waiter: Waiter<Void>) throws(APIError) in
      guard self.isOpen else { throw self.failure ?? Self.closed }
      guard self.opening == nil else { throw Self.securing }
      self.isWriteClosed = true
      self.wire.endSending()
      if self.wire.unsentBytes == 0 { return waiter.resume(returning: .success(())) }
      self.writes.append((id, waiter))
    }
  }

  func closeRead() {
    wire.perform {
      self.isReadClosed = true
      let reads = self.reads
      self.reads = [:]
      self.machine = ByteStreamMachine()
      for waiter in reads.values { waiter.resume(returning: .failure(Self.cancelled)) }
      self.steer()
    }
  }

  func startTLS(_ host: String, within limit: Duration) async throws(APIError) {
    try await call(orGiveUp: giveUpOpening) { (id, waiter: Waiter<Void>) throws(APIError) in
      guard self.isOpen else { throw self.failure ?? Self.closed }
      guard !self.machine.isAwaited, self.machine.bufferedBytes == 0, !self.machine.hasEnded else {
        throw APIError(
          .transport, .misconfigured,
          "TLS cannot begin while a read waits or bytes were received before it: they may be injected")
      }
      guard self.writes.isEmpty, self.opening == nil, !self.isWriteClosed else {
        throw APIError(.transport, .misconfigured, "TLS begins when everything is written")
      }
      self.setOpening(id, waiter, within: limit)
      do throws(APIError) {
        try self.wire.startTLS(host: host)
      } catch {
        self.opening = nil
        self.wire.due = .max
        throw error
      }
    }
  }

  func close() { wire.perform { self.wire.cut() } }

  /// Whether a call is to end, and why; set from any thread.
  private final class CallEnding: Sendable {
    let end = Mutex<APIError?>(nil)
  }

  /// Runs work on the wire's thread, and waits until the waiter is resumed.
  ///
  /// - Parameters:
  ///   - giveUp: Resumes the waiter with an error, on the wire's thread, if it waits still: its task was cancelled, or its
  ///     limit has passed.
  ///   - work: Resumes the waiter, or keeps it; what it throws before ends the call.
  private func call<Value: Sendable>(
    within limit: Duration? = nil, _ shortfall: String = "",
    orGiveUp giveUp: @escaping @Sendable (Int, APIError) -> Void,
    _ work: @escaping @Sendable (Int, Waiter<Value>) throws(APIError) -> Void
  ) async throws(APIError) -> Value {
    let (id, ending) = (lastID.add(1), CallEnding())
    let end: @Sendable (APIError) -> Void = { error in
      // The work may begin only after it.
      ending.end.withLock { $0 = $0 ?? error }
      self.wire.perform { giveUp(id, error) }
    }
    let timer = limit.map { limit in
      Task.detached { [time] in
        try await time.sleep(running: limit)
        end(APIError(.transport, .idleTimeout, "\(shortfall) in \(limit.shortText)"))
      }
    }
    defer { timer?.cancel() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: Waiter<Value>) in
        let isTaken = self.wire.perform {
          do throws(APIError) {
            if let error = ending.end.withLock({ $0 }) { throw error }
            try work(id, waiter)
          } catch {
            waiter.resume(returning: .failure(error))
          }
        }
        if !isTaken { waiter.resume(returning: .failure(Self.stopped)) }
      }
    } onCancel: {
      end(Self.cancelled)
    }
    return try result.get()
  }

  // MARK: The wire's thread

  private func setOpening(_ id: Int, _ waiter: Waiter<Void>, within limit: Duration) {
    opening = (id, waiter)
    self.limit = limit
    wire.due = wire.now + limit.microseconds
  }

  /// A connection whose TLS handshake was given up is unusable.
  private func giveUpOpening(_ id: Int, _ error: APIError) {
    guard opening?.id == id else { return }
    failure = error
    wire.cut()
  }

  private func giveUpRead(_ id: Int, _ error: APIError) {
    guard let served = machine.giveUp(id) else { return }
    reads.removeValue(forKey: id)?.resume(returning: .failure(error))
    tell(served)
  }

  /// The bytes are the wire's already, and leave.
  private func giveUpWrite(_ id: Int, _ error: APIError) {
    guard let index = writes.firstIndex(where: { $0.id == id }) else { return }
    writes.remove(at: index).waiter.resume(returning: .failure(error))
  }

  func opened() {
    isOpen = true
    wire.due = .max
    opening.take()?.waiter.resume(returning: .success(()))
  }

  func received(_ bytes: UnsafeRawBufferPointer) {
    guard !isReadClosed else { return }
    tell(machine.receive(bytes))
  }

  func flushed() { resumeWrites(.success(())) }

  private func resumeWrites(_ result: Result<Void, APIError>) {
    let writes = writes
    self.writes = []
    for (_, waiter) in writes { waiter.resume(returning: result) }
  }

  func timeHasCome() {
    guard opening != nil else { return }
    let what = isOpen ? "TLS was not established" : "the connection was not open"
    failure = APIError(.transport, .connectTimeout, "\(what) after \(limit.shortText)")
    wire.cut()
  }

  /// The time for opening begins anew.
  func stoodStill() { if opening != nil { wire.due = wire.now + limit.microseconds } }

  func receivedEnd(isOrderly: Bool) { tell(machine.receiveEnd(isOrderly ? .closed : .truncated)) }

  func ended(_ error: APIError?) {
    let error = failure ?? error ?? Self.closed
    failure = error
    isOpen = false
    opening.take()?.waiter.resume(returning: .failure(error))
    resumeWrites(.failure(error))
    tell(machine.fail(error))
  }

  private func tell(_ outcomes: [(Int, ByteStreamMachine.Outcome)]) {
    for (id, outcome) in outcomes {
      switch outcome {
      case .read(let read): reads.removeValue(forKey: id)?.resume(returning: .success(read))
      case .failed(let error): reads.removeValue(forKey: id)?.resume(returning: .failure(error))
      }
    }
    steer()
  }

  private func steer() {
    if isOpen { wire.isReading = isReadClosed || machine.wantsMore }
  }
}
