import Dispatch
import Synchronization

/// Hands what comes down to the main actor, many at a time.
///
/// A hop to the main thread costs more than a landing; so landings gather while one hop is under way and
/// are worked off together. They keep the order in which they were put down.
final class MainDelivery: Sendable {
  /// The one strip of the process.
  static let main = MainDelivery()

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
    if isFirst { hop() }
  }

  private func hop() { DispatchQueue.main.async { MainActor.assumeIsolated { self.workOff() } } }

  /// What a landing puts down needs no hop of its own: its delegate loads again, and the answer is in memory.
  /// But others on the main thread get their turn after so many rounds.
  private static let roundsPerHop = 16

  @MainActor private func workOff() {
    for _ in 0..<Self.roundsPerHop {
      let landings = state.withLock { state in
        let landings = state.pending
        state.pending = []
        state.isScheduled = !landings.isEmpty
        return landings
      }
      if landings.isEmpty { return }
      for land in landings { land() }
    }
    hop()
  }
}
