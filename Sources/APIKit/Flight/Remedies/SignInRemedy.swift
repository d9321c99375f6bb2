/// Has a refused attempt made once more with a renewed credential.
struct SignInRemedy: Remedy {
  private var hasRenewed = false

  mutating func reset(for flight: Flight) {
    hasRenewed = false
    flight.run.credential = nil
  }

  mutating func mend(_ failure: inout APIError, of flight: Flight) async throws(APIError) -> Flight.Step? {
    // Without a credential it is the sign-in itself that has failed.
    guard !hasRenewed, let refused = flight.run.credential, let authenticator = flight.call.authenticator,
      authenticator.rules.isRefusal(failure), flight.hasSentCredential
    else { return nil }
    hasRenewed = true
    let asked = await authenticator.askAfterRefusal(
      of: refused.version, for: flight.id, flight.call.terms.signInRule)
    if case .letThrough = asked.verdict { return nil }
    flight.note(.attemptFailed(label: failure.label, detail: failure.detail))
    let next = try await flight.settled(asked, authenticator)
    // Where it may not go again, the next load goes with the new credential.
    guard let next, flight.mayGoAgain(.signIn, isUnprocessed: failure.evidence != nil) else { return nil }
    flight.note(.note("sign-in", "sent again with another credential"))
    try flight.take(next)
    // The network may be another one by now.
    return .passGate
  }
}

extension Flight {
  /// Whether the last request carried the credential, if there is one. One to another origin does only where a closure of the
  /// redirect policy has added it: what that origin says of another request is no word about it.
  var hasSentCredential: Bool {
    guard run.isElsewhere, let sent = run.sent, let authenticator = call.authenticator,
      let credential = run.credential?.credential
    else { return !run.isElsewhere }
    var probe = HTTPRequest(url: sent.url)
    authenticator.attach(credential, to: &probe)
    return probe.url == sent.url && probe.headers.fields.allSatisfy(sent.headers.fields.contains)
  }
}
