/// Offers a failure to the service's common-error hook, which may let it through, change it, swallow it,
/// or have the load sent again, once.
struct ErrorHookStep {
  let call: APICall

  func run(
    _ attempt: () async throws(APIError) -> APIResponse
  ) async throws(APIError) -> FlightOutcome {
    do {
      return .succeeded(try await attempt())
    } catch {
      guard error.reason != .cancelled else { throw error }
      let failure = error.completed(for: call)
      switch await call.service.resolve(failure, of: call) {
      case .letThrough: throw failure
      case .replace(let other): throw other
      case .swallow: return .cancelled(.handledByService)
      case .replay: return .succeeded(try await attempt())
      }
    }
  }
}
