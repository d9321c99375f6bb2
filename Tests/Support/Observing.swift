import Observation

/// Calls a closure at the next change of what `read` reads; never on a system that cannot observe.
func onNextChange(of read: () -> Void, _ change: @escaping @Sendable () -> Void) {
  guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { return }
  withObservationTracking(read, onChange: change)
}
