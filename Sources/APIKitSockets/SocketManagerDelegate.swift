public import APIKit

/// The delegate of a WebSocket: receives its messages on the main actor, in the order of the wire.
///
/// For each `open`: at most one `didOpen` for a connection, one `didDisconnect` for each lost connection that another one
/// follows, and exactly one `didClose`, last. Each of them may use the socket: send, close, open it again, or release its
/// manager, after which no method is called.
@MainActor public protocol SocketManagerDelegate: AnyObject {
  /// The socket is open: the first time, or again after a connection was lost.
  func socket(_ manager: BaseSocketManager, didOpenWith opening: SocketOpening)
  /// A message was received.
  func socket(_ manager: BaseSocketManager, didReceive message: SocketMessage)
  /// A connection was lost, and another one follows in a while. The default does nothing.
  func socket(
    _ manager: BaseSocketManager, didDisconnectWith closing: SocketClosing, retryAfter wait: Duration)
  /// Messages that were passed to `send` were not sent, or only in part, and are not sent again. The default does nothing.
  func socket(_ manager: BaseSocketManager, didNotSend messages: [SocketUnsent])
  /// The socket is closed, or could not be opened; the last call for an `open`.
  func socket(_ manager: BaseSocketManager, didCloseWith closing: SocketClosing)
}

extension SocketManagerDelegate {
  /// Does nothing.
  public func socket(
    _ manager: BaseSocketManager, didDisconnectWith closing: SocketClosing, retryAfter wait: Duration
  ) {}
  /// Does nothing.
  public func socket(_ manager: BaseSocketManager, didNotSend messages: [SocketUnsent]) {}
}
