public import APIKit

/// The delegate of a WebSocket: receives its messages on the main actor, in the order of the wire.
///
/// For each `open`: at most one `didOpen` for a connection, one `didDisconnect` for each lost connection that another one
/// follows, and exactly one `didClose`, last. From each of them the socket may be used: send, close, open again, or
/// release its manager, after which nothing more is called.
@MainActor public protocol SocketManagerDelegate: AnyObject {
  /// The socket is open: the first time, or again after a connection was lost.
  func socket(_ manager: BaseSocketManager, didOpenWith opening: SocketOpening)
  /// A message has come.
  func socket(_ manager: BaseSocketManager, didReceive message: SocketMessage)
  /// A connection was lost, and another one follows in a while. The default does nothing.
  func socket(
    _ manager: BaseSocketManager, didDisconnectWith closing: SocketClosing, retryAfter wait: Duration)
  /// Messages that were given to `send` have not left, or not as a whole, and are not sent again. The default does nothing.
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
