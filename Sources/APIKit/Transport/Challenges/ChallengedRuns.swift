/// The exchanges of one transport that may wait for the application's word about a challenge: ended and waited for with
/// the transport.
final class ChallengedRuns: Sendable {
  typealias Outcome = Result<HTTPResponse, APIError>

  private struct ChallengedRunsState {
    var tasks: [Int: Task<Outcome, Never>] = [:]
    var last = 0
    /// Whether nothing new is taken.
    var isClosed = false
    var isStopped = false
  }

  private let state = Mutex(ChallengedRunsState())

  /// Runs an exchange in a task of its own; cancelling the caller's task cancels it.
  func run(
    _ work: @escaping @Sendable () async throws(APIError) -> HTTPResponse
  ) async throws(APIError) -> HTTPResponse {
    let begun = state.withLock { state -> (Int, Task<Outcome, Never>)? in
      guard !state.isClosed else { return nil }
      state.last += 1
      let task = Task<Outcome, Never>.detached {
        do throws(APIError) { return .success(try await work()) } catch { return .failure(error) }
      }
      state.tasks[state.last] = task
      return (state.last, task)
    }
    guard let (id, task) = begun else { throw APIError(.transport, .transportStopped).unsent }
    let outcome = await task.cancellableValue()
    let isStopped = state.withLock { state in
      state.tasks[id] = nil
      return state.isStopped
    }
    do throws(APIError) { return try outcome.get() } catch {
      guard isStopped, error.reason == .cancelled, !Task.isCancelled else { throw error }
      var stopped = APIError(.transport, .transportStopped)
      stopped.requestProgress = error.requestProgress
      throw stopped
    }
  }

  /// Takes nothing new and ends what is under way.
  func stop() {
    let tasks = state.withLock { state in
      (state.isClosed, state.isStopped) = (true, true)
      return Array(state.tasks.values)
    }
    for task in tasks { task.cancel() }
  }

  /// Takes nothing new, and returns when what is under way has ended.
  func finish() async {
    let tasks = state.withLock { state in
      state.isClosed = true
      return Array(state.tasks.values)
    }
    for task in tasks { _ = await task.value }
  }
}
