#if os(Linux)
  /// The state of one attempt, and when it has taken too long.
  ///
  /// A value without sockets or clocks: times are passed in, in microseconds. The first failure is the one
  /// that the attempt ends with, whatever libcurl reports afterwards.
  struct CurlTransferMachine {
    /// Legal moves: connecting → requesting → receiving → ended; a further exchange on the same handle
    /// (after an authentication challenge) leads from receiving back to requesting; a connection that ended or
    /// cannot be used leads back to connecting; every state may end.
    enum TransferState: Equatable {
      /// Name, TCP, proxy and TLS; also waiting for a connection that another transfer opens.
      case connecting
      /// The connection is established; the request is sent, or the response has not begun.
      case requesting
      /// The response has begun.
      case receiving
      /// Over.
      case ended
    }

    private(set) var state = TransferState.connecting
    private(set) var failure: APIError?
    /// How often libcurl sent the request again because a connection ended without a response.
    private(set) var resends = 0
    /// How far the request came on any of its connections, since the latest response that asked for it again.
    private(set) var progress = RequestProgress.unsent
    /// Whether what is sent on the next connection was sent before.
    private var isResend = false
    /// Whether the attempt left a connection that could not be used.
    private(set) var hasStartedAgain = false

    private var limits = CurlLimits(HTTPTimeouts())
    private var connectDeadline = Int64.max
    private var totalDeadline = Int64.max
    private var lastActivity: Int64 = 0
    private var suspended: Int64?

    init() {}

    /// Begins an attempt that the transport accepted at `posted` and starts at `now`.
    init(_ limits: CurlLimits, posted: Int64, now: Int64) {
      self.limits = limits
      lastActivity = now
      if limits.connect > 0 { connectDeadline = now &+ limits.connect }
      totalDeadline = limits.deadline(posted: posted)
    }

    /// The connection is established, and the request is about to be sent.
    ///
    /// libcurl sends it once more after an authentication challenge, and when a reused connection ends before a
    /// response. The server may have read it then, so ``ResendOccasion`` is asked.
    /// - Parameters:
    ///   - request: The request, without its progress and number of resends.
    mutating func connected(at now: Int64, hadResponse: Bool, _ request: TriedRequest) {
      lastActivity = now
      guard state != .ended else { return }
      if state == .receiving, hadResponse { progress = .unsent } else { connectionEnded(at: now, request) }
      if isResend { resends += 1 }
      isResend = false
      state = .requesting
    }

    /// The connection ended before a response, and libcurl wants another one. False when the request must not go again.
    @discardableResult
    mutating func connectionEnded(at now: Int64, _ request: TriedRequest) -> Bool {
      guard failure == nil else { return false }
      guard state == .requesting || state == .receiving else { return true }
      var request = request
      (request.progress, request.resends) = (progress, resends)
      if let objection = ResendOccasion.connectionEnded.objection(to: request) {
        fail(objection.connectionLost())
        return false
      }
      state = .connecting
      if limits.connect > 0 { connectDeadline = now &+ limits.connect }
      isResend = progress > .unsent
      if request.isUnprocessed { progress = .unsent }
      return true
    }

    /// This much of the request has left.
    mutating func sent(_ progress: RequestProgress) { self.progress = max(self.progress, progress) }

    /// The server has said that it did not read the request, and it does not go again.
    mutating func refused() { progress = .unsent }

    /// The connection cannot be used: nothing was sent on it, and the attempt continues with a new one.
    mutating func startAgain(at now: Int64) {
      hasStartedAgain = true
      lastActivity = now
      state = .connecting
      if limits.connect > 0 { connectDeadline = now &+ limits.connect }
    }

    /// Bytes of the response arrived, or bytes of the request were sent.
    mutating func moved(at now: Int64, isResponse: Bool) {
      lastActivity = now
      if isResponse, state != .ended { state = .receiving }
    }

    /// Whether the caller has suspended the attempt; its limits do not count then.
    var isSuspended: Bool { suspended != nil }

    /// The caller suspends the attempt.
    mutating func suspend(at now: Int64) {
      if state != .ended, suspended == nil { suspended = now }
    }

    /// The attempt resumes. The rest of its limits is as long as before.
    mutating func proceed(at now: Int64) {
      guard let since = suspended.take() else { return }
      if connectDeadline != .max { connectDeadline &+= now - since }
      if totalDeadline != .max { totalDeadline &+= now - since }
      lastActivity = now
    }

    /// Notes the error of the attempt; the first one stays.
    mutating func fail(_ error: APIError) {
      if failure == nil { failure = error }
    }

    /// Ends the attempt.
    mutating func end() { state = .ended }

    /// The next time at which a limit may be exceeded; `.max` when there is none.
    ///
    /// The idle limit does not apply while `isPaused`: the transfer then waits for the caller's reader or
    /// source.
    func deadline(isPaused: Bool) -> Int64 {
      guard state != .ended, !isSuspended else { return .max }
      var next = totalDeadline
      if state == .connecting {
        next = min(next, connectDeadline)
      } else if limits.idle > 0, !isPaused {
        next = min(next, lastActivity &+ limits.idle)
      }
      return next
    }

    /// The error of a limit that is exceeded at `now`; nil when none is.
    func overdue(at now: Int64, isPaused: Bool) -> APIError? {
      let deadline = deadline(isPaused: isPaused)
      guard deadline != .max, now >= deadline else { return nil }
      if now >= totalDeadline {
        return APIError(.transport, .totalTimeout, "not finished after \(CurlLimits.text(limits.total))")
      }
      if state == .connecting {
        return APIError(
          .transport, .connectTimeout, "no connection after \(CurlLimits.text(limits.connect))")
      }
      let what = state == .requesting ? "no response" : "no bytes"
      return APIError(.transport, .idleTimeout, "\(what) for \(CurlLimits.text(limits.idle))")
    }
  }

  /// The limits of one attempt in microseconds; 0 for none.
  struct CurlLimits: Sendable {
    let connect: Int64
    let idle: Int64
    let total: Int64

    init(_ timeouts: HTTPTimeouts) {
      func limit(_ duration: Duration?) -> Int64 {
        guard let duration, duration > .zero else { return 0 }
        // 0 would be no limit.
        return max(1, duration.microseconds)
      }
      connect = limit(timeouts.connect)
      idle = limit(timeouts.idle)
      total = limit(timeouts.total)
    }

    /// The total deadline of a job that was posted then, waiting included; `.max` without a limit.
    func deadline(posted: Int64) -> Int64 { total > 0 ? posted &+ total : .max }

    /// The error of a job whose total limit is exceeded while it waits in the queue, after this time.
    func waitedTooLong(_ time: Int64) -> APIError {
      var error = APIError(
        .transport, .totalTimeout,
        "not finished after \(Self.text(total)); it was still waiting for a connection of its own")
      error.metrics = TransportMetrics(waited: time)
      return error
    }

    /// `30 s` or `250 ms`.
    static func text(_ microseconds: Int64) -> String {
      microseconds % 1_000_000 == 0 ? "\(microseconds / 1_000_000) s" : "\(microseconds / 1000) ms"
    }
  }
#endif
