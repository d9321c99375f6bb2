/// Step `sign`: what continues the wire, with the credential, the jar's cookies and the signature.
///
/// It runs again for every attempt and redirect: time and nonce are fresh each time.
extension Flight {
  func sign() throws(APIError) -> Progress {
    if run.exchange == nil, returnsToGate() { return .goTo(.passGate) }
    if cancellation.isHeld { return holding(.sign) }
    try checkUser()
    // A large body takes the signer long.
    if run.executor != .task, let request = run.request, !request.body.isSmall { return .on(.task) }
    if run.exchange == nil, let request = run.request {
      run.exchange = ClientExchange(call.wire.boxedClient, exchange(for: request), since: run.user.jar)
    }
    try checkBodyFile(hasResponse: false)
    // Taken out, because the closures use the run meanwhile.
    guard var exchange = run.exchange.take() else { return .next }
    defer { run.exchange = exchange }
    var outgoing = try exchange.outgoing(authorize: attachCredential, prepare)
    // Last: a signer may take long, as one that asks the user does.
    try deadline.cut(&outgoing.request, call.time)
    run.isElsewhere = outgoing.crossesOrigin
    if run.isElsewhere {
      // Not prepared: only what concerns no origin is added.
      if let trace = run.trace, call.wire.trace == .sentEverywhere {
        outgoing.request.set(trace.value.span.child())
      }
      if !outgoing.request.method.isIdempotent {
        if let willCross = call.options.binding?.willCross {
          let crossing = outgoing
          return .wait { () throws(APIError) in
            try await willCross(crossing.request)
            self.wentElsewhere.store(true)
            self.keep(crossing)
            return nil
          }
        }
        wentElsewhere.store(true)
      }
    }
    keep(consume outgoing)
    return .next
  }

  /// What `send` is to send.
  private func keep(_ outgoing: consuming HTTPExchange) {
    run.sent = outgoing.request
    run.outgoing = consume outgoing
  }

  /// The exchange of an attempt, which its redirects change; the attempt begins here.
  private func exchange(for request: HTTPRequest) -> HTTPExchange {
    // Another server within the same attempt is no attempt of its own.
    if run.way?.isFailover != true { note(.attempt(run.attempt, host: request.url.host)) }
    var outgoing = HTTPExchange(request)
    if let field = call.wire.requestIDField { addID(to: &outgoing.request, field) }
    outgoing.onProgress = progressReport
    if FlightEvents.shared.wants(.events) { outgoing.phaseObserver = call.recorder }
    outgoing.flightID = id
    if ExchangeKeepers.areThere {
      outgoing.load = SentLoad(
        call: call, shared: shared, owner: run.user, credential: run.credential?.credential)
    }
    cache?.asks()
    beginTrace()
    call.options.apply(to: &outgoing)
    if let way = run.way, let server = way.server { way.direct(&outgoing.request, to: server) }
    if call.identity.verifier != nil { outgoing.keepsCodedBody = true }
    return outgoing
  }

  /// The last changes to a request within its origin: time limits, trace, signature.
  func prepare(_ request: inout HTTPRequest) throws(APIError) { try prepare(&request, for: run.way?.server) }

  /// - Parameter server: That of the pool which the request goes to; nil where there is none.
  func prepare(_ request: inout HTTPRequest, for server: PooledHost?) throws(APIError) {
    if case .address = server { server?.direct(&request) }
    if let way = run.way, way.raced > .zero { request.timeouts.spend(way.raced) }
    if let trace = run.trace { request.set(trace.value.span.child()) }
    guard let signer = call.identity.signer else { return }
    let subject = SigningSubject(
      apiName: run.signed.apiName, parameters: run.signed.parameters,
      secondsSince1970: call.serverTime, nonce: Nonce.make(),
      attempt: run.attempt)
    if SecretNames.knows(type(of: signer)) { return try signer.sign(&request, subject) }
    let before = request.headers
    try signer.sign(&request, subject)
    SecretNames.learn(type(of: signer), fields: request.headers.added(to: before))
  }

  /// After the joining of loads: with it no two requests are alike.
  private func addID(to request: inout HTTPRequest, _ field: String) {
    guard !request.headers.contains(field) else { return }
    request.headers.add(field, call.requestID)
    if run.attempt <= 1 { note(.note("request id", call.requestID)) }
  }

  /// A call that was made for a batch or behind a landing begins a trace of its own.
  private func beginTrace() {
    guard call.wire.trace != .none, run.trace == nil else { return }
    let trace = LoadTrace(of: nil)
    run.trace = CopyOnWrite(trace)
    note(trace.event)
  }

  /// Records which span of the trace the request was that has just ended.
  func noteSpan() {
    guard run.trace != nil, let sent = run.sent, let field = sent.headers["traceparent"],
      let context = TraceContext(traceparent: field)
    else { return }
    note(.span(context.parentID, url: sent.url.maskedLocation))
  }

  func attachCredential(to request: inout HTTPRequest) {
    if let credential = run.credential?.credential { call.authenticator?.attach(credential, to: &request) }
  }

  /// Holds the flight weakly: a flight that has failed keeps its exchange, and that keeps this closure.
  private var progressReport: (@Sendable (TransferProgress) -> Void)? {
    // Of a load behind a landing the delegate hears nothing.
    guard case .landing = purpose, call.terms.wantsProgress, let flightStore else { return nil }
    return { [weak self] progress in
      guard let self else { return }
      MainDelivery.main.put { flightStore.manager?.report(progress, of: self) }
    }
  }
}

extension HTTPBody {
  fileprivate var isSmall: Bool {
    switch self {
    case .empty: true
    case .bytes(let bytes): bytes.count <= Flight.inlineBytes
    case .file, .stream: false
    }
  }
}

extension APICall {
  /// The time of signatures in whole seconds since 1970: the server's as far as it is known, or else the manager's.
  var serverTime: Int { identity.clock?.secondsSince1970 ?? ServerClock.whole(time.wallClock) }
}
