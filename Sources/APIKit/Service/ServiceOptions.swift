/// The identity under which a service's loads are sent: signer, credential and clock; and how its responses prove theirs.
///
/// Keep it in a `let`, because authenticator and clock have state: `let identity = ServiceIdentity(signer:
/// HMACSigner(key: key))`.
public struct ServiceIdentity: Sendable {
  /// Signs each attempt. The default, nil, signs nothing.
  public var signer: (any RequestSigner)? { didSet { mayChangeCaller = Self.mayChangeCaller(signer) } }
  /// Checks the signature of each response, before anything else is done with it. The default, nil, checks none.
  public var verifier: (any ResponseVerifier)? {
    get { boxedVerifier?.value }
    set { boxedVerifier = newValue.map { CopyOnWrite($0) } }
  }
  /// Few services have one, and every load takes a copy of the identity.
  private var boxedVerifier: CopyOnWrite<any ResponseVerifier>?
  /// Keeps the credential of the signed-in user and renews it. Loads carry it, unless their manager is
  /// exempt (``EndpointManager/signIn``). None by default.
  public var authenticator: Authenticator?
  /// The estimated clock of the server, used for signatures and corrected by responses. The default, nil,
  /// uses the device's time.
  public var clock: ServerClock?

  /// Whether the signer may change its ``RequestSigner/caller``: one of the application may, one of the framework does
  /// not.
  private(set) var mayChangeCaller: Bool

  /// Makes an identity; each omitted part is none.
  public init(
    signer: (any RequestSigner)? = nil, verifier: (any ResponseVerifier)? = nil,
    authenticator: Authenticator? = nil,
    clock: ServerClock? = nil
  ) {
    self.signer = signer
    mayChangeCaller = Self.mayChangeCaller(signer)
    boxedVerifier = verifier.map { CopyOnWrite($0) }
    self.authenticator = authenticator
    self.clock = clock
  }

  private static func mayChangeCaller(_ signer: (any RequestSigner)?) -> Bool {
    signer != nil && !(signer is any FixedCallerSigner)
  }
}

/// How a service's requests are sent, and how its bodies are written and read.
public struct WireOptions: Sendable {
  private struct Fields: Sendable {
    var client: CopyOnWrite<HTTPClient>
    var parameterEncoding: ParameterEncoding
    var timeouts: HTTPTimeouts
    var decoders: BodyDecoders
    var cipher: BodyCipher
    var requestIDField: String?
    var loadOptions: LoadOptions
    var trace: TracePolicy
    var decoding: RawData.DecodingOptions
  }

  private var fields: CopyOnWrite<Fields>

  /// The HTTP client: transport, cookies, redirects. The default is ``HTTPClient/shared``; in a test,
  /// one over a `StubTransport`.
  public var client: HTTPClient {
    get { fields.value.client.value }
    _modify { yield &fields.value.client.value }
  }
  /// The same in one word, for the exchange of each attempt.
  var boxedClient: CopyOnWrite<HTTPClient> { fields.value.client }
  /// The encoding of parameters of managers that state none. The default is ``ParameterEncoding/automatic``: in
  /// the query for GET, HEAD and DELETE, as JSON for the others.
  public var parameterEncoding: ParameterEncoding {
    get { fields.value.parameterEncoding }
    _modify { yield &fields.value.parameterEncoding }
  }
  /// The timeouts of managers that state none. The default is that of ``HTTPTimeouts``.
  public var timeouts: HTTPTimeouts {
    get { fields.value.timeouts }
    _modify { yield &fields.value.timeouts }
  }
  /// The decoders of response bodies, by content type. The default is ``BodyDecoders/standard``.
  public var decoders: BodyDecoders {
    get { fields.value.decoders }
    _modify { yield &fields.value.decoders }
  }
  /// Enciphers bodies before they are sent and deciphers received ones. None by default.
  public var cipher: BodyCipher {
    get { fields.value.cipher }
    _modify { yield &fields.value.cipher }
  }

  /// The header field of the request id, e.g. `X-Request-ID`, to compare the server's log and the application's. The
  /// default, nil, sends none.
  ///
  /// The id is ``APICall/requestID``, the same for all attempts of a load, and is in its record. Loads that share a
  /// request have the id of the one that sent it. A field of this name that service or manager set is sent instead.
  public var requestIDField: String? {
    get { fields.value.requestIDField }
    _modify { yield &fields.value.requestIDField }
  }

  /// Options of loads that neither state them nor have them from their manager. The default is none: those of the
  /// transport's configuration apply.
  public var loadOptions: LoadOptions {
    get { fields.value.loadOptions }
    _modify { yield &fields.value.loadOptions }
  }

  /// Whether neither the service nor the transport states options.
  var statesNoOptions: Bool { fields.value.loadOptions.isEmpty && client.configured.isEmpty }

  /// Whether requests have their trace in `traceparent` and `tracestate`. The default is
  /// ``TracePolicy/none``.
  public var trace: TracePolicy {
    get { fields.value.trace }
    _modify { yield &fields.value.trace }
  }

  /// How names are matched and dates read where a response is decoded as a type and the manager does not say. By default
  /// names are matched as they are written, and dates are read in ISO 8601 or as a number.
  public var decoding: RawData.DecodingOptions {
    get { fields.value.decoding }
    _modify { yield &fields.value.decoding }
  }

  /// The defaults.
  static let standard = WireOptions()

  /// Makes options; each omitted one has its default.
  public init(
    client: HTTPClient = .shared, parameterEncoding: ParameterEncoding = .automatic,
    timeouts: HTTPTimeouts = HTTPTimeouts(), decoders: BodyDecoders = .standard, cipher: BodyCipher = .none,
    requestIDField: String? = nil, loadOptions: LoadOptions = .none,
    trace: TracePolicy = .none, decoding: RawData.DecodingOptions = .default
  ) {
    fields = CopyOnWrite(
      Fields(
        client: CopyOnWrite(client), parameterEncoding: parameterEncoding, timeouts: timeouts,
        decoders: decoders,
        cipher: cipher, requestIDField: requestIDField, loadOptions: loadOptions, trace: trace,
        decoding: decoding))
  }
}

extension WireOptions {
  /// Merges the options of a load, its manager, the service and the configuration, records those that apply, and changes
  /// the client as they say.
  ///
  /// - Parameters:
  ///   - timeouts: The timeouts of manager and service. Those of the options of service and configuration do not replace them.
  ///   - keepsBody: Whether the maker of the load decides where the response's body goes, so that no option does.
  mutating func applyOptions(
    load: LoadOptions, manager: LoadOptions, timeouts: @autoclosure () -> HTTPTimeouts,
    keepsBody: Bool = false,
    _ recorder: FlightRecorder
  ) -> LoadOptions {
    guard !load.isEmpty || !manager.isEmpty || !statesNoOptions else { return .none }
    var stated = [
      (LoadOptions.Source.load, load), (.manager, manager), (.service, loadOptions),
      (.configuration, client.configured),
    ]
    if keepsBody {
      for index in stated.indices { (stated[index].1.destination, stated[index].1.fileAtHead) = (nil, nil) }
    }
    let (options, applied) = LoadOptions.merging(stated, over: timeouts())
    if !applied.isEmpty { recorder.record(.options(applied)) }
    if options.usesCookies == false { client.cookies = nil }
    if let document = options.cookieDocument { client.cookieDocument = document }
    if let transport = options.binding?.transport { client.transport = transport }
    return options
  }
}

/// A service's own transformation of the bytes of bodies, e.g. encryption. Called off the main actor.
public struct BodyCipher: Sendable {
  /// Transforms the body before it is sent. An ``APIError`` that it throws ends the flight; any other error
  /// ends it with ``APIError/Reason/misconfigured``. Files and streams are not transformed.
  public var encipher: (@Sendable ([UInt8], APICall) throws -> [UInt8])?
  /// Transforms the body received before it is decoded. An error ends the flight with
  /// ``APIError/Reason/undecipherableBody``, unless the status or the content type is refused.
  public var decipher: (@Sendable ([UInt8], APICall) throws -> [UInt8])?

  /// Makes a cipher; an omitted direction changes nothing.
  public init(
    encipher: (@Sendable ([UInt8], APICall) throws -> [UInt8])? = nil,
    decipher: (@Sendable ([UInt8], APICall) throws -> [UInt8])? = nil
  ) {
    self.encipher = encipher
    self.decipher = decipher
  }

  /// Bodies stay as they are.
  public static let none = BodyCipher()
}

/// Where a service's responses are stored, for managers with a cache policy.
public struct CacheOptions: Sendable {
  private struct Fields: Sendable {
    var store: ResponseCache?
    var partition: CachePartition
    var origin: String?
    var volatileParameters: Set<String>
  }

  private var fields: CopyOnWrite<Fields>

  /// The cache that stores responses; nil stores none. The default is ``ResponseCache/shared``, which is in memory only.
  public var store: ResponseCache? {
    get { fields.value.store }
    _modify { yield &fields.value.store }
  }
  /// The user whose responses the cache stores and finds. The default is ``CachePartition/credential``.
  public var partition: CachePartition {
    get { fields.value.partition }
    _modify { yield &fields.value.partition }
  }
  /// The origin in the cache key. The default, nil, is the base URL. A service whose hosts all give the same responses may
  /// state one name for all.
  public var origin: String? {
    get { fields.value.origin }
    _modify { yield &fields.value.origin }
  }
  /// Names of the service's common parameters that change from load to load and do not tell stored responses
  /// apart. The default is `timestamp`, `nonce`, `sign` and `signature`. A load's own parameter of such a name
  /// tells them apart, unless its manager names it in ``CacheTraits/volatileParameters``.
  public var volatileParameters: Set<String> {
    get { fields.value.volatileParameters }
    _modify { yield &fields.value.volatileParameters }
  }

  /// The defaults.
  static let standard = CacheOptions()

  /// Makes options; each omitted one has its default.
  public init(
    store: ResponseCache? = .shared, partition: CachePartition = .credential, origin: String? = nil,
    volatileParameters: Set<String> = CacheTraits.usuallyVolatile
  ) {
    fields = CopyOnWrite(
      Fields(
        store: store, partition: partition, origin: origin, volatileParameters: volatileParameters))
  }
}

/// The user whose stored responses a load may use. Evaluated at takeoff and again when a response is stored.
public struct CachePartition: Sendable {
  /// What the application states; nil where the load itself says on whose behalf it goes.
  let stated: (@Sendable () -> String)?

  /// A digest of everything that a load authenticates with: the authenticator's credential (its refresh token, or
  /// else its access token), the jar's cookies for the host, the signer's key, the header fields and the client
  /// certificate of the transport's configuration, and secret fields of service and manager, such as
  /// `Authorization`.
  ///
  /// Users do not see each other's responses; after a sign-in with new tokens or cookies the old responses are not
  /// found. Loads without any of these share one partition. A load with a signer that does not state its
  /// ``RequestSigner/caller`` stores and finds nothing.
  public static let credential = CachePartition(stated: nil)
  /// One partition for all users: for responses that are the same for everybody.
  public static let shared = CachePartition { "" }
  /// An id of the signed-in user, so that stored responses are found again after the next sign-in.
  public static func user(_ id: @escaping @Sendable () -> String) -> CachePartition {
    CachePartition(stated: id)
  }
}

/// When a service's attempts are sent and retried.
public struct AdmissionOptions: Sendable {
  private struct Fields: Sendable {
    var retryPolicy: RetryPolicy
    var networkGate: NetworkGate
    var network: NetworkMonitor
    var requestRate: RequestRate
    var hostLimits: HostLimits?
    var breaker: BreakerPolicy?
    var hosts: HostPool?
  }

  private var fields: CopyOnWrite<Fields>

  /// The retry policy of managers that state none. The default is
  /// ``RetryPolicy/never``.
  public var retryPolicy: RetryPolicy {
    get { fields.value.retryPolicy }
    _modify { yield &fields.value.retryPolicy }
  }
  /// What loads do while offline, unless the manager states it. The default is ``NetworkGate/fly``.
  public var networkGate: NetworkGate {
    get { fields.value.networkGate }
    _modify { yield &fields.value.networkGate }
  }
  /// The monitor of the network condition. The default is ``NetworkMonitor/shared``.
  public var network: NetworkMonitor {
    get { fields.value.network }
    _modify { yield &fields.value.network }
  }
  /// The rate limit of managers that state none. The default is
  /// ``RequestRate/unlimited``.
  public var requestRate: RequestRate {
    get { fields.value.requestRate }
    _modify { yield &fields.value.requestRate }
  }
  /// How many attempts are on their way to one host at once. The default, nil, leaves it to the transport.
  public var hostLimits: HostLimits? {
    get { fields.value.hostLimits }
    _modify { yield &fields.value.hostLimits }
  }
  /// When loads stop being sent to a server that fails. The default, nil, always sends.
  public var breaker: BreakerPolicy? {
    get { fields.value.breaker }
    _modify { yield &fields.value.breaker }
  }
  /// The servers of the base URL's name, of which loads go to the fastest that works. The default, nil, leaves it to the
  /// system's look-up. Keep the pool in a `let`, because it has state.
  public var hosts: HostPool? {
    get { fields.value.hosts }
    _modify { yield &fields.value.hosts }
  }

  /// The defaults.
  static let standard = AdmissionOptions()

  /// Makes options; each omitted one has its default.
  public init(
    retryPolicy: RetryPolicy = .never, networkGate: NetworkGate = .fly, network: NetworkMonitor = .shared,
    requestRate: RequestRate = .unlimited, hostLimits: HostLimits? = nil, breaker: BreakerPolicy? = nil,
    hosts: HostPool? = nil
  ) {
    fields = CopyOnWrite(
      Fields(
        retryPolicy: retryPolicy, networkGate: networkGate, network: network, requestRate: requestRate,
        hostLimits: hostLimits, breaker: breaker, hosts: hosts))
  }
}
