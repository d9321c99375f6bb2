import APIKit
import APIKitSockets

/// `/events` and `/prices`: changes of prices as they happen. `/echo`: a WebSocket that sends back each text.
struct PriceRoutes: Sendable {
  let feed: PriceFeed

  /// Adds the routes.
  func register(in routes: RouteTable) {
    routes.set(.get, "/events") { request in response(request, events) }
    routes.set(.get, "/prices") { request in response(request, socket) }
    routes.set(.get, "/echo") { request in socket(request) { EchoSocket(now: LoopClock.now()) } }
  }

  /// What a client asks for.
  struct Asked: Sendable {
    var selection: PriceFeed.Selection
    /// The number of the last change that it knows.
    var last: Int?
  }

  private func response(
    _ request: DemoRequest, _ make: (DemoRequest, Asked) -> DemoResponse
  ) -> DemoResponse {
    do throws(InvalidQuery) {
      let every = try request.number("every") ?? 1000
      guard (1...60_000).contains(every) else {
        throw InvalidQuery(name: "every", text: "every must be 1 to 60000 milliseconds")
      }
      guard let selection = feed.selection(every: every, place: request.text("place")) else {
        throw InvalidQuery(name: "place", text: "there is no place \(request.text("place") ?? "")")
      }
      let named = request.headers["Last-Event-ID"].flatMap { Int($0) }
      let from = try request.number("from")
      return make(request, Asked(selection: selection, last: named ?? from))
    } catch {
      return .json(["error": .string(error.text), "parameter": .string(error.name)], status: 400)
    }
  }

  private func events(_ request: DemoRequest, _ asked: Asked) -> DemoResponse {
    var response = DemoResponse(
      200, headers: ["Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store"])
    response.framing = .close
    response.live = { PriceEvents(asked, now: LoopClock.now()) }
    return response
  }

  private func socket(_ request: DemoRequest, _ asked: Asked) -> DemoResponse {
    let feed = feed
    return socket(request) { PriceSocket(feed, asked, now: LoopClock.now()) }
  }

  private func socket(
    _ request: DemoRequest, _ make: @escaping @Sendable () -> any LiveExchange
  ) -> DemoResponse {
    let upgrade = request.headers.combined("Upgrade")?.lowercased()
    guard upgrade == "websocket", request.headers["Sec-WebSocket-Version"] == "13",
      let key = request.headers["Sec-WebSocket-Key"], key.utf8.count == 24,
      let accept = WebSocketHandshake.accept(for: key)
    else {
      var response = DemoResponse.json(["error": "this is a WebSocket of version 13"], status: 426)
      response.headers["Upgrade"] = "websocket"
      response.headers["Sec-WebSocket-Version"] = "13"
      return response
    }
    var response = DemoResponse(
      101, headers: ["Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": accept])
    response.live = make
    return response
  }
}

/// Changes as server-sent events.
final class PriceEvents: LiveExchange {
  private let selection: PriceFeed.Selection
  private var clock: PriceClock
  private var hasBegun = false

  init(_ asked: PriceRoutes.Asked, now: Int64) {
    selection = asked.selection
    clock = PriceClock(every: asked.selection.every, after: asked.last, now: now)
  }

  var nextTime: Int64 { hasBegun ? clock.nextTime : 0 }

  func take(now: Int64) -> [UInt8]? {
    var bytes: [UInt8] = []
    if !hasBegun { bytes += "retry: 500\n\n".utf8 }
    hasBegun = true
    for number in clock.take(now: now) {
      bytes += "id: \(number)\nevent: price\ndata: ".utf8
      bytes += selection.change(number).bytes() + Array("\n\n".utf8)
    }
    return bytes
  }

  func receive(_ bytes: UnsafeRawBufferPointer) {}
}
