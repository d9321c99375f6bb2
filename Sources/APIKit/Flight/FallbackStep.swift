/// Lands a load that may not fly with what its service declares instead.
struct FallbackStep {
  let call: APICall

  /// The answer in the place of the failure; nil when there is none for it.
  func replacement(for error: APIError) async -> APIResponse? {
    guard error.reason == .circuitOpen || error.reason == .noNetwork else { return nil }
    guard let response = await call.service.fallback(for: error.completed(for: call), of: call) else {
      return nil
    }
    call.recorder.record(.downgraded("the service's fallback, for \(error.label)"))
    return APIResponse(raw: response.raw, http: response.http, provenance: .fallback)
  }
}
