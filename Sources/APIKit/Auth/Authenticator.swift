import Synchronization

/// Keeps the credential of one user of one backend, renews it, and lets loads wait for a sign-in.
///
/// A service names it in ``APIService/authenticator``; its managers' loads then carry the credential. When a
/// server refuses it, it is renewed once, however many loads were refused, and all of them are sent again,
/// signed afresh.
///
/// ```swift
/// let authenticator = Authenticator(store: store) { old in
///   let answer = try await tokens.response(for: ["refresh_token": .string(old.refreshToken ?? "")])
///   return Credential(accessToken: try answer.raw.access_token.require())
/// }
/// ```
/// Safe on any thread. One authenticator may serve several services of one sign-in.
public final class Authenticator: Sendable {
  /// Renews a credential: called once for all who need it, off the main actor.
  ///
  /// The credential it returns keeps the old refresh token where it has none of its own. A manager used in
  /// here must be ``SignInRule/exempt``.
  public typealias Renewal = @Sendable (Credential) async throws -> Credential
  /// Signs the user in: called once when loads that require it wait. Throwing
  /// ``APIError/Reason/cancelled`` cancels the loads, any other error fails them.
  public typealias SignIn = @Sendable () async throws -> Credential

  /// The rules of one authenticator, all with defaults.
  public struct Rules: Sendable {
    /// The account the credential is stored under. The default is `default`.
    public var account = "default"
    /// How long before its end a token is renewed, so that it does not end on its way. The default is 60
    /// seconds.
    public var leeway: Duration = .seconds(60)
    /// The longest time a renewal may take; whoever waits for it then fails with
    /// ``APIError/Reason/refreshFailed``. The default is 30 seconds.
    public var renewalLimit: Duration = .seconds(30)
    /// Whether only a credential with a refresh token can be renewed. The default is true; false where it is
    /// renewed by something else, such as a client's own secret.
    public var needsRefreshToken = true
    /// Whether a failure says that the server refuses the credential. The default takes any 401.
    public var isRefusal: @Sendable (APIError) -> Bool = {
      $0.context.status == 401 || $0.evidence?.status == 401
    }
    /// Whether a failed renewal is the credential's end: it is forgotten then. The default takes the OAuth
    /// reason `invalid_grant` and the statuses 400, 401 and 403, unless the server says that it is in trouble
    /// itself, or the answer is none of OAuth: somebody between may have sent it.
    public var endsCredential: @Sendable (APIError) -> Bool = { error in
      switch error.reason {
      case .invalidGrant: return true
      case .malformedOAuthResponse, .authorizationServerFailed, .temporarilyUnavailable, .slowDown:
        return false
      default:
        let status = error.context.status ?? error.evidence?.status
        return status == 400 || status == 401 || status == 403
      }
    }
    /// Puts the credential on a request. The default sets `Authorization` to its type and token.
    public var attach: @Sendable (Credential, inout HTTPRequest) -> Void = { credential, request in
      request.headers["Authorization"] = credential.tokenType + " " + credential.accessToken
    }

    /// The defaults.
    public init() {}
  }

  /// The rules it was made with.
  public let rules: Rules

  private struct State {
    var machine: SignInMachine
    var waiting: [FlightID: CheckedContinuation<SignInMachine.Verdict, Never>] = [:]
    /// Verdicts on flights that were told to wait and do not yet.
    var early: [FlightID: SignInMachine.Verdict] = [:]
    var watchers: [Int: AsyncStream<SignInChange>.Continuation] = [:]
    var lastWatcher = 0
  }

  private let state: Mutex<State>
  private let keeper: CredentialKeeper
  private let renewal: Renewal?
  private let signIn: SignIn?
  private let time: any TimeSource
  /// Whether an acceptance is worth telling the machine.
  private let isUnproven = Atomic<Bool>(false)

  /// Makes an authenticator with what the store has.
  ///
  /// - Parameters:
  ///   - store: Keeps the credential; in memory by default. One that cannot be read counts as empty, and
  ///     ``storeFailure`` says why.
  ///   - rules: Limits, and what counts as a refusal.
  ///   - renewal: Renews a credential; without one a refused credential is not renewed.
  ///   - signIn: Signs the user in when loads require it; without one they wait for ``signIn(with:)``,
  ///     ``failSignIn(_:)`` or ``cancelSignIn()``.
  public convenience init(
    store: any CredentialStore = MemoryCredentialStore(), rules: Rules = Rules(),
    renewal: Renewal? = nil, signIn: SignIn? = nil
  ) {
    self.init(store: store, rules: rules, renewal: renewal, signIn: signIn, time: SystemTime())
  }

  init(
    store: any CredentialStore, rules: Rules, renewal: Renewal?, signIn: SignIn?, time: any TimeSource
  ) {
    keeper = CredentialKeeper(store, account: rules.account)
    self.rules = rules
    self.signIn = signIn
    self.renewal = renewal
    self.time = time
    state = Mutex(
      State(
        machine: SignInMachine(
          canRenew: renewal != nil, needsRefreshToken: rules.needsRefreshToken, leeway: rules.leeway,
          credential: keeper.load())))
  }

  deinit {
    for watcher in state.withLock({ $0.watchers.values }) { watcher.finish() }
  }

  // MARK: The application's side

  /// The credential in use; nil when nobody is signed in.
  public var credential: Credential? { state.withLock { $0.machine.credential } }

  /// Whether somebody is signed in.
  public var isSignedIn: Bool { credential != nil }

  /// Why the store does not have the credential in use, or could not be read; nil when all is well.
  ///
  /// Loads go on with the credential in memory; the next run of the application would not find it.
  public var storeFailure: APIError? { keeper.failure }

  /// Has a closure told of every failure of the store that no caller is thrown: after a renewal, after a
  /// sign-in that loads asked for, and when the store was first read. On any thread; the last failure is told
  /// even when it came before. A later call takes the place of an earlier one.
  public func onStoreFailure(_ report: @escaping @Sendable (APIError) -> Void) { keeper.listen(report) }

  /// Every change from now on, until the authenticator is released. Each call gives a stream of its own.
  public func changes() -> AsyncStream<SignInChange> {
    let (stream, continuation) = AsyncStream.makeStream(of: SignInChange.self)
    let id = state.withLock { state in
      state.lastWatcher += 1
      state.watchers[state.lastWatcher] = continuation
      return state.lastWatcher
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.watchers.removeValue(forKey: id) }
    }
    return stream
  }

  /// The user has signed in: keeps the credential, and resumes whoever waits.
  ///
  /// Throws ``APIError/Reason/credentialStoreFailed`` when it cannot be stored; it is in use all the same.
  public func signIn(with credential: Credential) throws(APIError) {
    settle { $0.signedIn(credential) }
    tell(.signedIn)
    try keep()
  }

  /// The user has signed out: forgets the credential. Loads that wait for a renewal fail with
  /// ``APIError/Reason/signedOut``.
  ///
  /// Throws ``APIError/Reason/credentialStoreFailed`` when the stored one cannot be removed.
  public func signOut() throws(APIError) {
    settle { $0.signedOut(APIError(.auth, .signedOut)) }
    tell(.signedOut)
    try keep()
  }

  /// The sign-in that loads wait for has failed: they fail with ``APIError/Reason/signInFailed``.
  public func failSignIn(_ error: any Error) {
    settle { $0.signInEnded(Self.signInFailed(error)) }
  }

  /// The sign-in that loads wait for was given up: they land as cancelled.
  public func cancelSignIn() { settle { $0.signInEnded(APIError(.auth, .signInCancelled)) } }

  // MARK: The flight's side

  /// Which user it is: changes when another may have signed in, not when a token is renewed.
  var epoch: Int { state.withLock { $0.machine.epoch } }

  /// How many flights wait.
  var waiterCount: Int { state.withLock { $0.waiting.count } }

  /// What a flight goes with. Where it has to wait, ``wait(_:for:)`` follows.
  func ask(
    for flight: FlightID, _ rule: SignInRule
  ) -> (verdict: SignInMachine.Verdict, work: SignInMachine.Work?) {
    let (now, wallClock) = (time.now, time.wallClock)
    return state.withLock { $0.machine.enter(flight, rule, now: now, wallClock: wallClock) }
  }

  /// What a refused flight goes with next. Where it has to wait, ``wait(_:for:)`` follows.
  func askAfterRefusal(
    of version: Int, for flight: FlightID, _ rule: SignInRule
  ) -> (verdict: SignInMachine.Verdict, work: SignInMachine.Work?) {
    let now = time.now
    return state.withLock { $0.machine.refused(flight, rule, version: version, now: now) }
  }

  /// Starts the work that the machine asked for, and waits for what becomes of the flight.
  func wait(_ work: SignInMachine.Work?, for flight: FlightID) async -> SignInMachine.Verdict {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let early: SignInMachine.Verdict? = state.withLock { state in
          // What it waits for may have come between the question and this point.
          if let early = state.early.removeValue(forKey: flight) { return early }
          guard !Task.isCancelled else {
            state.machine.leave(flight)
            return .fail(APIError(.auth, .cancelled))
          }
          state.waiting[flight] = waiter
          return nil
        }
        if let early { waiter.resume(returning: early) }
        if let work { start(work) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.machine.leave(flight)
        return state.waiting.removeValue(forKey: flight)
      }
      waiter?.resume(returning: .fail(APIError(.auth, .cancelled)))
    }
  }

  /// A server has accepted this version.
  func accepted(version: Int) {
    guard isUnproven.load(ordering: .relaxed) else { return }
    state.withLock { state in
      state.machine.accepted(version: version)
      isUnproven.store(state.machine.isUnproven, ordering: .relaxed)
    }
  }
}

// MARK: - Insides

extension Authenticator {
  /// The authenticators whose renewal or sign-in the current task is part of.
  @TaskLocal static var atWork: Set<ObjectIdentifier> = []

  private func start(_ work: SignInMachine.Work) {
    let scope = Self.atWork.union([ObjectIdentifier(self)])
    switch work {
    case .renew(let credential, let number):
      guard let renewal else { return }
      let timer = Task.detached { [time, rules, weak self] in
        do { try await time.sleep(for: rules.renewalLimit) } catch { return }
        self?.renewalTimedOut(number)
      }
      Task.detached { [weak self] in
        let result = await Self.$atWork.withValue(scope) {
          await Self.result { try await renewal(credential) }
        }
        timer.cancel()
        self?.renewed(number, result)
      }
    case .signIn(let number):
      tell(.signInNeeded)
      guard let signIn else { return }
      Task.detached { [weak self] in
        let result = await Self.$atWork.withValue(scope) { await Self.result { try await signIn() } }
        guard let self else { return }
        switch result {
        case .success(let credential):
          do throws(APIError) { try self.signIn(with: credential) } catch { keeper.report(error) }
        case .failure(let error):
          let isGivenUp = error.reason == .cancelled || error.reason == .signInCancelled
          let end = isGivenUp ? APIError(.auth, .signInCancelled) : Self.signInFailed(error)
          settle { $0.signInEnded(end, number: number) }
        }
      }
    }
  }

  private func renewed(_ number: Int, _ result: Result<Credential, APIError>) {
    let (now, wallClock) = (time.now, time.wallClock)
    var isFinal = false
    let told = result.mapError { error in
      isFinal = rules.endsCredential(error)
      return APIError(
        .auth, .refreshFailed, "the credential could not be renewed: \(error.detail)", underlying: error)
    }
    // What this renewal has changed, and not what a sign-in beside it has.
    var change: SignInChange?
    settle { machine in
      let before = machine.version
      let release = machine.renewed(number, told, isFinal: isFinal, now: now, wallClock: wallClock)
      if machine.version != before { change = machine.credential == nil ? .signedOut : .refreshed }
      isUnproven.store(machine.isUnproven, ordering: .relaxed)
      return release
    }
    guard let change else { return }
    tell(change)
    // The credential in use is good whatever the store says.
    do throws(APIError) { try keep() } catch { keeper.report(error) }
  }

  private func renewalTimedOut(_ number: Int) {
    let (now, wallClock) = (time.now, time.wallClock)
    let error = APIError(
      .auth, .refreshFailed, "the credential was not renewed within \(rules.renewalLimit.shortText)")
    settle { $0.renewalTimedOut(number, error, now: now, wallClock: wallClock) }
  }

  /// Stores what is in use.
  private func keep() throws(APIError) {
    try keeper.keep { state.withLock { ($0.machine.version, $0.machine.credential) } }
  }

  /// Changes the machine and resumes, outside the lock, whom it releases.
  private func settle(_ change: (inout SignInMachine) -> SignInMachine.Release) {
    let resumed = state.withLock { state in
      change(&state.machine).compactMap { flight, verdict in
        guard let waiter = state.waiting.removeValue(forKey: flight) else {
          state.early[flight] = verdict
          return nil as (CheckedContinuation<SignInMachine.Verdict, Never>, SignInMachine.Verdict)?
        }
        return (waiter, verdict)
      }
    }
    for (waiter, verdict) in resumed { waiter.resume(returning: verdict) }
  }

  private func tell(_ change: SignInChange) {
    let watchers = state.withLock { Array($0.watchers.values) }
    for watcher in watchers { watcher.yield(change) }
  }

  private static func result(
    _ work: () async throws -> Credential
  ) async -> Result<Credential, APIError> {
    do {
      return .success(try await work())
    } catch let error as APIError {
      return .failure(error)
    } catch is CancellationError {
      return .failure(APIError(.auth, .cancelled))
    } catch {
      return .failure(APIError(.auth, .signInFailed, "\(type(of: error)) was thrown", underlying: error))
    }
  }

  private static func signInFailed(_ error: any Error) -> APIError {
    APIError(
      .auth, .signInFailed,
      "the sign-in has failed: \((error as? APIError)?.detail ?? "\(type(of: error))")", underlying: error)
  }
}
