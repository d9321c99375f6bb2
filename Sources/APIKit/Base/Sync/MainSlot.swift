/// A value that one task of the main actor waits for.
///
/// Used in place of a continuation, which resumes on a thread of the cooperative pool and hops to the main actor from there: two
/// threads wake for one value. With it the task resumes on the main thread, in a round of ``MainDelivery``.
@MainActor package final class MainSlot<Value: Sendable> {
  private var value: Value?
  private var proceed: (() -> Void)?

  package init() {}

  /// Sets the value; call it once. The task resumes after the caller has returned.
  package func resume(returning value: Value) {
    precondition(self.value == nil, "the value was given twice")
    self.value = value
    proceed.take()?()
  }

  /// Returns the value when it is there. To be called once.
  package func wait() async -> Value {
    if let value { return value }
    if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) {
      let parking = Parking()
      proceed = { parking.leave() }
      await parking.stay()
    } else {
      await withCheckedContinuation { continuation in proceed = { continuation.resume() } }
    }
    guard let value else { preconditionFailure("the task went on without its value") }
    return value
  }
}

/// An actor whose executor keeps the job of the task that calls it until `leave()` schedules it on ``MainDelivery``.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
private actor Parking: SerialExecutor {
  private let job = Mutex<UnownedJob?>(nil)

  nonisolated var unownedExecutor: UnownedSerialExecutor { asUnownedSerialExecutor() }

  /// Reads the state of the actor: the optimizer removes the hop to an actor whose method does nothing.
  @inline(never) func stay() {
    precondition(job.withLock { $0 == nil }, "the task was not let go")
  }

  nonisolated func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    self.job.withLock { $0 = job }
  }

  nonisolated func leave() {
    if let job = job.withLock({ $0.take() }) { MainDelivery.main.put(job) }
  }
}
