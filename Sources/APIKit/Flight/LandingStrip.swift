import Dispatch
import Synchronization

/// Hands what comes down to the main actor, many at a time.
///
/// A hop to the main thread costs more than a landing; so landings gather while one hop is under way and
/// are worked off together. They keep the order in which they were put down.
final class LandingStrip: Sendable {
  /// The one strip of the process.
  static let main = LandingStrip()

  private struct State {
    var pending: [@MainActor @Sendable () -> Void] = []
    var isScheduled = false
  }

  private let state = Mutex(State())

  /// Has `landing` done on the main actor, after those put down before.
  func put(_ landing: @escaping @MainActor @Sendable () -> Void) {
    let isFirst = state.withLock { state in
      state.pending.append(landing)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    guard isFirst else { return }
    DispatchQueue.main.async {
      MainActor.assumeIsolated { self.workOff() }
    }
  }

  @MainActor private func workOff() {
    let landings = state.withLock { state in
      state.isScheduled = false
      let landings = state.pending
      state.pending = []
      return landings
    }
    for land in landings { land() }
  }
}
