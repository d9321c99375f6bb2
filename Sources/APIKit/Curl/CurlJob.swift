#if os(Linux)
  import Glibc
  import Synchronization

  /// One exchange on its way through the transport: asked for by a task, carried out by the loop thread.
  ///
  /// The two meet here. The task suspends; whoever lands the job first, the loop or a
  /// cancellation, wins, and the task resumes exactly once.
  final class CurlJob: Sendable {
    let exchange: HTTPExchange
    /// The request's limits, filled up from the session's.
    let limits: CurlLimits
    /// When the transport took it, in microseconds of ``CurlClock``.
    let posted: Int64
    /// What feeds the body; nil for none and for small arrays.
    let source: (any CurlSource)?
    /// What takes the answer's body; nil when it is collected in memory.
    let sink: (any CurlSink)?
    /// Whether it only opens a connection, and sends nothing.
    let opensOnly: Bool
    /// The most bytes collected in memory, as they come on the wire.
    let bodyLimit: Int

    private let state = Mutex(State.fresh)

    /// Legal moves: fresh → waiting → active → landed → taken, and from each of the first three to landed.
    private enum State {
      /// Not suspended yet.
      case fresh
      /// Suspended; in the mailbox or the queue.
      case waiting(UnsafeContinuation<Void, Never>)
      /// Suspended; the loop has a handle for it and will land it.
      case active(UnsafeContinuation<Void, Never>)
      /// Over; the outcome is there until the task takes it.
      case landed(Result<CurlResponse, APIError>)
      /// The task has it. It is not kept here: a stream in it would never see that its reader is gone.
      case taken
    }

    init(
      _ exchange: HTTPExchange, limits: CurlLimits, source: (any CurlSource)? = nil,
      sink: (any CurlSink)? = nil, opensOnly: Bool = false
    ) {
      self.opensOnly = opensOnly
      self.exchange = exchange
      self.limits = limits
      self.source = source
      self.sink = sink
      bodyLimit = if case .memory(let maximumBytes) = exchange.destination { maximumBytes } else { .max }
      posted = CurlClock.now()
    }

    /// Hands the job to the loop; its task is suspended until it lands.
    func suspend(_ continuation: UnsafeContinuation<Void, Never>, _ mailbox: CurlMailbox) {
      let isOver = state.withLock { state in
        if case .landed = state { return true }
        state = .waiting(continuation)
        return false
      }
      if isOver {
        continuation.resume()
      } else if !mailbox.start(self) {
        stop()
      }
    }

    /// The outcome of a job that has landed; taken once.
    func takeOutcome() -> Result<CurlResponse, APIError> {
      state.withLock { state in
        guard case .landed(let outcome) = state else {
          preconditionFailure("a job resumes only after it landed")
        }
        state = .taken
        return outcome
      }
    }

    /// Whether the loop may start it; false when it has landed already.
    func activate() -> Bool {
      state.withLock { state in
        guard case .waiting(let continuation) = state else { return false }
        state = .active(continuation)
        return true
      }
    }

    /// Lands it, unless something else did before.
    func land(_ outcome: Result<CurlResponse, APIError>) {
      let continuation = state.withLock { state -> UnsafeContinuation<Void, Never>? in
        switch state {
        case .landed, .taken: return nil
        case .fresh:
          state = .landed(outcome)
          return nil
        case .waiting(let continuation), .active(let continuation):
          state = .landed(outcome)
          return continuation
        }
      }
      continuation?.resume()
    }

    /// Lands it as cancelled, at once when nothing has been started for it; else the loop undoes things first.
    func cancel(in mailbox: CurlMailbox) {
      let isActive = state.withLock { if case .active = $0 { true } else { false } }
      // Between the two locks the loop may start it. Then it lands here and the loop, told by the
      // message that follows, still takes its handle away.
      if !isActive { land(.failure(Self.cancelled)) }
      mailbox.post(.cancel(self))
    }

    /// Lands it because the transport stopped before it was started.
    func stop() {
      let error = APIError(.transport, .transportStopped)
      source?.close()
      sink?.fail(error)
      land(.failure(error))
    }

    /// Whether it is over.
    var hasLanded: Bool {
      state.withLock { state in
        switch state {
        case .landed, .taken: true
        case .fresh, .waiting, .active: false
        }
      }
    }

    static let cancelled = APIError(.transport, .cancelled)
  }

  /// An answer as the loop has it: parsed and decoded later, on the caller's own thread.
  struct CurlResponse: Sendable {
    var status = 200
    var version = HTTPVersion.other
    /// The header block as received, from the status line to the empty line.
    var head: [UInt8] = []
    var body = HTTPResponse.Body.bytes([])
    var metrics = TransportMetrics()
  }

  /// Time as the loop measures it.
  enum CurlClock {
    /// Microseconds on the monotonic clock.
    static func now() -> Int64 {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1000
    }

    /// A duration in microseconds, at least 1 when it is positive.
    static func microseconds(_ duration: Duration) -> Int64 {
      let (seconds, attoseconds) = duration.components
      guard seconds < Int64.max / 2_000_000 else { return Int64.max / 2 }
      return seconds * 1_000_000 + (attoseconds + 999_999_999_999) / 1_000_000_000_000
    }
  }
#endif
