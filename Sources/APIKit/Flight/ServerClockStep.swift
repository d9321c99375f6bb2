/// Sets the service's clock right when a server refuses an attempt for the time in its signature, and has
/// the attempt made once more.
///
/// It runs inside an attempt, so it is no retry: a refused signature has done nothing on the server, and
/// the repair is worth it whatever the retry policy says.
struct ServerClockStep {
  let call: APICall

  /// Smaller differences are the answer's own way through the network, and no reason for a refusal.
  private static let tolerance = 5.0

  func run(
    _ attempt: () async throws(APIError) -> APIResponse
  ) async throws(APIError) -> APIResponse {
    guard let clock = call.service.clock, call.service.signer != nil else { return try await attempt() }
    do {
      return try await attempt()
    } catch {
      guard let date = serverTime(in: error) else { throw error }
      let difference = date - Double(clock.secondsSince1970)
      guard abs(difference) > Self.tolerance, call.service.refusesTime(error, of: call) else { throw error }
      clock.learn(serverSecondsSince1970: date)
      call.recorder.record(.attemptFailed(label: error.label, detail: error.detail))
      call.recorder.record(.learnedClock(offset: clock.offset))
      return try await attempt()
    }
  }

  private func serverTime(in error: APIError) -> Double? {
    guard let field = error.response?.headers["Date"] else { return nil }
    return HTTPDate.secondsSince1970(field, now: call.time.wallClock)
  }
}
