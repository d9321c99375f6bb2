#if os(Linux)
  import Glibc

  /// One exchange of a transport: started on any thread, carried out on the loop's.
  ///
  /// It ends exactly once: by the loop, or by a cancellation before the loop has started it.
  final class CurlJob: SuspendableOperation {
    /// The completion of a job.
    enum Completion: Sendable {
      /// Called with the response at the end of the loop's turn, or in a task where a large body is
      /// decoded.
      case callback(HTTPTransport.Completion)
      /// Resumed at the end of the loop's turn; the task parses the response itself.
      case continuation(UnsafeContinuation<Void, Never>)
      /// A task, whose continuation ``CurlJob/start(resuming:)`` sets.
      case task
    }

    /// Whether a connection is all that is wanted.
    enum Opening: UInt8 {
      case none
      case new
      /// One that is open already will do.
      case any
    }

    let exchange: HTTPExchange
    let mailbox: CurlMailbox
    /// The request's time limits; those it leaves out are the configuration's.
    let limits: CurlLimits
    /// When the transport accepted it, in microseconds of ``CurlClock``.
    let posted: Int64
    /// How long its caller has kept it from being started, in microseconds.
    private let held = AtomicInt()
    /// The source of the request's body; nil for none and for small arrays.
    let source: (any CurlSource)?
    /// The sink of the response's body; nil when that is collected in memory.
    let sink: (any CurlSink)?
    /// Whether it only opens a connection and sends nothing.
    var opensOnly: Bool { opening != .none }
    let opening: Opening
    /// The most bytes collected in memory, before content decoding and afterwards.
    let bodyLimit: Int
    let maximumDecodedBytes: Int64

    private let state: Mutex<JobState>

    private struct JobState {
      var phase = JobPhase.waiting
      var completion: Completion
      var outcome: Result<CurlResponse, APIError>?
    }

    /// Legal moves: waiting → active → over, and waiting → over.
    private enum JobPhase {
      /// Not started by the loop yet.
      case waiting
      /// The loop has a handle for it and will end it.
      case active
      case over
    }

    init(
      _ exchange: HTTPExchange, _ mailbox: CurlMailbox, limits: CurlLimits, completion: Completion,
      source: (any CurlSource)? = nil, sink: (any CurlSink)? = nil, opening: Opening = .none,
      maximumDecodedBytes: Int64 = .max
    ) {
      self.exchange = exchange
      self.mailbox = mailbox
      self.limits = limits
      self.source = source
      self.sink = sink
      self.opening = opening
      self.maximumDecodedBytes = maximumDecodedBytes
      bodyLimit = exchange.destination.memoryLimit
      posted = CurlClock.now()
      state = Mutex(JobState(completion: completion))
    }

    /// Posts the job to the loop.
    func start() { if !mailbox.post(.start(self)) { stop() } }

    /// Posts the job to the loop and resumes the continuation when it has ended.
    func start(resuming continuation: UnsafeContinuation<Void, Never>) {
      let isOver = state.withLock { state in
        state.completion = .continuation(continuation)
        return state.phase == .over
      }
      // Cancelled before it was posted.
      if isOver { continuation.resume() } else { start() }
    }

    /// Marks it as started by the loop; false when it has ended already.
    func activate() -> Bool {
      state.withLock { state in
        guard state.phase == .waiting else { return false }
        state.phase = .active
        return true
      }
    }

    /// Ends it, unless it has ended. True when ``complete()`` is to be called.
    func end(_ outcome: Result<CurlResponse, APIError>) -> Bool {
      state.withLock { state in
        guard state.phase != .over else { return false }
        state.outcome = state.phase == .waiting ? outcome.mapError(\.unsent) : outcome
        state.phase = .over
        return true
      }
    }

    /// Calls the completion or resumes the task; to be called once, after ``end(_:)``.
    func complete() {
      // The waiting task holds the job, and the completion holds the task.
      let completion = state.withLock { state in
        defer { state.completion = .task }
        return state.completion
      }
      switch completion {
      case .task: break
      case .continuation(let continuation): continuation.resume()
      case .callback(let callback): complete(callback)
      }
    }

    /// A coded body that unpacks to more bytes than this is decoded in a task, off the loop's thread.
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

    /// Cancels it: at once when the loop has not started it, otherwise when the loop has freed its handle.
    func cancel() {
      let isActive = state.withLock { $0.phase == .active }
      // The loop may start it between the two locks. Then it ends here, and the loop frees its handle when
      // it reads the message.
      if !isActive, end(.failure(Self.cancelled)) { complete() }
      mailbox.post(.cancel(self))
    }

    /// Has the loop send and read nothing more of it.
    func suspend() { mailbox.post(.suspend(self)) }

    /// Has the loop resume it.
    func resume() { mailbox.post(.proceed(self)) }

    /// Its caller has kept it from being started for so long.
    func wasHeld(for time: Int64) { held.add(Int(time)) }

    /// From when its limits count: when it was posted, and later by what it was held.
    var began: Int64 { posted &+ Int64(held.load()) }

    /// When its total limit is exceeded; `.max` without one.
    var due: Int64 { limits.deadline(posted: began) }

    /// Ends it because the transport has stopped before the job was started.
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

    /// The response, or the error that the job ended with; to be called once.
    func response() throws(APIError) -> HTTPResponse {
      try response(of: takeOutcome(), maximumDecodedBytes: .max)
    }

    /// The outcome, which the job does not keep: a stream kept in it would never see that its reader is
    /// gone.
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
      var outcome = try outcome.get()
      outcome.metrics.bytesDecoded = outcome.body.count ?? 0
      var response = HTTPResponse(
        status: outcome.status, headers: CurlHead.headers(outcome.head), body: outcome.body,
        version: outcome.version, metrics: outcome.metrics, url: exchange.request.url)
      if !outcome.trailers.isEmpty { response.trailers = CurlHead.headers(outcome.trailers) }
      guard outcome.isCoded, case .bytes(let bytes) = outcome.body, !bytes.isEmpty,
        let coding = response.headers.combined("Content-Encoding")
      else { return response }
      let limit = min(bodyLimit, Int(clamping: maximumDecodedBytes), most)
      do throws(APIError) {
        let decoded = try CurlDecoding.decode(bytes, coding, maximumBytes: limit)
        response.body = .bytes(decoded)
        if exchange.keepsCodedBody { response.codedBytes = bytes }
        response.metrics.bytesDecoded = Int64(decoded.count)
        return response
      } catch {
        var failure = error
        failure.metrics = response.metrics
        failure.metrics?.brokenStatus = response.status
        throw failure
      }
    }
  }

  /// A response as the loop has it, before it is parsed and decoded.
  struct CurlResponse: Sendable {
    var status = 200
    var version = HTTPVersion.other
    /// The header block as received, from the status line to the empty line.
    var head: [UInt8] = []
    /// The lines behind the body, after an empty one; most have none.
    var trailers: [UInt8] = []
    var body = HTTPResponse.Body.bytes([])
    /// Whether there is a `Content-Encoding` other than `identity`.
    var isCoded = false
    var metrics = TransportMetrics()
  }

  /// Time as the loop measures it.
  enum CurlClock {
    /// Microseconds on the monotonic clock.
    static func now() -> Int64 { microseconds(of: CLOCK_MONOTONIC) }

    /// Microseconds since the machine was started, its sleep included.
    static func sinceBoot() -> Int64 { microseconds(of: CLOCK_BOOTTIME) }

    private static func microseconds(of clock: clockid_t) -> Int64 {
      var time = timespec()
      clock_gettime(clock, &time)
      return Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1000
    }
  }
#endif
