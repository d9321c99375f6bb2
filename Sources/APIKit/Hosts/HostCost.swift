import Foundation

/// How long it takes to connect to one server: a moving average that follows a peak at once and forgets it slowly.
///
/// - SeeAlso: <https://twitter.github.io/finagle/guide/Clients.html#power-of-two-choices-p2c-peak-ewma>
struct HostCost: Equatable {
  /// After this time an older value counts for a third.
  static let memory = Duration.seconds(10)

  /// Nil before the first measurement.
  private(set) var value: Duration?
  private var updated = Duration.zero

  mutating func add(_ sample: Duration, now: Duration) {
    defer { updated = max(updated, now) }
    guard let value, sample < value else {
      value = sample
      return
    }
    let weight = exp(-(max(.zero, now - updated) / Self.memory))
    self.value = sample + (value - sample) * weight
  }

  /// Whether going over to another server is worth it: a gain of 20 % and of 10 ms.
  func isWorthLeaving(for other: HostCost) -> Bool {
    guard let theirs = other.value else { return false }
    guard let value else { return true }
    return theirs <= value * 0.8 && value - theirs >= .milliseconds(10)
  }
}
