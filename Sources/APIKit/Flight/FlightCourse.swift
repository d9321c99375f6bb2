/// One load at the server: attempts, until one is good or nobody knows a remedy.
///
/// A good answer goes straight through. A failed attempt is shown to the remedies, the innermost first: what
/// one can mend is attempted again, what none can mend is the load's failure. Their order is the rule: a
/// renewed credential is no retry, and a replay is retried anew.
final class FlightCourse {
  let assembled: AssemblyStep.Assembled
  private let flight: Flight

  /// A signature refused for its time teaches the server's clock.
  private var clock: ServerClockStep
  /// A credential is put in, waited for, or renewed once for all who were refused with it.
  private var signIn: SignInStep?
  /// Attempts that fail are made again, by the policy and before the deadline.
  private var retry: RetryStep
  /// The service's common-error hook has its say, and may ask for a replay.
  private var hook: ErrorHookStep

  private var call: APICall { flight.call }

  init(_ flight: Flight, _ assembled: AssemblyStep.Assembled) {
    self.flight = flight
    self.assembled = assembled
    clock = ServerClockStep(call: flight.call)
    signIn = SignInStep(flight.call, flight.deadline, flight.suspension)
    retry = RetryStep(flight, assembled.request)
    hook = ErrorHookStep(call: flight.call, suspension: flight.suspension)
  }

  func fly() async throws(APIError) -> FlightOutcome {
    while true {
      let failure: APIError
      do throws(APIError) {
        if needsPass { try await getPass() }
        let response =
          flight.deadline.needsTimer ? try await attemptInTime() : try await attempt.run(request)
        succeeded()
        return .succeeded(response)
      } catch {
        failure = error
      }
      if let outcome = try await outcome(after: failure) { return outcome }
    }
  }

  /// The request with the credential of the present attempt.
  private var request: AssemblyStep.Assembled {
    @inline(never) get { signIn?.carrying(assembled) ?? assembled }
  }

  private var needsPass: Bool {
    @inline(never) get { signIn != nil }
  }

  @inline(never)
  private func succeeded() {
    signIn?.accepted()
    retry.succeeded()
  }

  @inline(never)
  private func getPass() async throws(APIError) { try await signIn?.getPass() }

  private var attempt: FlightAttempt {
    @inline(never) get { FlightAttempt(flight: flight, number: retry.attempt) }
  }

  /// For transports that know no total limit.
  @inline(never)
  private func attemptInTime() async throws(APIError) -> APIResponse {
    let (attempt, request) = (attempt, request)
    return try await flight.deadline.limitWait(call.time) { () throws(APIError) in
      try await attempt.run(request)
    }
  }

  /// What a failed attempt comes to; nil when it is to be made again. Throws when the load has failed.
  @inline(never)
  private func outcome(after error: APIError) async throws(APIError) -> FlightOutcome? {
    if clock.mends(error) { return nil }
    var failure = error
    do throws(APIError) {
      if try await signIn?.mends(failure, of: assembled.request.body) == true {
        clock.begin()
        return nil
      }
    } catch {
      failure = error
    }
    if try await retry.mends(&failure) {
      clock.begin()
      signIn?.begin()
      return nil
    }
    guard let outcome = try await hook.outcome(of: failure) else {
      clock.begin()
      signIn?.begin()
      retry.begin()
      return nil
    }
    return outcome
  }
}
