/// Sets the service's clock right when a server refuses an attempt for the time in its signature, and has
/// the attempt made once more.
///
/// It is no retry: a refused signature has done nothing on the server, and the repair is worth it whatever
/// the retry policy says.
struct ServerClockRemedy: Remedy {
  private var hasLearned = false

  /// Smaller differences are the time that the response took, and no reason for a refusal.
  private static let tolerance = 5.0

  mutating func reset(for flight: Flight) { hasLearned = false }

  mutating func mend(_ failure: inout APIError, of flight: Flight) async throws(APIError) -> Flight.Step? {
    let call = flight.call
    guard flight.run.attempt > 0, !hasLearned, let clock = call.identity.clock, call.identity.signer != nil,
      let date = failure.response?.headers.date("Date", now: call.time.wallClock)
    else { return nil }
    let difference = date - Double(clock.secondsSince1970)
    guard abs(difference) > Self.tolerance, call.service.refusesTime(failure, of: call),
      flight.mayGoAgain(.clock, isUnprocessed: true)
    else { return nil }
    hasLearned = true
    clock.learn(serverSecondsSince1970: date)
    flight.note(.attemptFailed(label: failure.label, detail: failure.detail))
    flight.note(.learnedClock(offset: clock.offset))
    return .authorize
  }
}
