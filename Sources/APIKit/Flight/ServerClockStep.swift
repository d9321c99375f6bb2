/// Sets the service's clock right when a server refuses an attempt for the time in its signature, and has
/// the attempt made once more.
///
/// It is no retry: a refused signature has done nothing on the server, and the repair is worth it whatever
/// the retry policy says.
struct ServerClockStep {
  let call: APICall
  private var hasLearned = false

  init(call: APICall) { self.call = call }

  /// Smaller differences are the answer's own way through the network, and no reason for a refusal.
  private static let tolerance = 5.0

  /// Another attempt begins, which may be refused for its time as well.
  mutating func begin() { hasLearned = false }

  /// Whether the attempt is to be made again, with the time that the failure told.
  mutating func mends(_ error: APIError) -> Bool {
    guard !hasLearned, let clock = call.service.clock, call.service.signer != nil,
      let date = serverTime(in: error)
    else { return false }
    let difference = date - Double(clock.secondsSince1970)
    guard abs(difference) > Self.tolerance, call.service.refusesTime(error, of: call) else { return false }
    hasLearned = true
    clock.learn(serverSecondsSince1970: date)
    call.recorder.record(.attemptFailed(label: error.label, detail: error.detail))
    call.recorder.record(.learnedClock(offset: clock.offset))
    return true
  }

  private func serverTime(in error: APIError) -> Double? {
    guard let field = error.response?.headers["Date"] else { return nil }
    return HTTPDate.secondsSince1970(field, now: call.time.wallClock)
  }
}
