import APIKit

/// The pings of a connection: when the next one leaves, who waits for which, and whether the server responds in time. It
/// has no clock of its own.
struct PingTimer {
  private let interval: Duration?
  private let limit: Duration
  /// Pings without a response, the oldest first.
  private var pings: [(number: UInt64, at: Duration, token: UInt64?)] = []
  private var last: UInt64 = 0
  private var next: Duration?
  private var deadline: Duration?
  private var isReading = true

  init(_ options: SocketOptions, now: Duration) {
    interval = options.pingInterval
    limit = options.pingLimit
    next = interval.map { now + $0 }
  }

  /// When a ping is due, or a response.
  var due: Duration? { [next, isReading ? deadline : nil].compactMap(\.self).min() }

  /// A ping leaves now; returns its number, from 1.
  mutating func leave(token: UInt64?, now: Duration) -> UInt64 {
    last += 1
    pings.append((last, now, token))
    if let interval { next = now + interval }
    if pings.count == 1 { deadline = now + limit }
    return last
  }

  /// The response to a ping has come, which counts for the ones before as well: who waited for them, and how long each took.
  mutating func takePong(_ number: UInt64, now: Duration) -> [(token: UInt64?, after: Duration)] {
    guard let index = pings.firstIndex(where: { $0.number == number }) else { return [] }
    let answered = pings[...index].map { ($0.token, now - $0.at) }
    pings.removeFirst(index + 1)
    deadline = pings.first.map { $0.at + limit }
    return answered
  }

  /// Reading stops or resumes. No deadline passes while it is stopped.
  mutating func read(_ isOn: Bool, now: Duration) {
    guard isOn != isReading else { return }
    isReading = isOn
    if isOn, !pings.isEmpty { deadline = now + limit }
  }

  /// No deadline has passed until now, whatever the clock says.
  mutating func postpone(now: Duration) { if !pings.isEmpty { deadline = now + limit } }

  /// Whether the server has not responded in time.
  func isOverdue(at now: Duration) -> Bool {
    guard isReading, let deadline else { return false }
    return deadline <= now
  }

  /// Whether a ping is to leave now.
  func isDue(at now: Duration) -> Bool { next.map { $0 <= now } ?? false }

  /// The error of a connection whose pings get no response.
  var failure: APIError {
    APIError(
      .transport, .connectionLost, "the server did not respond to a ping in \(limit.shortText)")
  }
}
