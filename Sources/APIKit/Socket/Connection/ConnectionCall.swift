/// The call of a load that opens a connection, which the services' hooks read as that of any load.
enum ConnectionCall {
  /// - Parameters:
  ///   - user: Whose connection it is; nil for the first one of an `open`, which takes the present user.
  ///   - transport: Makes the transport of the load of the service's own.
  @MainActor static func make(
    _ type: any Any.Type, _ service: some APIService, _ apiName: String, _ parameters: Parameters,
    method: HTTPMethod = .get, body: HTTPBody? = nil, headers: HTTPHeaders, networkGate: NetworkGate,
    signIn: SignInRule, expectation: ResponseExpectation, user: LoadUser?, time: any TimeSource,
    transport: (any HTTPTransport) -> any HTTPTransport
  ) throws(APIError) -> APICall {
    if let failure = parameters.failure { throw failure }
    let recorder = FlightRecorder(flight: .next(), manager: type, time: time)
    FlightLog.shared.add(recorder)
    recorder.describe(service: service.name, method: method, apiName: apiName, parameters: parameters)
    var wire = service.wire
    let options = options(of: &wire, recorder)
    wire.client.transport = transport(wire.client.transport)
    let terms = APICall.Terms(
      method: method, headers: headers, encoding: method == .get ? .query : wire.parameterEncoding,
      timeouts: wire.timeouts,
      // What is lost is opened again by the manager's policy.
      retryPolicy: .never, joinsIdenticalFlights: false, priority: .normal, networkGate: networkGate,
      requestRate: service.admission.requestRate, signInRule: signIn, expectation: expectation,
      caching: CacheTerms(policy: .none), wantsProgress: false, outlivesRelease: false)
    return APICall(
      managerType: type, service: service, identity: service.identity, wire: wire, cache: service.cache,
      admission: service.admission, apiName: apiName, parameters: parameters, body: body, terms: terms,
      options: options, recorder: recorder, resolving: ServiceHookRemedy.resolving, user: user)
  }

  /// What service and configuration ask of the wire, but for where a body goes: that is the connection's.
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

  /// What opens a stream: 200 with a body that is read later, or 204 for its end.
  static let streamExpectation = ResponseExpectation(statuses: 200..<205, format: .bytes)

  /// Throws ``APIError/Reason/misconfigured`` for what a manager states and does not count; once for each type.
  @MainActor static func check(
    _ manager: AnyObject, _ statements: [Statement], of contract: String, below base: AnyClass,
    _ service: some APIService
  ) throws(APIError) {
    guard !checked.contains(ObjectIdentifier(type(of: manager))) else { return }
    let faults = statements.faults(of: manager, of: contract, below: base) + service.lostStatements
    guard faults.isEmpty else {
      throw APIError(.takeoff, .misconfigured, faults.joined(separator: "; "))
    }
    checked.insert(ObjectIdentifier(type(of: manager)))
  }

  @MainActor private static var checked: Set<ObjectIdentifier> = []
}
