/// What one manager states about one load: the flight carries it, the service's hooks read it.
///
/// Taken on the main actor at takeoff; nothing the application changes on the manager afterwards reaches
/// a flight in the air. Immutable; a class only so that the steps of a flight share one copy.
public final class APICall: Sendable {
  /// The flight's id, unique in the process.
  public let flightID: FlightID
  /// The manager's type.
  public let managerType: any Any.Type
  /// The backend.
  public let service: any APIService
  /// The environment in use at takeoff.
  public let environment: ServiceEnvironment
  /// The base URL of that environment; nil when the service has none for it.
  public let baseURL: HTTPURL?
  /// The API's name: the path below the base URL, or what the service's rule makes of it.
  public let apiName: String
  /// The HTTP method.
  public let method: HTTPMethod
  /// The parameters after the child's reform, before the service's common ones.
  public let parameters: Parameters
  /// The manager's own header fields.
  public let headers: HTTPHeaders
  /// How the parameters are written.
  public let encoding: ParameterEncoding?
  /// A body of the manager's own, sent as it is; the parameters then go into the URL.
  public let body: HTTPBody?
  /// The manager's own limits in time; nil takes the service's.
  public let timeouts: HTTPTimeouts?
  /// Whether and how the load is sent again when it fails: the manager's policy, else the service's.
  public let retryPolicy: RetryPolicy
  /// Whether the load may share the wire call of an identical one in the air.
  public let joinsIdenticalFlights: Bool
  /// Who goes first where attempts wait for their turn at a host.
  public let priority: FlightPriority
  /// What becomes of the load without a network: the manager's gate, else the service's.
  public let networkGate: NetworkGate
  /// What the load has to do with the service's sign-in.
  public let signInRule: SignInRule
  /// The authenticators whose sign-in or renewal this load is part of.
  let renews: Set<ObjectIdentifier>
  /// What counts as a good answer.
  public let expectation: ResponseExpectation
  /// Whether somebody listens to progress.
  public let wantsProgress: Bool
  /// What the steps write their decisions into; a service's hooks may add lines of their own.
  public let recorder: FlightRecorder

  /// The managers whose failures the service's error hook resolves with this load, the outermost first.
  let resolving: [String]
  /// The clock of the flight.
  var time: any TimeSource { recorder.time }
  /// What the load does with stored answers.
  public let caching: CacheTerms

  init(
    flightID: FlightID,
    managerType: any Any.Type,
    service: any APIService,
    environment: ServiceEnvironment,
    baseURL: HTTPURL?,
    apiName: String,
    method: HTTPMethod,
    parameters: Parameters,
    headers: HTTPHeaders,
    encoding: ParameterEncoding?,
    body: HTTPBody?,
    timeouts: HTTPTimeouts?,
    retryPolicy: RetryPolicy,
    joinsIdenticalFlights: Bool,
    priority: FlightPriority,
    networkGate: NetworkGate,
    resolving: [String],
    expectation: ResponseExpectation,
    wantsProgress: Bool,
    recorder: FlightRecorder,
    caching: CacheTerms = CacheTerms(),
    signInRule: SignInRule = .asAvailable,
    renews: Set<ObjectIdentifier> = []
  ) {
    self.flightID = flightID
    self.managerType = managerType
    self.service = service
    self.environment = environment
    self.baseURL = baseURL
    self.apiName = apiName
    self.method = method
    self.parameters = parameters
    self.headers = headers
    self.encoding = encoding
    self.body = body
    self.timeouts = timeouts
    self.retryPolicy = retryPolicy
    self.joinsIdenticalFlights = joinsIdenticalFlights
    self.priority = priority
    self.networkGate = networkGate
    self.resolving = resolving
    self.expectation = expectation
    self.wantsProgress = wantsProgress
    self.recorder = recorder
    self.caching = caching
    self.signInRule = signInRule
    self.renews = renews
  }

  /// The list call that stands for several loads, the first of which is this one. What the manager says of
  /// the shape of an answer is left for the parts.
  func merged(into plan: BatchPlan, with calls: [APICall]) -> APICall {
    var expectation = expectation
    expectation.shape = ResponseShape()
    return APICall(
      flightID: flightID, managerType: managerType, service: service, environment: environment,
      baseURL: baseURL, apiName: plan.apiName, method: method,
      parameters: plan.merge(calls.map(\.parameters)), headers: headers, encoding: encoding, body: nil,
      timeouts: timeouts, retryPolicy: retryPolicy, joinsIdenticalFlights: joinsIdenticalFlights,
      priority: calls.map(\.priority).max() ?? priority, networkGate: networkGate, resolving: resolving,
      expectation: expectation, wantsProgress: false, recorder: recorder, signInRule: signInRule,
      renews: renews)
  }

  /// The manager type's name.
  public var managerName: String { String(describing: managerType) }

  /// What an error of this call says about it.
  func context(method: HTTPMethod? = nil, location: String? = nil) -> APIError.Context {
    var context = APIError.Context()
    context.manager = managerName
    context.service = service.name
    context.apiName = apiName
    context.method = (method ?? self.method).rawValue
    context.location = location
    context.flightID = flightID.rawValue
    return context
  }
}
