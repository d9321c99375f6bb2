/// Step `passGate`: holds a load back while there is no network for it, as its gate says.
///
/// Asked again when an attempt is about to be sent, because what it has waited for may have taken long.
extension Flight {
  /// Why the load may not be sent over the present network; nil when it may.
  private var networkObjection: String? {
    let gate = call.terms.networkGate
    return gate.acceptsAll ? nil : gate.objection(to: call.admission.network.condition)
  }

  /// Whether an attempt that is about to be sent must wait again, because its caller holds the load now, or the network is
  /// another one. It has left its slot then, and does not count for the rate.
  func returnsToGate() -> Bool {
    guard cancellation.isHeld || networkObjection != nil else { return false }
    // It says nothing about the server.
    leaveHost(after: APIError(.takeoff, .cancelled))
    return true
  }

  func passGate() throws(APIError) -> Progress {
    let gate = call.terms.networkGate
    guard !gate.acceptsAll else { return .next }
    let monitor = call.admission.network
    if monitor.awaitsFirstReport {
      tell(waitsFor: .network)
      return .wait { () throws(APIError) in
        let report = try await self.condition(upTo: Self.reportLimit) { _ in !monitor.awaitsFirstReport }
        if report == nil { monitor.giveUpFirstReport() }
        return .passGate
      }
    }
    guard let objection = networkObjection else { return .next }
    guard case .wait(let longest) = gate.rule else {
      note(.network("refused: \(objection)"))
      throw APIError(.takeoff, .noNetwork, objection)
    }
    let start = call.time.now
    let limit = deadline.remaining(call.time).map { min($0, longest) } ?? longest
    return .wait(for: (.network, "\(objection); waits up to \(limit.shortText)")) { () throws(APIError) in
      let condition = try await self.whileUserStays { () throws(APIError) in
        try await self.condition(upTo: limit) { gate.objection(to: $0) == nil }
      }
      guard let found = condition else {
        throw APIError(.takeoff, .noNetwork, "\(objection), and none came in \(limit.shortText)")
      }
      self.note(.network("\(found) after \((self.call.time.now - start).shortText)"))
      return nil
    }
  }

  /// The longest wait for the system's first report, which takes milliseconds. Without one the condition stays
  /// unknown, and gates accept it.
  private static let reportLimit = Duration.seconds(1)

  /// The condition that will do; nil when none came in time.
  private func condition(
    upTo limit: Duration, _ fits: @escaping @Sendable (NetworkCondition) -> Bool
  ) async throws(APIError) -> NetworkCondition? {
    let monitor = call.admission.network
    do throws(APIError) {
      return try await TimeLimit.run(limit, by: call.time) { () throws(APIError) in
        for await condition in monitor.changes() where fits(condition) {
          // The network may be gone again by the time that its change arrives here.
          let now = monitor.condition
          if fits(now) { return now }
        }
        throw APIError(.takeoff, .cancelled)
      }
    } catch {
      guard error.reason == .deadlineExceeded else { throw error }
      return nil
    }
  }
}
