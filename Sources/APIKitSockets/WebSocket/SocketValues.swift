public import APIKit

/// Where a WebSocket stands.
public enum SocketState: String, Sendable, Hashable, CaseIterable {
  /// Not opened yet.
  case idle
  /// Waits for the network, for a credential, or, a stream, for one of the connections to its host.
  case waiting
  /// Opens its connection.
  case connecting
  /// Messages go both ways.
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

/// How a connection of a WebSocket ended.
public struct SocketClosing: Sendable {
  /// How the connection itself ended.
  public enum End: String, Sendable, Hashable {
    /// Both sides have sent close frames.
    case clean
    /// The server has ended the connection in order, and without a close frame.
    case dropped
    /// It broke: a reset, or TLS that ended without a close_notify, as an attacker could end it.
    case cut
    /// This side has ended it, and ``SocketClosing/error`` says why: `cancel()`, a deadline
    /// (``SocketOptions/closeLimit``, ``SocketOptions/pingLimit``), a server that broke the protocol, or a transport that
    /// was stopped.
    case aborted
    /// There was no connection: it could not be opened, or was not waited for.
    case notOpened
  }

  /// The server's code: 1005 where its close frame had none, 1006 where it sent none.
  public var code: SocketCloseCode
  /// The server's reason; empty where it gave none.
  public var reason: String
  /// The code that was sent to the server; nil where none was.
  public var sentCode: SocketCloseCode?
  /// How the connection ended.
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
  /// Which connection of this `open` it is, from 1: more than 1 after reconnections.
  public let number: Int
}

/// Limits, pings and compression of a WebSocket.
public struct SocketOptions: Sendable, Hashable {
  /// The most bytes of a message from the server, unpacked; the default is 16 MiB. A larger one ends the connection with
  /// 1009, before it is kept.
  public var maximumMessageBytes = 16 << 20
  /// How many bytes may wait to be sent; the default is 16 MiB. `send` is refused while more would. Each message counts with
  /// its frame, which takes 6 to 14 bytes.
  public var maximumQueuedBytes = 16 << 20
  /// How long opening may take, from the look-up of the name to the response; the default is 10 seconds.
  public var openLimit: Duration = .seconds(10)
  /// How long the server has to end the connection after a close frame; the default is 10 seconds.
  public var closeLimit: Duration = .seconds(10)
  /// The time between two pings; nil sends none. The default is 20 seconds: proxies end what is silent for 30 to 60.
  public var pingInterval: Duration? = .seconds(20)
  /// How long the server has to respond to a ping; the default is 20 seconds. The connection counts as lost afterwards.
  public var pingLimit: Duration = .seconds(20)
  /// The window for compression (permessage-deflate) as a power of two, 9 to 15; nil offers none. The default is 12: a
  /// connection takes about 50 KB once it has packed and unpacked.
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
