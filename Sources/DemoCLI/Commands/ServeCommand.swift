import APIKit
import DemoServer

/// Serves the three listing APIs until the process is asked to end.
struct ServeCommand: Command {
  static let name = "serve"
  static let summary = "serve the three listing APIs until interrupted"
  static let example = "serve --port 8080"
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
    session.console.print(server.baseURL.string)
    session.console.error(
      "sacramento/v1/homes, ames/v2/listings, new/v1/projects, events, prices; Ctrl-C ends it")
    await Interruption.wait()
    server.stop()
  }
}
