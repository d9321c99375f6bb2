/// The statements of the manager and its service about one load, for the service's hooks.
///
/// Captured on the main actor at takeoff: changes to the manager or the service afterwards do not affect a
/// running load. Immutable; it is a class so that a load and its hooks share one copy.
public final class APICall: Sendable {
  /// The statements of the manager about every load of its API.
  public struct Terms: Sendable {
    /// The HTTP method.
    public var method: HTTPMethod
    /// The manager's own header fields.
    public var headers: HTTPHeaders
    /// How the parameters are encoded.
    public var encoding: ParameterEncoding
    /// The timeouts of each attempt.
    public var timeouts: HTTPTimeouts
    /// Whether and how the load is retried when it fails.
    public var retryPolicy: RetryPolicy
    /// Whether the load may share one request with identical running loads.
    public var joinsIdenticalFlights: Bool
    /// Its priority in the queue of a host, and for the transport.
    public var priority: FlightPriority
    /// What the load does while offline.
    public var networkGate: NetworkGate
    /// How many attempts like this one begin per interval.
    public var requestRate: RequestRate
    /// Whether the load needs the service's sign-in.
    public var signInRule: SignInRule
    /// Which responses are accepted.
    public var expectation: ResponseExpectation
    /// How the load uses stored responses.
    public var caching: CacheTerms
    /// Whether the load reports progress.
    public var wantsProgress: Bool
    /// Whether the load continues after its manager is released.
    public var outlivesRelease: Bool
  }

  /// The flight's id, unique in the process.
  public let flightID: FlightID
  /// The manager's type.
  public let managerType: any Any.Type
  /// The backend.
  public let service: any APIService
  /// The service's signer, authenticator and clock, read at takeoff.
  public let identity: ServiceIdentity
  /// The service's client, decoders and cipher, read at takeoff.
  public let wire: WireOptions
  /// Where the service's responses are stored, read at takeoff.
  public let cache: CacheOptions
  /// The service's limits, read at takeoff.
  public let admission: AdmissionOptions
  /// The environment in use at takeoff.
  public let environment: ServiceEnvironment
  /// The base URL of that environment; nil when the service has none for it.
  public let baseURL: HTTPURL?
  /// Which servers that environment may ask without TLS; nil where it does not say.
  let cleartext: CleartextPolicy?
  /// The API's name: the path below the base URL, unless the service's ``APIService/endpoint(of:)``
  /// returns another.
  public let apiName: String
  /// The path to load in place of the endpoint's, percent-encoded: that of a link to a further page, with the part of its
  /// query that parameters cannot express, e.g. a name that stands twice. Nil for all other loads.
  public let path: String?
  /// The parameters after the manager's ``APIManager/reformParameters(_:)``, without the service's common
  /// ones.
  public let parameters: Parameters
  /// The manager's own body, sent as it is; the parameters then go into the URL.
  public let body: HTTPBody?
  /// The statements of the manager about every load of its API.
  public let terms: Terms
  /// The settings of the load beyond plain HTTP, merged at takeoff.
  public let options: LoadOptions
  /// Records the decisions of each step; a service's hooks may add lines of their own.
  public let recorder: FlightRecorder

  /// A load whose failure is being resolved.
  struct ResolvedLoad: Sendable {
    let manager: String
    let flight: FlightID
  }

  /// Whose load it is.
  let user: LoadUser
  /// The loads whose failures the service's error hook is resolving while this load is made, the
  /// outermost first.
  let resolving: [ResolvedLoad]
  /// The authenticators whose sign-in or renewal this load is part of.
  let renews: Set<ObjectIdentifier>
  /// Whether the load is part of listing the servers of its own pool.
  let listsHosts: Bool
  /// Whether its signer may say another caller later on, see ``ServiceIdentity/mayChangeCaller``.
  let mayChangeCaller: Bool
  /// What the file of the body was at the call; nil for another body, and where there was no file.
  let bodyFile: CopyOnWrite<FileIdentity>?

  /// The call of one load, whatever makes it; its recorder learns what is loaded.
  ///
  /// - Parameters:
  ///   - wire: That of the service, changed as the options say.
  ///   - options: They may name the environment and the owner of the load.
  ///   - user: Whose it is; nil for the owner that the options name, or else for who is there now.
  init(
    _ terms: consuming Terms, of service: some APIService, over wire: consuming WireOptions,
    recorder: FlightRecorder, apiName: String, path: String? = nil, parameters: Parameters,
    body: HTTPBody? = nil, options: LoadOptions, resolving: [ResolvedLoad], user: LoadUser? = nil
  ) {
    recorder.describe(
      service: service.name, method: terms.method, apiName: apiName,
      parameters: terms.encoding.masked(parameters))
    flightID = recorder.flight
    managerType = recorder.manager
    self.service = service
    identity = service.identity
    mayChangeCaller = identity.mayChangeCaller
    self.wire = wire
    if let user {
      self.user = user
    } else if let owner = options.owner {
      self.user = LoadUser(owner)
    } else {
      self.user = LoadUser(identity, self.wire, signIn: terms.signInRule)
    }
    cache = service.cache
    admission = service.admission
    (environment, baseURL, cleartext) = service.environments.selection(
      of: options.binding.map { ServiceEnvironment($0.environment) })
    self.apiName = apiName
    self.path = path
    self.parameters = parameters
    bodyFile = body?.file.flatMap { FileIdentity(path: $0) }.map { CopyOnWrite($0) }
    self.body = body
    self.terms = terms
    self.options = options
    self.recorder = recorder
    self.resolving = resolving
    renews = identity.authenticator == nil ? [] : Authenticator.atWork
    listsHosts = admission.hosts.map { HostPool.asking.contains(ObjectIdentifier($0)) } ?? false
  }

  /// The list call for several loads; the first of them leads. The parts are checked against the expected
  /// shape, the list as a whole is not.
  init(merging calls: [APICall], into plan: BatchPlan) {
    let first = calls[0]
    user = first.user
    flightID = first.flightID
    managerType = first.managerType
    service = first.service
    identity = first.identity
    wire = first.wire
    cache = first.cache
    admission = first.admission
    environment = first.environment
    baseURL = first.baseURL
    cleartext = first.cleartext
    apiName = plan.apiName
    path = nil
    // Those in header fields are the same in all of them, and sent like the manager's own fields.
    parameters = first.terms.encoding.fieldParameters(of: first.parameters).merging(
      plan.merge(calls.map(\.parameters)))
    body = nil
    bodyFile = nil
    var terms = first.terms
    terms.expectation.shape = ResponseShape()
    terms.priority = calls.map(\.terms.priority).max() ?? terms.priority
    // Each of the loads leaves at its own.
    let deadlines = calls.map(\.terms.retryPolicy.deadline)
    terms.retryPolicy.deadline = deadlines.contains(nil) ? nil : deadlines.compactMap(\.self).max()
    let ignoresCaches = calls.contains { $0.terms.caching.use == .ignoringAllCaches }
    terms.caching = CacheTerms(use: ignoresCaches ? .ignoringAllCaches : .asPolicy)
    terms.wantsProgress = false
    self.terms = terms
    options = first.options
    recorder = first.recorder
    resolving = first.resolving
    renews = first.renews
    listsHosts = first.listsHosts
    mayChangeCaller = first.mayChangeCaller
  }

  /// The HTTP method.
  public var method: HTTPMethod { terms.method }
  /// The clock of the flight.
  var time: any TimeSource { recorder.time }
  /// The manager type's name; method and path, such as `GET homes/{id}`, for a call without a class.
  public var managerName: String {
    TypeName.of(manager: managerType, method: terms.method.rawValue, apiName: apiName)
  }

  /// An id of the load that is unique among all processes: sent in ``WireOptions/requestIDField``, e.g.
  /// `9f86d081884c7d65-42`, where 42 is the flight.
  public var requestID: String { "\(Self.process)-\(flightID)" }
  private static let process = Hex.encode(Crypto.random(8))

  /// The context of this call's errors.
  func context() -> APIError.Context {
    var context = APIError.Context()
    context.manager = managerName
    context.service = service.name
    context.apiName = apiName
    context.method = method.rawValue
    context.flightID = flightID.rawValue
    return context
  }
}
