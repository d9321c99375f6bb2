import APIKit
import APIKitSockets
import Reformers

/// Shows prices as they change.
struct WatchCommand: Command {
  static let name = "watch"
  static let summary = "show prices as they change, over a WebSocket or as server-sent events"
  static let example = "watch --place Sawyer"
  static let options = [
    Option("--events", help: "follow server-sent events; the default is a WebSocket"),
    Option("--place", value: "NAME", help: "a neighbourhood of Ames; the default is all"),
    Option("--every", value: "MS", help: "milliseconds between two changes, 1 to 60000; the default is 1000"),
    Option("--count", value: "N", help: "end after so many changes; without it Ctrl-C ends it"),
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
    let follower = Follower(session, count: count, noun: "change")
    let policy = ReconnectPolicy.nearby(attempts: attempts)
    func show(_ raw: RawData) {
      guard !follower.isEnding, Self.show(raw, in: session) else { return }
      follower.count()
    }
    if isEvents {
      follower.onEvent = { event in
        if event.type == "price", let raw = try? event.raw() { show(raw) }
      }
      return try await follower.follow(
        PriceEventManager(try session.live, policy), ["every": every, "place": place ?? ""])
    }
    let manager = PriceSocketManager(try session.live, policy)
    let place = place
    follower.onOpen = { [weak manager] _ in
      // Each connection is told anew.
      guard let place, let text = try? RawData(plain: ["follow": place]).jsonText() else { return }
      try? manager?.send(text)
    }
    follower.onMessage = { [weak manager] message in
      guard let raw = try? message.raw() else { return }
      if let text = raw.error.string { return follower.end(with: APIError(.response, .businessError, text)) }
      if raw.following.exists {
        return session.console.error("following \(DisplayWidth.printable(raw.following.string ?? "all"))")
      }
      if let number = raw.number.int { manager?.lastNumber = number }
      // What was sent before the server knew the place.
      if let place, raw.place.string?.lowercased() != place.lowercased() { return }
      show(raw)
    }
    try await follower.follow(manager, ["every": every])
  }

  /// Shows a change; false where it is none.
  private static func show(_ raw: RawData, in session: Session) -> Bool {
    guard let price = raw.price.int, let was = raw["was"].int else { return false }
    let console = session.console
    if session.writesJSON {
      console.print(raw.jsonText(canonical: true))
      return true
    }
    console.print(line(of: raw, from: was, to: price, width: console.width))
    return true
  }

  /// What a server sends does not reach the terminal as control characters.
  static func line(of raw: RawData, from was: Int, to price: Int, width: Int) -> String {
    let home = DisplayWidth.fit(DisplayWidth.printable(raw.home.string ?? ""), to: 11)
    let place = DisplayWidth.fit(DisplayWidth.printable(raw.place.string ?? ""), to: 24)
    let shown = DisplayWidth.fit(Formatting.price(price), to: 12, alignment: .right)
    // A server may send any numbers.
    let (change, isBeyond) = price.subtractingReportingOverflow(was)
    let size = isBeyond ? Int.max : Int(clamping: change.magnitude)
    let line = "\(home)\(place)\(shown)  \(price < was ? "▼" : "▲") \(Formatting.price(size))"
    return DisplayWidth.truncate(line, to: width)
  }
}
