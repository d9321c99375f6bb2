import APIKit

/// The part of the server that the loop calls: responses, limits, log and counters.
final class DemoEngine: Sendable {
  let limits: RequestParser.Limits
  let maximumConnections: Int
  let idleLimit: Duration
  let requestLimit: Duration
  private let routes: RouteTable
  private let state = Mutex(DemoEngineState())

  private struct DemoEngineState {
    var counters = DemoServer.Counters()
    var requests: [DemoRequest] = []
    var timesLeft: [String: Int] = [:]
    var date = ""
    var dateSecond: Int64 = -1
  }

  /// How many requests the log keeps; the oldest are removed first.
  private static let logLimit = 20_000

  init(limits: RequestParser.Limits, options: DemoServer.Options, routes: RouteTable) {
    self.limits = limits
    maximumConnections = options.maximumConnections
    idleLimit = options.idleLimit
    requestLimit = options.requestLimit
    self.routes = routes
  }

  /// The response to one request, with the faults that it asks for.
  func response(_ request: DemoRequest) -> DemoResponse {
    state.withLock { state in
      state.counters.requests += 1
      if state.requests.count >= Self.logLimit { state.requests.removeFirst(Self.logLimit / 2) }
      state.requests.append(request)
    }
    var faults = DemoFaults(request)
    if let times = faults.times, !takeOne(of: times, key: faults.key ?? request.target) { faults = .none }
    if let early = faults.replacement { return early }
    let response = faults.apply(to: routes.response(request).checked)
    if response.status == 304 { state.withLock { $0.counters.notModified += 1 } }
    return response
  }

  /// The value of the `Date` field, made once a second.
  func date(now: Int64) -> String {
    state.withLock { state in
      let second = now / 1_000_000_000
      if second != state.dateSecond {
        state.date = LoopClock.httpDate()
        state.dateSecond = second
      }
      return state.date
    }
  }

  private func takeOne(of times: Int, key: String) -> Bool {
    state.withLock { state in
      let left = state.timesLeft[key] ?? times
      state.timesLeft[key] = max(0, left - 1)
      return left > 0
    }
  }

  // MARK: The books

  var requests: [DemoRequest] { state.withLock(\.requests) }
  var counters: DemoServer.Counters { state.withLock(\.counters) }
  func forget() {
    state.withLock { state in
      state.requests = []
      state.timesLeft = [:]
      let open = state.counters.openConnections
      state.counters = DemoServer.Counters()
      state.counters.openConnections = open
    }
  }
  func countOpened() {
    state.withLock { state in
      state.counters.connections += 1
      state.counters.openConnections += 1
      state.counters.mostConnections = max(state.counters.mostConnections, state.counters.openConnections)
    }
  }
  func countClosed() { state.withLock { $0.counters.openConnections -= 1 } }
  func countBadRequest() { state.withLock { $0.counters.badRequests += 1 } }
  func countAbandoned() { state.withLock { $0.counters.abandoned += 1 } }
}
