import APIKit
import APIKitSockets

/// Follows server-sent events.
struct EventsCommand: Command {
  static let name = "events"
  static let summary = "follow the server-sent events of a URL"
  static let operands = ["URL", "[ITEM ...]"]
  static let example = "events :8080/events every==200 --count 3"
  static let options =
    [
      Option("--last-id", value: "ID", help: "begin behind this event"),
      Option("--count", value: "N", help: "end after so many events"),
      Option("--attempts", value: "N", help: "how many connections in a row may fail; the default is 0"),
    ] + Option.asking
  static let commonOptions = Option.everywhere
  static let notes = [
    "URL  :8080/path is this machine; without a scheme https, and http here",
    "ITEM  NAME:VALUE is a header field, NAME==VALUE a parameter of the query",
  ]

  private let target: CallTarget
  private let lastID: String
  private let count: Int?
  private let attempts: Int

  init(_ arguments: ParsedArguments) throws(UsageError) {
    target = try CallTarget(arguments)
    try target.refuseData(name: Self.name)
    lastID = arguments.text("--last-id") ?? ""
    count = try arguments.number("--count", in: 1...Int.max)
    attempts = try arguments.number("--attempts", in: 0...Int.max) ?? 0
  }

  func run(in session: Session) async throws {
    let follower = Follower(session, count: count, noun: "event")
    let events = CallEvents(
      try CallService(target, in: session), headers: target.headers, .nearby(attempts: attempts))
    events.lastEventID = lastID
    follower.onEvent = { [unowned follower] event in
      guard !follower.isEnding else { return }
      Self.show(event, in: session)
      follower.count()
    }
    try await follower.follow(events)
  }

  private static func show(_ event: ServerEvent, in session: Session) {
    let console = session.console
    if session.writesJSON {
      let object: [String: Any?] = ["type": event.type, "data": event.data, "id": event.id]
      return console.print((try? RawData(plain: object).jsonText()) ?? "")
    }
    let data = console.isTerminal ? BodyPrinter.printable(event.data) : event.data
    guard console.isTerminal else { return console.print(data) }
    let type = BodyPrinter.printable(event.type)
    console.print(console.palette.paint(type, .name) + "  " + data)
  }
}
