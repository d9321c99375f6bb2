public import APIKit

/// The inbox of a socket.
typealias SocketInbox = ConnectionInbox<SocketInboxItem>

extension SocketInbox {
  /// When reading stops: so many messages that were not taken.
  static var messageLimit: Int { 16 }

  convenience init(_ channel: any SocketChannel) { self.init(limit: Self.messageLimit) { channel.readOn() } }
}

enum SocketInboxItem: InboxItem {
  case message(SocketMessage)
  case pong(token: UInt64?, after: Duration)
  case closing
  /// There is room for messages to send.
  case drained
  /// A message came too late to be sent.
  case unsent(SocketUnsent)
  /// The connection has ended; only ``unsent(_:)`` and ``settled`` come behind it.
  case ended(SocketClosing, unsent: [SocketUnsent])
  /// The last item, requested by ``SocketChannel/settle()``: no message comes back any more.
  case settled

  init(_ event: WebSocketMachine.Event) {
    switch event {
    case .message(let message): self = .message(message)
    case .pong(let token, let time): self = .pong(token: token, after: time)
    case .closing: self = .closing
    }
  }

  var keptBytes: Int? { if case .message(let message) = self { message.byteCount } else { nil } }
  var isEnd: Bool { if case .ended = self { true } else { false } }
}

/// A message that was passed to `send` and probably did not reach the server.
public struct SocketUnsent: Sendable, Hashable {
  /// The message.
  public let message: SocketMessage
  /// Whether a part of it was sent; then the server may have received it.
  public let hasBegun: Bool
  /// Whether it may be compressed.
  let packs: Bool

  init(message: SocketMessage, hasBegun: Bool, packs: Bool) {
    self.message = message
    self.hasBegun = hasBegun
    self.packs = packs
  }
}
