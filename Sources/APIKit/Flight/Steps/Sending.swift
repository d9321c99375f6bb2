/// Steps `send` and `redirect`: the transport carries an exchange, and the requests that its redirects ask for.
extension Flight {
  func send() -> Progress {
    guard let outgoing = run.outgoing.take() else { return .next }
    run.isPaced = false
    let transport = call.wire.client.transport
    if deadline.needsTimer {
      // For transports that know no total limit.
      return .wait { () throws(APIError) in
        do throws(APIError) {
          let http = try await self.deadline.limitWait(self.call.time) { () throws(APIError) in
            try await transport.send(outgoing)
          }
          self.noteProgress(.success(http))
          self.run.http = http
          return nil
        } catch {
          self.noteProgress(.failure(error))
          var error = self.broken(error)
          if self.failsOver(after: &error) { return .route }
          throw error
        }
      }
    }
    if run.way != nil, let hedge = hedge(outgoing) {
      send(outgoing, hedge)
      return .handedOver
    }
    ownership.release()
    let isBegun = cancellation.begin { number in
      transport.start(outgoing) { result in self.received(result, of: number) }
    }
    if !isBegun { received(.failure(APIError(.transport, .cancelled).unsent)) }
    return .handedOver
  }

  /// Takes the outcome of an exchange, which counts once.
  ///
  /// - Parameter number: That of the operation; nil for one that did not begin.
  func received(_ result: Result<HTTPResponse, APIError>, of number: Int? = nil) {
    if let number, !cancellation.end(number) { return }
    ownership.take()
    run.executor = .transport
    noteProgress(result)
    switch result {
    case .success(let response):
      run.http = response
      run.step = .redirect
      proceed()
    case .failure(let error):
      var error = broken(error)
      guard failsOver(after: &error) else { return fail(error) }
      run.step = .route
      proceed()
    }
  }

  func redirect() throws(APIError) -> Progress {
    if let verifier = call.identity.verifier, run.executor == .transport, let http = run.http,
      !verifier.mayRunInline(for: http)
    {
      return .on(.task)
    }
    guard var received = run.http.take() else { return .next }
    let response: HTTPResponse?
    do throws(APIError) {
      // Before another server is asked, a cookie kept or a redirect followed: nothing acts on what is not verified.
      if let verifier = call.identity.verifier { try verify(&received, verifier) }
      if run.way != nil {
        if isMisdirected(received) { return .goTo(.route) }
        arrived(received)
      }
      if (200..<300).contains(received.status) { try checkBodyFile(hasResponse: true) }
      response = try run.exchange?.receive(received, counts: !cancellation.wasHeld)
    } catch {
      var error = error
      error.metrics = received.metrics
      throw broken(error)
    }
    guard let response else {
      // Its path may repeat a secret of the path that was asked.
      let target = run.exchange?.next.origin ?? ""
      run.way?.isRedirected = true
      if let cache, let next = run.exchange?.next { run.exchange?.remove(cache.conditions(notFor: next)) }
      noteSpan()
      // Whatever comes of the next request.
      if !call.method.isSafe { tellChanges(by: received) }
      note(.redirected(status: received.status, to: target, metrics: received.metrics))
      // A signer of the application's own does not run on a transport's thread.
      if run.executor == .transport, call.identity.signer?.runsInline == false {
        run.step = .sign
        return .on(.task)
      }
      return .goTo(.sign)
    }
    if !response.redirects.isEmpty { run.led = run.exchange?.next }
    run.exchange = nil
    run.http = response
    noteSpan()
    note(.responded(status: response.status, metrics: response.metrics))
    return .next
  }

  /// Has the signature of the response checked.
  private func verify(_ http: inout HTTPResponse, _ verifier: any ResponseVerifier) throws(APIError) {
    guard let sent = run.sent else { return }
    do throws(SignatureFault) {
      try verifier.verify(http, to: sent, secondsSince1970: call.serverTime)
    } catch {
      // Without the response: no remedy, clock or sign-in may act on what it says.
      throw APIError(
        .response, .unverifiedResponse, "the response is not trusted: \(error)", underlying: error)
    }
    http.codedBytes = nil
  }

  /// Throws ``APIError/Reason/unreadableBody`` when the body's file is no longer the one of the call: before each request,
  /// and once the server has accepted it. A file that was removed by then was sent as it was.
  func checkBodyFile(hasResponse: Bool) throws(APIError) {
    guard let before = call.bodyFile?.value, case .file(let path, _) = call.body else { return }
    let now = FileIdentity(path: path)
    guard now != before, now != nil || !hasResponse else { return }
    let what =
      hasResponse
      ? "was changed while it was sent; the server has accepted the request"
      : "is not what it was at the call"
    throw APIError(.transport, .unreadableBody, "the body's file \(path.debugDescription) \(what)")
  }

  /// A request has failed on the wire, or its response cannot be followed.
  private func broken(_ error: APIError) -> APIError {
    noteSpan()
    if let metrics = error.metrics {
      note(.broken(status: error.responseStatus, metrics: metrics))
    }
    var error = error
    error.context.location = run.request?.url.maskedLocation
    return error
  }
}

extension ResponseVerifier {
  /// Whether it may run on the transport's thread for a response.
  fileprivate func mayRunInline(for http: HTTPResponse) -> Bool {
    runsInline && http.bytes.count <= Flight.inlineBytes
  }
}
