/// The path of one load: the one list of what happens to it, from takeoff to delivery.
extension Flight {
  /// The steps, in order. Each is a function of `Steps/`.
  enum Step: Int {
    case lookUp, assemble, passGate, share
    case authorize, pace, admit, route, sign, send, redirect, decode, validate, complete
    case land

    var next: Step { Step(rawValue: rawValue + 1) ?? .land }
  }

  /// The outcome of a step.
  enum Progress {
    /// The next step follows at once.
    case next
    case goTo(Step)
    /// The step is to run again on another thread.
    case on(Executor)
    /// The load waits for something; the work says where it continues, nil for the next step. With a cause, the
    /// flight counts as suspended meanwhile.
    case wait(for: WaitCause? = nil, @Sendable () async throws(APIError) -> Step?)
    /// The transport has the load now, or the load has ended.
    case handedOver
  }

  private func perform(_ step: Step) throws(APIError) -> Progress {
    switch step {
    // Once a load.
    case .lookUp: try lookUp()  // A stored response lands at once, or is shown and asked about.
    case .assemble: try assemble()  // Endpoint, parameters, header fields, body; or it is one of a batch.
    case .passGate: try passGate()  // Without a network it waits or fails, as its gate says; retries too.
    case .share: share()  // It joins an identical load, or gathers with its batch.
    // Once an attempt.
    case .authorize: try authorize()  // The credential of the service's user.
    case .pace: try pace()  // It waits as the client's own rate demands.
    case .admit: try admit()  // Its slot at the host, unless the circuit breaker is open.
    case .route: try route()  // The server of the service's pool, where it has one.
    case .sign: try sign()  // Cookies, credential, signature: what goes on the wire.
    case .send: send()  // The transport has it until there is a response.
    case .redirect: try redirect()  // Another request follows, which is signed anew.
    case .decode: try decode()  // Deciphered and parsed, or confirmed by a 304.
    case .validate: try validate()  // Shape and business code.
    case .complete: complete()  // The slot at the host is free, the credential has proved good.
    // On the main actor.
    case .land: .on(.mainActor)
    }
  }

  /// The last step, on the main actor.
  @MainActor func land() {
    switch judge() {  // The child's and the validator's own rules.
    case .next:
      store()  // What the cache policy allows; what was changed becomes stale.
      deliverSuccess()  // Interceptors and delegate.
    case let elsewhere: if goesOn(elsewhere) { proceed() }
    }
  }

  /// The remedies for a failure, in the order in which they are asked.
  private func makeRemedies() -> [any Remedy] {
    [
      ServerClockRemedy(),  // A signature refused for its time teaches the server's clock.
      SignInRemedy(),  // A refused credential is renewed.
      RetryRemedy(),  // The attempt is made again, by the policy and before the deadline.
      ServiceHookRemedy(),  // The service lets it through, changes it, deals with it or asks for a replay.
      StaleRemedy(),  // A stored response lands in its place.
      FallbackRemedy(),  // What the service declares lands in its place.
    ]
  }

  /// The occasions of a resend within an attempt. Each asks ``ResendOccasion/objection(to:)``, as the remedies do.
  static let resendsWithinAttempt: [ResendOccasion] = [
    .connectionEnded,  // The transport: a kept connection ended before a response.
    .failover,  // `route`: the server was not reached, and the pool has another one.
    .misdirected,  // `redirect`: the server says that it is the wrong one.
    .challenge,  // The transport: a login, or a decision about a certificate.
    .hedge,  // `send`: the server is slow, and another one is asked beside it.
    .sharedCallEnded,  // `share`: the call that was waited for ended at the deadline of another load.
    .storedRefused,  // `land`: the stored response does not pass the load's rules.
  ]

  /// Goes on from the present step until the load ends or waits. A load that waits for nothing needs no task: it goes
  /// on where the news arrives, on the main actor at takeoff and on the transport's thread at the response.
  ///
  /// Every wait ends here, so the user is compared first.
  func proceed() {
    ownership.take()
    if let userObjection { return fail(userObjection) }
    while true {
      let progress: Progress
      do throws(APIError) { progress = try perform(run.step) } catch { return fail(error) }
      guard goesOn(progress) else { return }
    }
  }

  /// Takes the outcome of a step. Whether another one follows here.
  private func goesOn(_ progress: Progress) -> Bool {
    switch progress {
    case .next: run.step = run.step.next
    case .goTo(let other): run.step = other
    case .on(.mainActor):
      ownership.release()
      MainDelivery.main.put(self)
      return false
    case .on:
      wait(nil, then: run.step) { () throws(APIError) in nil }
      return false
    case .wait(let cause, let work):
      wait(cause, then: run.step.next, work)
      return false
    case .handedOver: return false
    }
    return true
  }

  /// Takes a failure, wherever it comes from: the remedies are asked in a task.
  func fail(_ error: APIError) {
    ownership.take()
    guard !cancellation.isCancelled, error.reason != .cancelled else { return end(error) }
    // Nothing mends the load of a user who has left.
    if let userObjection { return end(userObjection) }
    ownership.release()
    let isBegun = cancellation.begin {
      Task.detached {
        self.ownership.take()
        do throws(APIError) {
          self.run.step = try await self.mend(error)
          self.run.executor = .task
          self.proceed()
        } catch {
          self.end(error)
        }
      }
    }
    if !isBegun { end(error) }
  }

  /// Asks the remedies in order; the first that mends the failure says where the load continues. What one throws is the
  /// failure that the next are asked about; those before the one that mended may be of use again.
  private func mend(_ error: APIError) async throws(APIError) -> Step {
    leaveHost(after: error)
    var remedies = run.remedies.isEmpty ? makeRemedies() : run.remedies
    defer { run.remedies = remedies }
    var failure = attaching(to: error)
    for index in remedies.indices where failure.reason != .cancelled {
      do throws(APIError) {
        guard let step = try await remedies[index].mend(&failure, of: self) else { continue }
        for earlier in 0..<index { remedies[earlier].reset(for: self) }
        if step == .land { settle() }
        return step
      } catch {
        failure = error
      }
    }
    throw failure
  }
}
