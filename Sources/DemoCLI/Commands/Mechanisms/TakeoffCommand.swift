import APIKit
import Reformers

/// Starts four loads in a row under each takeoff policy and shows how each ended.
struct TakeoffCommand: Command {
  static let name = "takeoff"
  static let summary = "what flies, is refused and is cancelled under each takeoff policy"
  static let example = "takeoff --json"

  init(_ arguments: ParsedArguments) throws(UsageError) {}

  private static let loads = 4
  private static let policies: [(name: String, policy: TakeoffPolicy)] = [
    ("concurrent", .concurrent),
    ("ignoreNew", .ignoreNew),
    ("cancelPrevious", .cancelPrevious),
    ("queue", .queue),
    ("debounce 50 ms", .debounce(.milliseconds(50))),
    ("throttle 10 s", .throttle(.seconds(10))),
  ]

  func run(in session: Session) async throws {
    var rows: [[String]] = []
    for (name, policy) in Self.policies {
      let before = session.requestCount ?? 0
      let ends = try await Self.fly(policy, in: session)
      let requests = session.requestCount.map { String($0 - before) } ?? "–"
      rows.append([name] + ends + [requests])
    }
    if session.writesJSON {
      let plain = rows.map { row -> [String: Any?] in
        ["policy": row[0], "loads": Array(row[1...Self.loads]), "requests": Int(row[Self.loads + 1])]
      }
      return try HomePrinter(session: session).json(plain)
    }
    let heads = ["Policy"] + (1...Self.loads).map { "Load \($0)" } + ["Sent"]
    let columns = heads.map { TextTable.Column($0, minimumWidth: 8) }
    let shown = rows.map { row in
      row.enumerated().map { $0 == 0 ? $1 : Self.words[$1] ?? $1 }
    }
    session.console.print(TextTable(columns: columns, rows: shown))
    session.console.printWrapped(
      "refused: at takeoff (already-loading, throttled); replaced: cancelled by a later one (superseded)")
  }

  /// Shorter words for the table.
  private static let words = ["already-loading": "refused", "throttled": "refused", "superseded": "replaced"]

  /// Starts the loads and waits until all have ended; returns a word for each: landed, or why it did not.
  private static func fly(_ policy: TakeoffPolicy, in session: Session) async throws -> [String] {
    let manager = SlowHomesManager(try session.newHomes, policy)
    let log = LandingLog()
    manager.delegate = log
    let changes = manager.stateChanges()
    let takeoffs = (1...loads).map { manager.load(["size": $0]) }

    var inTheAir = Set(takeoffs.compactMap(\.flightID)).intersection(manager.flights)
    var ends: [FlightID: FlightState] = [:]
    for await change in changes {
      if change.to.isFinal { ends[change.flight] = change.to }
      inTheAir.subtract(ends.keys)
      if inTheAir.isEmpty { break }
    }
    try Task.checkCancellation()
    return takeoffs.map { takeoff in
      guard let flight = takeoff.flightID else { return takeoff.refusal?.reason.name ?? "refused" }
      switch ends[flight] {
      case .succeeded: return "landed"
      case .cancelled: return log.reasons[flight]?.description ?? "cancelled"
      case let end: return end?.rawValue ?? "lost"
      }
    }
  }
}

/// Loads new homes, slowly, under a takeoff policy that the caller chooses.
private final class SlowHomesManager: BaseAPIManager, APIManager {
  let service: NewHomesService
  let apiName = "projects"
  let takeoffPolicy: TakeoffPolicy
  let headers: HTTPHeaders = ["X-Demo-Delay": "60"]

  init(_ service: NewHomesService, _ policy: TakeoffPolicy) {
    self.service = service
    takeoffPolicy = policy
  }
}

/// Records why flights were cancelled.
private final class LandingLog: APIManagerDelegate {
  private(set) var reasons: [FlightID: CancellationReason] = [:]

  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {}
  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {}
  func manager(_ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason) {
    reasons[flight] = reason
  }
}
