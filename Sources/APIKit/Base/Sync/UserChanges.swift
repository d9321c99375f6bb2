/// Counts the changes of who is the user, of any authenticator and any cookie jar of the process: where there was none,
/// nobody needs to be compared.
enum UserChanges {
  private static let count = AtomicInt()
  private static let watchers = Mutex<(last: Int, streams: [Int: AsyncStream<Void>.Continuation])>((0, [:]))

  /// How many there were so far.
  static var now: Int { count.load() }

  /// To be called when the change can be seen, before the call that has made it returns.
  static func note() {
    count.add(1)
    watchers.withLock { for stream in $0.streams.values { stream.yield() } }
  }

  /// The result of a wait, which is cancelled as soon as a user has left; nil where it has none.
  static func during<Value: Sendable>(
    _ wait: @escaping @Sendable () async throws(APIError) -> Value,
    until hasLeft: @escaping @Sendable () -> Bool
  ) async -> Result<Value, APIError>? {
    await withTaskGroup(of: Result<Value, APIError>?.self) { group in
      group.addTask {
        do throws(APIError) { return .success(try await wait()) } catch { return .failure(error) }
      }
      group.addTask {
        await waitUntil(hasLeft)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      let second = await group.next() ?? nil
      return first ?? second
    }
  }

  /// Returns when a user has left, or the task is cancelled.
  static func waitUntil(_ hasLeft: @Sendable () -> Bool) async {
    let changes = changes()
    guard !hasLeft() else { return }
    for await _ in changes where hasLeft() { break }
  }

  /// An element once there were changes since the last one.
  static func changes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = watchers.withLock { watchers in
      watchers.last += 1
      watchers.streams[watchers.last] = continuation
      return watchers.last
    }
    // In a task: a cancelled task calls this under a lock of its own, for which a change waits that is being yielded.
    continuation.onTermination = { _ in
      Task.detached { _ = watchers.withLock { $0.streams.removeValue(forKey: id) } }
    }
    return stream
  }
}
