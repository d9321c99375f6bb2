public import APIKit

/// Whether a socket or a stream that is lost is opened again, and when.
///
/// ```swift
/// var reconnection: ReconnectPolicy { .standard }
/// ```
/// A connection is not opened again, whatever the policy says: after the caller's `close` or `cancel`; when either side
/// broke the protocol (1002, 1003, 1007 to 1010); when the server refuses for good: a status without a row in ``table``
/// that is on, a 401 or 403 after the credential was renewed, a certificate or a pin that does not hold. Every connection
/// is opened by a load of its own: assembled, signed and authorized anew.
public struct ReconnectPolicy: Sendable {
  /// The rule for messages that `send` had queued and that had not begun to leave when the connection was lost, and for those
  /// that `send` gets until the next connection is open.
  public enum Unsent: Sendable, Hashable {
    /// They are dropped, and the delegate gets them. `send` throws until the next connection is
    /// open.
    case drop
    /// They are sent on the next connection, up to this many bytes; the rest is dropped, and the delegate gets it, or
    /// `send` refuses it. A message of which a part was sent is never sent again. If the next connection goes to another
    /// base URL, because the environment was switched, all are dropped.
    case keep(upTo: Int)
  }

  /// The number of connections in a row that may fail; 0 never reconnects, `Int.max` never gives
  /// up. One that does not begin because the network is missing or refused does not count.
  public var attempts: Int
  /// The waits between connections. The default begins with a second and grows to a minute, with
  /// full jitter.
  public var backoff = Backoff(initial: .seconds(1), maximum: .seconds(60))
  /// How long a connection must have been open for the count to begin again; the default is a minute.
  public var stableAfter: Duration = .seconds(60)
  /// The longest `Retry-After` that is waited for; the default is 5 minutes. If a server asks for more, the socket does
  /// not reconnect. The wait is the `Retry-After` plus the wait of ``backoff``, so that many clients do not reconnect at
  /// the same time.
  public var longestWait: Duration = .seconds(300)
  /// The failures after which opening is tried again; the default is that of loads, with an open circuit breaker
  /// (`APIError.Reason.circuitOpen`), the client's own rate (`APIError.Reason.rateLimited`) and a network that is missing or
  /// refused (`APIError.Reason.noNetwork`). Where the credential could not be renewed, the cause of that counts, unless there
  /// is a row for `APIError.Reason.refreshFailed`.
  public var table = Self.standardTable
  /// The rule for unsent messages; dropped by default.
  public var unsent = Unsent.drop

  /// Makes a policy.
  public init(attempts: Int) { self.attempts = max(0, attempts) }

  /// A lost connection is not replaced. The default.
  public static let never = Self(attempts: 0)
  /// Connects again without end, with waits up to a minute.
  public static let standard = Self(attempts: .max)

  private static let standardTable: RetryTable = {
    var table = RetryTable.standard
    // Nothing was sent, and a socket has no deadline that would end meanwhile.
    table[.circuitOpen] = .retry("the breaker lets one through after a while")
    table[.rateLimited] = .retry("the rate lets one through after a while")
    table[.noNetwork] = .retry("there may be a network after a while")
    return table
  }()
}

/// Decides after each lost or failed connection whether another follows, and when.
struct ReconnectMachine {
  /// How a connection ended.
  enum Loss {
    /// It could not be opened.
    case failed(APIError, retryAfter: Duration?)
    /// It was open since a time, and was lost; codes of a WebSocket that one side has told the other.
    case lost(openSince: Duration, codes: [SocketCloseCode])
  }

  let policy: ReconnectPolicy
  /// How many have failed in a row, or were open too short to count as good.
  private(set) var failures = 0
  /// How many of them count for the policy.
  private var attempts = 0

  init(_ policy: ReconnectPolicy) { self.policy = policy }

  /// - Parameters:
  ///   - floor: The wait that the server has asked for on an earlier occasion; `Retry-After` may ask for a longer one.
  ///   - jitter: A random number from 0 to 1.
  /// - Returns: The wait before the next connection; nil when none follows.
  mutating func ended(
    _ loss: Loss, now: Duration, floor: Duration = .zero, jitter: Double
  ) -> Duration? {
    guard policy.attempts > 0 else { return nil }
    var asked = floor
    // A network that the gate refuses is no attempt, as one that is missing.
    var isAttempt = true
    switch loss {
    case .failed(let error, let retryAfter):
      guard mayPass(error) else { return nil }
      if let retryAfter, retryAfter > policy.longestWait { return nil }
      asked = max(floor, retryAfter ?? .zero)
      isAttempt = error.reason != .noNetwork || error.stage != .takeoff
    case .lost(let since, let codes):
      if codes.contains(where: Self.isFinal) { return nil }
      if now - since >= policy.stableAfter { (failures, attempts) = (0, 0) }
    }
    if isAttempt {
      guard attempts < policy.attempts else { return nil }
      attempts += 1
    }
    failures += 1
    // Many clients get the same wait from a server, and a server may ask for none.
    return asked + policy.backoff.wait(before: failures, jitter: jitter)
  }

  /// Whether a failure is one of the moment, as the policy says. The cause of a renewal that has failed counts.
  private func mayPass(_ error: APIError) -> Bool {
    if let row = policy.table.row(for: error) { return row.isOn }
    guard error.reason == .refreshFailed else { return false }
    // Without one it has taken too long.
    guard let cause = error.underlying as? APIError else { return true }
    switch cause.reason {
    case .temporarilyUnavailable, .authorizationServerFailed, .slowDown, .totalTimeout, .noNetwork:
      return true
    default:
      // A server whose words are none of OAuth, such as a gateway, says it by its status.
      return (policy.table.row(for: cause) ?? cause.context.status.flatMap { policy.table[status: $0] })?.isOn
        == true
    }
  }

  private static func isFinal(_ code: SocketCloseCode) -> Bool {
    switch code.rawValue {
    case 1002, 1003, 1007...1010: true
    default: false
    }
  }
}
