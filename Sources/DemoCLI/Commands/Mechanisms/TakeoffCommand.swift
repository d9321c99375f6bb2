import APIKit
import Reformers

/// Starts four loads in a row under each takeoff policy and shows how each ended.
struct TakeoffCommand: Command {
  static let name = "takeoff"
  static let summary = "what flies, is refused and is cancelled under each takeoff policy"
  static let example = "takeoff --every 40 --json"
  static let options = [
    Option("--every", value: "MS", help: "milliseconds between two loads, 0 to 1000; the default is 0")
  ]

  private let every: Int

  init(_ arguments: ParsedArguments) throws(UsageError) {
    every = try arguments.number("--every", in: 0...1000) ?? 0
  }

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
    var times: [[[String: Any?]]] = []
    for (name, policy) in Self.policies {
      let before = session.requestCount ?? 0
      let rides = try await fly(policy, in: session)
      let requests = session.requestCount.map { String($0 - before) } ?? "–"
      rows.append([name] + rides.map(\.end) + [requests])
      times.append(rides.map(\.times))
    }
    if session.writesJSON {
      let plain = zip(rows, times).map { row, times -> [String: Any?] in
        [
          "policy": row[0], "loads": Array(row[1...Self.loads]), "requests": Int(row[Self.loads + 1]),
          "times": times,
        ]
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

  /// What became of one load: a word, and its times in milliseconds since the first was called.
  private struct Ride {
    var end: String
    var called: Duration
    var sent: Duration?
    var ended: Duration?

    var times: [String: Any?] {
      func milliseconds(_ time: Duration?) -> Int? { time.map { Int(($0 / .milliseconds(1)).rounded()) } }
      return [
        "called": milliseconds(called), "sent": milliseconds(sent), "ended": milliseconds(ended),
      ]
    }
  }

  /// Calls the loads and waits until all have ended.
  private func fly(_ policy: TakeoffPolicy, in session: Session) async throws -> [Ride] {
    let manager = SlowHomesManager(try session.newHomes, policy)
    let log = LandingLog()
    manager.delegate = log
    let changes = manager.stateChanges()
    let start = ContinuousClock.now
    var calls: [(takeoff: Takeoff, at: Duration)] = []
    for size in 1...Self.loads {
      if size > 1, every > 0 { try await Task.sleep(for: .milliseconds(every)) }
      let called = ContinuousClock.now - start
      calls.append((manager.load(["size": size]), called))
    }

    // The stream has every change since before the first call.
    var inTheAir = Set(calls.compactMap(\.takeoff.flightID))
    var ends: [FlightID: FlightState] = [:]
    for await change in changes {
      if change.to.isFinal { ends[change.flight] = change.to }
      inTheAir.subtract(ends.keys)
      if inTheAir.isEmpty { break }
    }
    try Task.checkCancellation()
    return calls.map { takeoff, called in
      guard let flight = takeoff.flightID else {
        return Ride(end: takeoff.refusal?.reason.name ?? "refused", called: called)
      }
      let end =
        switch ends[flight] {
        case .succeeded: "landed"
        case .cancelled: log.reasons[flight]?.description ?? "cancelled"
        case let end: end?.rawValue ?? "lost"
        }
      let record = manager.record(of: flight)
      let sent = record?.entries.first { if case .attempt = $0.event { true } else { false } }
      return Ride(
        end: end, called: called, sent: sent.map { called + $0.at },
        ended: record.map { called + $0.duration })
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
