public import APIKit
import Synchronization

/// What a connection brings to its manager, in order: put in on the connection's thread, taken out on the main actor,
/// with one hop for all that a turn of that thread brings.
final class SocketInbox: MainDeliverable {
  enum Item: Sendable {
    case message(SocketMessage)
    case pong(token: UInt64?, after: Duration)
    case closing
    /// There is room for messages to send.
    case drained
    /// A message came too late to be sent.
    case unsent(SocketUnsent)
    /// The connection has ended; only ``unsent(_:)`` and ``settled`` come behind it.
    case ended(SocketClosing, unsent: [SocketUnsent])
    /// The last item, asked for by ``SocketLink/settle()``: no message comes back any more.
    case settled

    init(_ event: WebSocketMachine.Event) {
      switch event {
      case .message(let message): self = .message(message)
      case .pong(let token, let time): self = .pong(token: token, after: time)
      case .closing: self = .closing
      }
    }
  }

  /// When reading stops: so many messages, or so many bytes, that were not delivered.
  static let messageLimit = 16
  static let byteLimit = 1 << 20

  private struct State {
    var items: [Item] = []
    var messages = 0
    var bytes = 0
    var isScheduled = false
    var isPaused = false
    var isReleased = false
    var hasEnded = false
    /// The connection, which has the inbox: let go at the end.
    var link: (any SocketLink)?
  }

  private let state: Mutex<State>

  /// Called on the main actor when there are items to take.
  @MainActor var onItems: ((SocketInbox) -> Void)?
  @MainActor private var taken: [Item] = []
  @MainActor private var next = 0

  init(_ link: any SocketLink) { state = Mutex(State(link: link)) }

  /// Whether the connection has ended, and its end is among the items or was taken.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Puts items in. False when no more are to be read until ``SocketLink/readOn()``.
  func put(_ items: [Item]) -> Bool {
    let (isFirst, hasRoom) = state.withLock { state -> (Bool, Bool) in
      guard !state.isReleased else { return (false, true) }
      state.items += items
      for item in items {
        switch item {
        case .message(let message):
          state.messages += 1
          state.bytes += message.byteCount
        case .ended: state.hasEnded = true
        default: break
        }
      }
      let hasRoom = state.messages < Self.messageLimit && state.bytes < Self.byteLimit
      if !hasRoom { state.isPaused = true }
      defer { state.isScheduled = true }
      return (!state.isScheduled, hasRoom)
    }
    if isFirst { MainDelivery.main.put(self) }
    return hasRoom
  }

  /// The consumer is gone.
  func release() {
    state.withLock { state in
      state.isReleased = true
      state.items = []
      state.link = nil
    }
  }

  /// The connection has ended.
  func letGo() { state.withLock { $0.link = nil } }

  @MainActor func deliver() {
    state.withLock { $0.isScheduled = false }
    onItems?(self)
  }

  /// The next item; nil when there is none now.
  @MainActor func take() -> Item? {
    if next == taken.count {
      taken.removeAll(keepingCapacity: true)
      next = 0
      state.withLock { swap(&$0.items, &taken) }
      guard !taken.isEmpty else { return nil }
    }
    defer { next += 1 }
    return taken[next]
  }

  /// Messages were delivered: reading goes on when half of the room is free.
  @MainActor func delivered(messages: Int, bytes: Int) {
    let paused = state.withLock { state -> (any SocketLink)? in
      state.messages -= messages
      state.bytes -= bytes
      guard state.isPaused, state.messages <= Self.messageLimit / 2, state.bytes <= Self.byteLimit / 2 else {
        return nil
      }
      state.isPaused = false
      return state.link
    }
    paused?.readOn()
  }
}

/// A message that was given to `send` and did not reach the server as far as one can know.
public struct SocketUnsent: Sendable, Hashable {
  /// The message.
  public let message: SocketMessage
  /// Whether a part of it has left; then the server may have got it or not.
  public let hasBegun: Bool
  /// Whether it may be compressed.
  let packs: Bool

  init(message: SocketMessage, hasBegun: Bool, packs: Bool) {
    self.message = message
    self.hasBegun = hasBegun
    self.packs = packs
  }
}
