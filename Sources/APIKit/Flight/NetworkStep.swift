/// Holds a load back while there is no network for it, as its gate says.
struct NetworkStep {
  let call: APICall
  let suspension: Suspension

  /// Whether the load looks before it flies.
  static func holds(_ call: APICall) -> Bool { call.networkGate.rule != .fly }

  private var gate: NetworkGate { call.networkGate }

  func pass() async throws(APIError) {
    guard let objection = gate.objection(to: monitor.condition) else { return }
    guard case .wait(let limit) = gate.rule else {
      call.recorder.record(.network("refused: \(objection)"))
      throw APIError(.takeoff, .noNetwork, objection)
    }
    let start = call.time.now
    let found = try await suspension.during("\(objection); waits up to \(limit.shortText)") {
      () throws(APIError) in try await wait(upTo: limit)
    }
    guard let found else {
      throw APIError(.takeoff, .noNetwork, "\(objection), and none came in \(limit.shortText)")
    }
    call.recorder.record(.network("\(found) after \((call.time.now - start).shortText)"))
  }

  private var monitor: NetworkMonitor { call.service.network }

  /// The condition that will do; nil when none came in time.
  private func wait(upTo limit: Duration) async throws(APIError) -> NetworkCondition? {
    let (monitor, gate) = (monitor, gate)
    do throws(APIError) {
      return try await TimeLimit.run(limit, call.time) { () throws(APIError) in
        for await condition in monitor.changes() where gate.objection(to: condition) == nil {
          // It may be gone again by the time that one hears of it.
          let now = monitor.condition
          if gate.objection(to: now) == nil { return now }
        }
        throw APIError(.takeoff, .cancelled)
      }
    } catch {
      guard error.reason == .deadlineExceeded else { throw error }
      return nil
    }
  }
}
