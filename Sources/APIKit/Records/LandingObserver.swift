/// Is told of each load that lands, in place, for what counts loads outside of the core. What it calls must not wait.
package final class LandingObserver: FlightObserver {
  private let landed: @Sendable (LandedLoad) -> Void

  /// Makes an observer, off.
  package init(_ landed: @escaping @Sendable (LandedLoad) -> Void) { self.landed = landed }

  /// Whether it is told; false at first. While it is on, the process keeps it.
  package var isOn: Bool {
    get { FlightEvents.shared.contains(self) }
    set { FlightEvents.shared.set(self, isOn: newValue) }
  }

  func landed(_ load: LandedLoad, _ recorder: FlightRecorder) { landed(load) }
}
