// Apple platforms only: type-checked by Scripts/apple, never run here. What is decided, ``ChallengeDecision`` decides, which
// is tested.
#if canImport(Security)
  import Foundation
  import Security

  /// Meets the challenges of a session: as its policy says, or as its handler does.
  struct SystemChallenges: Sendable {
    let trust: SystemTrust
    let identity: ClientIdentity?
    let proxyLogin: HTTPLogin?
    let handler: ChallengeHandler?
    let logins: any LoginStore
    let faults: TrustFaults

    /// The decision about a challenge, and the login that is then on trial.
    ///
    /// - Parameter refused: The login of the attempt that was sent before.
    func decide(
      _ system: URLAuthenticationChallenge, _ exchange: HTTPExchange, refused: LoginTrial?
    ) async throws(APIError) -> (ChallengeDecision, LoginTrial?) {
      let place = system.protectionSpace
      let space = ProtectionSpace(
        scheme: place.isProxy() ? "http" : exchange.request.url.scheme, host: place.host, port: place.port,
        realm: place.realm ?? "", isProxy: place.isProxy())
      switch place.authenticationMethod {
      case NSURLAuthenticationMethodServerTrust:
        let judge = trust.policy.judge(of: place.host, at: Date())
        // Nobody here has a say.
        if judge == .system, handler == nil {
          faults.note(.system, of: place.host, port: place.port)
          return (.system, nil)
        }
        guard let verdict = await trust.verdict(on: place) else { return (.nothing, nil) }
        let question = AuthenticationChallenge(
          .serverTrust(chain: verdict.chain, fault: verdict.fault), space: space.withoutRealm)
        let word = try await handler?.word(
          on: RaisedChallenge.question(of: verdict.chain, space.withoutRealm), question)
        let decision = ChallengeDecision(question, word ?? .default, identity: nil, judge: judge)
        faults.note(decision, of: place.host, port: place.port)
        return (decision, nil)
      case NSURLAuthenticationMethodClientCertificate:
        let names = (place.distinguishedNames ?? []).map { [UInt8]($0) }
        let question = AuthenticationChallenge(
          .clientCertificate(authorities: names), space: space.withoutRealm)
        let word = try await handler?.word(on: .client(space.withoutRealm), question)
        let own = exchange.crossesOrigin ? nil : identity
        return (ChallengeDecision(question, word ?? .default, identity: own), nil)
      case NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest:
        let isBasic = place.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
        return try await login(
          LoginChallenge(scheme: isBasic ? .basic : .digest, realm: space.realm), space, of: exchange,
          refused: refused?.space.isProxy == space.isProxy ? refused : nil,
          failures: system.previousFailureCount)
      default:
        // No identity of the keychain and no Kerberos ticket is used unasked.
        return (.nothing, nil)
      }
    }

    private func login(
      _ challenge: LoginChallenge, _ space: ProtectionSpace, of exchange: HTTPExchange, refused: LoginTrial?,
      failures: Int
    ) async throws(APIError) -> (ChallengeDecision, LoginTrial?) {
      // A field of the request's own belongs to the credential or signer that has set it.
      guard space.isProxy || !exchange.request.headers.contains("Authorization") else {
        return (.nothing, nil)
      }
      let stated = space.isProxy ? exchange.proxyLogin ?? proxyLogin : exchange.request.options.login
      let question = AuthenticationChallenge(
        challenge.scheme == .basic ? .basic : .digest, space: space, previousFailures: failures,
        proposed: refused == nil ? stated : nil)
      var decision = ChallengeDecision(question, .default, identity: nil)
      var isHandlers = false
      if case .nothing = decision, let handler, exchange.request.body.isReplayable {
        decision = try await handler.meet(
          challenge, in: space, refused: refused?.login, failures: failures, logins, within: nil)
        isHandlers = true
      }
      guard case .login(let login, let isStored) = decision else { return (decision, nil) }
      return (decision, LoginTrial(login: login, space: space, isStored: isStored, isHandlers: isHandlers))
    }

    /// The session's disposition for a decision. Throws for an identity that cannot be read.
    func answer(
      _ decision: ChallengeDecision, _ system: URLAuthenticationChallenge
    ) async throws(APIError) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      switch decision {
      case .trust:
        guard let trust = system.protectionSpace.serverTrust else { return (.rejectProtectionSpace, nil) }
        return (.useCredential, URLCredential(trust: trust))
      case .login(let login, _):
        // The session stores none; the attempt is the only one that uses it.
        return (
          .useCredential, URLCredential(user: login.user, password: login.password, persistence: .none)
        )
      case .identity(let identity):
        // It may be in a file or in the keychain.
        let credential = try await BlockingWork.run { () throws(APIError) in
          try SystemIdentity.credential(identity)
        }
        return (.useCredential, credential)
      case .nothing: return (.rejectProtectionSpace, nil)
      case .system: return (.performDefaultHandling, nil)
      case .fail(let error): throw error
      }
    }
  }
#endif
