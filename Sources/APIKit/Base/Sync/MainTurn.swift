/// Counts turns of the main actor, as far as they are asked for.
enum MainTurn {
  private static let number = AtomicInt()
  @MainActor private static var isCounted = false

  /// The number of the present turn; the next one has another. Costs one delivery a turn.
  @MainActor static func current() -> Int {
    if !isCounted {
      isCounted = true
      MainDelivery.main.put {
        isCounted = false
        number.add(1)
      }
    }
    return last
  }

  /// The number of the last turn that was counted; from any thread.
  static var last: Int { number.load() }
}
