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

    private var limits = HTTPTimeouts()
    private var connectDeadline = Int64.max
    private var totalDeadline = Int64.max
    private var idleLimit: Int64 = 0
    private var lastActivity: Int64 = 0

    init() {}

    /// Begins an attempt that the transport took at `posted` and starts at `now`.
    init(_ limits: HTTPTimeouts, posted: Int64, now: Int64) {
      self.limits = limits
      lastActivity = now
      if let connect = Self.limit(limits.connect) { connectDeadline = now &+ connect }
      if let total = Self.limit(limits.total) { totalDeadline = posted &+ total }
      idleLimit = Self.limit(limits.idle) ?? 0
    }

    /// The connection stands.
    mutating func connected(at now: Int64) {
      lastActivity = now
      if state != .ended { state = .requesting }
    }

    /// Bytes of an answer's head or body arrived, or bytes of the request left.
    mutating func moved(at now: Int64, isAnswer: Bool) {
      lastActivity = now
      if isAnswer, state != .ended { state = .receiving }
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
      } else if idleLimit > 0, !isPaused {
        next = min(next, lastActivity &+ idleLimit)
      }
      return next
    }

    /// What the attempt fails with at `now`; nil while it is in time.
    func overdue(at now: Int64, isPaused: Bool) -> APIError? {
      guard state != .ended else { return nil }
      if now >= totalDeadline, let total = limits.total {
        return APIError(.transport, .totalTimeout, "not finished after \(Self.text(total))")
      }
      if state == .connecting {
        guard now >= connectDeadline, let connect = limits.connect else { return nil }
        return APIError(.transport, .connectTimeout, "no connection after \(Self.text(connect))")
      }
      guard idleLimit > 0, !isPaused, now >= lastActivity &+ idleLimit, let idle = limits.idle else {
        return nil
      }
      let what = state == .requesting ? "no answer" : "no bytes"
      return APIError(.transport, .idleTimeout, "\(what) for \(Self.text(idle))")
    }

    /// When a job that still waits for its turn is too late; `.max` when it has no limit.
    static func waitingDeadline(_ limits: HTTPTimeouts, posted: Int64) -> Int64 {
      limit(limits.total).map { posted &+ $0 } ?? .max
    }

    /// What such a job fails with.
    static func waitedTooLong(_ limits: HTTPTimeouts) -> APIError {
      APIError(
        .transport, .totalTimeout,
        "not finished after \(text(limits.total ?? .zero)); it was still waiting for a connection of its own")
    }

    private static func limit(_ duration: Duration?) -> Int64? {
      guard let duration, duration > .zero else { return nil }
      return CurlClock.microseconds(duration)
    }

    /// `30 s` or `250 ms`.
    private static func text(_ duration: Duration) -> String {
      let microseconds = CurlClock.microseconds(duration)
      return microseconds % 1_000_000 == 0 ? "\(microseconds / 1_000_000) s" : "\(microseconds / 1000) ms"
    }
  }
#endif
