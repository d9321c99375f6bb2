import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What ``MainDelivery`` brings to the main actor.
protocol MainDeliverable: AnyObject, Sendable {
  /// Called once on the main actor.
  @MainActor func deliver()
}

/// Brings results to the main actor, many at a time and in the order they were put in.
///
/// Waking the main thread costs more than delivering a result, so results gather while one hop is under way and
/// are delivered together. May be used from any thread.
final class MainDelivery: Sendable {
  /// The one of the process.
  static let main = MainDelivery()

  private enum Item: Sendable {
    case object(any MainDeliverable)
    case work(@MainActor @Sendable () -> Void)
  }

  private struct State {
    var pending: [Item] = []
    var atRoundEnd: [@Sendable () -> Void] = []
    /// A hop to the main thread is under way, or the main thread is at work here.
    var isScheduled = false
    /// While positive, nothing is scheduled: more is about to come.
    var holds = 0
  }

  private let state = Mutex(State())
  /// The thread that delivers a round now; 0 for none.
  private let roundThread = Atomic<UInt>(0)

  /// Calls `deliver` of an object on the main actor, after what was put in before.
  func put(_ object: any MainDeliverable) { put(.object(object)) }

  /// Runs `work` on the main actor, after what was put in before.
  func put(_ work: @escaping @MainActor @Sendable () -> Void) { put(.work(work)) }

  private func put(_ item: Item) {
    let isFirst = state.withLock { state in
      state.pending.append(item)
      return Self.mustSchedule(&state)
    }
    if isFirst { schedule() }
  }

  /// Runs `work`, and hops to the main thread once for all that it puts in.
  func together(_ work: () -> Void) {
    state.withLock { $0.holds += 1 }
    work()
    let isFirst = state.withLock { state in
      state.holds -= 1
      return !state.pending.isEmpty && Self.mustSchedule(&state)
    }
    if isFirst { schedule() }
  }

  private static func mustSchedule(_ state: inout State) -> Bool {
    guard !state.isScheduled, state.holds == 0 else { return false }
    state.isScheduled = true
    return true
  }

  /// Whether the calling thread delivers results now.
  var isInRound: Bool { roundThread.load(ordering: .relaxed) == Self.thread }

  /// Runs `work` when the present round of deliveries is over; to be called within one.
  ///
  /// Delegates start loads while they are told of results: a transport is woken once for all of them.
  func afterRound(_ work: @escaping @Sendable () -> Void) { state.withLock { $0.atRoundEnd.append(work) } }

  private static var thread: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  private func schedule() {
    DispatchQueue.main.async {
      MainActor.assumeIsolated { self.run() }
    }
  }

  /// What a delivery puts in needs no hop of its own: a delegate loads again, and the response is in memory. After
  /// so many rounds, others on the main thread get their turn.
  private static let roundsPerHop = 16

  @MainActor private func run() {
    for _ in 0..<Self.roundsPerHop {
      let items = state.withLock { state in
        let items = state.pending
        state.pending = []
        state.isScheduled = !items.isEmpty
        return items
      }
      if items.isEmpty { return }
      roundThread.store(Self.thread, ordering: .relaxed)
      for item in items {
        switch item {
        case .object(let object): object.deliver()
        case .work(let work): work()
        }
      }
      roundThread.store(0, ordering: .relaxed)
      let after = state.withLock { state in
        let after = state.atRoundEnd
        if !after.isEmpty { state.atRoundEnd = [] }
        return after
      }
      for work in after { work() }
    }
    schedule()
  }
}
