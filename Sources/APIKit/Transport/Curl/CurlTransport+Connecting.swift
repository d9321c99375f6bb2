#if os(Linux)

  extension CurlTransport: ConnectingTransport {
    func connect(for exchange: HTTPExchange, keeping: Bool) async throws(APIError) -> Duration? {
      guard keeping else { return try await probe(exchange) }
      // Where the application decides about the server, the request itself raises the challenge.
      guard handler(for: exchange) == nil else { return nil }
      var opening = HTTPExchange(HTTPRequest(method: .head, url: exchange.request.url))
      opening.request.options = exchange.request.options
      opening.request.timeouts = exchange.request.timeouts
      let response = try await open(opening, on: try loops.mailbox(for: exchange), mayReuse: true)
      guard !response.metrics.isReused else { return nil }
      return .microseconds(response.metrics.tls - response.metrics.nameLookup)
    }

    /// A connection that is closed as soon as it is established. It is not in the pool of the requests, so measuring leaves
    /// none behind.
    private func probe(_ exchange: HTTPExchange) async throws(APIError) -> Duration? {
      let wire = try makeWire(for: exchange, speaksHTTP: true)
      let limit = exchange.request.timeouts.filled(from: configuration.timeouts).connect ?? .zero
      let probe = WireProbe(wire, limit: limit)
      return try await withTaskCancellationHandler {
        await withCheckedContinuation { probe.start($0) }
      } onCancel: {
        probe.cancel()
      }.get()
    }
  }

  /// Opens a wire to see how long it takes.
  ///
  /// `@unchecked Sendable`: the wire's thread alone uses it, but for the continuation behind its lock.
  private final class WireProbe: WireOwner, @unchecked Sendable {
    private struct ProbeState {
      var waiter: CheckedContinuation<Result<Duration?, APIError>, Never>?
      var isOver = false
    }

    private let wire: any Wire
    private let limit: Duration
    private var begun: Int64 = 0
    private let state = Mutex(ProbeState())

    init(_ wire: any Wire, limit: Duration) {
      self.wire = wire
      self.limit = limit
    }

    func start(_ continuation: CheckedContinuation<Result<Duration?, APIError>, Never>) {
      let isCancelled = state.withLock { state in
        if !state.isOver { state.waiter = continuation }
        return state.isOver
      }
      guard !isCancelled else {
        return continuation.resume(returning: .failure(APIError(.transport, .cancelled)))
      }
      let isPosted = wire.perform { [self] in
        begun = CurlClock.now()
        if limit > .zero { wire.due = begun + limit.microseconds }
        wire.open(for: self)
      }
      if !isPosted { end(.failure(APIError(.transport, .transportStopped))) }
    }

    func cancel() {
      wire.perform { [self] in
        end(.failure(APIError(.transport, .cancelled)))
        wire.cut()
      }
    }

    func opened() {
      end(.success(.microseconds(CurlClock.now() - begun)))
      wire.cut()
    }

    func timeHasCome() {
      end(
        .failure(
          APIError(.transport, .connectTimeout, "the connection did not stand after \(limit.shortText)")))
      wire.cut()
    }

    func ended(_ error: APIError?) { end(.failure(error ?? APIError(.transport, .cancelled))) }

    func received(_ bytes: UnsafeRawBufferPointer) {}
    func flushed() {}
    func receivedEnd(isOrderly: Bool) {}

    private func end(_ result: Result<Duration?, APIError>) {
      let waiter = state.withLock { state in
        state.isOver = true
        return state.waiter.take()
      }
      waiter?.resume(returning: result)
    }
  }
#endif
