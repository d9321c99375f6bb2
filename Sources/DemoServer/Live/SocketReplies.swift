/// What the server of a WebSocket replies to its client, until it is taken: to texts, pings, faults and the close.
struct SocketReplies {
  private var frames = SocketFrames()
  private var waiting: [UInt8] = []
  private(set) var isClosing = false

  /// Whether there is something to take, or the connection is over.
  var isDue: Bool { !waiting.isEmpty || isClosing }

  /// The replies since the last call; nil when the close was taken before.
  mutating func take() -> [UInt8]? {
    if isClosing, waiting.isEmpty { return nil }
    var bytes: [UInt8] = []
    swap(&bytes, &waiting)
    return bytes
  }

  /// Reads what the client has sent.
  ///
  /// - Parameter reply: Makes the frame that replies to a text.
  mutating func receive(_ bytes: UnsafeRawBufferPointer, reply: (String) -> [UInt8]) {
    frames.append(bytes)
    while !isClosing, let event = frames.next() {
      switch event {
      case .text(let text): waiting += reply(text)
      case .ping(let payload): waiting += SocketFrames.frame(.pong, payload)
      case .pong: break
      case .close(let payload): close(with: Array(payload.prefix(2)))
      case .failure(let code): close(with: [UInt8(code >> 8), UInt8(code & 0xFF)])
      }
    }
  }

  private mutating func close(with payload: [UInt8]) {
    waiting += SocketFrames.frame(.close, payload)
    isClosing = true
  }
}
