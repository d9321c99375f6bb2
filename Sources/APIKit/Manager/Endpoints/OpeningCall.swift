/// A load that opens something, a connection or a stream: it runs from its assembly up to its response, over a transport of
/// its maker, and lands on no manager. The services' hooks read its call like that of any load.
package struct OpeningCall: Sendable {
  /// What the services' hooks read.
  package let call: APICall

  /// Whose it was when it was called.
  package var user: LoadUser { call.user }
  /// The monitor by which its gate decides.
  package var network: NetworkMonitor { call.admission.network }

  /// Whether it waits for the network or for a credential before it begins.
  package var waits: Bool {
    let gate = call.terms.networkGate
    if !gate.acceptsAll, gate.objection(to: network.condition) != nil { return true }
    return call.terms.signInRule == .required && call.identity.authenticator?.isSignedIn == false
  }

  /// Runs it. Cancelling the task cancels it.
  ///
  /// - Returns: How it ended, and whose it was then: it may have waited for a sign-in.
  package func run(_ shared: SharedState) async -> (result: Result<APIResponse, APIError>, user: LoadUser) {
    let (result, user) = await Flight.outcome(call, shared, cache: nil)
    return (result.mapError { $0.completed(for: call) }, user)
  }
}

extension EndpointManager {
  /// The load that opens a connection or a stream of the endpoint.
  ///
  /// - Parameters:
  ///   - headers: Those of the endpoint, with what the connection adds.
  ///   - user: Whose it is; nil for whoever is there now.
  ///   - transport: Makes the load's transport of the service's own.
  package func opening<Transport: HTTPTransport>(
    _ parameters: Parameters, method: HTTPMethod = .get, headers: HTTPHeaders,
    expectation: ResponseExpectation, for user: LoadUser?, time: any TimeSource,
    over transport: (any HTTPTransport) -> Transport
  ) throws(APIError) -> (call: OpeningCall, transport: Transport) {
    if let failure = parameters.failure { throw failure }
    let (service, recorder) = (service, FlightRecorder(flight: .next(), manager: type(of: self), time: time))
    FlightLog.shared.add(recorder)
    var wire = service.wire
    let timeouts = wire.timeouts
    let options = wire.applyOptions(
      load: .none, manager: .none, timeouts: timeouts, keepsBody: true, recorder)
    let own = transport(wire.client.transport)
    wire.client.transport = own
    let terms = APICall.Terms(
      method: method, headers: headers,
      encoding: method == .get ? wire.parameterEncoding.withoutBody : wire.parameterEncoding,
      // What is lost is opened again by its maker's policy.
      timeouts: timeouts, retryPolicy: .never, joinsIdenticalFlights: false, priority: .normal,
      networkGate: networkGate, requestRate: service.admission.requestRate, signInRule: signIn,
      expectation: expectation, caching: CacheTerms(policy: .none), wantsProgress: false,
      outlivesRelease: false)
    let call = APICall(
      terms, of: service, over: wire, recorder: recorder, apiName: apiName, parameters: parameters,
      options: options, resolving: ServiceHookRemedy.resolving, user: user)
    return (OpeningCall(call: call), own)
  }
}
