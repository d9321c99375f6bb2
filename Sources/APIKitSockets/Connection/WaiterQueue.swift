import APIKit

/// Callers that wait for something on the main actor, in the order of their calls, each with its request.
///
/// Each is resumed once: with what it waits for, when its task is cancelled, or when its limit has passed.
@MainActor final class WaiterQueue<Request, Value: Sendable> {
  typealias Outcome = Result<Value, APIError>

  private var waiters: [(id: UInt64, request: Request, continuation: CheckedContinuation<Outcome, Never>)] =
    []
  private var lastID: UInt64 = 0
  /// The outcome for a caller whose task is cancelled.
  private let cancelled: @Sendable () -> Outcome

  init(
    cancelled: @escaping @autoclosure @Sendable () -> Outcome = .failure(APIError(cancelled: .taskCancelled))
  ) {
    self.cancelled = cancelled
  }

  /// The request of the caller that waits longest; nil when none waits.
  var first: Request? { waiters.first?.request }

  /// Waits. A limit that has passed is an `APIError.Reason.idleTimeout`.
  ///
  /// - Parameters:
  ///   - begin: Called with the caller's number when it is in the queue; not for a task that is cancelled already.
  ///   - onGivenUp: Called with its number when it does not wait any longer.
  func wait(
    _ request: Request, within limit: Duration? = nil, time: any TimeSource = SystemTime(),
    _ begin: (UInt64) -> Void = { _ in },
    onGivenUp: @escaping @MainActor @Sendable (UInt64) -> Void = { _ in }
  ) async throws(APIError) -> Value {
    lastID += 1
    let id = lastID
    let giveUp: @Sendable (Outcome) -> Void = { outcome in
      MainDelivery.main.put { [weak self] in if self?.resume(id, outcome) == true { onGivenUp(id) } }
    }
    let timer = limit.map { limit in
      Task.detached {
        do { try await time.sleep(for: limit) } catch { return }
        giveUp(.failure(APIError(.transport, .idleTimeout, "it did not come to it in \(limit.shortText)")))
      }
    }
    defer { timer?.cancel() }
    let cancelled = cancelled
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard !Task.isCancelled else { return continuation.resume(returning: cancelled()) }
        waiters.append((id, request, continuation))
        begin(id)
      }
    } onCancel: {
      giveUp(cancelled())
    }.get()
  }

  /// False when it does not wait any longer.
  @discardableResult func resume(_ id: UInt64, _ outcome: Outcome) -> Bool {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else { return false }
    waiters.remove(at: index).continuation.resume(returning: outcome)
    return true
  }

  /// False when no caller waits.
  @discardableResult func resumeFirst(_ outcome: Outcome) -> Bool {
    waiters.first.map { resume($0.id, outcome) } ?? false
  }

  func resumeAll(_ outcome: Outcome) {
    let all = waiters
    waiters = []
    for waiter in all { waiter.continuation.resume(returning: outcome) }
  }
}
