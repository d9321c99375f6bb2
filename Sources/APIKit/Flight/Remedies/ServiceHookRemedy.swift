/// Offers a failure to the service's common-error hook, which may let it through, change it, deal with it, or
/// suspend the flight, run another manager and have the load sent again.
struct ServiceHookRemedy: Remedy {
  private var replays = ReplayGuard()

  /// The loads whose failures are being resolved around the present task, the outermost first. A load
  /// that a hook starts takes it along, so that a circle is seen.
  @TaskLocal static var resolving: [APICall.ResolvedLoad] = []

  mutating func mend(_ failure: inout APIError, of flight: Flight) async throws(APIError) -> Flight.Step? {
    guard flight.run.attempt > 0 else { return nil }
    failure = failure.completed(for: flight.call)
    if let refusal = replays.refusal(of: failure.label) {
      flight.note(.note("hook", refusal))
      return nil
    }
    switch try await resolution(of: failure, flight) {
    case .letThrough, .suspend: return nil
    case .replace(let other):
      flight.note(.note("hook", "replaced by \(other.label)"))
      throw other
    case .swallow:
      flight.note(.note("hook", "dealt with by the service"))
      throw APIError(cancelled: .handledByService)
    case .replay:
      guard flight.mayGoAgain(.hook, isUnprocessed: failure.evidence != nil) else { return nil }
      replays.replayed(after: failure.label)
      flight.note(.note("hook", "sent again after \(failure.label)"))
      // Assembled anew: what the hook has changed may be in a header field or a common parameter.
      return .assemble
    }
  }

  /// The resolution of the hook, after its suspension if it wants one; for loads of a user that are refused alike, the
  /// resolution for the first of them.
  private func resolution(
    of failure: APIError, _ flight: Flight
  ) async throws(APIError) -> ErrorResolution {
    let call = flight.call
    let resolving = call.resolving.map(\.manager)
    guard !resolving.contains(call.managerName), resolving.count < Self.deepest else {
      let circle = (resolving + [call.managerName]).joined(separator: " → ")
      throw APIError(
        failure.stage, .resolutionCycle, "the error hook of \(call.service.name) goes in a circle: \(circle)",
        underlying: failure, evidence: failure.evidence)
    }
    let (key, since) = (Resolutions.ResolutionKey(failure, of: call), flight.run.resolutions)
    let isShared = AtomicFlag()
    defer { if isShared.load() { flight.endSuspension() } }
    do throws(APIError) {
      return try await flight.deadline.limitWait(call.time) { () throws(APIError) in
        guard let key else {
          guard let resolution = await Task.leavable({ await Self.ask(failure, flight) }) else {
            throw APIError(.transport, .cancelled)
          }
          return resolution
        }
        return try await flight.shared.resolutions.resolution(for: call, key, since: since) {
          await Self.ask(failure, flight)
        } following: {
          isShared.store(true)
          let reason = "waits for what the service makes of \(failure.label)"
          flight.beginSuspension(for: (.hook(reason), reason))
        }
      }
    } catch {
      guard error.reason == .deadlineExceeded else { throw error }
      flight.note(.note("hook", "takes longer than the load has time"))
      return .letThrough
    }
  }

  private static func ask(_ failure: APIError, _ flight: Flight) async -> ErrorResolution {
    let call = flight.call
    let resolved = APICall.ResolvedLoad(manager: call.managerName, flight: call.flightID)
    return await Self.$resolving.withValue(call.resolving + [resolved]) {
      var resolution = await call.service.resolve(failure, of: call)
      // One that was given up while the hook ran suspends nothing.
      while case .suspend(let reason, let work) = resolution, !Task.isCancelled {
        resolution = await flight.suspended(for: (.hook(reason), reason), work)
      }
      return resolution
    }
  }

  /// Circles that change their managers' types on the way have to end as well.
  private static let deepest = 8
}

/// Ends replays that lead nowhere: a state machine without time, tasks or sockets.
struct ReplayGuard {
  /// More replays of one load are not made, whatever it fails with.
  static let most = 3

  private var labels: [String] = []

  /// Why a failure of this kind is not offered to the hook again; nil when it is.
  func refusal(of label: String) -> String? {
    if labels.contains(label) { return "\(label) came again after a replay" }
    return labels.count >= Self.most ? "\(labels.count) replays were made" : nil
  }

  mutating func replayed(after label: String) { labels.append(label) }
}
