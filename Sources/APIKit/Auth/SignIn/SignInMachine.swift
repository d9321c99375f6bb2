/// Decides which flights go with which credential, which wait, and when it is renewed: a state machine
/// without tasks, time or sockets.
///
/// Events are: flights enter, are refused by servers, and leave; the user signs in and out; work ends. Each
/// returns verdicts and the work to start.
///
/// Phases: idle → renewing → idle, idle → signing in → idle. A renewal belongs to one version of the
/// credential, so it is started once, however many flights are refused. Two limits prevent storms: a failed
/// renewal of a version is not repeated for ``restAfterFailure``; and after ``maximumUnprovenRenewals``
/// renewals without an acceptance by a server, none is started for that long.
struct SignInMachine {
  /// What a flight is to do.
  enum Verdict: Sendable {
    case go(VersionedCredential)
    case fail(APIError)
    /// The flight lands with the server's refusal.
    case letThrough
    case wait
  }

  /// Work to start; its outcome is reported with the number.
  enum Work: Sendable {
    case renew(Credential, number: Int)
    case signIn(number: Int)
  }

  /// How a renewal ends.
  enum Outcome: Sendable {
    case renewed(Credential)
    /// Another process or object that shares the store has put another credential there, or with nil removed it.
    case replaced(by: Credential?)
    /// It has failed. A final failure ends the credential. After others no renewal is tried for `rest`, or for
    /// ``restAfterFailure`` where that is longer.
    case failed(APIError, isFinal: Bool = false, rest: Duration = .zero)
  }

  /// The flights that stop waiting, and their verdicts.
  typealias Release = [(FlightID, Verdict)]

  private enum SignInPhase {
    case idle
    case renewing(number: Int)
    case signingIn(number: Int)
  }

  private struct Waiter {
    var rule: SignInRule
    /// Whether it cannot continue with the present credential: refused, or without one. Otherwise it waits for
    /// a renewal that is under way or due soon.
    var wasRefused: Bool
  }

  let canRenew: Bool
  let needsRefreshToken: Bool
  let leeway: Duration
  /// Whether the credential that comes now is the present user's, as the application says; nil to compare the notes.
  var isSameUser: Bool?
  static let restAfterFailure: Duration = .seconds(5)
  static let maximumUnprovenRenewals = 3

  private(set) var credential: Credential? { didSet { shared = nil } }
  /// Raised with every change of the credential; 0 before the first.
  private(set) var version = 0 { didSet { shared = nil } }
  /// The epoch of the present user, raised when another user signs in and when the user signs out. A renewal does not raise
  /// it, nor does a credential that ends by itself: its user may come back.
  private(set) var epoch = 0 { didSet { shared = nil } }
  /// What ``current`` has handed out since the last change.
  private var shared: VersionedCredential?
  /// The latest credential of the present user; nil when nobody has signed in, or the user has signed out.
  private(set) var latest: Credential?
  private var phase = SignInPhase.idle
  private var waiters: [FlightID: Waiter] = [:]
  private var lastNumber = 0
  private var renewingVersion: [Int: Int] = [:]
  private var lastFailure: (version: Int, restsUntil: Duration, error: APIError)?
  /// The version that a renewal has ended for good, and with what.
  private var ended: (version: Int, error: APIError)?
  private var unproven = 0
  private var lastRenewal: Duration = .zero

  init(
    canRenew: Bool, needsRefreshToken: Bool = true, leeway: Duration, credential: Credential? = nil
  ) {
    self.canRenew = canRenew
    self.needsRefreshToken = needsRefreshToken
    self.leeway = leeway
    self.credential = credential?.identified
    latest = self.credential
    if credential != nil { (version, epoch) = (1, 1) }
  }

  /// Whether a renewed credential has not been accepted by a server yet.
  var isUnproven: Bool { unproven > 0 }
  var waiterCount: Int { waiters.count }
  /// The credential of all flights that go now.
  var current: VersionedCredential {
    mutating get {
      if let shared { return shared }
      let made = VersionedCredential(credential, version: version, epoch: epoch)
      shared = made
      return made
    }
  }
  /// Whether flights wait for a sign-in.
  var isSignInNeeded: Bool {
    if case .signingIn = phase { return !waiters.isEmpty }
    return false
  }

  /// Whether flights wait for the sign-in with this number: no other has replaced it, and it was not ended.
  func isUnderWay(_ number: Int) -> Bool { if case .signingIn(number) = phase { true } else { false } }

  /// The user is about to be asked for the sign-in with this number. False when it is over, or no flight waits for it any
  /// more, which ends it.
  mutating func mayAsk(_ number: Int) -> Bool {
    guard isUnderWay(number) else { return false }
    if waiters.isEmpty { phase = .idle }
    return !waiters.isEmpty
  }

  // MARK: Flights

  /// A flight is about to be sent: the verdict on it; nil where it has to wait, which it does not do yet.
  mutating func enterAtOnce(_ rule: SignInRule, now: Duration, wallClock: Double) -> Verdict? {
    guard credential != nil else { return rule == .required ? nil : .go(current) }
    if case .renewing = phase { return nil }
    guard isDue(at: wallClock), let credential else { return .go(current) }
    // After a failed renewal the token is used until it expires.
    return rest(now).map { credential.isExpired(at: wallClock) ? .fail($0) : .go(current) }
  }

  /// A flight is about to be sent, or else to wait.
  mutating func enter(
    _ flight: FlightID, _ rule: SignInRule, now: Duration, wallClock: Double
  ) -> (Verdict, Work?) {
    if let verdict = enterAtOnce(rule, now: now, wallClock: wallClock) { return (verdict, nil) }
    guard let credential else { return waitForSignIn(flight) }
    waiters[flight] = Waiter(rule: rule, wasRefused: false)
    if case .renewing = phase { return (.wait, nil) }
    return (.wait, renew(credential))
  }

  /// A server has refused the credential that a flight carried.
  mutating func refused(
    _ flight: FlightID, _ rule: SignInRule, version refused: Int, now: Duration
  ) -> (Verdict, Work?) {
    guard refused == version else {
      if credential != nil { return (.go(current), nil) }
      // Refusals end alike, before and after the renewal has ended the credential.
      if let ended, ended.version == refused { return (.fail(ended.error), nil) }
      return rule == .required ? waitForSignIn(flight) : (.letThrough, nil)
    }
    guard let credential else { return (.letThrough, nil) }
    if case .renewing = phase {
      waiters[flight] = Waiter(rule: rule, wasRefused: true)
      return (.wait, nil)
    }
    guard isRenewable(credential) else {
      guard drops(refused, rule) else { return (.letThrough, nil) }
      drop()
      return waitForSignIn(flight)
    }
    if let error = rest(now) { return (.fail(error), nil) }
    waiters[flight] = Waiter(rule: rule, wasRefused: true)
    return (.wait, renew(credential))
  }

  /// Whether a refusal ends the credential: it is the present one and cannot be renewed, and the flight requires a
  /// sign-in, so that only another one helps.
  func drops(_ refused: Int, _ rule: SignInRule) -> Bool {
    guard refused == version, let credential, rule == .required else { return false }
    if case .renewing = phase { return false }
    return !isRenewable(credential)
  }

  /// A server has accepted a credential.
  mutating func accepted(version accepted: Int) {
    if accepted == version { unproven = 0 }
  }

  /// A flight has stopped waiting.
  mutating func leave(_ flight: FlightID) { waiters[flight] = nil }

  // MARK: Outcomes

  /// A renewal has ended. It has no effect when a sign-in or sign-out came first. A success after the time
  /// limit is still used, because the old token may be invalid by now.
  mutating func renewed(_ number: Int, _ outcome: Outcome, now: Duration, wallClock: Double) -> Release {
    let isCurrent = if case .renewing(number) = phase { true } else { false }
    let base = renewingVersion.removeValue(forKey: number)
    if isCurrent { phase = .idle }
    switch outcome {
    case .renewed(let new):
      guard base == version, let old = credential else { return [] }
      let renewed = new.renewing(old)
      latest = renewed
      return take(renewed, now: now)
    case .replaced(let new):
      return base == version ? replaced(by: new, now: now) : []
    case .failed(let error, let isFinal, let rest):
      guard isCurrent else { return [] }
      lastFailure = (version, now + max(rest, Self.restAfterFailure), error)
      let isUsable = credential?.isExpired(at: wallClock) == false && !isFinal
      let old = current
      if isFinal { end(with: error) }
      return release { $0.wasRefused || !isUsable ? .fail(error) : .go(old) }
    }
  }

  /// Another process or object that shares the store has renewed the credential, signed in, or, with nil, signed out.
  mutating func replaced(by new: Credential?, now: Duration) -> Release {
    guard let new = new?.identified else {
      guard credential != nil else { return [] }
      let error = APIError(.auth, .signedOut, "the stored credential was removed: the user has signed out")
      phase = .idle
      end(with: error)
      leave()
      return release { _ in .fail(error) }
    }
    // The sign-in that it comes from tells a renewal from another user's sign-in.
    arrive(new, isRenewal: new.signInID == latest?.signInID)
    return take(new, now: now)
  }

  /// Replaces the credential by a new one, which a server may refuse like the one before.
  private mutating func take(_ new: Credential, now: Duration) -> Release {
    credential = new
    // A late success may overtake a second renewal, for which no flight waits any more. That one's
    // failure, due to a spent refresh token, must not end the new credential.
    phase = .idle
    version += 1
    unproven += 1
    lastRenewal = now
    (lastFailure, ended) = (nil, nil)
    let current = current
    return release { _ in .go(current) }
  }

  /// A renewal takes too long. Its waiters are released now; a later success is still used.
  mutating func renewalTimedOut(_ number: Int, _ error: APIError, now: Duration, wallClock: Double) -> Release
  {
    guard case .renewing(number) = phase else { return [] }
    let base = renewingVersion[number]
    let release = renewed(number, .failed(error), now: now, wallClock: wallClock)
    renewingVersion[number] = base
    return release
  }

  /// The user has signed in.
  mutating func signedIn(_ new: Credential) -> Release {
    credential = new
    version += 1
    arrive(new)
    (phase, lastFailure, ended, unproven) = (.idle, nil, nil, 0)
    let current = current
    return release { _ in .go(current) }
  }

  /// The user has signed out: waiters for a renewal fail, waiters for a sign-in continue to wait.
  mutating func signedOut(_ error: APIError) -> Release {
    let isSigningIn = if case .signingIn = phase { true } else { false }
    drop()
    leave()
    guard !isSigningIn else { return [] }
    phase = .idle
    return release { _ in .fail(error) }
  }

  /// The sign-in that flights wait for has failed or was abandoned.
  mutating func signInEnded(_ error: APIError, number: Int? = nil) -> Release {
    guard case .signingIn(let current) = phase, number == nil || number == current else { return [] }
    phase = .idle
    return release { _ in .fail(error) }
  }

  // MARK: Insides

  private func isRenewable(_ credential: Credential) -> Bool {
    canRenew && (credential.refreshToken != nil || !needsRefreshToken)
  }

  /// Whether the credential is renewed before it is used; read in place, because every load asks.
  private func isDue(at wallClock: Double) -> Bool {
    guard canRenew, let credential else { return false }
    return isRenewable(credential) && credential.isDue(at: wallClock, leeway: leeway)
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
    if let lastFailure, lastFailure.version == version, now < lastFailure.restsUntil {
      return lastFailure.error
    }
    guard unproven >= Self.maximumUnprovenRenewals, now - lastRenewal < Self.restAfterFailure else {
      return nil
    }
    return APIError(
      .auth, .credentialRefused,
      "the credential was renewed \(unproven) times in a row and refused each time; it is let rest")
  }

  private mutating func end(with error: APIError) {
    ended = (version, error)
    drop()
  }

  private mutating func drop() {
    credential = nil
    version += 1
    unproven = 0
  }

  /// Notes whose a new credential is: the present user's, or another one's.
  private mutating func arrive(_ new: Credential, isRenewal: Bool = false) {
    let isSame = isRenewal || isSameUser ?? latest?.notes["user"].map { $0 == new.notes["user"] } ?? false
    if !isSame { epoch += 1 }
    latest = new
  }

  /// The user has signed out.
  private mutating func leave() {
    epoch += 1
    latest = nil
  }

  private mutating func release(_ verdict: (Waiter) -> Verdict) -> Release {
    let release = waiters.map { ($0.key, verdict($0.value)) }
    waiters = [:]
    return release
  }
}

/// The credential that flights carry, if any, and its version: one object for all flights that go between two changes.
final class VersionedCredential: Sendable {
  let credential: Credential?
  let version: Int
  /// The epoch of its user; see ``SignInMachine/epoch``.
  let epoch: Int

  /// No credential.
  static let none = VersionedCredential(nil, version: 0, epoch: 0)

  init(_ credential: Credential?, version: Int, epoch: Int) {
    (self.credential, self.version, self.epoch) = (credential, version, epoch)
  }
}
