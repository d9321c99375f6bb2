import APIKit

/// Changes over a WebSocket, whose client may say which place it follows.
final class PriceSocket: LiveExchange {
  private let feed: PriceFeed
  private var selection: PriceFeed.Selection
  private var clock: PriceClock
  /// Sent before further changes.
  private var replies = SocketReplies()

  init(_ feed: PriceFeed, _ asked: PriceRoutes.Asked, now: Int64) {
    self.feed = feed
    selection = asked.selection
    clock = PriceClock(every: asked.selection.every, after: asked.last, now: now)
  }

  var nextTime: Int64 { replies.isDue ? 0 : clock.nextTime }

  func take(now: Int64) -> [UInt8]? {
    guard var bytes = replies.take() else { return nil }
    guard !replies.isClosing else { return bytes }
    for number in clock.take(now: now) { bytes += SocketFrames.text(selection.change(number)) }
    return bytes
  }

  func receive(_ bytes: UnsafeRawBufferPointer) {
    replies.receive(bytes) { SocketFrames.text(follow($0)) }
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
