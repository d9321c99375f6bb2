/// Calls a closure for each load that lands, usually on the main actor, so that a leaf can count loads. The closure must not block.
package final class LandingObserver: FlightObserver {
  private let landed: @Sendable (LandedLoad) -> Void

  /// Makes an observer, off.
  package init(_ landed: @escaping @Sendable (LandedLoad) -> Void) { self.landed = landed }

  /// Whether the closure is called; false at first. While it is on, the process keeps the observer.
  package var isOn: Bool {
    get { FlightEvents.shared.contains(self) }
    set { FlightEvents.shared.set(self, isOn: newValue) }
  }

  func landed(_ load: LandedLoad, _ recorder: FlightRecorder) { landed(load) }
}
