#if os(Linux)
  import CAPIKit

  /// The handler that decides about the server of a transfer in place of libcurl.
  struct CurlChallengeContext {
    let handler: ChallengeHandler
    let space: ProtectionSpace
    /// The mark of the connections that the handler's present decisions have accepted.
    let mark: UnsafeMutableRawPointer?
    /// Whether the handler has provided a client certificate.
    var hasIdentity = false

    init(_ handler: ChallengeHandler, _ url: HTTPURL) {
      self.handler = handler
      space = ProtectionSpace(url)
      mark = UnsafeMutableRawPointer(bitPattern: handler.mark)
    }
  }

  extension CurlHandle {
    /// Sets what the handler has said already, and has it decide about what is new.
    func applyChallenges(_ handler: ChallengeHandler, _ exchange: HTTPExchange) throws(APIError) {
      applied.needsReset = true
      if let login = exchange.proxyLogin { try session.applyProxyLogin(login, to: self) }
      guard transfer.isTLS else { return }
      var context = CurlChallengeContext(handler, exchange.request.url)
      try session.tls.delegateTrust(on: self)
      switch handler.word(on: .client(context.space)) {
      case .use(.identity(let identity)):
        try session.tls.removeIdentity(from: self)
        try session.tls.apply(identity, to: self)
        context.hasIdentity = true
      case .reject: try session.tls.removeIdentity(from: self)
      default: break
      }
      transfer.challengeContext = context
    }

    /// The server of a new connection shows its certificates. False ends the handshake, before the client shows
    /// anything.
    func accepts(_ store: OpaquePointer, _ ssl: OpaquePointer) -> Bool {
      guard let context = transfer.challengeContext else { return false }
      return isGood { () throws(APIError) in try session.tls.trust.accept(store, ssl, in: context) }
    }

    /// The server of a new connection asks for the client's certificate. False ends the handshake, because the
    /// application is to be asked.
    func askedForCertificate(_ ssl: OpaquePointer) -> Bool {
      transfer.wasAskedForCertificate = true
      guard let context = transfer.challengeContext, context.handler.word(on: .client(context.space)) == nil
      else {
        return true
      }
      let names = SSL_get0_peer_CA_list(ssl)
      let authorities = (0..<capikit_x509_name_count(names)).map { index in
        ChainVerifier.bytes(ofName: capikit_x509_name_at(names, index))
      }
      transfer.machine.fail(RaisedChallenge.client(authorities: authorities).error)
      return false
    }

    /// The error for the handler: a proxy that refuses a tunnel without a login raises a challenge.
    func raisingProxy(_ error: APIError) -> APIError {
      guard transfer.job?.exchange.challenges != nil, long(CURLINFO_HTTP_CONNECTCODE) == 407 else {
        return error
      }
      let offered = long(CURLINFO_PROXYAUTH_AVAIL)
      var error = error
      if offered & 2 != 0 {
        error.underlying = RaisedChallenge.proxy(.digest)
      } else if offered & 1 != 0 {
        error.underlying = RaisedChallenge.proxy(.basic)
      }
      return error
    }
  }
#endif
