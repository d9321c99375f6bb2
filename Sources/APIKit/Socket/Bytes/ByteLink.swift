import Synchronization

/// The wire of a stream of bytes, and the calls that wait for it.
///
/// `@unchecked Sendable`: what changes belongs to the wire's thread, to which every call from another goes by
/// ``Wire/perform(_:)``; the count of reads is an atomic.
final class ByteLink: WireOwner, @unchecked Sendable {
  private typealias Waiter<Value> = CheckedContinuation<Result<Value, APIError>, Never>

  private let wire: any Wire
  /// Kept as long as the connection: it stops with its last reference.
  private let transport: any HTTPTransport
  private let lastID = Atomic(0)

  // The wire's thread alone.
  private var machine = ByteStreamMachine()
  private var isOpen = false
  private var opening: Waiter<Void>?
  private var reads: [Int: Waiter<ByteStream.Read>] = [:]
  private var writes: [Waiter<Void>] = []
  private var closing: [Waiter<Void>] = []
  private var isReadClosed = false
  private var isWriteClosed = false
  private var failure: APIError?
  private var limit = Duration.zero

  init(_ wire: any Wire, _ transport: any HTTPTransport) {
    self.wire = wire
    self.transport = transport
  }

  private static let stopped = APIError(.transport, .transportStopped)
  private static let cancelled = APIError(.transport, .cancelled)
  private static let securing = APIError(
    .transport, .misconfigured, "nothing can be written until startTLS has returned")
  private static let closed = APIError(.transport, .connectionLost, "the stream is closed")

  // MARK: From any thread

  func open(within limit: Duration) async throws(APIError) {
    try await call { (waiter: Waiter<Void>) in
      self.opening = waiter
      self.limit = limit
      self.wire.due = self.wire.now + limit.microseconds
      self.wire.open(for: self)
    }
  }

  func read(_ wish: ByteStreamMachine.Wish, within limit: Duration?) async throws(APIError) -> ByteStream.Read
  {
    let id = lastID.add(1, ordering: .relaxed).newValue
    let timer = limit.map { limit in
      Task.detached {
        try await Task.sleep(for: limit)
        self.giveUp(id, APIError(.transport, .idleTimeout, "not enough bytes in \(limit.shortText)"))
      }
    }
    defer { timer?.cancel() }
    return try await call(orCancel: { self.giveUp(id, Self.cancelled) }) {
      (waiter: Waiter<ByteStream.Read>) in
      guard !self.isReadClosed else { return waiter.resume(returning: .failure(Self.cancelled)) }
      self.reads[id] = waiter
      self.tell(self.machine.read(wish, id: id))
    }
  }

  private func giveUp(_ id: Int, _ error: APIError) {
    wire.perform {
      guard self.machine.giveUp(id) else { return }
      self.reads.removeValue(forKey: id)?.resume(returning: .failure(error))
      self.steer()
    }
  }

  func write(_ bytes: [UInt8]) async throws(APIError) {
    try await call { (waiter: Waiter<Void>) in
      guard self.isOpen, !self.isWriteClosed else {
        return waiter.resume(returning: .failure(self.failure ?? Self.closed))
      }
      guard self.opening == nil else { return waiter.resume(returning: .failure(Self.securing)) }
      guard !bytes.isEmpty else { return waiter.resume(returning: .success(())) }
      self.writes.append(waiter)
      self.wire.write(bytes)
    }
  }

  func closeWrite() async throws(APIError) {
    try await call { (waiter: Waiter<Void>) in
      guard self.isOpen else { return waiter.resume(returning: .failure(self.failure ?? Self.closed)) }
      guard self.opening == nil else { return waiter.resume(returning: .failure(Self.securing)) }
      self.isWriteClosed = true
      self.wire.endSending()
      if self.wire.unsentBytes == 0 { return waiter.resume(returning: .success(())) }
      self.closing.append(waiter)
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

  func startTLS(_ host: String) async throws(APIError) {
    try await call { (waiter: Waiter<Void>) in
      guard self.isOpen else { return waiter.resume(returning: .failure(self.failure ?? Self.closed)) }
      guard !self.machine.isAwaited, self.machine.bufferedBytes == 0, !self.machine.hasEnded else {
        return waiter.resume(
          returning: .failure(
            APIError(
              .transport, .misconfigured,
              "TLS cannot begin while a read waits or bytes were received before it: they may be injected")))
      }
      guard self.writes.isEmpty, self.opening == nil, !self.isWriteClosed else {
        return waiter.resume(
          returning: .failure(APIError(.transport, .misconfigured, "TLS begins when everything is written")))
      }
      self.opening = waiter
      do throws(APIError) {
        try self.wire.startTLS(host: host)
      } catch {
        self.opening = nil
        waiter.resume(returning: .failure(error))
      }
    }
  }

  func close() { wire.perform { self.wire.cut() } }

  /// Runs work on the wire's thread, and waits until it has resumed the waiter.
  private func call<Value: Sendable>(
    orCancel cancel: @escaping @Sendable () -> Void = {},
    _ work: @escaping @Sendable (Waiter<Value>) -> Void
  ) async throws(APIError) -> Value {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        if !self.wire.perform({ work(waiter) }) { waiter.resume(returning: .failure(Self.stopped)) }
      }
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  // MARK: The wire's thread

  func opened() {
    isOpen = true
    wire.due = .max
    opening.take()?.resume(returning: .success(()))
  }

  func received(_ bytes: UnsafeRawBufferPointer) {
    guard !isReadClosed else { return }
    tell(machine.receive(bytes))
  }

  func flushed() {
    let writes = writes + closing
    (self.writes, closing) = ([], [])
    for waiter in writes { waiter.resume(returning: .success(())) }
  }

  func timeHasCome() {
    guard !isOpen else { return }
    failure = APIError(.transport, .connectTimeout, "the connection was not open after \(limit.shortText)")
    wire.cut()
  }

  func receivedEnd(isOrderly: Bool) { tell(machine.receiveEnd(isOrderly ? .orderly : .truncated)) }

  func ended(_ error: APIError?) {
    let error = failure ?? error ?? Self.closed
    failure = error
    isOpen = false
    opening.take()?.resume(returning: .failure(error))
    let writes = writes + closing
    (self.writes, closing) = ([], [])
    for waiter in writes { waiter.resume(returning: .failure(error)) }
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
