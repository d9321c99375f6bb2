#if os(Linux)
  import Glibc
  import Synchronization

  /// One exchange on its way through the transport: asked for on any thread, carried out by the loop's.
  ///
  /// It ends exactly once, by the loop or by a cancellation before the loop has started it.
  final class CurlJob: CancellableOperation {
    /// Who is told of the end.
    enum Completion: Sendable {
      /// Called at the end of the loop's turn, with the response.
      case callback(HTTPTransport.Completion)
      /// Resumed then; it parses the response itself.
      case continuation(UnsafeContinuation<Void, Never>)
      /// A task that will say by ``CurlJob/start(resuming:)`` what to resume.
      case task
    }

    let exchange: HTTPExchange
    let mailbox: CurlMailbox
    /// The request's limits, filled up from the session's.
    let limits: CurlLimits
    /// When the transport took it, in microseconds of ``CurlClock``.
    let posted: Int64
    /// What feeds the body; nil for none and for small arrays.
    let source: (any CurlSource)?
    /// What takes the response's body; nil when it is collected in memory.
    let sink: (any CurlSink)?
    /// Whether it only opens a connection, and sends nothing.
    let opensOnly: Bool
    /// The most bytes collected in memory, as they come on the wire.
    let bodyLimit: Int
    private let maximumDecodedBytes: Int64

    private let state: Mutex<State>

    private struct State {
      var phase = Phase.waiting
      var completion: Completion
      var outcome: Result<CurlResponse, APIError>?
    }

    /// Legal moves: waiting → active → over, and waiting → over.
    private enum Phase {
      /// Not started by the loop yet.
      case waiting
      /// The loop has a handle for it and will end it.
      case active
      case over
    }

    init(
      _ exchange: HTTPExchange, _ mailbox: CurlMailbox, limits: CurlLimits, completion: Completion,
      source: (any CurlSource)? = nil, sink: (any CurlSink)? = nil, opensOnly: Bool = false,
      maximumDecodedBytes: Int64 = .max
    ) {
      self.exchange = exchange
      self.mailbox = mailbox
      self.limits = limits
      self.source = source
      self.sink = sink
      self.opensOnly = opensOnly
      self.maximumDecodedBytes = maximumDecodedBytes
      bodyLimit = if case .memory(let maximumBytes) = exchange.destination { maximumBytes } else { .max }
      posted = CurlClock.now()
      state = Mutex(State(completion: completion))
    }

    /// Hands the job to the loop.
    func start() { if !mailbox.post(.start(self)) { stop() } }

    /// Hands the job to the loop and resumes the continuation when it is over.
    func start(resuming continuation: UnsafeContinuation<Void, Never>) {
      let isOver = state.withLock { state in
        state.completion = .continuation(continuation)
        return state.phase == .over
      }
      // Cancelled before it was handed over.
      if isOver { continuation.resume() } else { start() }
    }

    /// Whether the loop may start it; false when it is over already.
    func activate() -> Bool {
      state.withLock { state in
        guard state.phase == .waiting else { return false }
        state.phase = .active
        return true
      }
    }

    /// Ends it, unless it is over. True when its completion is to be told by ``complete()``.
    func end(_ outcome: Result<CurlResponse, APIError>) -> Bool {
      state.withLock { state in
        guard state.phase != .over else { return false }
        state.phase = .over
        state.outcome = outcome
        return true
      }
    }

    /// Tells who waits that it is over; after ``end(_:)``, and once.
    func complete() {
      switch state.withLock({ $0.completion }) {
      case .task: break
      case .continuation(let continuation): continuation.resume()
      case .callback(let callback): complete(callback)
      }
    }

    /// What unpacks to more than this is decoded on the cooperative pool.
    private static let small = 64 << 10

    private func complete(_ callback: @escaping HTTPTransport.Completion) {
      let outcome = takeOutcome()
      do throws(APIError) {
        callback(.success(try response(of: outcome, maximumDecodedBytes: Self.small)))
      } catch  where error.reason == .responseTooLarge {
        Task.detached {
          do throws(APIError) {
            callback(.success(try self.response(of: outcome, maximumDecodedBytes: .max)))
          } catch {
            callback(.failure(error))
          }
        }
      } catch {
        callback(.failure(error))
      }
    }

    /// Cancels it: at once when nothing has been started for it, else the loop undoes things first.
    func cancel() {
      let isActive = state.withLock { $0.phase == .active }
      // Between the two locks the loop may start it. Then it ends here, and the loop, told by the message that
      // follows, still takes its handle away.
      if !isActive, end(.failure(Self.cancelled)) { complete() }
      mailbox.post(.cancel(self))
    }

    /// Ends it because the transport stopped before it was started.
    func stop() {
      let error = APIError(.transport, .transportStopped)
      source?.close()
      sink?.fail(error)
      if end(.failure(error)) { complete() }
    }

    /// Whether it is over.
    var isOver: Bool { state.withLock { $0.phase == .over } }

    static let cancelled = APIError(.transport, .cancelled)

    // MARK: The response

    /// The response, or why there is none; taken once.
    func response() throws(APIError) -> HTTPResponse {
      try response(of: takeOutcome(), maximumDecodedBytes: .max)
    }

    /// Not kept any longer: a stream in it would never see that its reader is gone.
    private func takeOutcome() -> Result<CurlResponse, APIError> {
      state.withLock { state in
        guard let outcome = state.outcome.take() else {
          preconditionFailure("the outcome of a job is taken once, when it is over")
        }
        return outcome
      }
    }

    /// Parses the head and decodes the body.
    private func response(
      of outcome: Result<CurlResponse, APIError>, maximumDecodedBytes most: Int
    ) throws(APIError) -> HTTPResponse {
      let outcome = try outcome.get()
      var response = HTTPResponse(
        status: outcome.status, headers: CurlHead.headers(outcome.head), body: outcome.body,
        version: outcome.version, metrics: outcome.metrics, url: exchange.request.url)
      guard outcome.isCoded, case .memory(let maximumBytes) = exchange.destination,
        case .bytes(let bytes) = outcome.body, !bytes.isEmpty,
        let coding = response.headers.combined("Content-Encoding")
      else { return response }
      let limit = min(maximumBytes, Int(clamping: maximumDecodedBytes), most)
      response.body = .bytes(try CurlDecoding.decode(bytes, coding, maximumBytes: limit))
      return response
    }
  }

  /// A response as the loop has it, before it is parsed and decoded.
  struct CurlResponse: Sendable {
    var status = 200
    var version = HTTPVersion.other
    /// The header block as received, from the status line to the empty line.
    var head: [UInt8] = []
    var body = HTTPResponse.Body.bytes([])
    /// Whether there is a `Content-Encoding`.
    var isCoded = false
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
