import APIKit
import DemoServer

/// Serves the three listing APIs until the process is asked to end.
struct ServeCommand: Command {
  static let name = "serve"
  static let summary = "serve the three listing APIs until Ctrl-C"
  static let example = "serve --port 8080"
  static let commonOptions = Option.everywhere
  static let notes = ["limits  \(DemoServer.Options().text)"]
  static let options = [
    Option("--port", value: "N", help: "the port; 0, the default, takes a free one"),
    Option("--signed", help: "demand signatures, as the demo's own server does"),
  ]

  private let port: UInt16
  private let isSigned: Bool

  init(_ arguments: ParsedArguments) throws(UsageError) {
    port = UInt16(try arguments.number("--port", in: 0...65535) ?? 0)
    isSigned = arguments.has("--signed")
  }

  func run(in session: Session) async throws {
    let server = try DemoServer(port: port, signatures: isSigned ? .standard() : .none)
    if session.writesJSON {
      try HomePrinter(session: session).json(["url": server.baseURL.string])
    } else {
      session.console.print(server.baseURL.string)
    }
    session.console.error(
      """
      homes      sacramento/v1/homes, sacramento/v1/favourites, ames/v2/listings, new/v1/projects, recipes/homes
      live       events, and the WebSockets prices and echo
      transfers  transfers/files/{bytes}, transfers/uploads, transfers/tus
      sign-in    oauth/authorize, oauth/token, oauth/revoke, oauth/me
      limits     \(DemoServer.Options().text)
      Docs/DemoServer.md has their parameters. Ctrl-C ends it.
      """)
    defer { server.stop() }
    while true { try await Task.sleep(for: .seconds(3600)) }
  }
}

extension DemoServer.Options {
  /// What it takes at most, for people.
  fileprivate var text: String {
    "a body of \(Formatting.grouped(maximumBodyBytes.magnitude)) bytes (413 beyond), a head of "
      + "\(Formatting.grouped(maximumHeadBytes.magnitude)) (431), \(Formatting.grouped(maximumConnections.magnitude)) "
      + "connections, \(requestLimit.components.seconds) s for a request (408)"
  }
}
