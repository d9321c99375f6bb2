import APIKit
import APIKitSockets

/// One WebSocket or one event stream whose delegate cancels, closes and opens from its callbacks.
///
/// Each `open` must end with one `didClose`, and nothing is delivered when all have ended.
@MainActor final class SwitchedConnection {
  /// What a connection is asked to do.
  struct Handle {
    var open: @MainActor (Int) -> Void
    var cancel: @MainActor () -> Void
    var close: @MainActor () -> Void
  }

  private(set) var opens = 0
  private(set) var closes = 0
  private(set) var items = 0
  private var random: SoakRandom
  private let name: String
  private let handle: Handle
  private let number: @MainActor () -> Int
  private let breach: @MainActor (String) -> Void
  /// No more is opened from callbacks.
  private var isEnding = false

  init(
    _ name: String, _ random: SoakRandom, _ handle: Handle, number: @escaping @MainActor () -> Int,
    breach: @escaping @MainActor (String) -> Void
  ) {
    (self.name, self.random, self.handle, self.number, self.breach) = (name, random, handle, number, breach)
  }

  func open() {
    isEnding = false
    opens += 1
    handle.open(number())
  }

  /// Ends it for this round.
  func end() {
    isEnding = true
    handle.cancel()
  }

  var isOver: Bool { opens == closes }

  /// What the delegate was called for.
  func called(_ what: String, closes isClose: Bool = false) {
    if opens <= closes { breach("\(name): \(what) after the last didClose") }
    if isClose { closes += 1 } else { items += 1 }
    guard !isEnding, random.chance(isClose ? 70 : 8) else { return }
    switch Int.random(in: 0..<(isClose ? 1 : 4), using: &random) {
    case 0, 1: open()
    case 2: handle.cancel()
    default: handle.close()
    }
  }
}

extension SwitchedConnection: SocketManagerDelegate, EventStreamDelegate {
  func socket(_ manager: BaseSocketManager, didOpenWith opening: SocketOpening) { called("didOpen") }
  func socket(_ manager: BaseSocketManager, didReceive message: SocketMessage) { called("didReceive") }
  func socket(
    _ manager: BaseSocketManager, didDisconnectWith closing: SocketClosing, retryAfter wait: Duration
  ) { called("didDisconnect") }
  func socket(_ manager: BaseSocketManager, didNotSend messages: [SocketUnsent]) { called("didNotSend") }
  func socket(_ manager: BaseSocketManager, didCloseWith closing: SocketClosing) {
    called("didClose", closes: true)
  }

  func events(_ manager: BaseEventStreamManager, didOpenWith response: HTTPResponse, number: Int) {
    called("didOpen")
  }
  func events(_ manager: BaseEventStreamManager, didReceive event: ServerEvent) { called("didReceive") }
  func events(
    _ manager: BaseEventStreamManager, didDisconnectWith closing: StreamClosing, retryAfter wait: Duration
  ) { called("didDisconnect") }
  func events(_ manager: BaseEventStreamManager, didCloseWith closing: StreamClosing) {
    called("didClose", closes: true)
  }
}
