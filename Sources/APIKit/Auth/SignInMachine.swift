/// Who goes with which credential, who waits, and when it is renewed: a state machine without tasks, time
/// or sockets.
///
/// Flights enter, are refused by servers, and leave; the application signs in and out; work that was asked for
/// comes back. What is to be done comes out.
///
/// Phases: idle → renewing → idle, idle → signing in → idle. A renewal belongs to one version of the
/// credential, so however many flights are refused with it, it is asked for once. Guards against storms: a
/// failed renewal of a version is not repeated for ``restAfterFailure``; and after
/// ``maximumUnprovenRenewals`` renewals of which no server has accepted any, none is asked for that long.
struct SignInMachine {
  /// The answer to a flight.
  enum Verdict: Sendable {
    case go(VersionedCredential)
    case fail(APIError)
    /// The server's own refusal stands.
    case letThrough
    case wait
  }

  /// What is to be started; its outcome comes back with the number.
  enum Work: Sendable {
    case renew(Credential, number: Int)
    case signIn(number: Int)
  }

  /// Who goes on, and how.
  typealias Release = [(FlightID, Verdict)]

  private enum Phase {
    case idle
    case renewing(number: Int)
    case signingIn(number: Int)
  }

  private struct Waiter {
    var rule: SignInRule
    /// Whether a server has refused it; else it waits only because the end of its credential is near.
    var wasRefused: Bool
  }

  let canRenew: Bool
  let needsRefreshToken: Bool
  let leeway: Duration
  static let restAfterFailure: Duration = .seconds(5)
  static let maximumUnprovenRenewals = 3

  private(set) var credential: Credential?
  /// Rises with every credential; 0 before the first.
  private(set) var version = 0
  /// Rises when the user may be another.
  private(set) var epoch = 0
  private var phase = Phase.idle
  private var waiters: [FlightID: Waiter] = [:]
  private var lastNumber = 0
  private var renewingVersion: [Int: Int] = [:]
  private var lastFailure: (version: Int, at: Duration, error: APIError)?
  private var unproven = 0
  private var lastRenewal: Duration = .zero

  init(
    canRenew: Bool, needsRefreshToken: Bool = true, leeway: Duration, credential: Credential? = nil
  ) {
    self.canRenew = canRenew
    self.needsRefreshToken = needsRefreshToken
    self.leeway = leeway
    self.credential = credential
    if credential != nil { version = 1 }
  }

  /// Whether the acceptance of the credential is of interest.
  var isUnproven: Bool { unproven > 0 }
  var waiterCount: Int { waiters.count }
  var current: VersionedCredential { VersionedCredential(credential: credential, version: version) }

  // MARK: Flights

  /// A flight is about to be sent.
  mutating func enter(
    _ flight: FlightID, _ rule: SignInRule, now: Duration, wallClock: Double
  ) -> (Verdict, Work?) {
    guard let credential else {
      guard rule == .required else { return (.go(current), nil) }
      return waitForSignIn(flight)
    }
    if case .renewing = phase {
      waiters[flight] = Waiter(rule: rule, wasRefused: false)
      return (.wait, nil)
    }
    guard isRenewable(credential), credential.isExpired(at: wallClock, leeway: leeway) else {
      return (.go(current), nil)
    }
    // Where renewing has just failed, the token is used up to its end.
    if let error = rest(now) {
      return credential.isExpired(at: wallClock) ? (.fail(error), nil) : (.go(current), nil)
    }
    waiters[flight] = Waiter(rule: rule, wasRefused: false)
    return (.wait, renew(credential))
  }

  /// A server has refused what a flight went with.
  mutating func refused(
    _ flight: FlightID, _ rule: SignInRule, version refused: Int, now: Duration
  ) -> (Verdict, Work?) {
    guard refused == version else {
      if credential != nil { return (.go(current), nil) }
      return rule == .required ? waitForSignIn(flight) : (.letThrough, nil)
    }
    guard let credential else { return (.letThrough, nil) }
    if case .renewing = phase {
      waiters[flight] = Waiter(rule: rule, wasRefused: true)
      return (.wait, nil)
    }
    guard isRenewable(credential) else {
      guard rule == .required else { return (.letThrough, nil) }
      // Nothing renews it, so only another sign-in helps.
      drop()
      return waitForSignIn(flight)
    }
    if let error = rest(now) { return (.fail(error), nil) }
    waiters[flight] = Waiter(rule: rule, wasRefused: true)
    return (.wait, renew(credential))
  }

  /// A server has accepted a credential.
  mutating func accepted(version accepted: Int) {
    if accepted == version { unproven = 0 }
  }

  /// A flight waits no longer.
  mutating func leave(_ flight: FlightID) { waiters[flight] = nil }

  // MARK: Outcomes

  /// The renewal has ended. Nobody hears of one that was overtaken by a sign-in or a sign-out; a late success
  /// is still taken, because the token before it may be worthless by now.
  mutating func renewed(
    _ number: Int, _ result: Result<Credential, APIError>, isFinal: Bool, now: Duration, wallClock: Double
  ) -> Release {
    let isCurrent = if case .renewing(number) = phase { true } else { false }
    let base = renewingVersion.removeValue(forKey: number)
    if isCurrent { phase = .idle }
    switch result {
    case .success(let new):
      guard base == version, let old = credential else { return [] }
      credential = new.renewing(old)
      // One that came late may overtake another that was begun since: nobody waits for that one any more, and
      // its failure, with a refresh token spent by now, must not end the new credential.
      phase = .idle
      version += 1
      unproven += 1
      lastRenewal = now
      lastFailure = nil
      let current = current
      return release { _ in .go(current) }
    case .failure(let error):
      guard isCurrent else { return [] }
      lastFailure = (version, now, error)
      let isUsable = credential?.isExpired(at: wallClock) == false && !isFinal
      let old = current
      if isFinal { drop() }
      return release { $0.wasRefused || !isUsable ? .fail(error) : .go(old) }
    }
  }

  /// The renewal has taken too long. Its waiters fail now; what it brings later is still taken.
  mutating func renewalTimedOut(_ number: Int, _ error: APIError, now: Duration, wallClock: Double) -> Release
  {
    guard case .renewing(number) = phase else { return [] }
    let base = renewingVersion[number]
    let release = renewed(number, .failure(error), isFinal: false, now: now, wallClock: wallClock)
    renewingVersion[number] = base
    return release
  }

  /// The user has signed in.
  mutating func signedIn(_ new: Credential) -> Release {
    credential = new
    version += 1
    epoch += 1
    (phase, lastFailure, unproven) = (.idle, nil, 0)
    let current = current
    return release { _ in .go(current) }
  }

  /// The user has signed out: who waits for a renewal fails, who waits for a sign-in goes on waiting for it.
  mutating func signedOut(_ error: APIError) -> Release {
    let isSigningIn = if case .signingIn = phase { true } else { false }
    drop()
    guard !isSigningIn else { return [] }
    phase = .idle
    return release { _ in .fail(error) }
  }

  /// The sign-in that flights wait for was given up or has failed.
  mutating func signInEnded(_ error: APIError, number: Int? = nil) -> Release {
    guard case .signingIn(let current) = phase, number == nil || number == current else { return [] }
    phase = .idle
    return release { _ in .fail(error) }
  }

  // MARK: Insides

  private func isRenewable(_ credential: Credential) -> Bool {
    canRenew && (credential.refreshToken != nil || !needsRefreshToken)
  }

  private mutating func waitForSignIn(_ flight: FlightID) -> (Verdict, Work?) {
    waiters[flight] = Waiter(rule: .required, wasRefused: true)
    if case .signingIn = phase { return (.wait, nil) }
    lastNumber += 1
    phase = .signingIn(number: lastNumber)
    return (.wait, .signIn(number: lastNumber))
  }

  private mutating func renew(_ credential: Credential) -> Work {
    lastNumber += 1
    phase = .renewing(number: lastNumber)
    renewingVersion[lastNumber] = version
    return .renew(credential, number: lastNumber)
  }

  private func rest(_ now: Duration) -> APIError? {
    if let lastFailure, lastFailure.version == version, now - lastFailure.at < Self.restAfterFailure {
      return lastFailure.error
    }
    guard unproven >= Self.maximumUnprovenRenewals, now - lastRenewal < Self.restAfterFailure else {
      return nil
    }
    return APIError(
      .auth, .credentialRefused,
      "the credential was renewed \(unproven) times in a row and refused each time; it is let rest")
  }

  private mutating func drop() {
    credential = nil
    version += 1
    epoch += 1
    unproven = 0
  }

  private mutating func release(_ verdict: (Waiter) -> Verdict) -> Release {
    let release = waiters.map { ($0.key, verdict($0.value)) }
    waiters = [:]
    return release
  }
}

/// What a flight goes with: a credential, or none, and which of all that there were it is.
struct VersionedCredential: Sendable {
  var credential: Credential?
  var version: Int
}
