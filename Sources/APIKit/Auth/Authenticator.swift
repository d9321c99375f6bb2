/// Keeps the credential of one user of one backend, renews it, and lets loads wait for a sign-in.
///
/// A service names it in ``ServiceIdentity/authenticator``; the loads of its managers then carry the credential.
/// When a server refuses the credential, the authenticator renews it once for all refused loads, which are then
/// signed and sent again.
///
/// ```swift
/// let authenticator = Authenticator(store: store) { old in
///   let response = try await tokens.response(["refresh_token": old.refreshToken ?? ""])
///   return Credential(accessToken: try response.raw.access_token.require())
/// }
/// ```
/// Safe on any thread. One authenticator may serve several services that share a sign-in.
public final class Authenticator: Sendable {
  /// The rules, as given to the initializer.
  public let rules: Rules

  struct SignInState {
    var machine: SignInMachine
    var waiting: [FlightID: CheckedContinuation<SignInMachine.Verdict, Never>] = [:]
    /// Verdicts on flights that must wait but have not begun to.
    var early: [FlightID: SignInMachine.Verdict] = [:]
    var watchers: [Int: AsyncStream<SignInChange>.Continuation] = [:]
    var lastWatcher = 0
    var leavers: [@Sendable (Credential) -> Void] = []

    /// Under the lock, so that every stream has the changes in their order: yielding runs no code of the application.
    func tell(_ change: SignInChange) { for watcher in watchers.values { watcher.yield(change) } }
  }

  let state: Mutex<SignInState>
  private let storage: CredentialStorage
  private let renewal: Renewal?
  private let signIn: SignIn?
  private let time: any TimeSource
  /// Whether a renewed credential has not been accepted yet, so that acceptances must be recorded.
  private let isUnproven = AtomicFlag()
  /// The epoch of the present user, and whether one is signed in: read without the lock by every load.
  private let presence: AtomicInt
  /// Whether the names of the fields that carry a credential are known.
  private let hasAttached = AtomicFlag()

  /// Makes an authenticator with the store's credential.
  ///
  /// - Parameters:
  ///   - store: Stores the credential; in memory by default. One that cannot be read counts as empty, and
  ///     ``storeFailure`` has the cause.
  ///   - rules: Limits, and which responses refuse a credential.
  ///   - renewal: Renews a credential; without it a refused credential is not renewed.
  ///   - signIn: Signs the user in when loads require it; without it they wait for ``signIn(with:)``,
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
    storage = CredentialStorage(store, account: rules.account)
    self.rules = rules
    self.signIn = signIn
    self.renewal = renewal
    self.time = time
    let machine = SignInMachine(
      canRenew: renewal != nil, needsRefreshToken: rules.needsRefreshToken, leeway: rules.leeway,
      credential: storage.load())
    presence = AtomicInt(Self.presence(of: machine))
    state = Mutex(SignInState(machine: machine))
  }

  deinit {
    for watcher in state.withLock({ $0.watchers.values }) { watcher.finish() }
  }

  // MARK: The application's side

  /// The credential in use; nil when no user is signed in.
  public var credential: Credential? { state.withLock { $0.machine.credential } }

  /// Whether a user is signed in.
  public var isSignedIn: Bool { credential != nil }

  /// Whether a load waits for a user to sign in.
  public var isSignInNeeded: Bool { state.withLock { $0.machine.isSignInNeeded } }

  /// Why the credential in use is not in the store, or could not be read; nil when the store works.
  ///
  /// Loads continue with the credential in memory; the next run of the application will not find it.
  public var storeFailure: APIError? { storage.failure }

  /// Calls a closure for each failure of the store that is not thrown to a caller: after a renewal, after a
  /// sign-in that loads required, and at the first read.
  ///
  /// It is called on any thread, at once for the last failure that was not yet reported. It replaces an
  /// earlier closure.
  public func onStoreFailure(_ report: @escaping @Sendable (APIError) -> Void) { storage.listen(report) }

  /// The present state, ``SignInChange/signInNeeded`` where loads wait for a sign-in, and each change from then on, until
  /// the authenticator is released. Each call returns a stream of its own. The latest 100 changes are kept for a slow
  /// reader.
  public func changes() -> AsyncStream<SignInChange> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: SignInChange.self, bufferingPolicy: .bufferingNewest(100))
    let id = state.withLock { state in
      state.lastWatcher += 1
      state.watchers[state.lastWatcher] = continuation
      let machine = state.machine
      // Under the lock, so that no change comes before it.
      continuation.yield(
        machine.isSignInNeeded ? .signInNeeded : machine.credential != nil ? .signedIn : .signedOut)
      return state.lastWatcher
    }
    continuation.onTermination = { [weak self] _ in
      Task.detached { _ = self?.state.withLock { $0.watchers.removeValue(forKey: id) } }
    }
    return stream
  }

  /// Takes the credential of a user who has signed in, and resumes the waiting loads.
  ///
  /// Throws ``APIError/Reason/credentialStoreFailed`` when it cannot be stored; it is in use all the same.
  public func signIn(with credential: Credential) throws(APIError) {
    var credential = credential.issued(at: time.wallClock)
    credential.signInID = Nonce.make()
    settle(taking: credential) { [credential] in $0.signedIn(credential) }
    tell(.signedIn)
    try keep()
  }

  /// Removes the credential of a user who has signed out. Loads of that user end with ``APIError/Reason/signedOut``,
  /// at any stage; loads that were called while no user was signed in continue to wait.
  ///
  /// Throws ``APIError/Reason/credentialStoreFailed`` when the stored credential cannot be removed. Loads do
  /// not carry it any more even then.
  public func signOut() throws(APIError) {
    let (left, leavers) = state.withLock { ($0.machine.credential, $0.leavers) }
    if let left { for leaver in leavers { leaver(left) } }
    settle { $0.signedOut(APIError(.auth, .signedOut)) }
    tell(.signedOut)
    try keep()
  }

  /// Ends the sign-in that loads wait for as failed: they fail with ``APIError/Reason/signInFailed``.
  public func failSignIn(_ error: any Error) {
    settle { $0.signInEnded(.signInFailed(error)) }
  }

  /// Ends the sign-in that loads wait for as abandoned: they land as cancelled.
  public func cancelSignIn() { settle { $0.signInEnded(APIError(.auth, .signInCancelled)) } }

  /// Calls a closure whenever a user signs out by ``signOut()``, with the credential that goes; not when a credential ends
  /// by itself, since its user may come back.
  package func onLeave(_ work: @escaping @Sendable (Credential) -> Void) {
    state.withLock { $0.leavers.append(work) }
  }

  // MARK: The flight's side

  /// The epoch of the present user. It changes when another user signs in and when the user signs out, not with a renewal or
  /// a new sign-in of the same user.
  package var epoch: Int { presence.load() >> 1 }

  /// The epoch of the user who is signed in; nil when nobody is.
  var userEpoch: Int? {
    let presence = presence.load()
    return presence & 1 == 1 ? presence >> 1 : nil
  }

  /// The machine has changed: what is read of it without the lock.
  private func publish(_ machine: SignInMachine) {
    isUnproven.store(machine.isUnproven)
    let (before, after) = (presence.load(), Self.presence(of: machine))
    guard before != after else { return }
    presence.store(after)
    UserChanges.note()
  }

  private static func presence(of machine: SignInMachine) -> Int {
    machine.epoch << 1 | (machine.credential == nil ? 0 : 1)
  }

  /// Whether a refused credential is renewed.
  package var canRenew: Bool { renewal != nil }

  /// How many flights wait.
  var waiterCount: Int { state.withLock { $0.waiting.count } }

  /// The verdict on a flight that need not wait; nil for one that has to ask by ``ask(for:_:)``.
  func verdictAtOnce(_ rule: SignInRule) -> SignInMachine.Verdict? {
    let (now, wallClock) = (time.now, time.wallClock)
    return state.withLock { $0.machine.enterAtOnce(rule, now: now, wallClock: wallClock) }
  }

  /// The credential for a flight. When the verdict is to wait, ``wait(_:for:)`` must follow.
  func ask(
    for flight: FlightID, _ rule: SignInRule
  ) -> (verdict: SignInMachine.Verdict, work: SignInMachine.Work?) {
    let (now, wallClock) = (time.now, time.wallClock)
    return state.withLock { $0.machine.enter(flight, rule, now: now, wallClock: wallClock) }
  }

  /// The next step of a refused flight. When the verdict is to wait, ``wait(_:for:)`` must follow.
  func askAfterRefusal(
    of version: Int, for flight: FlightID, _ rule: SignInRule
  ) async -> (verdict: SignInMachine.Verdict, work: SignInMachine.Work?) {
    let now = time.now
    // A credential that cannot be renewed is dropped, unless another holder of the store has signed in again.
    if state.withLock({ $0.machine.drops(version, rule) }) { adopt(await readStored()) }
    let (asked, isDropped) = state.withLock { state in
      let isDropped = state.machine.drops(version, rule)
      let asked = state.machine.refused(flight, rule, version: version, now: now)
      publish(state.machine)
      return (asked, isDropped)
    }
    if isDropped { await forgetStored() }
    return asked
  }

  /// Starts the work that the machine requires, and waits for the verdict on the flight.
  func wait(_ work: SignInMachine.Work?, for flight: FlightID) async -> SignInMachine.Verdict {
    let isFirst = work != nil
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let early: SignInMachine.Verdict? = state.withLock { state in
          // The verdict may have been reached since the machine was asked.
          if let early = state.early.removeValue(forKey: flight) { return early }
          guard !Task.isCancelled else {
            state.machine.leave(flight)
            return .fail(APIError(.auth, .cancelled))
          }
          state.waiting[flight] = waiter
          // Listeners learn of each flight that waits, the first and those that join it.
          if state.machine.isSignInNeeded, !isFirst { state.tell(.signInNeeded) }
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

  /// Puts a credential on a request. The fields that carry it are secret wherever they are printed.
  func attach(_ credential: Credential, to request: inout HTTPRequest) {
    guard !hasAttached.load() else { return rules.attach(credential, &request) }
    let before = request.headers
    rules.attach(credential, &request)
    SecretNames.add(fields: request.headers.added(to: before))
    hasAttached.store(true)
  }

  /// Records that a server has accepted this version.
  func accepted(version: Int) {
    guard isUnproven.load() else { return }
    state.withLock { state in
      state.machine.accepted(version: version)
      isUnproven.store(state.machine.isUnproven)
    }
  }
}

// MARK: - Insides

extension Authenticator {
  /// The authenticators whose renewal or sign-in the current task belongs to.
  @TaskLocal static var atWork: Set<ObjectIdentifier> = []

  private func start(_ work: SignInMachine.Work) {
    let scope = Self.atWork.union([ObjectIdentifier(self)])
    switch work {
    case .renew(let credential, let number):
      guard let renewal else { return }
      let timer = Task.detached { [time, rules, weak self] in
        do { try await time.sleep(running: rules.renewalLimit) } catch { return }
        self?.renewalTimedOut(number)
      }
      let run = CredentialRenewal(storage: storage, rules: rules, renewal: renewal, time: time)
      Task.detached { [weak self] in
        let outcome = await Self.$atWork.withValue(scope) { await run.outcome(of: credential) }
        timer.cancel()
        self?.renewed(number, outcome)
      }
    case .signIn(let number):
      Task.detached { [weak self, signIn] in
        guard let self, !adopt(await readStored()), state.withLock({ $0.machine.mayAsk(number) }) else {
          return
        }
        tell(.signInNeeded)
        if let signIn { startSignIn(number, signIn, in: scope) }
      }
    }
  }

  /// Has the user sign in.
  private func startSignIn(_ number: Int, _ signIn: @escaping SignIn, in scope: Set<ObjectIdentifier>) {
    Task.detached { [weak self] in
      let result = await Self.$atWork.withValue(scope) { await Self.result { try await signIn() } }
      guard let self, state.withLock({ $0.machine.isUnderWay(number) }) else { return }
      switch result {
      case .success(let credential):
        await BlockingWork.run {
          do throws(APIError) { try self.signIn(with: credential) } catch { self.storage.report(error) }
        }
      case .failure(let error):
        let isGivenUp = error.reason == .cancelled || error.reason == .signInCancelled
        let end = isGivenUp ? APIError(.auth, .signInCancelled) : .signInFailed(error)
        settle { $0.signInEnded(end, number: number) }
      }
    }
  }

  private func renewed(_ number: Int, _ outcome: SignInMachine.Outcome) {
    let (now, wallClock) = (time.now, time.wallClock)
    // The change of this renewal only, not that of a concurrent sign-in.
    var change: SignInChange?
    let arrival: Credential? = if case .replaced(let credential) = outcome { credential } else { nil }
    settle(taking: arrival) { machine in
      let before = machine.version
      let release = machine.renewed(number, outcome, now: now, wallClock: wallClock)
      if machine.version != before { change = machine.credential == nil ? .signedOut : .refreshed }
      return release
    }
    if let change { tell(change) }
  }

  /// Adopts the credential that another holder of the store has written; false when there is none.
  @discardableResult private func adopt(_ stored: CredentialStorage.Stored) -> Bool {
    guard case .changed(let credential?) = stored else { return false }
    let now = time.now
    settle(taking: credential) { $0.replaced(by: credential, now: now) }
    tell(.signedIn)
    return true
  }

  /// Removes a dropped credential from the store too, unless another holder has signed in again.
  private func forgetStored() async {
    tell(.signedOut)
    let stored = await readStored()
    if adopt(stored) { return }
    let isForgotten = await BlockingWork.run { [storage] in storage.write(nil, over: stored) }
    if !isForgotten { adopt(await readStored()) }
  }

  /// What the store holds, read where it may block.
  private func readStored() async -> CredentialStorage.Stored {
    await BlockingWork.run { [storage] in storage.read() }
  }

  private func renewalTimedOut(_ number: Int) {
    let (now, wallClock) = (time.now, time.wallClock)
    let error = APIError(
      .auth, .refreshFailed, "the credential was not renewed within \(rules.renewalLimit.shortText)")
    settle { $0.renewalTimedOut(number, error, now: now, wallClock: wallClock) }
  }

  /// Stores the credential in use.
  private func keep() throws(APIError) {
    try storage.keep { state.withLock { ($0.machine.version, $0.machine.credential) } }
  }

  /// Changes the machine, and resumes the released flights outside the lock.
  func settle(_ change: (inout SignInMachine) -> SignInMachine.Release) {
    let resumed = state.withLock { state in
      let release = change(&state.machine)
      publish(state.machine)
      return release.compactMap { flight, verdict in
        guard let waiter = state.waiting.removeValue(forKey: flight) else {
          state.early[flight] = verdict
          return nil as (CheckedContinuation<SignInMachine.Verdict, Never>, SignInMachine.Verdict)?
        }
        return (waiter, verdict)
      }
    }
    for (waiter, verdict) in resumed { waiter.resume(returning: verdict) }
  }

  private func tell(_ change: SignInChange) { state.withLock { $0.tell(change) } }

  static func result(
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
}
