#if os(Linux)
  import CAPIKit
  import Glibc
  import Synchronization

  /// What callers hand to the loop thread.
  ///
  /// Posting costs a lock; the thread is woken by a system call only when it sleeps and nobody woke it yet.
  final class CurlMailbox: Sendable {
    /// One thing to do on the loop thread.
    enum Message: Sendable {
      /// Take the job into the queue.
      case start(CurlJob)
      /// End the job if it is running.
      case cancel(CurlJob)
      /// A paused side of the job can go on: its reader took a chunk, or its source has one.
      case resume(CurlJob)
      /// Say what the loop holds.
      case inspect(@Sendable (CurlCounts) -> Void)
      /// Land everything, free everything, end the thread; then resume the waiter.
      case stop(UnsafeContinuation<Void, Never>?)
    }

    private struct State {
      var messages: [Message] = []
      var isSleeping = false
      var isClosed = false
    }

    /// The loop that reads the mail; nil before it has started and after it has stopped. Whoever holds the lock
    /// may use it. Taken before ``state``, never after.
    let loop = Mutex<CurlLoop?>(nil)

    private let state = Mutex(State())
    /// Whether messages may be there: for looking without the lock.
    private let hasMail = Atomic(false)
    /// Whether the loop sleeps over nothing, so that a caller may start a job in its place.
    private let isIdle = Atomic(false)
    /// The eventfd the loop sleeps on; edge-triggered, so it is never read.
    let wakeup: Int32

    init() throws(APIError) {
      wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
      guard wakeup >= 0 else { throw CurlErrors.system("eventfd", errno) }
    }

    deinit { close(wakeup) }

    /// Hands a job over; false when the loop has ended and nobody will carry it.
    func start(_ job: CurlJob) -> Bool {
      guard isIdle.load(ordering: .acquiring) else { return post(.start(job)) }
      let isStarted = loop.withLockIfAvailable { loop in
        // Nobody else need try; and who is resumed at once, on this thread, must not.
        isIdle.store(false, ordering: .relaxed)
        guard let loop, loop.startAtOnce(job) else { return false }
        if loop.isIdle { isIdle.store(true, ordering: .releasing) }
        return true
      }
      return isStarted == true || post(.start(job))
    }

    /// Hands a message over; false when the loop has ended and nobody will read it.
    @discardableResult
    func post(_ message: Message) -> Bool {
      let (isTaken, mustWake) = state.withLock { state -> (Bool, Bool) in
        guard !state.isClosed else { return (false, false) }
        state.messages.append(message)
        hasMail.store(true, ordering: .releasing)
        defer { state.isSleeping = false }
        return (true, state.isSleeping)
      }
      if mustWake { eventfd_write(wakeup, 1) }
      return isTaken
    }

    /// Swaps the messages into an empty array.
    func take(_ messages: inout [Message]) {
      guard hasMail.load(ordering: .acquiring) else { return }
      state.withLock { state in
        swap(&state.messages, &messages)
        hasMail.store(false, ordering: .relaxed)
      }
    }

    /// Whether there are messages.
    var hasMessages: Bool { hasMail.load(ordering: .acquiring) }

    /// Says that the loop is about to sleep; false when there is something to do first.
    ///
    /// - Parameter isIdle: Whether it sleeps over nothing.
    func fallAsleep(isIdle: Bool) -> Bool {
      let sleeps = state.withLock { state in
        guard state.messages.isEmpty else { return false }
        state.isSleeping = true
        return true
      }
      if sleeps, isIdle { self.isIdle.store(true, ordering: .releasing) }
      return sleeps
    }

    /// Has the loop look at the time, though there is no message.
    func interruptSleep() { eventfd_write(wakeup, 1) }

    /// Says that the loop is awake.
    func wakeUp() {
      isIdle.store(false, ordering: .relaxed)
      state.withLock { $0.isSleeping = false }
    }

    /// Takes no more messages and gives back those nobody read.
    func close() -> [Message] {
      state.withLock { state in
        state.isClosed = true
        defer { state.messages = [] }
        return state.messages
      }
    }

    private func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }
  }
#endif
