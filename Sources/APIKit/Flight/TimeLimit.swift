/// Runs work for so long at most.
enum TimeLimit {
  private enum Outcome<Value: Sendable>: Sendable {
    case done(Result<Value, APIError>)
    case timeUp
  }

  /// Cancels the work when the limit passes and throws ``APIError/Reason/deadlineExceeded`` when it has
  /// ended. Work that does not end when cancelled is waited for.
  static func run<Value: Sendable>(
    _ limit: Duration, _ time: any TimeSource,
    _ work: @escaping @Sendable () async throws(APIError) -> Value
  ) async throws(APIError) -> Value {
    let outcome = await withTaskGroup(of: Outcome<Value>.self) { group in
      group.addTask {
        do throws(APIError) { return .done(.success(try await work())) } catch {
          return .done(.failure(error))
        }
      }
      group.addTask {
        // The group is cancelled when the work is done, or the flight when nobody wants it: no time is up then.
        do { try await time.sleep(for: limit) } catch { return .done(.failure(cancelled)) }
        return .timeUp
      }
      let first = await group.next()
      group.cancelAll()
      guard case .done(.failure(let error)) = first, error.reason == .cancelled else { return first }
      // A flight cancelled from outside ends both; what the work says is the better word.
      return await group.next() ?? first
    }
    switch outcome {
    case .done(let result): return try result.get()
    case .timeUp, nil:
      throw APIError(
        .transport, .deadlineExceeded, "not finished before its deadline: \(limit.shortText) were left")
    }
  }

  private static var cancelled: APIError { APIError(.transport, .cancelled) }
}
