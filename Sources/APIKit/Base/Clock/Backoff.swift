/// Waits that double from one attempt to the next, by default with random jitter, so that many clients do not retry
/// at the same time.
///
/// Full jitter: a wait is a random part of the doubled limit, and at least ``floor``. That spreads clients
/// better than a fixed wait with little noise.
/// - SeeAlso: <https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/>
public struct Backoff: Sendable, Hashable {
  /// The upper limit of the first wait; the default is 200 milliseconds.
  public var initial: Duration
  /// The factor by which the upper limit grows from wait to wait; the default is 2.
  public var multiplier: Double
  /// The largest upper limit; the default is 20 seconds.
  public var maximum: Duration
  /// The shortest wait, which takes precedence over the limits; the default is zero.
  public var floor: Duration
  /// Whether a wait is a random part of its upper limit; the default is true. Otherwise it is the limit itself: half a
  /// second, one, two, four with `Backoff(initial: .milliseconds(500), isJittered: false)`.
  public var isJittered: Bool

  /// Makes a backoff.
  public init(
    initial: Duration = .milliseconds(200), multiplier: Double = 2, maximum: Duration = .seconds(20),
    floor: Duration = .zero, isJittered: Bool = true
  ) {
    self.initial = initial
    self.multiplier = multiplier
    self.maximum = maximum
    self.floor = floor
    self.isJittered = isJittered
  }

  /// A backoff with the same wait every time, without jitter.
  public static func constant(_ wait: Duration) -> Self {
    Self(initial: wait, multiplier: 1, maximum: wait, isJittered: false)
  }

  /// The wait before retry `number`, counted from 1.
  ///
  /// `jitter` is a random number from 0 to 1: the part of the upper limit to wait, where ``isJittered``. Other numbers
  /// are clamped.
  public func wait(before number: Int, jitter: Double) -> Duration {
    var upper = initial
    // Growth stops at the maximum, so that no number of retries can overflow.
    var left = number
    while left > 1, upper > .zero, upper < maximum, multiplier > 1 {
      // Not multiplied first: the product may be beyond every duration.
      upper = upper < maximum / multiplier ? upper * multiplier : maximum
      left -= 1
    }
    upper = min(upper, maximum)
    return max(floor, isJittered ? upper * min(1, max(0, jitter)) : upper)
  }
}
