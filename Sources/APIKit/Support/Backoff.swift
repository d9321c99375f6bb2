/// Waits that double from one attempt to the next, spread at random so that many clients do not come back
/// together.
///
/// Full jitter: each wait is drawn evenly between ``floor`` and the doubled value, which spreads a crowd
/// better than a fixed wait with a little noise.
/// - SeeAlso: <https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/>
public struct Backoff: Sendable, Hashable {
  /// The upper end of the first wait; the default is 200 milliseconds.
  public var initial: Duration
  /// By how much the upper end grows from wait to wait; the default is 2.
  public var multiplier: Double
  /// The upper end is never higher; the default is 20 seconds.
  public var maximum: Duration
  /// The lower end of every wait; the default is none.
  public var floor: Duration

  /// Makes a backoff.
  public init(
    initial: Duration = .milliseconds(200), multiplier: Double = 2, maximum: Duration = .seconds(20),
    floor: Duration = .zero
  ) {
    self.initial = initial
    self.multiplier = multiplier
    self.maximum = maximum
    self.floor = floor
  }

  /// The same wait every time, without jitter.
  public static func constant(_ wait: Duration) -> Self {
    Self(initial: wait, multiplier: 1, maximum: wait, floor: wait)
  }

  /// The wait before retry `number`, counted from 1.
  ///
  /// `jitter` is where between the ends it lies, from 0 to 1: a random number.
  public func wait(before number: Int, jitter: Double) -> Duration {
    var upper = initial
    // Doubling stops at the maximum, so that no number of retries can overflow.
    var left = number
    while left > 1, upper < maximum, multiplier > 1 {
      upper = min(maximum, upper * multiplier)
      left -= 1
    }
    upper = min(upper, maximum)
    return max(floor, upper * min(1, max(0, jitter)))
  }
}
