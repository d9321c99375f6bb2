/// One renewal of a credential, alone among all that share its store.
///
/// The store is read again first, so that a refresh token that another process has used is not used again. The new
/// credential is stored before anything is sent with it, so that it is not lost with the process.
struct CredentialRenewal: Sendable {
  let storage: CredentialStorage
  let rules: Authenticator.Rules
  let renewal: Authenticator.Renewal
  let time: any TimeSource

  func outcome(of credential: Credential) async -> SignInMachine.Outcome {
    let running: Task<SignInMachine.Outcome, Never>
    do throws(APIError) {
      running = try await storage.store.withRenewal(of: storage.account) {
        let running = Task { await renew(credential) }
        await settled(running)
        return running
      }
    } catch {
      if error.reason == .refreshFailed { return .failed(error) }
      storage.report(error)
      return await renew(credential)
    }
    return await running.value
  }

  /// Returns when the renewal is over, or after its limit: one that never ends must not keep the others out.
  private func settled(_ running: Task<SignInMachine.Outcome, Never>) async {
    _ = try? await TimeLimit.run(rules.renewalLimit, by: time) { await Task.leavable { await running.value } }
  }

  /// The longest `Retry-After` that postpones the next renewal.
  private static let longestRest: Duration = .seconds(300)

  private func renew(_ credential: Credential) async -> SignInMachine.Outcome {
    var base = credential
    let stored = await BlockingWork.run { storage.read() }
    if case .changed(let other) = stored {
      guard let other = other?.identified else { return .replaced(by: nil) }
      let isOfUse = !other.isDue(at: time.wallClock, leeway: rules.leeway)
      if isOfUse || !rules.canRenew(other) { return .replaced(by: other) }
      base = other
    }
    switch await response(to: base) {
    case .success(let response):
      let new = response.renewing(base).issued(at: time.wallClock)
      guard await write(new, over: stored) else { return await overtaken() }
      return base == credential ? .renewed(new) : .replaced(by: new)
    case .failure(let cause):
      let error = APIError(
        .auth, .refreshFailed, "the credential could not be renewed: \(cause.detail)", quote: cause.quote,
        underlying: cause)
      guard rules.endsCredential(cause) else {
        return .failed(error, rest: min(wait(after: cause) ?? .zero, Self.longestRest))
      }
      guard await write(nil, over: stored) else { return await overtaken() }
      return .failed(error, isFinal: true)
    }
  }

  /// The outcome when a sign-in or sign-out came meanwhile, which takes precedence.
  private func overtaken() async -> SignInMachine.Outcome {
    switch await BlockingWork.run({ storage.read() }) {
    case .changed(let other), .unchanged(let other): .replaced(by: other)
    case .unreadable: .failed(APIError(.auth, .credentialStoreFailed))
    }
  }

  private func write(_ new: Credential?, over stored: CredentialStorage.Stored) async -> Bool {
    await BlockingWork.run { storage.write(new, over: stored) }
  }

  /// The server's response. After a `Retry-After` the server is asked again, while the loads still wait.
  private func response(to credential: Credential) async -> Result<Credential, APIError> {
    let end = time.now + rules.renewalLimit
    while true {
      let result = await Authenticator.result { try await renewal(credential) }
      guard case .failure(let error) = result, let wait = wait(after: error), time.now + wait < end else {
        return result
      }
      do { try await time.sleep(for: wait) } catch { return result }
    }
  }

  /// The `Retry-After` of an overloaded server; at least a second.
  private func wait(after error: APIError) -> Duration? {
    guard let response = error.response, response.status == 503 || response.status == 429 else { return nil }
    return response.retryAfter(now: time.wallClock).map { max($0, .seconds(1)) }
  }
}
