import Dispatch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An object that ``MainDelivery`` delivers on the main actor.
package protocol MainDeliverable: AnyObject, Sendable {
  /// Called once on the main actor.
  @MainActor func deliver()
}

/// Delivers results on the main actor, many at a time and in the order in which they were added.
///
/// Waking the main thread costs more than delivering a result. So results that arrive while one hop is
/// under way are gathered and delivered together. May be used from any thread.
package final class MainDelivery: Sendable {
  /// The instance of the process.
  package static let main = MainDelivery()

  private enum Delivery: Sendable {
    case object(any MainDeliverable)
    case work(@MainActor @Sendable () -> Void)
    case job(UnownedJob)
    case delivered
  }

  private struct MainDeliveryState {
    var pending: [Delivery] = []
    var atRoundEnd: [@Sendable () -> Void] = []
    /// Whether a hop to the main thread is under way, or the main thread is delivering.
    var isScheduled = false
    /// While positive, no hop is scheduled, because more items are about to be added.
    var holds = 0
  }

  private let state = Mutex(MainDeliveryState())
  /// The memory of the last round's items, for those of the next.
  @MainActor private var spare: [Delivery] = []
  /// The thread that is delivering a round; 0 for none.
  private let roundThread = AtomicInt()
  /// Whether a task of the application runs, as a part of a round.
  @MainActor private var isInTask = false

  /// Calls `deliver` of an object on the main actor, after the items added before.
  package func put(_ object: any MainDeliverable) { put(.object(object)) }

  /// Runs `work` on the main actor, after the items added before.
  package func put(_ work: @escaping @MainActor @Sendable () -> Void) { put(.work(work)) }

  /// Runs a job of a task on the main actor, after the items added before.
  func put(_ job: UnownedJob) { put(.job(job)) }

  private func put(_ item: Delivery) {
    let isFirst = state.withLock { state in
      state.pending.append(item)
      return Self.mustSchedule(&state)
    }
    if isFirst { schedule() }
  }

  /// Runs `work`, and schedules one hop for all items that it adds.
  func together(_ work: () -> Void) {
    state.withLock { $0.holds += 1 }
    work()
    let isFirst = state.withLock { state in
      state.holds -= 1
      return !state.pending.isEmpty && Self.mustSchedule(&state)
    }
    if isFirst { schedule() }
  }

  private static func mustSchedule(_ state: inout MainDeliveryState) -> Bool {
    guard !state.isScheduled, state.holds == 0 else { return false }
    state.isScheduled = true
    return true
  }

  /// Whether the calling thread is delivering a round.
  var isInRound: Bool { roundThread.load() == Self.thread }

  /// Whether a delegate is called at present.
  @MainActor var isInDelivery: Bool { isInRound && !isInTask }

  /// Runs `work` after the present round of deliveries; must be called within one.
  ///
  /// Delegates start loads from their callbacks: a transport is then woken once for all of them.
  func afterRound(_ work: @escaping @Sendable () -> Void) { state.withLock { $0.atRoundEnd.append(work) } }

  /// The calling thread.
  static var thread: Int {
    #if canImport(Darwin)
      Int(bitPattern: pthread_self())
    #else
      Int(truncatingIfNeeded: pthread_self())
    #endif
  }

  /// `DispatchQueue.main` makes an object each time.
  private static let queue = DispatchQueue.main

  private func schedule() {
    Self.queue.async {
      MainActor.assumeIsolated { self.run() }
    }
  }

  /// Items that a delivery adds are delivered in the same hop, such as a load that lands from memory. After
  /// this many rounds other work of the main thread is let in.
  private static let roundsPerHop = 16

  /// A round of more items does not keep its memory.
  private static let spareItems = 256

  @MainActor private func run() {
    for _ in 0..<Self.roundsPerHop {
      var items: [Delivery] = []
      swap(&items, &spare)
      state.withLock { state in
        swap(&state.pending, &items)
        state.isScheduled = !items.isEmpty
      }
      if items.isEmpty { return }
      roundThread.store(Self.thread)
      for index in items.indices {
        // Let go of before the next is delivered: the memory of a call that has landed serves the one that follows it.
        var item = Delivery.delivered
        swap(&item, &items[index])
        switch consume item {
        case .object(let object): object.deliver()
        case .delivered: break
        case .work(let work): work()
        case .job(let job):
          let wasInTask = isInTask
          isInTask = true
          job.runSynchronously(on: MainActor.sharedUnownedExecutor)
          isInTask = wasInTask
        }
      }
      roundThread.store(0)
      items.removeAll(keepingCapacity: items.count <= Self.spareItems)
      // A delivery may run the main loop, and with it a round of its own.
      if spare.isEmpty { spare = items }
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
