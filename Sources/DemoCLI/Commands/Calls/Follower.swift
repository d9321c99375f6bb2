import APIKit
import APIKitSockets

/// Follows one connection, a WebSocket or an event stream, from its opening to its end.
///
/// It ends when so many items have come, when ``end()`` is called, when the server ends it, or when the task that waits is
/// cancelled; a WebSocket is closed in order.
@MainActor final class Follower: SocketManagerDelegate, EventStreamDelegate {
  /// Called with the number of a connection, from 1.
  var onOpen: (Int) -> Void = { _ in }
  var onMessage: (SocketMessage) -> Void = { _ in }
  var onEvent: (ServerEvent) -> Void = { _ in }

  private let session: Session
  private let most: Int?
  /// What the items are called, for the line at the end.
  private let noun: String
  /// How many items were counted.
  private(set) var shown = 0
  /// Whether it ends. What a server still sends comes until it is closed.
  private(set) var isEnding = false
  /// Whether as many were counted as are shown.
  var isFull: Bool { most.map { shown >= $0 } ?? false }
  private var failure: (any Error)?
  private var close: () -> Void = {}
  private var done: CheckedContinuation<Void, any Error>?

  /// - Parameters:
  ///   - count: How many items are shown; nil for all.
  ///   - noun: What one of them is called.
  init(_ session: Session, count: Int?, noun: String = "message") {
    self.session = session
    most = count
    self.noun = noun
  }

  /// Opens a socket and returns when it is closed.
  func follow(_ manager: some SocketManager, _ parameters: Parameters = [:]) async throws {
    manager.delegate = self
    // In order: what was sent leaves, and the server's end is waited for.
    close = { try? manager.close() }
    try await wait { manager.open(parameters) }
  }

  /// Opens a stream of events and returns when it has ended.
  func follow(_ manager: some EventStreamManager, _ parameters: Parameters = [:]) async throws {
    manager.delegate = self
    close = { manager.cancel() }
    try await wait { manager.open(parameters) }
  }

  /// Ends what is open.
  func end() {
    guard !isEnding else { return }
    isEnding = true
    close()
  }

  /// Ends what is open, and the following with an error.
  func end(with error: any Error) {
    if !isEnding { failure = error }
    end()
  }

  private func wait(_ open: () -> Void) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        done = continuation
        open()
        if Task.isCancelled || isEnding { end() }
      }
    } onCancel: {
      Task { @MainActor in self.end() }
    }
  }

  /// Counts an item that was shown, and ends behind the last one.
  func count() {
    shown += 1
    if isFull { end() }
  }

  private func finish(_ error: APIError?, _ how: String) {
    let continuation = done
    done = nil
    // They hold what they are called for.
    (onOpen, onMessage, onEvent, close) = ({ _ in }, { _ in }, { _ in }, {})
    if let failure {
      continuation?.resume(throwing: error ?? failure)
    } else if let error, !isEnding {
      continuation?.resume(throwing: error)
    } else {
      session.console.error("\(shown) \(noun)\(shown == 1 ? "" : "s"), \(how)")
      continuation?.resume()
    }
  }

  private func tellOpening(_ number: Int) {
    if number > 1 { session.console.error("open again") }
    onOpen(number)
  }

  private func tellLoss(_ error: APIError?, _ wait: Duration) {
    let milliseconds = Int((wait / .milliseconds(1)).rounded())
    session.console.error(
      "\(error?.detail ?? "the server ended the connection"); again in \(milliseconds) ms")
  }

  // MARK: The WebSocket

  func socket(_ manager: BaseSocketManager, didOpenWith opening: SocketOpening) {
    tellOpening(opening.number)
  }

  func socket(_ manager: BaseSocketManager, didReceive message: SocketMessage) { onMessage(message) }

  func socket(
    _ manager: BaseSocketManager, didDisconnectWith closing: SocketClosing, retryAfter wait: Duration
  ) { tellLoss(closing.error, wait) }

  func socket(_ manager: BaseSocketManager, didCloseWith closing: SocketClosing) {
    finish(closing.error, "closed with \(closing.code)")
  }

  // MARK: Events

  func events(_ manager: BaseEventStreamManager, didOpenWith response: HTTPResponse, number: Int) {
    tellOpening(number)
  }

  func events(_ manager: BaseEventStreamManager, didReceive event: ServerEvent) { onEvent(event) }

  func events(
    _ manager: BaseEventStreamManager, didDisconnectWith closing: StreamClosing, retryAfter wait: Duration
  ) { tellLoss(closing.error, wait) }

  func events(_ manager: BaseEventStreamManager, didCloseWith closing: StreamClosing) {
    finish(closing.error, "closed")
  }
}
