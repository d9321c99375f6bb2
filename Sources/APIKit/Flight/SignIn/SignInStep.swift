/// Puts the service's credential on an attempt, waits for a sign-in where one is required, and has a refused
/// attempt made once more with a renewed credential.
///
/// It runs outside admission, so that loads which wait hold no place at a host, and around signing, so that
/// the second attempt is signed afresh.
struct SignInStep {
  let call: APICall
  let deadline: FlightDeadline

  func run(
    _ assembled: AssemblyStep.Assembled,
    _ attempt: (AssemblyStep.Assembled) async throws(APIError) -> APIResponse
  ) async throws(APIError) -> APIResponse {
    guard call.signInRule != .exempt, let authenticator = call.service.authenticator else {
      return try await attempt(assembled)
    }
    try refuseCycle(authenticator)
    let flight = call.flightID
    let rule = call.signInRule
    let verdict = try await settled(authenticator.ask(for: flight, rule), authenticator)
    // Nothing was refused yet, so there is nothing to let through: it goes as it is.
    let pass = try verdict.pass ?? SignInMachine.Pass(credential: nil, version: 0)
    do throws(APIError) {
      let response = try await attempt(carrying(pass, assembled, authenticator))
      authenticator.accepted(version: pass.version)
      return response
    } catch {
      guard authenticator.rules.isRefusal(error) else { throw error }
      call.recorder.record(.attemptFailed(label: error.label, detail: error.detail))
      let asked = authenticator.askAfterRefusal(of: pass.version, for: flight, rule)
      let verdict = try await settled(asked, authenticator)
      // A body that is used up cannot be sent again: the next load goes with the new credential.
      guard let next = try verdict.pass, assembled.request.body.isReplayable else { throw error }
      call.recorder.record(.note("sign-in", "sent again with another credential"))
      let response = try await attempt(carrying(next, assembled, authenticator))
      authenticator.accepted(version: next.version)
      return response
    }
  }

  private func carrying(
    _ pass: SignInMachine.Pass, _ assembled: AssemblyStep.Assembled, _ authenticator: Authenticator
  ) -> AssemblyStep.Assembled {
    guard let credential = pass.credential else { return assembled }
    var assembled = assembled
    authenticator.rules.attach(credential, &assembled.request)
    return assembled
  }

  /// Waits, where waiting is needed, no longer than the flight has time; both ends go into the record.
  private func settled(
    _ asked: (verdict: SignInMachine.Verdict, work: SignInMachine.Work?), _ authenticator: Authenticator
  ) async throws(APIError) -> SignInMachine.Verdict {
    guard case .wait = asked.verdict else { return asked.verdict }
    call.recorder.record(.suspended("waits for the sign-in of its service"))
    let flight = call.flightID
    let work = asked.work
    let verdict = try await deadline.limitWait(call.time) { await authenticator.wait(work, for: flight) }
    call.recorder.record(.resumed)
    return verdict
  }

  /// A load that is part of renewing the very credential it would wait for never ends: it is refused by name.
  private func refuseCycle(_ authenticator: Authenticator) throws(APIError) {
    guard call.renews.contains(ObjectIdentifier(authenticator)) else { return }
    throw APIError(
      .auth, .signInCycle,
      "\(call.managerName) is loaded to sign in to \(call.service.name) or to renew its credential, and would "
        + "wait for that itself: \(call.managerName) → sign-in of \(call.service.name) → "
        + "\(call.managerName); state `signIn: SignInRule = .exempt` in it")
  }
}

extension SignInMachine.Verdict {
  /// What to go with; nil when the server's own refusal stands.
  fileprivate var pass: SignInMachine.Pass? {
    get throws(APIError) {
      switch self {
      case .go(let pass): return pass
      case .fail(let error): throw error
      case .letThrough, .wait: return nil
      }
    }
  }
}
