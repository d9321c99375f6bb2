import APIKit
import Dispatch
import Foundation

/// The process was asked to end while something was under way, which can go on later.
struct Interruption: Error {
  /// Returns at the first SIGINT or SIGTERM, or when its task is cancelled. A second signal ends the process as usual.
  static func wait() async {
    let signals = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number, queue: .global())
    }
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    for source in signals {
      source.setEventHandler { @Sendable in continuation.yield() }
      source.resume()
    }
    for await _ in stream { break }
    for source in signals { source.cancel() }
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
  }

  /// Does the work, which is cancelled when the process is asked to end, and then throws an interruption.
  @MainActor static func ending<Value: Sendable>(
    _ work: @escaping @MainActor @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await work() }
    let watch = Task {
      await wait()
      guard !Task.isCancelled else { return }
      task.cancel()
    }
    defer { watch.cancel() }
    do { return try await task.value } catch let error as APIError where error.isCancellation {
      throw Interruption()
    }
  }
}
