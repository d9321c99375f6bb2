/// A WebSocket that sends back each text.
final class EchoSocket: LiveExchange {
  private var replies = SocketReplies()
  /// Monotonic nanoseconds at which it is asked again although nothing has come.
  private var next: Int64

  init(now: Int64) { next = now + Self.rest }

  private static let rest: Int64 = 3_600_000_000_000

  var nextTime: Int64 { replies.isDue ? 0 : next }

  func take(now: Int64) -> [UInt8]? {
    next = now + Self.rest
    return replies.take()
  }

  func receive(_ bytes: UnsafeRawBufferPointer) {
    replies.receive(bytes) { SocketFrames.frame(.text, Array($0.utf8)) }
  }
}
