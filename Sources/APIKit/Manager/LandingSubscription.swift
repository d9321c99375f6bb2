import Foundation

/// Gives the landings of a manager to a subscriber, as many as it asks for: what a subscription of Combine does, without
/// Combine.
///
/// Landings for which there is no demand wait in the stream of ``BaseAPIManager/landings()``, which keeps the last 64, and one
/// here. May be used from any thread; the subscriber is called on the main actor. It does not keep the manager.
final class LandingSubscription: Sendable {
  typealias Landing = Result<APIResponse, APIError>

  /// Who is told; let go when the subscription is over.
  struct Receiver: Sendable {
    /// Takes a landing, and says how many more are wanted; nil for all.
    var receive: @MainActor @Sendable (Landing) -> Int?
    /// There are no more. Not called after ``LandingSubscription/cancel()``.
    var finish: @MainActor @Sendable () -> Void
  }

  private struct SubscriptionState {
    /// Nil when it is over.
    var receiver: Receiver?
    /// How many landings are wanted; nil for all.
    var demand: Int? = 0
    /// What follows the stream.
    var task: Task<Void, Never>?
    /// Waits for demand while a landing is at hand.
    var waiter: CheckedContinuation<Bool, Never>?

    var isWanted: Bool { demand != 0 }

    mutating func add(_ count: Int?) {
      guard let demand, let count else { return demand = nil }
      let (sum, isTooMany) = demand.addingReportingOverflow(max(0, count))
      self.demand = isTooMany ? nil : sum
    }
  }

  private let state: Mutex<SubscriptionState>

  init(_ receiver: Receiver) { state = Mutex(SubscriptionState(receiver: receiver)) }

  /// Follows the landings of a manager from now on: at once on the main thread, from the main actor's next turn on another.
  func follow(_ manager: BaseAPIManager?) {
    if Thread.isMainThread {
      MainActor.assumeIsolated { begin(manager?.landings()) }
    } else {
      MainDelivery.main.put { [weak manager] in self.begin(manager?.landings()) }
    }
  }

  /// So many more landings are wanted; nil for all.
  func request(_ count: Int?) {
    let waiter = state.withLock { state in
      state.add(count)
      return state.isWanted ? state.waiter.take() : nil
    }
    waiter?.resume(returning: true)
  }

  /// Ends it: its receiver is told nothing more. Returns the receiver; nil when it was over already.
  @discardableResult func cancel() -> Receiver? {
    let (receiver, task, waiter) = state.withLock { state in
      (state.receiver.take(), state.task.take(), state.waiter.take())
    }
    task?.cancel()
    waiter?.resume(returning: false)
    return receiver
  }

  @MainActor private func begin(_ landings: AsyncStream<Landing>?) {
    guard let landings else {
      cancel()?.finish()
      return
    }
    let task = Task { @MainActor in
      for await landing in landings {
        guard await isWanted() else { return }
        give(landing)
      }
      cancel()?.finish()
    }
    let isOver = state.withLock { state in
      state.task = task
      return state.receiver == nil
    }
    if isOver { task.cancel() }
  }

  /// Returns when a landing is wanted; false when it is over.
  @MainActor private func isWanted() async -> Bool {
    await withCheckedContinuation { waiter in
      let now: Bool? = state.withLock { state in
        guard state.receiver != nil else { return false }
        guard !state.isWanted else { return true }
        state.waiter = waiter
        return nil
      }
      if let now { waiter.resume(returning: now) }
    }
  }

  @MainActor private func give(_ landing: Landing) {
    let receiver = state.withLock { state in
      if let demand = state.demand { state.demand = max(0, demand - 1) }
      return state.receiver
    }
    guard let receiver else { return }
    request(receiver.receive(landing))
  }
}
