/// A WebSocket that sends back each text.
final class EchoSocket: LiveExchange {
  private var frames = SocketFrames()
  private var waiting: [UInt8] = []
  private var isClosing = false
  /// Monotonic nanoseconds at which it is asked again although nothing has come.
  private var next: Int64

  init(now: Int64) { next = now + Self.rest }

  private static let rest: Int64 = 3_600_000_000_000

  var nextTime: Int64 { waiting.isEmpty && !isClosing ? next : 0 }

  func take(now: Int64) -> [UInt8]? {
    next = now + Self.rest
    if isClosing, waiting.isEmpty { return nil }
    var bytes: [UInt8] = []
    swap(&bytes, &waiting)
    return bytes
  }

  func receive(_ bytes: UnsafeRawBufferPointer) {
    frames.append(bytes)
    while !isClosing, let event = frames.next() {
      switch event {
      case .text(let text): waiting += SocketFrames.frame(.text, Array(text.utf8))
      case .ping(let payload): waiting += SocketFrames.frame(.pong, payload)
      case .pong: break
      case .close(let payload): close(with: Array(payload.prefix(2)))
      case .failure(let code): close(with: [UInt8(code >> 8), UInt8(code & 0xFF)])
      }
    }
  }

  private func close(with payload: [UInt8]) {
    waiting += SocketFrames.frame(.close, payload)
    isClosing = true
  }
}
