/// Whether and how a load that failed is sent again.
///
/// A service states one for all of its APIs, a manager one for its own; the default is ``never``: as many
/// requests go out as loads were made. ``standard`` is what most services want:
///
/// ```swift
/// var retryPolicy: RetryPolicy { .standard }
/// ```
/// A failure is retried when all of this holds; otherwise the flight's record says which did not:
/// its row in the ``table`` is on; the method is idempotent, an idempotency key is sent, or the row says that
/// nothing has reached the server; the body can be sent again; attempts are left; the wait ends before the
/// ``deadline``; and the host's budget for retries is not used up.
/// Every attempt is signed afresh.
public struct RetryPolicy: Sendable {
  /// How many times a load is sent at most, the first time included; 1 never retries.
  public var attempts: Int
  /// The waits between attempts.
  public var backoff = Backoff()
  /// The longest time from takeoff to the end of the last attempt; nil is no limit.
  ///
  /// It cuts an attempt on the wire, which then fails with ``APIError/Reason/deadlineExceeded``; a wait that
  /// would end after it is not begun, and the load fails with what the last attempt failed with.
  public var deadline: Duration?
  /// Whether a server's `Retry-After`, in seconds or as a date, takes the place of the backoff. The default
  /// is true.
  public var honoursRetryAfter = true
  /// Which failures are retried.
  public var table = RetryTable.standard
  /// The header field that carries an idempotency key, e.g. `Idempotency-Key`; nil, the default, sends none.
  ///
  /// When set, a key is made for each load with a method that is not idempotent, unless the manager sets
  /// the field itself; all attempts carry the same one, and the load may be retried like any other. For
  /// servers that know such keys.
  /// - SeeAlso: <https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/>
  public var idempotencyKeyField: String?
  /// Whether retries draw on the host's common budget, so that a server in trouble is not stormed. The
  /// default is true.
  public var drawsOnBudget = true

  /// Makes a policy.
  ///
  /// - Parameters:
  ///   - attempts: How many times a load is sent at most, the first time included.
  ///   - deadline: The longest time over all attempts; nil, the default, is no limit.
  public init(attempts: Int, deadline: Duration? = nil) {
    self.attempts = max(1, attempts)
    self.deadline = deadline
  }

  /// Every load is sent once.
  public static let never = Self(attempts: 1)
  /// Up to three attempts within 60 seconds, by the standard table.
  public static let standard = Self(attempts: 3, deadline: .seconds(60))
}
