import APIKit
import APIKitReports
import APIKitTesting
import DemoServer
import Reformers

/// Shows what a test with a tape does: it plays back what a server has said, names what is not on the tape, and tells when the
/// server has changed.
struct TapeCommand: Command {
  static let name = "tape"
  static let summary = "a test with a tape: record, replay without a server, and notice what has changed"
  static let example = "tape"

  init(_ arguments: ParsedArguments) throws(UsageError) {}

  func run(in session: Session) async throws {
    // Recorded: what the list sends and receives.
    let exchanges = ExchangeArchive(keepsBodies: true)
    let live = try await Self.homes(over: exchanges.archiving(session.client.transport), in: session)
    let tape = Tape(exchanges.archive)

    // Replayed: the same code over the tape, and nothing is sent.
    let player = TapeTransport(tape)
    let sent = session.requestCount
    let replayed = try await Self.homes(over: player, in: session)
    let isSilent = session.requestCount == sent

    // What a test asks for that is not on the tape fails by name.
    var miss = ""
    do { _ = try await Self.homes(over: player, size: 3, in: session) } catch let error as APIError {
      miss = error.detail
    }

    // Another version of the server, compared with the tape.
    let changed = try DemoServer()
    changed.on(.get, "/new/v1/projects") { _ in
      .json(#"{"xf_list": [{"xf_id": "xf-1", "xf_name": "a", "xf_price": 281000}], "xf_total": 1}"#)
    }
    let toChanged: @Sendable (HTTPRequest) throws(APIError) -> HTTPRequest? = { (request) throws(APIError) in
      var request = request
      request.url = try changed.url(request.url.path + (request.url.query.map { "?" + $0 } ?? ""))
      return request
    }
    let drift = try await tape.drift(over: session.client.transport, prepare: toChanged)
    try show(
      live, isEqual: replayed == live && isSilent, unused: player.unused, miss: miss, drift: drift,
      in: session)
  }

  private static func homes(
    over transport: any HTTPTransport, size: Int = 2, in session: Session
  ) async throws -> [String] {
    var service = try session.newHomes
    service.wire = WireOptions(client: HTTPClient(transport: transport))
    service.cache = CacheOptions(store: nil)
    let response = try await NewHomesManager(service).response(["page": 1, "size": size])
    return try response.data(with: PropertyListReformer()).map { $0[.name] }
  }

  private func show(
    _ names: [String], isEqual: Bool, unused: [String], miss: String, drift: [String], in session: Session
  ) throws {
    if session.writesJSON {
      return try HomePrinter(session: session).json([
        "homes": names, "isEqual": isEqual, "unused": unused, "miss": miss, "drift": drift,
      ])
    }
    let console = session.console
    console.printWrapped(
      "recorded: \(names.count) homes of the live server: \(names.joined(separator: "; "))", indent: 2)
    console.printWrapped(
      isEqual
        ? "replayed: the same homes, and no request was sent" : "replayed: other homes than the live server's"
    )
    console.printWrapped(
      unused.isEmpty ? "unused: nothing; a test asserts that" : "unused: \(unused.joined(separator: ", "))")
    console.printWrapped("not on the tape: \(miss)", indent: 2)
    console.print("drift, as a changed server shows it:")
    for line in drift.prefix(4) { console.printWrapped("  " + DisplayWidth.printable(line), indent: 4) }
    if drift.count > 4 { console.print("  and \(drift.count - 4) more") }
  }
}
