#if os(Linux)
  /// How far one attempt has come, and when it has taken too long.
  ///
  /// A value without sockets or clocks: times are handed in, in microseconds. What fails first is what the
  /// attempt fails with, whatever libcurl says afterwards.
  struct CurlTransferMachine {
    /// Legal moves: connecting → requesting → receiving → ended; a further exchange on the same handle (an
    /// answer to a challenge) leads from receiving back to requesting; every state may end.
    enum State: Equatable {
      /// Name, TCP, proxy and TLS; also waiting for a connection that is being made.
      case connecting
      /// The connection stands; the request goes out, or the answer is waited for.
      case requesting
      /// The head of the answer has begun.
      case receiving
      /// Over.
      case ended
    }

    private(set) var state = State.connecting
    private(set) var failure: APIError?

    private var limits = CurlLimits(HTTPTimeouts())
    private var connectDeadline = Int64.max
    private var totalDeadline = Int64.max
    private var lastActivity: Int64 = 0

    init() {}

    /// Begins an attempt that the transport took at `posted` and starts at `now`.
    init(_ limits: CurlLimits, posted: Int64, now: Int64) {
      self.limits = limits
      lastActivity = now
      if limits.connect > 0 { connectDeadline = now &+ limits.connect }
      totalDeadline = limits.deadline(posted: posted)
    }

    /// The connection stands.
    mutating func connected(at now: Int64) {
      lastActivity = now
      if state != .ended { state = .requesting }
    }

    /// Bytes of an answer's head or body arrived, or bytes of the request left.
    mutating func moved(at now: Int64, isResponse: Bool) {
      lastActivity = now
      if isResponse, state != .ended { state = .receiving }
    }

    /// Notes what the attempt fails with; the first one stays.
    mutating func fail(_ error: APIError) {
      if failure == nil { failure = error }
    }

    /// Ends the attempt.
    mutating func end() { state = .ended }

    /// The next moment at which the attempt may be too late; `.max` when there is none.
    ///
    /// A side that waits for its own reader or source is not idle: `isPaused` takes the idle limit away.
    func deadline(isPaused: Bool) -> Int64 {
      guard state != .ended else { return .max }
      var next = totalDeadline
      if state == .connecting {
        next = min(next, connectDeadline)
      } else if limits.idle > 0, !isPaused {
        next = min(next, lastActivity &+ limits.idle)
      }
      return next
    }

    /// What the attempt fails with at `now`; nil while it is in time.
    func overdue(at now: Int64, isPaused: Bool) -> APIError? {
      guard state != .ended else { return nil }
      if now >= totalDeadline {
        return APIError(.transport, .totalTimeout, "not finished after \(CurlLimits.text(limits.total))")
      }
      if state == .connecting {
        guard now >= connectDeadline else { return nil }
        return APIError(
          .transport, .connectTimeout, "no connection after \(CurlLimits.text(limits.connect))")
      }
      guard limits.idle > 0, !isPaused, now >= lastActivity &+ limits.idle else { return nil }
      let what = state == .requesting ? "no answer" : "no bytes"
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
        return CurlClock.microseconds(duration)
      }
      connect = limit(timeouts.connect)
      idle = limit(timeouts.idle)
      total = limit(timeouts.total)
    }

    /// When a job that was posted then is too late, even if it still waits for its turn; `.max` without a limit.
    func deadline(posted: Int64) -> Int64 { total > 0 ? posted &+ total : .max }

    /// What a job that still waits for its turn fails with.
    var waitedTooLong: APIError {
      APIError(
        .transport, .totalTimeout,
        "not finished after \(Self.text(total)); it was still waiting for a connection of its own")
    }

    /// `30 s` or `250 ms`.
    static func text(_ microseconds: Int64) -> String {
      microseconds % 1_000_000 == 0 ? "\(microseconds / 1_000_000) s" : "\(microseconds / 1000) ms"
    }
  }
#endif
