import Synchronization

/// Counts turns of the main actor, as far as they are asked for.
enum MainTurn {
  private static let number = Atomic<UInt64>(0)
  @MainActor private static var isCounted = false

  /// The number of the present turn; the next one has another. Costs one delivery a turn.
  @MainActor static func current() -> UInt64 {
    if !isCounted {
      isCounted = true
      MainDelivery.main.put {
        isCounted = false
        number.wrappingAdd(1, ordering: .relaxed)
      }
    }
    return last
  }

  /// The number of the last turn that was counted; from any thread.
  static var last: UInt64 { number.load(ordering: .relaxed) }
}
