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
  /// What carries the requests: transport, cookies, redirects. The default is ``HTTPClient/shared``; in a test,
  /// one over a `StubTransport`.
  public var client: HTTPClient
  /// How parameters are written where the manager does not say. The default is ``ParameterEncoding/automatic``: in
  /// the query for GET, HEAD and DELETE, as JSON for the others.
  public var parameterEncoding: ParameterEncoding
  /// Limits in time where the manager does not say. The default is that of ``HTTPTimeouts``.
  public var timeouts: HTTPTimeouts
  /// What reads bodies, by content type. The default is ``BodyDecoders/standard``.
  public var decoders: BodyDecoders
  /// What is done to bodies before they are sent and after they were received. None by default.
  public var cipher: BodyCipher

  /// Makes options; what is left out has its default.
  public init(
    client: HTTPClient = .shared, parameterEncoding: ParameterEncoding = .automatic,
    timeouts: HTTPTimeouts = HTTPTimeouts(), decoders: BodyDecoders = .standard, cipher: BodyCipher = .none
  ) {
    self.client = client
    self.parameterEncoding = parameterEncoding
    self.timeouts = timeouts
    self.decoders = decoders
    self.cipher = cipher
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
  /// Where responses are kept; nil keeps none. The default is ``ResponseCache/shared``, which is in memory only.
  public var store: ResponseCache?
  /// Whose responses the cache keeps and finds. The default is ``CachePartition/credential``.
  public var partition: CachePartition
  /// Where responses come from, as far as stored ones are told apart by it. The default, nil, is the base URL; a
  /// service whose hosts all give the same responses may say one name for all.
  public var origin: String?
  /// Names of parameters that change from load to load and do not tell stored responses apart. The default is
  /// `timestamp`, `nonce`, `sign` and `signature`.
  public var volatileParameters: Set<String>

  /// Makes options; what is left out has its default.
  public init(
    store: ResponseCache? = .shared, partition: CachePartition = .credential, origin: String? = nil,
    volatileParameters: Set<String> = CacheTraits.usuallyVolatile
  ) {
    self.store = store
    self.partition = partition
    self.origin = origin
    self.volatileParameters = volatileParameters
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
  /// Whether and how loads that failed are sent again where the manager does not say. The default is
  /// ``RetryPolicy/never``.
  public var retryPolicy: RetryPolicy
  /// What becomes of loads without a network where the manager does not say. The default is ``NetworkGate/fly``.
  public var networkGate: NetworkGate
  /// Who knows the condition of the network. The default is ``NetworkMonitor/shared``.
  public var network: NetworkMonitor
  /// How many attempts are on their way to one host at once. The default, nil, leaves it to the transport.
  public var hostLimits: HostLimits?
  /// When loads stop being sent to a server that fails. The default, nil, always sends.
  public var breaker: BreakerPolicy?

  /// Makes options; what is left out has its default.
  public init(
    retryPolicy: RetryPolicy = .never, networkGate: NetworkGate = .fly, network: NetworkMonitor = .shared,
    hostLimits: HostLimits? = nil, breaker: BreakerPolicy? = nil
  ) {
    self.retryPolicy = retryPolicy
    self.networkGate = networkGate
    self.network = network
    self.hostLimits = hostLimits
    self.breaker = breaker
  }
}
