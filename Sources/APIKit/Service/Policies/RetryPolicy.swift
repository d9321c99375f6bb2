/// Whether and how a failed load is retried.
///
/// A service has one policy for all of its APIs, and a manager may have its own. The default is ``never``.
/// ``standard`` suits most services:
///
/// ```swift
/// var retryPolicy: RetryPolicy { .standard }
/// ```
/// A failure is retried when all of these conditions hold; otherwise the flight's record names the one that
/// did not:
///
/// - its row in the ``table`` is on;
/// - the method is idempotent, an idempotency key is sent, nothing of the request has left, or the row of the status says
///   that the server has not acted on it;
/// - the body can be sent again;
/// - attempts are left;
/// - a `Retry-After` of the server is not longer than ``longestWait``;
/// - the wait ends before the ``deadline``;
/// - the host's retry budget is not used up.
///
/// Every attempt is signed anew.
public struct RetryPolicy: Sendable {
  /// The largest number of attempts, the first one included; with 1 nothing is retried.
  public var attempts: Int
  /// The waits between attempts.
  public var backoff = Backoff()
  /// The longest time from takeoff to the end of the last attempt; nil means no limit. Time for which the system has
  /// suspended the process, as iOS does in the background, does not count.
  ///
  /// An attempt under way at the deadline fails with ``APIError/Reason/deadlineExceeded``. A wait that
  /// would end after the deadline is not begun; the load then fails with the error of the last attempt.
  public var deadline: Duration?
  /// Whether a `Retry-After` of the server, in seconds or as a date, replaces the backoff. The default is
  /// true.
  public var honoursRetryAfter = true
  /// The longest wait that a server may ask for by `Retry-After`; the default is 60 seconds.
  ///
  /// With a longer one the load fails with the error of the attempt, because an earlier retry would be refused again. The
  /// response of the error has the `Retry-After`.
  public var longestWait: Duration = .seconds(60)
  /// Which failures are retried.
  public var table = RetryTable.standard
  /// The header field for an idempotency key, e.g. `Idempotency-Key`; nil, the default, sends none.
  ///
  /// When set, a key is generated for each load whose method is not idempotent, unless the manager sets the
  /// field itself. All attempts carry the same key, and the load is retried like an idempotent one. Only
  /// for servers that support such keys.
  /// - SeeAlso: <https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/>
  public var idempotencyKeyField: String?
  /// Whether retries use the common retry budget of the host, which limits the load on a failing server.
  /// The default is true.
  public var drawsOnBudget = true

  /// Whether a slow read is hedged: it gets a second attempt beside the first, at another server of the service's
  /// ``AdmissionOptions/hosts``. The first good response is used. The default is false.
  ///
  /// Only for safe methods without a body from a stream, whose response is collected in memory. The second attempt begins
  /// after the time in which 95 % of the API's latest loads were done, at least 50 ms and not before 100 loads are known;
  /// at most 5 % of the loads get one, and none for ten seconds after a response with status 429 or 503. It is no retry:
  /// ``attempts`` does not count it.
  /// - SeeAlso: <https://research.google/pubs/the-tail-at-scale/>
  public var hedgesSlowReads = false

  /// Makes a policy.
  ///
  /// - Parameters:
  ///   - attempts: The largest number of attempts, the first one included; at least 1.
  ///   - deadline: The longest time for all attempts together; nil, the default, means no limit.
  public init(attempts: Int, deadline: Duration? = nil) {
    self.attempts = max(1, attempts)
    self.deadline = deadline
  }

  /// One attempt per load.
  public static let never = Self(attempts: 1)
  /// Up to three attempts within 60 seconds, with the standard table.
  public static let standard = Self(attempts: 3, deadline: .seconds(60))
}
