import APIKit
import APIKitSockets
import Reformers

/// Shows prices as they change, until it is interrupted.
struct WatchCommand: Command {
  static let name = "watch"
  static let summary = "show prices as they change, over a WebSocket or as server-sent events"
  static let example = "watch --place Sawyer"
  static let options = [
    Option("--events", help: "follow server-sent events; the default is a WebSocket"),
    Option("--place", value: "NAME", help: "a neighbourhood of Ames; the default is all"),
    Option("--every", value: "MS", help: "milliseconds between two changes, 1 to 60000; the default is 1000"),
    Option("--count", value: "N", help: "end after so many changes; the default is when it is interrupted"),
    Option(
      "--attempts", value: "N",
      help: "how many connections in a row may fail before it gives up; the default is 10"),
  ]

  private let isEvents: Bool
  private let place: String?
  private let every: Int
  private let count: Int?
  private let attempts: Int

  init(_ arguments: ParsedArguments) throws(UsageError) {
    isEvents = arguments.has("--events")
    place = arguments.text("--place")
    every = try arguments.number("--every", in: 1...60_000) ?? 1000
    count = try arguments.number("--count", in: 1...Int.max)
    attempts = try arguments.number("--attempts", in: 0...Int.max) ?? 10
  }

  func run(in session: Session) async throws {
    let watch = PriceWatch(session, count: count)
    let interruption = Task {
      await Interruption.wait()
      if !Task.isCancelled { watch.end() }
    }
    defer { interruption.cancel() }
    let policy = ReconnectPolicy.nearby(attempts: attempts)
    if isEvents {
      try await watch.follow(
        PriceEventManager(try session.live, policy), ["every": every, "place": place ?? ""])
    } else {
      try await watch.follow(PriceSocketManager(try session.live, policy), ["every": every], place: place)
    }
  }
}

/// Follows one manager from its opening to its end, and prints what comes.
@MainActor private final class PriceWatch: SocketManagerDelegate, EventStreamDelegate {
  private let session: Session
  private let most: Int?
  private var shown = 0
  private var place: String?
  private var close: () -> Void = {}
  private var isEnding = false
  private var done: CheckedContinuation<Void, any Error>?

  init(_ session: Session, count: Int?) {
    self.session = session
    most = count
  }

  func follow(_ manager: PriceSocketManager, _ parameters: Parameters, place: String?) async throws {
    self.place = place
    manager.delegate = self
    // In order: what was sent leaves, and the server's end is waited for.
    close = { try? manager.close() }
    try await wait { manager.open(parameters) }
  }

  func follow(_ manager: PriceEventManager, _ parameters: Parameters) async throws {
    manager.delegate = self
    close = { manager.cancel() }
    try await wait { manager.open(parameters) }
  }

  private func wait(_ open: () -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
      done = continuation
      open()
      if isEnding { close() }
    }
  }

  /// Ends what is open; `follow` returns when it is closed.
  func end() {
    guard !isEnding else { return }
    isEnding = true
    close()
  }

  private func finish(_ error: APIError?, _ how: String) {
    let continuation = done
    done = nil
    if let error, !isEnding {
      continuation?.resume(throwing: error)
    } else {
      session.console.error("\(shown) \(shown == 1 ? "change" : "changes"), \(how)")
      continuation?.resume()
    }
  }

  private func show(_ raw: RawData) {
    guard !isEnding, let price = raw.price.int, let was = raw["was"].int else { return }
    shown += 1
    if session.writesJSON {
      session.console.print(raw.jsonText(canonical: true))
    } else {
      let home = DisplayWidth.fit(raw.home.string ?? "", to: 11)
      let place = DisplayWidth.fit(DisplayWidth.printable(raw.place.string ?? ""), to: 24)
      let shown = DisplayWidth.fit(Formatting.price(price), to: 12, alignment: .right)
      let line = "\(home)\(place)\(shown)  \(price < was ? "▼" : "▲") \(Formatting.price(abs(price - was)))"
      session.console.print(DisplayWidth.truncate(line, to: session.console.width))
    }
    if let most, shown >= most { end() }
  }

  private func tellOpening(_ number: Int) {
    if number > 1 { session.console.error("open again") }
  }

  private func tellLoss(_ error: APIError?, _ wait: Duration) {
    session.console.error(
      "\(error?.detail ?? "the server ended the connection"); again in \(wait / .milliseconds(1)) ms")
  }

  // MARK: The WebSocket

  func socket(_ manager: BaseSocketManager, didOpenWith opening: SocketOpening) {
    tellOpening(opening.number)
    // Each connection is told anew.
    guard let place, let text = try? RawData(plain: ["follow": place]).jsonText() else { return }
    try? manager.send(text)
  }

  func socket(_ manager: BaseSocketManager, didReceive message: SocketMessage) {
    guard let raw = try? message.raw() else { return }
    if let text = raw.error.string {
      session.report(APIError(.response, .businessError, text))
      return end()
    }
    if raw.following.exists { return session.console.error("following \(raw.following.string ?? "all")") }
    if let number = raw.number.int { (manager as? PriceSocketManager)?.lastNumber = number }
    // What was sent before the server knew the place.
    if let place, raw.place.string?.lowercased() != place.lowercased() { return }
    show(raw)
  }

  func socket(
    _ manager: BaseSocketManager, didDisconnectWith closing: SocketClosing, retryAfter wait: Duration
  ) { tellLoss(closing.error, wait) }

  func socket(_ manager: BaseSocketManager, didCloseWith closing: SocketClosing) {
    finish(closing.error, "closed with \(closing.code)")
  }

  // MARK: Events

  func events(_ manager: BaseEventStreamManager, didOpenWith response: HTTPResponse, number: Int) {
    tellOpening(number)
  }

  func events(_ manager: BaseEventStreamManager, didReceive event: ServerEvent) {
    if event.type == "price", let raw = try? event.raw() { show(raw) }
  }

  func events(
    _ manager: BaseEventStreamManager, didDisconnectWith closing: StreamClosing, retryAfter wait: Duration
  ) { tellLoss(closing.error, wait) }

  func events(_ manager: BaseEventStreamManager, didCloseWith closing: StreamClosing) {
    finish(closing.error, "closed")
  }
}
