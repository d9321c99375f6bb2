/// The resolutions of the services' error hooks for refused sign-ins.
///
/// A refused sign-in concerns every load of its user, so the hook is called once for all that are refused alike: those
/// that fail while it runs, and those that were sent before it was done.
final class Resolutions: Sendable {
  /// The properties in which refusals are alike.
  struct ResolutionKey: Hashable, Sendable {
    private let service: String
    private let base: HTTPURL?
    private let label: String
    private let identity: LoadIdentity

    /// Nil for a failure that concerns its own load only.
    init?(_ failure: APIError, of call: APICall) {
      // A load that a hook makes, or that signs in, would wait for itself.
      guard call.resolving.isEmpty, call.terms.signInRule != .exempt else { return nil }
      let isRefusal = call.identity.authenticator?.rules.isRefusal ?? Authenticator.Rules().isRefusal
      guard failure.stage == .auth || isRefusal(failure) else { return nil }
      service = call.service.name
      base = call.baseURL
      label = failure.label
      identity = LoadIdentity(call)
      guard identity.isKnown else { return nil }
    }
  }

  private let runs = SingleFlight<ResolutionKey, ErrorResolution>()
  /// The latest resolutions, with their numbers.
  private let latest = Mutex<[ResolutionKey: (number: Int, resolution: ErrorResolution)]>([:])
  private let ended = AtomicInt()

  /// The number of resolutions so far. An attempt that begins takes it down.
  var count: Int { ended.load() }

  /// How many loads wait for one.
  var waiterCount: Int { runs.waiterCount }

  /// The resolution for a load whose attempt began when there were `count` of them; `resolve` asks the hook, in a task
  /// of its own: a load that is cancelled meanwhile ends at once, and the others still get the resolution. `following` is
  /// called in place of `resolve` when the hook was already asked for another load.
  func resolution(
    for call: APICall, _ key: ResolutionKey, since count: Int,
    _ resolve: @escaping @Sendable () async -> ErrorResolution, following: () -> Void
  ) async throws(APIError) -> ErrorResolution {
    if let past = past(key, since: count) { return past }
    let resolution = await runs.value(
      key, as: call.flightID.rawValue,
      following: { leader in
        call.recorder.record(.note("hook", "shares the resolution of flight \(leader)"))
        following()
      }
    ) { [self] in
      // A resolution may have ended since the look above.
      if let past = past(key, since: count) { return past }
      let resolution = await resolve()
      // All its loads may have left it.
      if !Task.isCancelled { keep(resolution, key) }
      return resolution
    }
    guard let resolution else { throw APIError(.transport, .cancelled) }
    return resolution
  }

  private func past(_ key: ResolutionKey, since count: Int) -> ErrorResolution? {
    latest.withLock { $0[key].flatMap { $0.number > count ? $0.resolution : nil } }
  }

  private func keep(_ resolution: ErrorResolution, _ key: ResolutionKey) {
    latest.withLock { latest in
      latest[key] = (ended.add(1), resolution)
      if latest.count > Self.most, let oldest = latest.min(by: { $0.value.number < $1.value.number }) {
        latest[oldest.key] = nil
      }
    }
  }

  /// Resolutions that are kept; each is of use only while loads are out that were sent before it.
  private static let most = 32
}
