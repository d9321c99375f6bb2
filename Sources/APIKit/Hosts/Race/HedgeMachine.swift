/// One exchange and a second one beside it: a state machine without time, tasks or sockets.
///
/// Legal moves: alone → both (the time has come), alone → over, both → last (one of them failed) → over, both → over.
struct HedgeMachine {
  enum Attempt: Equatable, Sendable {
    case first
    case second
  }

  enum Action: Equatable {
    case nothing
    /// The second one begins.
    case start
    /// This one is the outcome; the other, if it is still under way, is cancelled.
    case finish(Attempt)
  }

  private enum HedgeState: Equatable {
    case alone
    case both
    /// One has failed, and this one is under way.
    case last(Attempt)
    case over
  }

  private var state = HedgeState.alone

  /// The first has taken long.
  mutating func timeHasCome() -> Action {
    guard state == .alone else { return .nothing }
    state = .both
    return .start
  }

  /// An attempt has ended.
  mutating func ended(_ attempt: Attempt, isGood: Bool) -> Action {
    switch state {
    case .alone where attempt == .first: break
    case .both:
      guard isGood else {
        state = .last(attempt == .first ? .second : .first)
        return .nothing
      }
    // The failure of the first tells more than that of one that came to help.
    case .last(let left) where left == attempt:
      state = .over
      return .finish(isGood ? attempt : .first)
    default: return .nothing
    }
    state = .over
    return .finish(attempt)
  }
}
