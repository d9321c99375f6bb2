/// The stations between an assembled request and its answer, the outermost first.
///
/// Each hands the load on to the next and sees what comes back; it may let it pass, hold it, or hand it on
/// again. Their order is the rule: a joined load shares all that follows, a replay is retried anew, an
/// attempt that waits for a sign-in holds no place at the host.
struct FlightCourse: Sendable {
  let flight: Flight
  let deadline: FlightDeadline
  let assembled: AssemblyStep.Assembled

  private var call: APICall { flight.call }

  func fly() async throws(APIError) -> FlightOutcome { try await join() }

  /// Identical flights share one wire call.
  private func join() async throws(APIError) -> FlightOutcome {
    try await JoinStep(call: call, joins: flight.airspace.joins, deadline: deadline)
      .run(assembled.request) { () throws(APIError) in try await resolveErrors() }
  }

  /// The service's common-error hook has its say, and may ask for a replay.
  private func resolveErrors() async throws(APIError) -> FlightOutcome {
    try await ErrorHookStep(call: call, suspension: flight.suspension)
      .run { () throws(APIError) in try await retry() }
  }

  /// Attempts that fail are made again, by the policy and before the deadline.
  private func retry() async throws(APIError) -> APIResponse {
    try await RetryStep(call: call, airspace: flight.airspace, deadline: deadline)
      .run(assembled.request) { (number) throws(APIError) in try await signIn(number) }
  }

  /// A credential is put in, waited for, or renewed once for all who were refused with it.
  private func signIn(_ number: Int) async throws(APIError) -> APIResponse {
    try await SignInStep(call: call, deadline: deadline)
      .run(assembled) { (assembled) throws(APIError) in try await admit(number, assembled) }
  }

  /// The host's limits and its circuit breaker let the attempt through.
  private func admit(
    _ number: Int, _ assembled: AssemblyStep.Assembled
  ) async throws(APIError) -> APIResponse {
    try await AdmissionStep(call: call, airspace: flight.airspace, deadline: deadline)
      .run(assembled.request.url) { () throws(APIError) in try await learnTime(number, assembled) }
  }

  /// A signature refused for its time teaches the server's clock, and is made again.
  private func learnTime(
    _ number: Int, _ assembled: AssemblyStep.Assembled
  ) async throws(APIError) -> APIResponse {
    try await ServerClockStep(call: call)
      .run { () throws(APIError) in try await attempt(number, assembled) }
  }

  /// One attempt: signed, sent, decoded, validated.
  private func attempt(
    _ number: Int, _ assembled: AssemblyStep.Assembled
  ) async throws(APIError) -> APIResponse {
    let answer = try await WireStep(
      call: call, onProgress: flight.onProgress, attempt: number, deadline: deadline
    ).send(assembled)
    if let confirmed = flight.cache?.confirmed(by: answer) { return confirmed }
    let response = try DecodingStep(call: call).run(answer)
    try ValidationStep(call: call).check(response)
    flight.cache?.received(response)
    return response
  }
}
