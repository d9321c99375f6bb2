#if os(Linux)
  import CAPIKit
  import Glibc

  /// The messages of callers to the loop's thread.
  ///
  /// Posting takes a lock. The thread is woken by a system call only when it sleeps and was not woken yet.
  /// Posts within one round of deliveries on the main actor wake it once, when the round is over.
  final class CurlMailbox: PhaseSource {
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
      /// Tell the phases of running requests.
      case tellPhases
      /// Call back with the loop's counts.
      case inspect(@Sendable (CurlCounts) -> Void)
      /// The network is another one: idle connections and resolved names are of the old one.
      case networkChanged
      /// Start no more jobs; once the others have ended, end the thread as ``stop(_:)`` does.
      case finish(UnsafeContinuation<Void, Never>?)
      /// End everything, free everything, end the thread; then resume the waiter.
      case stop(UnsafeContinuation<Void, Never>?)
    }

    private struct MailboxState {
      var messages: [Message] = []
      var isSleeping = false
      var isClosed = false
    }

    private let state = Mutex(MailboxState())
    /// Whether there may be messages; checked without the lock.
    private let hasMail = AtomicFlag()
    /// The eventfd the loop sleeps on; edge-triggered, so it is never read.
    let wakeup: Int32

    init() throws(APIError) {
      wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
      guard wakeup >= 0 else { throw CurlErrors.system("eventfd", errno) }
    }

    deinit { _ = Glibc.close(wakeup) }

    /// Posts a message; false when the loop has ended and will not read it.
    @discardableResult
    func post(_ message: Message) -> Bool {
      let (isTaken, mustWake) = state.withLock { state -> (Bool, Bool) in
        guard !state.isClosed else { return (false, false) }
        state.messages.append(message)
        hasMail.store(true)
        defer { state.isSleeping = false }
        return (true, state.isSleeping)
      }
      if mustWake {
        if MainDelivery.main.isInRound { MainDelivery.main.afterRound { self.wake() } } else { wake() }
      }
      return isTaken
    }

    func tellPhases() { post(.tellPhases) }

    private func wake() { eventfd_write(wakeup, 1) }

    /// Swaps the messages into an empty array.
    func take(_ messages: inout [Message]) {
      guard hasMail.load() else { return }
      state.withLock { state in
        swap(&state.messages, &messages)
        hasMail.store(false)
      }
    }

    /// Called when the loop is about to sleep; false when there are messages to read first.
    func fallAsleep() -> Bool {
      state.withLock { state in
        guard state.messages.isEmpty else { return false }
        state.isSleeping = true
        return true
      }
    }

    /// Called when the loop is awake.
    func wakeUp() { state.withLock { $0.isSleeping = false } }

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
