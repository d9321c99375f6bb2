/// Runs attempts of one exchange until it is met by no challenge that its handler has an answer to.
///
/// For transports whose attempts end at a challenge instead of waiting at it.
package struct ChallengedExchange {
  let handler: ChallengeHandler
  /// Where stored logins are.
  let logins: any LoginStore
  /// The policy's own certificate.
  let identity: ClientIdentity?
  /// The proxy that requests of the exchange go through, if any.
  let proxy: HTTPProxy?
  /// The limits that the request leaves out.
  let timeouts: HTTPTimeouts

  /// How many attempts one exchange makes at most: a server's certificates, a client's, and some logins.
  static let mostAttempts = 12

  /// An exchange, and what was tried for it.
  private struct Attempts {
    var exchange: HTTPExchange
    /// When all must be over; nil for no limit.
    let due: ContinuousClock.Instant?
    /// By whether it is the proxy's.
    var trials: [Bool: LoginTrial] = [:]
    var failures: [ProtectionSpace: Int] = [:]

    var timeLeft: Duration? { due.map { $0 - .now } }
  }

  package init(
    handler: ChallengeHandler, logins: any LoginStore, identity: ClientIdentity? = nil,
    proxy: HTTPProxy? = nil, timeouts: HTTPTimeouts = .standard
  ) {
    self.handler = handler
    self.logins = logins
    self.identity = identity
    self.proxy = proxy
    self.timeouts = timeouts
  }

  /// - Parameter attempt: Makes one attempt. Its error carries a ``RaisedChallenge`` when it ended at one.
  package func respond(
    to exchange: HTTPExchange, attempt: (HTTPExchange) async throws(APIError) -> HTTPResponse
  ) async throws(APIError) -> HTTPResponse {
    var exchange = exchange
    exchange.challenges = handler
    if case .stream(let stream) = exchange.request.body, !stream.isReplayable {
      // An attempt that ends in its handshake has read nothing of it.
      exchange.request.body = .stream(UnreadStream(stream).stream)
    }
    // The application's time counts as the exchange's.
    let total = exchange.request.timeouts.filled(from: timeouts).total.flatMap { $0 == .zero ? nil : $0 }
    prepare(&exchange)
    var attempts = Attempts(exchange: exchange, due: total.map { ContinuousClock.now + $0 })
    var last: HTTPResponse?
    let start = ContinuousClock.now
    var before = Duration.zero
    for round in 1...Self.mostAttempts {
      before = ContinuousClock.now - start
      if let total, let left = attempts.timeLeft {
        guard left > .zero else {
          throw APIError(.transport, .totalTimeout, "not finished after \(total.shortText)")
        }
        attempts.exchange.request.timeouts.ceiling = left
        attempts.exchange.request.timeouts.spentMilliseconds = 0
      }
      let response: HTTPResponse
      do throws(APIError) {
        response = try await attempt(attempts.exchange)
      } catch {
        var tried = TriedRequest(attempts.exchange.request, error.requestProgress)
        // Of a body that opens once nothing was read then.
        if tried.progress == .unsent { tried.isBodyReplayable = true }
        guard let raised = error.underlying as? RaisedChallenge, round < Self.mostAttempts,
          ResendOccasion.challenge.objection(to: tried) == nil
        else {
          forget(after: error, attempts.exchange)
          throw error
        }
        if case .proxy(let scheme) = raised {
          let challenge = LoginChallenge(scheme: scheme, realm: "")
          guard try await answer(challenge, isProxy: true, for: &attempts) else {
            throw APIError(.transport, .loginDenied, "the proxy wants a login")
          }
        } else {
          try await answer(raised, for: attempts)
        }
        continue
      }
      await settle(attempts, response)
      last = response
      guard round < Self.mostAttempts, let challenge = LoginChallenge(response),
        ResendOccasion.challenge.objection(to: TriedRequest(refused: attempts.exchange.request)) == nil
      else { break }
      let isProxy = response.status == 407
      // A field of the request's own belongs to the credential or signer that has set it.
      guard isProxy || !attempts.exchange.request.headers.contains("Authorization"),
        try await answer(challenge, isProxy: isProxy, for: &attempts)
      else { break }
    }
    guard var response = last else { throw APIError(.transport, .challengeCancelled) }
    response.metrics.challenged = before.microseconds
    let certificate = handler.word(on: .client(ProtectionSpace(attempts.exchange.request.url)))
    if case .use = certificate { response.isPersonal = true }
    if attempts.exchange.request.options.login != nil { response.isPersonal = true }
    return response
  }

  /// Uses the login that was accepted for this place before.
  private func prepare(_ exchange: inout HTTPExchange) {
    let request = exchange.request
    if request.options.login == nil, !request.headers.contains("Authorization") {
      exchange.request.options.login = handler.login(for: request.url)
    }
    if let proxy { exchange.proxyLogin = handler.login(in: ProtectionSpace(proxy)) }
  }

  // MARK: Certificates

  /// Asks for the word that a new connection needs.
  private func answer(_ raised: RaisedChallenge, for attempts: Attempts) async throws(APIError) {
    let space = ProtectionSpace(attempts.exchange.request.url)
    let (challenge, question) =
      switch raised {
      case .server(let chain, let fault):
        (
          AuthenticationChallenge(.serverTrust(chain: chain, fault: fault), space: space),
          RaisedChallenge.question(of: chain, space)
        )
      case .client(let authorities):
        (AuthenticationChallenge(.clientCertificate(authorities: authorities), space: space), .client(space))
      case .proxy: preconditionFailure()  // a login
      }
    let word = try await handler.word(on: question, challenge, within: attempts.timeLeft)
    if case .fail(let error) = ChallengeDecision(challenge, word, identity: identity) {
      if error.reason == .misconfigured { handler.forget(question) }
      throw error
    }
  }

  /// A certificate that the server refuses is asked about again.
  private func forget(after error: APIError, _ exchange: HTTPExchange) {
    let faults: [APIError.Reason] = [
      .clientCertificateRefused, .clientCertificateExpired, .clientIdentityUnreadable,
    ]
    if faults.contains(error.reason) { handler.forget(.client(ProtectionSpace(exchange.request.url))) }
  }

  // MARK: Logins

  /// Puts the login for a challenge into the next attempt; false when there is none.
  private func answer(
    _ challenge: LoginChallenge, isProxy: Bool, for attempts: inout Attempts
  ) async throws(APIError) -> Bool {
    let request = attempts.exchange.request
    guard !isProxy || proxy != nil else { return false }
    let space =
      proxy.flatMap { isProxy ? ProtectionSpace($0, realm: challenge.realm) : nil }
      ?? ProtectionSpace(request.url, realm: challenge.realm)
    let refused = isProxy ? attempts.exchange.proxyLogin ?? proxy?.login : request.options.login
    if refused != nil { attempts.failures[space, default: 0] += 1 }
    let decision = try await handler.meet(
      challenge, in: space, refused: refused, failures: attempts.failures[space] ?? 0, logins,
      within: attempts.timeLeft)
    switch decision {
    case .login(let login, let isStored):
      if isProxy {
        attempts.exchange.proxyLogin = login
      } else {
        attempts.exchange.request.options.login = login
      }
      attempts.trials[isProxy] = LoginTrial(login: login, space: space, isStored: isStored)
      return true
    case .fail(let error): throw error
    default: return false
    }
  }

  /// Keeps what was accepted.
  private func settle(_ attempts: Attempts, _ response: HTTPResponse) async {
    let url = attempts.exchange.request.url
    for (isProxy, trial) in attempts.trials where response.status != (isProxy ? 407 : 401) {
      handler.accepted(trial.login, in: trial.space, for: url)
      if trial.isStored { await handler.store(trial.login, in: trial.space, logins) }
    }
  }
}

/// A body that opens once, opened when it is first read, so that attempts before that do not use it up.
private final class UnreadStream: Sendable {
  private let whole: HTTPBodyStream
  private let source = Mutex<HTTPBodyStream.Source?>(nil)

  init(_ whole: HTTPBodyStream) { self.whole = whole }

  var stream: HTTPBodyStream {
    HTTPBodyStream(length: whole.length) { { try await self.next() } }
  }

  private func next() async throws -> [UInt8]? {
    if let opened = source.withLock({ $0 }) { return try await opened() }
    // Called outside the lock; reads of one body never overlap.
    let opened = try whole.open()
    source.withLock { $0 = opened }
    return try await opened()
  }
}

extension ChallengeHandler {
  /// The decision on a challenge for a login.
  ///
  /// - Parameters:
  ///   - refused: The login that the challenge refuses, which is not proposed again; nil for the first one.
  ///   - failures: How many were refused.
  func meet(
    _ challenge: LoginChallenge, in space: ProtectionSpace, refused: HTTPLogin?, failures: Int,
    _ logins: any LoginStore, within limit: Duration?
  ) async throws(APIError) -> ChallengeDecision {
    if let refused {
      self.refused(refused, in: space)
      try await BlockingWork.run { () throws(APIError) in
        guard let stored = try logins.login(in: space), stored.isSame(as: refused) else { return }
        try logins.store(nil, in: space)
      }
    }
    // Another load may have been told meanwhile.
    if let known = login(in: space), known != refused { return .login(known, isStored: false) }
    let stored: HTTPLogin? =
      refused == nil
      ? try await BlockingWork.run { () throws(APIError) in try logins.login(in: space) } : nil
    let asked = AuthenticationChallenge(
      challenge.scheme == .basic ? .basic : .digest, space: space, previousFailures: failures,
      proposed: stored)
    let word = try await word(on: .login(space, refused: refused), asked, within: limit)
    return ChallengeDecision(asked, word, identity: nil)
  }
}

extension HTTPLogin {
  /// Whether user and password are the same; the scheme is that of a challenge.
  func isSame(as other: HTTPLogin) -> Bool {
    user.equalsExactly(other.user) && password.equalsExactly(other.password)
  }
}
