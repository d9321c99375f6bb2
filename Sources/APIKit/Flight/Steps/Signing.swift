/// Step `sign`: what goes on the wire, with the credential, the jar's cookies and the signature.
///
/// It runs again for every attempt and redirect: time and nonce are fresh each time.
extension Flight {
  func sign() throws(APIError) -> Progress {
    if cancellation.isHeld { return holding(.sign) }
    try checkUser()
    // A large body takes the signer long.
    if place != .task, let request, !request.body.isSmall { return .on(.task) }
    if exchange == nil, let request {
      // Another server within the same attempt is no attempt of its own.
      if way?.isFailover != true { note(.attempt(attempt, host: request.url.host)) }
      var outgoing = HTTPExchange(request)
      if let field = call.wire.requestIDField { addID(to: &outgoing.request, field) }
      outgoing.onProgress = progressReport
      outgoing.flightID = id
      beginTrace()
      if !call.options.isEmpty { call.options.apply(to: &outgoing) }
      if let way, let server = way.server { way.direct(&outgoing.request, to: server) }
      if call.identity.verifier != nil { outgoing.keepsCodedBody = true }
      exchange = ClientExchange(call.wire.boxedClient, outgoing, since: user.jar)
    }
    try checkBodyFile(hasResponse: false)
    outgoing = try exchange?.outgoing(authorize: attachCredential, prepare)
    if let trace, outgoing?.crossesOrigin == true, call.wire.trace == .sentEverywhere {
      outgoing?.request.set(trace.value.child())
    }
    sent = outgoing?.request
    return .next
  }

  /// What a request within its origin gets last.
  func prepare(_ request: inout HTTPRequest) throws(APIError) { try prepare(&request, for: way?.server) }

  /// - Parameter server: That of the pool which the request goes to; nil where there is none.
  func prepare(_ request: inout HTTPRequest, for server: PooledHost?) throws(APIError) {
    if case .address = server { server?.direct(&request) }
    if let way, way.raced > .zero { request.timeouts.spent = way.raced }
    deadline.cut(&request, call.time)
    if let trace { request.set(trace.value.child()) }
    guard let signer = call.identity.signer else { return }
    let subject = SigningSubject(
      apiName: signed.apiName, parameters: signed.parameters,
      secondsSince1970: call.identity.clock?.secondsSince1970 ?? Int(WallClock.now), nonce: Nonce.make(),
      attempt: attempt)
    if SecretNames.knows(type(of: signer)) { return try signer.sign(&request, subject) }
    let before = request.headers
    try signer.sign(&request, subject)
    SecretNames.learn(type(of: signer), fields: request.headers.added(to: before))
  }

  /// After the joining of loads: with it no two requests are alike.
  private func addID(to request: inout HTTPRequest, _ field: String) {
    guard !request.headers.contains(field) else { return }
    request.headers.add(field, call.requestID)
    if attempt <= 1 { note(.note("request id", call.requestID)) }
  }

  /// A call that was made for a batch or behind a landing begins a trace of its own.
  private func beginTrace() {
    guard call.wire.trace != .none else { return }
    let trace = trace ?? Boxed(TraceContext())
    self.trace = trace
    if attempt <= 1 { note(.note("trace", trace.value.traceID)) }
  }

  func attachCredential(to request: inout HTTPRequest) {
    if let credential = credential?.credential { authenticator?.attach(credential, to: &request) }
  }

  private var progressReport: (@Sendable (TransferProgress) -> Void)? {
    guard call.terms.wantsProgress, let book else { return nil }
    return { progress in
      MainDelivery.main.put { book.manager?.report(progress, of: self) }
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
