/// A load that opens something, a connection or a stream: it runs from its assembly up to its response, over a transport of
/// its maker, and lands on no manager. The services' hooks read its call like that of any load.
package struct OpeningCall: Sendable {
  /// What its maker states about it beside what the endpoint does.
  package struct Terms {
    package var method = HTTPMethod.get
    package var parameters: Parameters
    package var headers: HTTPHeaders
    package var expectation: ResponseExpectation
    /// Whose it is; nil for whoever is there now.
    package var user: LoadUser?

    package init(
      _ parameters: Parameters, headers: HTTPHeaders, expectation: ResponseExpectation, user: LoadUser?
    ) {
      (self.parameters, self.headers, self.expectation, self.user) = (parameters, headers, expectation, user)
    }
  }

  /// What the services' hooks read.
  package let call: APICall

  /// The load of an endpoint, and its transport.
  ///
  /// - Parameter makeTransport: Makes the load's transport of the service's own.
  @MainActor package static func make<Transport: HTTPTransport>(
    _ stated: Terms, of endpoint: some EndpointManager, time: any TimeSource,
    over makeTransport: (any HTTPTransport) -> Transport
  ) throws(APIError) -> (call: OpeningCall, transport: Transport) {
    if let failure = stated.parameters.failure { throw failure }
    let (service, managerType) = (endpoint.service, type(of: endpoint))
    let recorder = FlightRecorder(flight: .next(), manager: managerType, time: time)
    FlightLog.shared.add(recorder)
    recorder.describe(
      service: service.name, method: stated.method, apiName: endpoint.apiName, parameters: stated.parameters)
    var wire = service.wire
    let options = options(of: &wire, recorder)
    let transport = makeTransport(wire.client.transport)
    wire.client.transport = transport
    let terms = APICall.Terms(
      method: stated.method, headers: stated.headers,
      encoding: stated.method == .get ? .query : wire.parameterEncoding, timeouts: wire.timeouts,
      // What is lost is opened again by its maker's policy.
      retryPolicy: .never, joinsIdenticalFlights: false, priority: .normal, networkGate: endpoint.networkGate,
      requestRate: service.admission.requestRate, signInRule: endpoint.signIn,
      expectation: stated.expectation, caching: CacheTerms(policy: .none), wantsProgress: false,
      outlivesRelease: false)
    let call = APICall(
      managerType: managerType, service: service, identity: service.identity, wire: wire,
      cache: service.cache, admission: service.admission, apiName: endpoint.apiName,
      parameters: stated.parameters, body: nil, terms: terms, options: options, recorder: recorder,
      resolving: ServiceHookRemedy.resolving, user: stated.user)
    return (OpeningCall(call: call), transport)
  }

  /// What service and configuration state of the wire, without where a body goes, which its maker decides.
  private static func options(of wire: inout WireOptions, _ recorder: FlightRecorder) -> LoadOptions {
    guard !wire.statesNoOptions else { return .none }
    let stated = [(LoadOptions.Source.service, wire.loadOptions), (.configuration, wire.client.configured)]
    let (options, applied) = LoadOptions.merging(
      stated.map { source, options in
        var options = options
        (options.destination, options.fileAtHead) = (nil, nil)
        return (source, options)
      })
    if !applied.isEmpty { recorder.record(.options(applied)) }
    wire.client.applyCookies(of: options)
    return options
  }

  /// Whose it was when it was called.
  package var user: LoadUser { call.user }
  /// The monitor by which its gate decides.
  package var network: NetworkMonitor { call.admission.network }

  /// Whether it waits for the network or for a credential before it begins.
  package var waits: Bool {
    let gate = call.terms.networkGate
    if gate.rule != .fly, gate.objection(to: network.condition) != nil { return true }
    return call.terms.signInRule == .required && call.identity.authenticator?.isSignedIn == false
  }

  /// Runs it. Cancelling the task cancels it.
  ///
  /// - Returns: How it ended, and whose it was then: it may have waited for a sign-in.
  package func run(_ shared: SharedState) async -> (result: Result<APIResponse, APIError>, user: LoadUser) {
    let (result, user) = await Flight.outcome(call, shared, cache: nil, from: .assemble)
    return (result.mapError { $0.completed(for: call) }, user)
  }
}
