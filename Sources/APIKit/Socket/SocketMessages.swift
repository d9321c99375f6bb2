/// The messages of a socket; see ``BaseSocketManager/messages()``.
public struct SocketMessages: AsyncSequence {
  /// A message.
  public typealias Element = SocketMessage
  /// What the socket failed with.
  public typealias Failure = APIError

  let reader: SocketReader

  /// Iterates. Iterators of one sequence share its messages.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

  /// Takes one message after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let reader: SocketReader

    /// The next message; nil when the socket is closed, or the task cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(APIError) -> SocketMessage? {
      try await reader.next()
    }
  }
}

/// The messages of one sequence that were not taken yet.
@MainActor final class SocketReader {
  private var messages: [SocketMessage] = []
  private var next = 0
  private var bytes = 0
  private var end: Result<SocketMessage?, APIError>?
  private var waiters: [(id: Int, waiter: CheckedContinuation<Result<SocketMessage?, APIError>, Never>)] = []
  private var lastWaiter = 0
  private weak var manager: BaseSocketManager?

  init(_ manager: BaseSocketManager) { self.manager = manager }

  var hasRoom: Bool { messages.count - next < SocketInbox.messageLimit && bytes < SocketInbox.byteLimit }

  func put(_ message: SocketMessage) {
    if !waiters.isEmpty { return waiters.removeFirst().waiter.resume(returning: .success(message)) }
    messages.append(message)
    bytes += message.byteCount
  }

  func end(_ error: APIError?) {
    let end: Result<SocketMessage?, APIError> = error.map { .failure($0) } ?? .success(nil)
    self.end = end
    for waiter in waiters { waiter.waiter.resume(returning: end) }
    waiters = []
  }

  func next() async throws(APIError) -> SocketMessage? {
    if next < messages.count {
      let message = messages[next]
      next += 1
      bytes -= message.byteCount
      if next == messages.count { (messages, next) = ([], 0) }
      // The socket may have waited for room.
      manager?.inbox?.deliver()
      return message
    }
    if let end {
      self.end = .success(nil)
      return try end.get()
    }
    // The manager is gone, and with it the socket.
    guard manager != nil else { return nil }
    lastWaiter += 1
    let id = lastWaiter
    let taken: Result<SocketMessage?, APIError> = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        if Task.isCancelled { return waiter.resume(returning: .success(nil)) }
        waiters.append((id, waiter))
      }
    } onCancel: {
      MainDelivery.main.put { [weak self] in self?.cancel(id) }
    }
    return try taken.get()
  }

  private func cancel(_ id: Int) {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
    waiters.remove(at: index).waiter.resume(returning: .success(nil))
  }
}

/// A reader that goes when nobody iterates it any more.
struct WeakReader {
  weak var reader: SocketReader?
}
