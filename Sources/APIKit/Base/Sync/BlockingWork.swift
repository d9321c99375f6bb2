import Dispatch

/// Runs what blocks, such as calls of a keychain or of the system's evaluation of trust, on threads of Dispatch.
///
/// The cooperative pool has a thread for each core and makes no further one for a thread that is blocked: a few such
/// calls at once would hold up every task of the process.
package enum BlockingWork {
  private static let queue = DispatchQueue(
    label: "APIKit.blocking", qos: .userInitiated, attributes: .concurrent)

  /// Returns what the work returns, and throws what it throws. What blocks cannot be ended, so it is not cancelled.
  package static func run<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Value, Failure>, Never>) in
      queue.async {
        let result = Result { () throws(Failure) in try work() }
        continuation.resume(returning: result)
      }
    }
    return try result.get()
  }
}
