/// Puts the service's credential on an attempt, waits for a sign-in where one is required, and has a refused
/// attempt made once more with a renewed credential.
///
/// It runs outside admission, so that loads which wait hold no place at a host, and before signing, so that
/// the second attempt is signed afresh.
struct SignInStep {
  private let call: APICall
  private let deadline: FlightDeadline
  private let suspension: Suspension
  private let authenticator: Authenticator
  /// What the present attempt goes with; nil before it has asked.
  private var pass: SignInMachine.Pass?
  private var hasRenewed = false

  /// Nil for a load that has nothing to do with a sign-in.
  init?(_ call: APICall, _ deadline: FlightDeadline, _ suspension: Suspension) {
    guard call.signInRule != .exempt, let authenticator = call.service.authenticator else { return nil }
    self.call = call
    self.deadline = deadline
    self.suspension = suspension
    self.authenticator = authenticator
  }

  /// Another attempt begins, which asks anew.
  mutating func begin() {
    pass = nil
    hasRenewed = false
  }

  /// Gets what the attempt goes with, and waits for it where that is needed.
  mutating func getPass() async throws(APIError) {
    guard pass == nil else { return }
    try refuseCycle()
    let verdict = try await settled(authenticator.ask(for: call.flightID, call.signInRule))
    // Nothing was refused yet, so there is nothing to let through: it goes as it is.
    pass = try verdict.pass ?? SignInMachine.Pass(credential: nil, version: 0)
  }

  /// The request with the credential on it.
  func carrying(_ assembled: AssemblyStep.Assembled) -> AssemblyStep.Assembled {
    guard let credential = pass?.credential else { return assembled }
    var assembled = assembled
    authenticator.rules.attach(credential, &assembled.request)
    return assembled
  }

  func accepted() {
    if let pass { authenticator.accepted(version: pass.version) }
  }

  /// Whether the attempt is to be made again, with another credential. Throws why there is none.
  mutating func mends(_ error: APIError, of body: HTTPBody) async throws(APIError) -> Bool {
    // Without a pass it is the sign-in itself that has failed.
    guard let pass, !hasRenewed, authenticator.rules.isRefusal(error) else { return false }
    hasRenewed = true
    let asked = authenticator.askAfterRefusal(of: pass.version, for: call.flightID, call.signInRule)
    if case .letThrough = asked.verdict { return false }
    call.recorder.record(.attemptFailed(label: error.label, detail: error.detail))
    let verdict = try await settled(asked)
    // A body that is used up cannot be sent again: the next load goes with the new credential.
    guard let next = try verdict.pass, body.isReplayable else { return false }
    call.recorder.record(.note("sign-in", "sent again with another credential"))
    self.pass = next
    return true
  }

  /// Waits, where waiting is needed, no longer than the flight has time; both ends go into the record.
  private func settled(
    _ asked: (verdict: SignInMachine.Verdict, work: SignInMachine.Work?)
  ) async throws(APIError) -> SignInMachine.Verdict {
    guard case .wait = asked.verdict else { return asked.verdict }
    let (deadline, time, authenticator) = (deadline, call.time, authenticator)
    let (flight, work) = (call.flightID, asked.work)
    return try await suspension.during("waits for the sign-in of its service") { () throws(APIError) in
      try await deadline.limitWait(time) { await authenticator.wait(work, for: flight) }
    }
  }

  /// A load that is part of renewing the very credential it would wait for never ends: it is refused by name.
  private func refuseCycle() throws(APIError) {
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
