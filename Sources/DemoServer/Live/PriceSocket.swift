import APIKit

/// Changes over a WebSocket, whose client may say which place it follows.
final class PriceSocket: LiveExchange {
  private let feed: PriceFeed
  private var selection: PriceFeed.Selection
  private var clock: PriceClock
  private var frames = SocketFrames()
  /// What is sent before further changes: pongs, and what the client was told.
  private var waiting: [UInt8] = []
  private var isClosing = false

  init(_ feed: PriceFeed, _ asked: PriceRoutes.Asked, now: Int64) {
    self.feed = feed
    selection = asked.selection
    clock = PriceClock(every: asked.selection.every, after: asked.last, now: now)
  }

  var nextTime: Int64 { waiting.isEmpty && !isClosing ? clock.nextTime : 0 }

  func take(now: Int64) -> [UInt8]? {
    if isClosing, waiting.isEmpty { return nil }
    var bytes: [UInt8] = []
    swap(&bytes, &waiting)
    guard !isClosing else { return bytes }
    for number in clock.take(now: now) { bytes += SocketFrames.text(selection.change(number)) }
    return bytes
  }

  func receive(_ bytes: UnsafeRawBufferPointer) {
    frames.append(bytes)
    while !isClosing, let event = frames.next() {
      switch event {
      case .text(let text): waiting += SocketFrames.text(follow(text))
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

  /// Takes what the client asks for; what it is told.
  private func follow(_ text: String) -> JSON {
    guard let raw = try? RawData(parsing: text), raw.follow.exists else {
      return ["error": "what can be asked for is {\"follow\": PLACE}, or null for all"]
    }
    let place = raw.follow.string
    guard raw.follow.isNull || place != nil, let next = feed.selection(every: selection.every, place: place)
    else { return ["error": .string("there is no place \(place ?? raw.follow.jsonText())")] }
    selection = next
    return ["following": next.place.map { .string($0) } ?? .null]
  }
}
