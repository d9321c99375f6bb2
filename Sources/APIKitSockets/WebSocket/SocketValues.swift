public import APIKit

/// The state of a WebSocket or a stream.
public enum SocketState: String, Sendable, Hashable, CaseIterable {
  /// Not opened yet.
  case idle
  /// It waits for the network or a credential; a stream also for a connection slot of its host.
  case waiting
  /// The connection is being opened.
  case connecting
  /// Messages can be sent and received.
  case open
  /// The close frame is sent or received, and the connection has not ended.
  case closing
  /// The connection was lost, and another one follows.
  case reconnecting
  /// Closed; it may be opened again.
  case closed

  /// Whether something is under way that will end with `didClose`.
  public var isActive: Bool { self != .idle && self != .closed }
}

/// The end of a WebSocket connection.
public struct SocketClosing: Sendable {
  /// The kind of the end.
  public enum End: String, Sendable, Hashable {
    /// Both sides have sent close frames.
    case clean
    /// The server has ended the connection in order, but without a close frame.
    case dropped
    /// The connection broke: by a reset, or TLS ended without a close_notify, as an attacker could
    /// end it.
    case cut
    /// This side has ended it, and ``SocketClosing/error`` says why: `cancel()`, a deadline
    /// (``SocketOptions/closeLimit``, ``SocketOptions/pingLimit``), a server that broke the protocol, or a transport that
    /// was stopped.
    case aborted
    /// There was no connection: it could not be opened, or opening was cancelled.
    case notOpened
  }

  /// The server's code: 1005 where its close frame had none, 1006 where it sent none.
  public var code: SocketCloseCode
  /// The server's reason; empty where it gave none.
  public var reason: String
  /// The code that was sent to the server; nil where none was.
  public var sentCode: SocketCloseCode?
  /// The kind of the end.
  public var end: End
  /// The error; nil where the socket was closed in order by either side.
  public var error: APIError?

  /// Makes a closing; for tests.
  public init(
    code: SocketCloseCode, reason: String = "", sentCode: SocketCloseCode? = nil, end: End = .clean,
    error: APIError? = nil
  ) {
    self.code = code
    self.reason = reason
    self.sentCode = sentCode
    self.end = end
    self.error = error
  }
}

/// The accepted handshake of a WebSocket.
public struct SocketOpening: Sendable {
  /// The subprotocol that the server chose; nil where it chose none.
  public let subprotocol: String?
  /// Whether messages may be compressed.
  public let isCompressed: Bool
  /// The response to the handshake: status 101 and its header fields.
  public let response: HTTPResponse
  /// The number of the connection since `open`, from 1: more than 1 after reconnections.
  public let number: Int
}

/// Limits, pings and compression of a WebSocket.
public struct SocketOptions: Sendable, Hashable {
  /// The largest message from the server in bytes, after decompression; the default is 16 MiB. A larger message ends the
  /// connection with 1009.
  public var maximumMessageBytes = 16 << 20
  /// The largest number of bytes that wait to be sent; the default is 16 MiB. `send` throws when more would wait. Each
  /// message counts with its frame, which takes 6 to 14 bytes.
  public var maximumQueuedBytes = 16 << 20
  /// The longest time for opening, from the look-up of the name to the response; the default is 10
  /// seconds.
  public var openLimit: Duration = .seconds(10)
  /// The longest time until the server ends the connection after a close frame; the default is 10
  /// seconds.
  public var closeLimit: Duration = .seconds(10)
  /// The time between two pings; nil sends none. The default is 20 seconds, because proxies end connections that are
  /// silent for 30 to 60 seconds.
  public var pingInterval: Duration? = .seconds(20)
  /// The longest time until a pong; the default is 20 seconds. After it the connection counts as lost.
  public var pingLimit: Duration = .seconds(20)
  /// The window for compression (permessage-deflate) as a power of two, 9 to 15; nil offers none. The default is 12: a
  /// connection takes about 50 KB once it has compressed and decompressed messages.
  public var compressionBits: Int? = 12
  /// Messages below this many bytes are sent as they are; the default is 1 KiB.
  public var compressesFrom = 1 << 10

  /// Makes the default options.
  public init() {}

  func validate() throws(APIError) {
    guard maximumMessageBytes > 0, maximumQueuedBytes > 0, openLimit > .zero, closeLimit > .zero,
      pingInterval ?? .seconds(1) > .zero, pingLimit > .zero, compressesFrom > 0
    else { throw APIError(.assembly, .misconfigured, "limits of a WebSocket are positive") }
    if let compressionBits, !(9...15).contains(compressionBits) {
      throw APIError(.assembly, .misconfigured, "compressionBits is 9 to 15, not \(compressionBits)")
    }
  }
}
