/// The statements of a subclass of ``BaseAPIManager`` about its API: the protocol that every manager adopts.
///
/// An application writes one small class per endpoint, which subclasses the base and adopts this protocol.
/// Only ``EndpointManager/service`` and ``EndpointManager/apiName`` are required; the comment of every other member names
/// its default. The properties are read on the main actor at takeoff, and not again while the load runs. A
/// subclass that does not adopt the protocol has no `load`, and its `init` traps.
@MainActor public protocol APIManager: BaseAPIManager, EndpointManager {
  /// The type that `value(_:)` decodes a response as: a `Decodable` type, stated once as a `typealias` or a
  /// nested type. The default is ``RawData``, which decodes nothing.
  associatedtype Output = RawData

  /// The HTTP method. The default is GET.
  var method: HTTPMethod { get }

  /// What a load does while other loads of this manager are running: debounce, throttle, cancel, queue. The default is
  /// ``TakeoffPolicy/concurrent``.
  var takeoffPolicy: TakeoffPolicy { get }

  /// How the parameters are encoded. The default is the service's encoding.
  var parameterEncoding: ParameterEncoding { get }

  /// The timeouts of each attempt. The default is the service's timeouts.
  var timeouts: HTTPTimeouts { get }

  /// Settings of the loads beyond plain HTTP: the destination of the response's body, a login, an address to connect to
  /// and more. The options of one load replace them. The default is none: those of the service apply.
  var loadOptions: LoadOptions { get }

  /// Whether and how a failed load is retried. The default is the service's policy.
  var retryPolicy: RetryPolicy { get }

  /// Whether a load may share one request with identical running loads. The default is false.
  ///
  /// Loads are identical when they have the same manager type, method, URL, header fields and signed-in
  /// user. Only safe methods without a body are joined, and only flights that do not report progress. Each
  /// load keeps its own deadline, cancellation and landing; the shared request is cancelled when the last
  /// of them is cancelled.
  var joinsIdenticalFlights: Bool { get }

  /// The order in which attempts leave the queue of a host, where the service sets ``HostLimits``, and the priority
  /// that the transport gets (``HTTPRequestOptions/priority``). The default is ``FlightPriority/normal``.
  var priority: FlightPriority { get }

  /// How many attempts begin per interval, instead of the service's rate, which is the default.
  ///
  /// With ``RequestRate/Scope/api`` the loads of this API are counted by themselves, and not in the service's rate.
  var requestRate: RequestRate { get }

  /// Which responses are accepted. The default accepts every 2xx status.
  var expectation: ResponseExpectation { get }

  /// How names are matched and dates read where a response is decoded as a type, by ``Output``, `value(_:as:)` or
  /// `APIResponse.decode(as:)`. The default is ``RawData/DecodingOptions/inherited``: the service's (``WireOptions/decoding``).
  ///
  /// ```swift
  /// let decoding = RawData.DecodingOptions(keys: .snakeCase)
  /// ```
  var decoding: RawData.DecodingOptions { get }

  /// When a stored response is used instead of a request. The default is ``CachePolicy/none``.
  var cachePolicy: CachePolicy { get }

  /// Tags, version and sensitivity of the stored responses, and which tags a load of this manager expires.
  /// By default there are no tags, the version is 0 and nothing is sensitive.
  var cacheTraits: CacheTraits { get }

  /// Changes a response before it is stored. Return nil to store nothing.
  ///
  /// Called on the main actor for each response that ``cachePolicy`` stores, after it has validated and after the
  /// service's ``APIService/willStore(_:of:)``, before interceptors and delegate. A stored response that the server has
  /// confirmed is passed again, as it was stored. The landing is not changed. The default changes nothing.
  func willStore(_ response: StorableResponse) -> StorableResponse?

  /// Whether flights continue after the manager is released. The default is false: they are cancelled at
  /// once. When true they finish, but nothing is delivered; suspended ones are cancelled, for nothing can resume them.
  var outlivesRelease: Bool { get }

  /// Whether loads go into the offline write queue: they are kept on disk until the server has accepted them, also after a
  /// relaunch. The default is false.
  ///
  /// For methods with side effects. The type must be registered with an `Outbox`, or its loads fail with
  /// ``APIError/Reason/misconfigured``. The delegate gets ``APIManagerDelegate/manager(_:didQueue:of:)``, then the landing,
  /// now or after a relaunch. Takeoff and cache policies do not apply, nor do the retry policy, the options of a load and the
  /// service's fallback: the outbox sends it, at least once, over a network that ``EndpointManager/networkGate`` accepts.
  /// Read when an object loads for the first time.
  var isQueued: Bool { get }

  /// The lane (a serial queue) of the loads: those of one lane are sent one after the other, in the order of their creation.
  /// The default is the name of the manager's type; nil sends each by itself. Read only if ``isQueued`` is true.
  var queueLane: String? { get }

  /// Adds parameters that only the subclass has, renames them, or converts their values.
  ///
  /// Called on the main actor once per load, before validation. The default changes nothing. An error
  /// thrown here refuses the load with ``APIError/Reason/invalidParameters``, unless it is an ``APIError``
  /// itself.
  func reformParameters(_ parameters: Parameters) throws -> Parameters

  /// Refuses parameters by throwing; then nothing is sent. The default accepts all.
  ///
  /// Called on the main actor once per load, after ``reformParameters(_:)``.
  func validate(parameters: Parameters) throws

  /// Refuses a response by throwing; the load then fails with ``APIError/Reason/invalidResponse``, unless
  /// the error is an ``APIError`` itself.
  ///
  /// Called on the main actor after the service's checks and before interceptors and delegate, for stored
  /// responses and previews as well. The default accepts all.
  func validate(response: APIResponse) throws

  /// A body to send unchanged (a file, a stream, bytes in a format of its own); the parameters then go into
  /// the URL, in the query style of ``parameterEncoding``. The default, nil, encodes the parameters as
  /// ``parameterEncoding`` says.
  func body(for parameters: Parameters) throws -> HTTPBody?
}

extension APIManager {
  /// GET.
  public var method: HTTPMethod { .get }
  /// Loads do not affect each other.
  public var takeoffPolicy: TakeoffPolicy { .concurrent }
  /// The service's encoding.
  public var parameterEncoding: ParameterEncoding { service.wire.parameterEncoding }
  /// The service's timeouts.
  public var timeouts: HTTPTimeouts { service.wire.timeouts }
  /// None: those of the service apply.
  public var loadOptions: LoadOptions { .none }
  /// The service's policy.
  public var retryPolicy: RetryPolicy { service.admission.retryPolicy }
  /// Every load sends its own request.
  public var joinsIdenticalFlights: Bool { false }
  /// Normal.
  public var priority: FlightPriority { .normal }
  /// The service's rate.
  public var requestRate: RequestRate { service.admission.requestRate }
  /// Every 2xx status.
  public var expectation: ResponseExpectation { ResponseExpectation() }
  /// The service's options.
  public var decoding: RawData.DecodingOptions { .inherited }
  /// Nothing is stored or looked up.
  public var cachePolicy: CachePolicy { .none }
  /// No tags, version 0, not sensitive.
  public var cacheTraits: CacheTraits { CacheTraits() }
  /// Stores the response unchanged.
  public func willStore(_ response: StorableResponse) -> StorableResponse? { response }
  /// Flights are cancelled when the manager is released.
  public var outlivesRelease: Bool { false }
  /// Loads are sent at once.
  public var isQueued: Bool { false }
  /// The name of the type.
  public var queueLane: String? { TypeName.of(type(of: self)) }
  /// Returns the parameters unchanged.
  public func reformParameters(_ parameters: Parameters) throws -> Parameters { parameters }
  /// Accepts all.
  public func validate(parameters: Parameters) throws {}
  /// Accepts all.
  public func validate(response: APIResponse) throws {}
  /// Nil: the body is encoded from the parameters.
  public func body(for parameters: Parameters) throws -> HTTPBody? { nil }
}
