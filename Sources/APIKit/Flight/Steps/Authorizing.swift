/// Step `authorize`: the credential that an attempt goes with, waited for where a sign-in is required.
///
/// It comes before the slot at the host, so that loads which wait hold none, and before the signature, so that a
/// further attempt is signed afresh.
extension Flight {
  func authorize() throws(APIError) -> Progress {
    // Not first with a slot, which others need meanwhile.
    if cancellation.isHeld { return holding(.passGate) }
    if run.attempt == 0 { run.attempt = 1 }
    (run.exchange, run.http, run.response, run.isElsewhere, run.led) = (nil, nil, nil, false, nil)
    run.resolutions = shared.resolutions.count
    guard run.credential == nil, let authenticator = call.authenticator else { return .next }
    try refuseCycle(authenticator)
    if let verdict = authenticator.verdictAtOnce(call.terms.signInRule) {
      // Nothing was refused yet, so there is nothing to let through: it goes as it is.
      try take(try verdict.credential ?? .none)
      return .next
    }
    return .wait { () throws(APIError) in
      // Asked within the wait, which a cancelled load does not begin: it must not have work to do for others.
      let asked = authenticator.ask(for: self.id, self.call.terms.signInRule)
      try self.take(try await self.settled(asked, authenticator) ?? .none)
      // The user may have taken his time: the network may be another one by now.
      return .passGate
    }
  }

  /// Waits for the sign-in or renewal, no longer than the load has time.
  func settled(
    _ asked: (verdict: SignInMachine.Verdict, work: SignInMachine.Work?), _ authenticator: Authenticator
  ) async throws(APIError) -> VersionedCredential? {
    guard case .wait = asked.verdict else { return try asked.verdict.credential }
    let (deadline, time, flight, work) = (deadline, call.time, id, asked.work)
    let verdict = try await suspended(for: (.signIn, "waits for the sign-in of its service")) {
      () throws(APIError) in
      try await deadline.limitWait(time) { () throws(APIError) in
        let verdict = await authenticator.wait(work, for: flight)
        // Thrown, because a cancellation by the deadline is then told as `deadlineExceeded`.
        if case .fail(let error) = verdict, error.reason == .cancelled { throw error }
        return verdict
      }
    }
    return try verdict.credential
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
  /// The credential to go with; nil when the server's refusal lands.
  fileprivate var credential: VersionedCredential? {
    get throws(APIError) {
      switch self {
      case .go(let credential): return credential
      case .fail(let error): throw error
      case .letThrough, .wait: return nil
      }
    }
  }
}
