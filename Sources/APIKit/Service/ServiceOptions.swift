/// Who a service's loads are sent as: what signs them, whose credential they carry, by which clock.
///
/// Keep it in a `let`, for authenticator and clock change:
/// `let identity = ServiceIdentity(signer: HMACSigner(key: key))`.
public struct ServiceIdentity: Sendable {
  /// What signs each attempt. The default, nil, signs nothing.
  public var signer: (any RequestSigner)?
  /// Keeps the credential of the signed-in user and renews it; loads carry it, unless their manager is exempt
  /// (``APIManager/signIn``). None by default.
  public var authenticator: Authenticator?
  /// The server's clock as far as it is known, used for signatures. It learns from responses. The default, nil,
  /// signs with the device's time.
  public var clock: ServerClock?

  /// Makes an identity; what is left out is none.
  public init(
    signer: (any RequestSigner)? = nil, authenticator: Authenticator? = nil, clock: ServerClock? = nil
  ) {
    self.signer = signer
    self.authenticator = authenticator
    self.clock = clock
  }
}

/// How a service's requests travel and its bodies are written and read.
public struct WireOptions: Sendable {
  private struct Fields: Sendable {
    var client: HTTPClient
    var parameterEncoding: ParameterEncoding
    var timeouts: HTTPTimeouts
    var decoders: BodyDecoders
    var cipher: BodyCipher
  }

  private var fields: Boxed<Fields>

  /// What carries the requests: transport, cookies, redirects. The default is ``HTTPClient/shared``; in a test,
  /// one over a `StubTransport`.
  public var client: HTTPClient {
    get { fields.value.client }
    _modify { yield &fields.value.client }
  }
  /// How parameters are written where the manager does not say. The default is ``ParameterEncoding/automatic``: in
  /// the query for GET, HEAD and DELETE, as JSON for the others.
  public var parameterEncoding: ParameterEncoding {
    get { fields.value.parameterEncoding }
    _modify { yield &fields.value.parameterEncoding }
  }
  /// Limits in time where the manager does not say. The default is that of ``HTTPTimeouts``.
  public var timeouts: HTTPTimeouts {
    get { fields.value.timeouts }
    _modify { yield &fields.value.timeouts }
  }
  /// What reads bodies, by content type. The default is ``BodyDecoders/standard``.
  public var decoders: BodyDecoders {
    get { fields.value.decoders }
    _modify { yield &fields.value.decoders }
  }
  /// What is done to bodies before they are sent and after they were received. None by default.
  public var cipher: BodyCipher {
    get { fields.value.cipher }
    _modify { yield &fields.value.cipher }
  }

  /// The defaults.
  static let standard = WireOptions()

  /// Makes options; what is left out has its default.
  public init(
    client: HTTPClient = .shared, parameterEncoding: ParameterEncoding = .automatic,
    timeouts: HTTPTimeouts = HTTPTimeouts(), decoders: BodyDecoders = .standard, cipher: BodyCipher = .none
  ) {
    fields = Boxed(
      Fields(
        client: client, parameterEncoding: parameterEncoding, timeouts: timeouts, decoders: decoders, cipher: cipher))
  }
}

/// A service's own transform of the bytes of bodies, e.g. encryption. Runs off the main actor.
public struct BodyCipher: Sendable {
  /// Turns the body to be sent into what the backend reads. What it throws ends the flight in `assembly`. Files
  /// and streams are sent as they are.
  public var encipher: (@Sendable ([UInt8], APICall) throws -> [UInt8])?
  /// Turns the body received into what the decoders read. What it throws ends the flight with
  /// ``APIError/Reason/undecipherableBody``.
  public var decipher: (@Sendable ([UInt8], APICall) throws -> [UInt8])?

  /// Makes a cipher; a direction that is left out changes nothing.
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

  private var fields: Boxed<Fields>

  /// Where responses are kept; nil keeps none. The default is ``ResponseCache/shared``, which is in memory only.
  public var store: ResponseCache? {
    get { fields.value.store }
    _modify { yield &fields.value.store }
  }
  /// Whose responses the cache keeps and finds. The default is ``CachePartition/credential``.
  public var partition: CachePartition {
    get { fields.value.partition }
    _modify { yield &fields.value.partition }
  }
  /// Where responses come from, as far as stored ones are told apart by it. The default, nil, is the base URL; a
  /// service whose hosts all give the same responses may say one name for all.
  public var origin: String? {
    get { fields.value.origin }
    _modify { yield &fields.value.origin }
  }
  /// Names of parameters that change from load to load and do not tell stored responses apart. The default is
  /// `timestamp`, `nonce`, `sign` and `signature`.
  public var volatileParameters: Set<String> {
    get { fields.value.volatileParameters }
    _modify { yield &fields.value.volatileParameters }
  }

  /// The defaults.
  static let standard = CacheOptions()

  /// Makes options; what is left out has its default.
  public init(
    store: ResponseCache? = .shared, partition: CachePartition = .credential, origin: String? = nil,
    volatileParameters: Set<String> = CacheTraits.usuallyVolatile
  ) {
    fields = Boxed(
      Fields(
        store: store, partition: partition, origin: origin, volatileParameters: volatileParameters))
  }
}

/// Whose stored responses a load may see. Read at takeoff and again when a response is stored.
public struct CachePartition: Sendable {
  let name: @Sendable (Authenticator?) -> String

  /// A digest of the credential of the service's authenticator (of its refresh token, or else of its access token),
  /// so that no user sees another's responses; after a sign-in with new tokens none of the old ones are found.
  /// Without an authenticator all share.
  public static let credential = CachePartition { authenticator in
    guard let credential = authenticator?.credential else { return "" }
    return Hex.encode(Crypto.sha256(Array((credential.refreshToken ?? credential.accessToken).utf8)))
  }
  /// One for all users.
  public static let shared = CachePartition { _ in "" }
  /// An id of the signed-in user, which finds their responses again after the next sign-in.
  public static func user(_ id: @escaping @Sendable () -> String) -> CachePartition {
    CachePartition { _ in id() }
  }
}

/// When a service's attempts may be made, and made again.
public struct AdmissionOptions: Sendable {
  private struct Fields: Sendable {
    var retryPolicy: RetryPolicy
    var networkGate: NetworkGate
    var network: NetworkMonitor
    var hostLimits: HostLimits?
    var breaker: BreakerPolicy?
  }

  private var fields: Boxed<Fields>

  /// Whether and how loads that failed are sent again where the manager does not say. The default is
  /// ``RetryPolicy/never``.
  public var retryPolicy: RetryPolicy {
    get { fields.value.retryPolicy }
    _modify { yield &fields.value.retryPolicy }
  }
  /// What becomes of loads without a network where the manager does not say. The default is ``NetworkGate/fly``.
  public var networkGate: NetworkGate {
    get { fields.value.networkGate }
    _modify { yield &fields.value.networkGate }
  }
  /// Who knows the condition of the network. The default is ``NetworkMonitor/shared``.
  public var network: NetworkMonitor {
    get { fields.value.network }
    _modify { yield &fields.value.network }
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

  /// The defaults.
  static let standard = AdmissionOptions()

  /// Makes options; what is left out has its default.
  public init(
    retryPolicy: RetryPolicy = .never, networkGate: NetworkGate = .fly, network: NetworkMonitor = .shared,
    hostLimits: HostLimits? = nil, breaker: BreakerPolicy? = nil
  ) {
    fields = Boxed(
      Fields(
        retryPolicy: retryPolicy, networkGate: networkGate, network: network, hostLimits: hostLimits, breaker: breaker))
  }
}
