/// Runs work for so long at most; time for which the process was suspended does not count.
enum TimeLimit {
  private enum Outcome<Value: Sendable>: Sendable {
    case work(Result<Value, APIError>)
    case timeUp
    /// The timer was stopped: the work is done, or no longer wanted.
    case timerStopped
  }

  /// Cancels the work when the limit passes and throws ``APIError/Reason/deadlineExceeded`` when it has
  /// ended. Work that does not end when cancelled is waited for.
  static func run<Value: Sendable>(
    _ limit: Duration, by time: any TimeSource,
    _ work: @escaping @Sendable () async throws(APIError) -> Value
  ) async throws(APIError) -> Value {
    let (first, second) = await withTaskGroup(of: Outcome<Value>.self) { group in
      group.addTask {
        do throws(APIError) { return .work(.success(try await work())) } catch {
          return .work(.failure(error))
        }
      }
      group.addTask {
        do { try await time.sleep(running: limit) } catch { return .timerStopped }
        return .timeUp
      }
      let first = await group.next()
      group.cancelAll()
      return (first, await group.next())
    }
    if case .work(let result) = first { return try result.get() }
    guard case .work(let result) = second else { throw APIError(.transport, .cancelled) }
    // Work that succeeded in the last moment has succeeded: it may hold what must be given back.
    if case .success = result { return try result.get() }
    guard case .timeUp = first else { return try result.get() }
    throw passed(limit)
  }

  /// The failure of work that took too long.
  static func passed(_ limit: Duration) -> APIError {
    APIError(
      .transport, .deadlineExceeded, "not finished before its deadline: \(limit.shortText) were left")
  }
}
