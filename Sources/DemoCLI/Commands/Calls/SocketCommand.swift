import APIKit
import APIKitSockets
import Reformers

/// Opens a WebSocket: sends lines, and prints what comes.
struct SocketCommand: Command {
  static let name = "ws"
  static let summary = "open a WebSocket: each line of stdin is sent, what comes is printed"
  static let operands = ["URL", "[ITEM ...]"]
  static let example = "ws :8080/prices every==200 --count 3"
  static let options =
    [
      Option("--send", value: "TEXT", isRepeatable: true, help: "send this when it is open, before stdin"),
      Option("--count", value: "N", help: "end after so many messages"),
      Option("--attempts", value: "N", help: "how many connections in a row may fail; the default is 0"),
    ] + Option.asking
  static let commonOptions = Option.everywhere
  static let notes = [
    "URL  ws, wss; :8080/path is this machine",
    "ITEM  NAME:VALUE is a header field, NAME==VALUE a parameter of the query",
    "stdin  once it has ended, the socket is closed in order; where it is empty, the socket is only read",
  ]

  private let target: CallTarget
  private let texts: [String]
  private let count: Int?
  private let attempts: Int

  init(_ arguments: ParsedArguments) throws(UsageError) {
    target = try CallTarget(arguments, isSocket: true)
    try target.refuseData(name: Self.name)
    texts = arguments.texts("--send")
    count = try arguments.number("--count", in: 1...Int.max)
    attempts = try arguments.number("--attempts", in: 0...Int.max) ?? 0
  }

  func run(in session: Session) async throws {
    let follower = Follower(session, count: count)
    let socket = CallSocket(
      try CallService(target, in: session), headers: target.headers, .nearby(attempts: attempts))
    let (texts, console) = (texts, session.console)
    var sending: Task<Void, Never>?
    defer { sending?.cancel() }
    follower.onOpen = { number in
      guard number == 1 else { return }
      sending = Task { [weak socket, weak follower] in
        do {
          guard try await Self.send(texts, console, over: socket) else { return }
          follower?.end()
        } catch { follower?.end(with: error) }
      }
    }
    follower.onMessage = { [unowned follower] message in
      guard !follower.isFull else { return }
      Self.show(message, in: session)
      follower.count()
    }
    try await follower.follow(socket)
  }

  /// Sends the texts, then each line of stdin.
  ///
  /// - Returns: Whether stdin had a line.
  private static func send(
    _ texts: [String], _ console: Console, over socket: CallSocket?
  ) async throws -> Bool {
    for text in texts { try await socket?.sendWhenPossible(.text(text)) }
    var hasLines = false
    while !Task.isCancelled, let line = await console.nextLine() {
      try await socket?.sendWhenPossible(.text(line))
      hasLines = true
    }
    return hasLines
  }

  private static func show(_ message: SocketMessage, in session: Session) {
    let console = session.console
    switch message {
    case .text(let text) where session.writesJSON:
      console.print((try? RawData(plain: ["text": text]).jsonText()) ?? "")
    case .data(let bytes) where session.writesJSON:
      console.print((try? RawData(plain: ["base64": Base64.encode(bytes)]).jsonText()) ?? "")
    case .text(let text):
      console.print(console.isTerminal ? BodyPrinter.printable(text) : text)
    case .data(let bytes):
      if console.isTerminal {
        console.error("a message of \(bytes.count) bytes, which are not shown; a pipe keeps them")
      } else {
        console.write(bytes)
      }
    }
  }
}
