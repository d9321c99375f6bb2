#if os(Linux)
  import CAPIKit
  import Glibc
  import Synchronization

  /// The messages of callers to the loop's thread.
  ///
  /// Posting takes a lock. The thread is woken by a system call only when it sleeps and was not woken yet.
  /// Posts within one round of deliveries on the main actor wake it once, when the round is over. What is brief may be
  /// served by the poster's own thread while the loop's sleeps.
  final class CurlMailbox: Sendable {
    /// One message to the loop's thread.
    enum Message: Sendable {
      /// Append the job to the queue.
      case start(CurlJob)
      /// End the job if it is running.
      case cancel(CurlJob)
      /// Resume the paused sides of the job: its reader took a chunk, or its source has one.
      case resume(CurlJob)
      /// Send and read nothing more of the job until ``proceed(_:)``.
      case suspend(CurlJob)
      /// Go on with a suspended job.
      case proceed(CurlJob)
      /// Run work on the loop's thread.
      case perform(@Sendable () -> Void)
      /// Call back with the loop's counts.
      case inspect(@Sendable (CurlCounts) -> Void)
      /// The network is another one: idle connections and resolved names are of the old one.
      case networkChanged
      /// Start no more jobs; once the others have ended, end the thread as ``stop(_:)`` does.
      case finish(UnsafeContinuation<Void, Never>?)
      /// End everything, free everything, end the thread; then resume the waiter.
      case stop(UnsafeContinuation<Void, Never>?)
    }

    /// Where the loop's thread is.
    private enum Place {
      /// In a turn: it reads what is posted before it sleeps.
      case awake
      case asleep
      /// Asleep, and somebody is about to wake it.
      case called
      /// Asleep, while another thread runs a turn in its place.
      case replaced
    }

    private struct State {
      var messages: [Message] = []
      var place = Place.awake
      /// Whether a message is not brief.
      var needsThread = false
      /// Whether another thread has run a turn since the loop's own had one.
      var wasReplaced = false
      var isClosed = false
    }

    private let state = Mutex(State())
    /// Held while another thread runs a turn.
    private let replacing = Mutex(())
    /// Whether there may be messages; checked without the lock.
    private let hasMail = Atomic(false)
    /// The eventfd the loop sleeps on; edge-triggered, so it is never read.
    let wakeup: Int32

    /// How many brief messages another thread takes in place of the loop's.
    private static let fewMessages = 8

    init() throws(APIError) {
      wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
      guard wakeup >= 0 else { throw CurlErrors.system("eventfd", errno) }
    }

    deinit { _ = Glibc.close(wakeup) }

    /// Posts a message; false when the loop has ended and will not read it.
    ///
    /// - Parameter turn: Where the message is brief (it takes microseconds and does not wait): what serves the messages
    ///   in the place of the loop's thread while that sleeps, which is sooner done than waking it. It returns whether
    ///   the thread must have a turn nonetheless. For the second time in a row the thread is woken, so that a burst of
    ///   messages is served together.
    @discardableResult
    func post(_ message: Message, servedBy turn: (@Sendable () -> Bool)? = nil) -> Bool {
      let (isTaken, mustWake) = state.withLock { state -> (Bool, Bool) in
        guard !state.isClosed else { return (false, false) }
        state.messages.append(message)
        if turn == nil { state.needsThread = true }
        hasMail.store(true, ordering: .releasing)
        guard case .asleep = state.place else { return (true, false) }
        state.place = .called
        return (true, true)
      }
      if mustWake {
        if MainDelivery.main.isInRound {
          MainDelivery.main.afterRound { self.wake(turn) }
        } else {
          wake(turn)
        }
      }
      return isTaken
    }

    /// Wakes the thread, or serves the messages in its place, unless it woke by itself meanwhile.
    private func wake(_ turn: (@Sendable () -> Bool)?) {
      if let turn, replacing.withLockIfAvailable({ _ in replace(turn) }) == true { return }
      if state.withLock({ if case .called = $0.place { true } else { false } }) { eventfd_write(wakeup, 1) }
    }

    /// Runs a turn in the place of the loop's thread; false where that must do it.
    private func replace(_ turn: () -> Bool) -> Bool {
      let mayReplace = state.withLock { state in
        guard case .called = state.place, !state.needsThread, !state.wasReplaced, !state.isClosed,
          state.messages.count <= Self.fewMessages
        else { return false }
        (state.place, state.wasReplaced) = (.replaced, true)
        return true
      }
      guard mayReplace else { return false }
      let needsThread = turn()
      let mustWake = state.withLock { state in
        let mustWake = needsThread || !state.messages.isEmpty
        state.place = mustWake ? .called : .asleep
        return mustWake
      }
      if mustWake { eventfd_write(wakeup, 1) }
      return true
    }

    /// Swaps the messages into an empty array.
    func take(_ messages: inout [Message]) {
      guard hasMail.load(ordering: .acquiring) else { return }
      state.withLock { state in
        swap(&state.messages, &messages)
        state.needsThread = false
        hasMail.store(false, ordering: .relaxed)
      }
    }

    /// Called when the loop is about to sleep; false when there are messages to read first. From here to ``wakeUp()``
    /// another thread may run a turn, so the loop's touches nothing.
    func fallAsleep() -> Bool {
      state.withLock { state in
        guard state.messages.isEmpty else { return false }
        state.place = .asleep
        return true
      }
    }

    /// Called when the loop is awake; waits for a turn that another thread runs.
    func wakeUp() {
      while !hasWoken() { replacing.withLock { _ in } }
    }

    private func hasWoken() -> Bool {
      state.withLock { state in
        if case .replaced = state.place { return false }
        (state.place, state.wasReplaced) = (.awake, false)
        return true
      }
    }

    /// Accepts no more messages and returns those that were not read.
    func close() -> [Message] {
      state.withLock { state in
        state.isClosed = true
        defer { state.messages = [] }
        return state.messages
      }
    }
  }
#endif
