/// What a child of ``BaseAPIManager`` states about its API.
///
/// An application writes one small class per endpoint: it subclasses the base and adopts this protocol.
/// Two members are required; every other has the default its comment names. All are read on the main actor,
/// at takeoff; nothing is read while a flight is in the air. A subclass that does not adopt the protocol
/// has no `load`, and its `init` traps.
@MainActor public protocol APIManager: BaseAPIManager {
  /// The type of the backend.
  associatedtype Service: APIService

  /// The backend this API belongs to.
  var service: Service { get }

  /// The API's name: the path below the service's base URL. `{id}` is filled from the parameter `id`.
  var apiName: String { get }

  /// The HTTP method. The default is GET.
  var method: HTTPMethod { get }

  /// What a load does while others are in the air. The default is ``TakeoffPolicy/concurrent``.
  var takeoffPolicy: TakeoffPolicy { get }

  /// Header fields of this API. They win over the service's. The default is none.
  var headers: HTTPHeaders { get }

  /// How the parameters are written. The default is the service's.
  var parameterEncoding: ParameterEncoding { get }

  /// Limits in time. The default is the service's.
  var timeouts: HTTPTimeouts { get }

  /// Whether and how a load that failed is sent again. The default is the service's.
  var retryPolicy: RetryPolicy { get }

  /// Whether a load may share the wire call of an identical one in the air. The default is false.
  ///
  /// Identical are loads of the same manager type whose requests have the same method, URL and header
  /// fields, credentials included. Only safe methods without a body are joined, and only flights that do not
  /// report progress. Each keeps its own deadline, cancellation and landing; the wire call ends when the last
  /// of them has left.
  var joinsIdenticalFlights: Bool { get }

  /// Who goes first where attempts wait for their turn at a host. The default is
  /// ``FlightPriority/normal``; it matters only where the service has ``HostLimits``.
  var priority: FlightPriority { get }

  /// What becomes of a load without a network. The default is the service's.
  var networkGate: NetworkGate { get }

  /// What loads have to do with the service's sign-in: carry its credential when there is one (the default),
  /// wait until there is one, or have nothing to do with it. See ``ServiceIdentity/authenticator``.
  var signIn: SignInRule { get }

  /// What counts as a good answer. The default takes any 2xx.
  var expectation: ResponseExpectation { get }

  /// When a stored answer lands in place of the server's. The default is ``CachePolicy/none``.
  var cachePolicy: CachePolicy { get }

  /// Tags, version and secrecy of the stored answers, and what a change on the server makes stale. The
  /// default is none of these.
  var cacheTraits: CacheTraits { get }

  /// Whether flights go on when the last reference to the manager is gone. The default is false: they are
  /// cancelled at once. When true they finish, and land nowhere.
  var outlivesRelease: Bool { get }

  /// The child's last word on the parameters: adds what only it knows, renames, converts.
  ///
  /// Called once per load, before validation. The default changes nothing. Throwing refuses the load with
  /// ``APIError/Reason/invalidParameters``.
  func reformParameters(_ parameters: Parameters) throws -> Parameters

  /// Refuses parameters by throwing; nothing is sent then. The default accepts all.
  func validate(parameters: Parameters) throws

  /// Refuses a response by throwing; the load then fails with ``APIError/Reason/invalidResponse``.
  ///
  /// Called after the service's checks and before anybody is told. The default accepts all.
  func validate(response: APIResponse) throws

  /// A body to send as it is (a file, a stream, bytes of a format of its own); the parameters then go into
  /// the URL. Nil, the default, writes the parameters as ``parameterEncoding`` says.
  func body(for parameters: Parameters) throws -> HTTPBody?
}

extension APIManager {
  /// GET.
  public var method: HTTPMethod { .get }
  /// Every load flies.
  public var takeoffPolicy: TakeoffPolicy { .concurrent }
  /// None.
  public var headers: HTTPHeaders { HTTPHeaders() }
  /// As the service says.
  public var parameterEncoding: ParameterEncoding { service.wire.parameterEncoding }
  /// As the service says.
  public var timeouts: HTTPTimeouts { service.wire.timeouts }
  /// As the service says.
  public var retryPolicy: RetryPolicy { service.admission.retryPolicy }
  /// Every load makes its own call.
  public var joinsIdenticalFlights: Bool { false }
  /// Normal.
  public var priority: FlightPriority { .normal }
  /// As the service says.
  public var networkGate: NetworkGate { service.admission.networkGate }
  /// With the credential when there is one.
  public var signIn: SignInRule { .asAvailable }
  /// Any 2xx.
  public var expectation: ResponseExpectation { ResponseExpectation() }
  /// Nothing is stored or looked up.
  public var cachePolicy: CachePolicy { .none }
  /// No tags, version 0, no secret.
  public var cacheTraits: CacheTraits { CacheTraits() }
  /// Flights end with the manager.
  public var outlivesRelease: Bool { false }
  /// Unchanged.
  public func reformParameters(_ parameters: Parameters) throws -> Parameters { parameters }
  /// Accepted.
  public func validate(parameters: Parameters) throws {}
  /// Accepted.
  public func validate(response: APIResponse) throws {}
  /// Made of the parameters.
  public func body(for parameters: Parameters) throws -> HTTPBody? { nil }
}
