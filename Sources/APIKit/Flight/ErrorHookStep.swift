/// Offers a failure to the service's common-error hook, which may let it through, change it, swallow it, or
/// suspend the flight, run another manager and have the load sent again.
struct ErrorHookStep {
  let call: APICall
  let suspension: Suspension
  private var replays = ReplayGuard()

  init(call: APICall, suspension: Suspension) {
    self.call = call
    self.suspension = suspension
  }

  /// The managers whose failures are being resolved around the present task, the outermost first. A load
  /// that a hook starts takes it along, so that a circle is seen.
  @TaskLocal static var resolving: [String] = []

  /// What the load comes to; nil when it is to be sent again. Throws when it has failed.
  mutating func outcome(of error: APIError) async throws(APIError) -> FlightOutcome? {
    let failure = error.completed(for: call)
    if let refusal = replays.refusal(of: failure.label) {
      call.recorder.record(.note("hook", refusal))
      throw failure
    }
    switch try await resolution(of: failure) {
    case .letThrough, .suspend: throw failure
    case .replace(let other):
      call.recorder.record(.note("hook", "replaced by \(other.label)"))
      throw other
    case .swallow:
      call.recorder.record(.note("hook", "dealt with by the service"))
      return .cancelled(.handledByService)
    case .replay:
      replays.replayed(after: failure.label)
      call.recorder.record(.note("hook", "sent again after \(failure.label)"))
      guard !Task.isCancelled else { throw APIError(.transport, .cancelled) }
      return nil
    }
  }

  /// What the hook says in the end, a suspension carried out.
  private func resolution(of failure: APIError) async throws(APIError) -> ErrorResolution {
    let chain = call.resolving
    guard !chain.contains(call.managerName), chain.count < Self.deepest else {
      let circle = (chain + [call.managerName]).joined(separator: " → ")
      throw APIError(
        failure.place, .resolutionCycle, "the error hook of \(call.service.name) goes in a circle: \(circle)",
        underlying: failure, evidence: failure.evidence)
    }
    return await Self.$resolving.withValue(chain + [call.managerName]) {
      var resolution = await call.service.resolve(failure, of: call)
      while case .suspend(let reason, let work) = resolution {
        resolution = await suspension.during(reason, work)
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
