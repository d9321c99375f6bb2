/// The identity under which a service's loads are sent: signer, credential and clock.
///
/// Keep it in a `let`, because authenticator and clock have state: `let identity = ServiceIdentity(signer:
/// HMACSigner(key: key))`.
public struct ServiceIdentity: Sendable {
  /// Signs each attempt. The default, nil, signs nothing.
  public var signer: (any RequestSigner)?
  /// Keeps the credential of the signed-in user and renews it. Loads carry it, unless their manager is
  /// exempt (``APIManager/signIn``). None by default.
  public var authenticator: Authenticator?
  /// The estimated clock of the server, used for signatures and corrected by responses. The default, nil,
  /// uses the device's time.
  public var clock: ServerClock?

  /// Makes an identity; what is omitted is none.
  public init(
    signer: (any RequestSigner)? = nil, authenticator: Authenticator? = nil, clock: ServerClock? = nil
  ) {
    self.signer = signer
    self.authenticator = authenticator
    self.clock = clock
  }
}

/// How a service's requests are sent, and how its bodies are written and read.
public struct WireOptions: Sendable {
  /// Sends the requests: transport, cookies, redirects. The default is ``HTTPClient/shared``; in a test,
  /// use a client with a `StubTransport`.
  public var client: HTTPClient
  /// How parameters are encoded, unless the manager says otherwise. The default is
  /// ``ParameterEncoding/automatic``: in the query for GET, HEAD and DELETE, as JSON for the others.
  public var parameterEncoding: ParameterEncoding
  /// The timeouts, unless the manager says otherwise. The default is that of ``HTTPTimeouts``.
  public var timeouts: HTTPTimeouts
  /// The decoders of bodies, by content type. The default is ``BodyDecoders/standard``.
  public var decoders: BodyDecoders
  /// Transforms bodies before they are sent and after they are received. None by default.
  public var cipher: BodyCipher

  /// Makes options; what is omitted has its default.
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

/// A service's own transformation of the bytes of bodies, e.g. encryption. Called off the main actor.
public struct BodyCipher: Sendable {
  /// Transforms the body before it is sent. An ``APIError`` that it throws ends the flight; any other error
  /// ends it with ``APIError/Reason/misconfigured``. Files and streams are not transformed.
  public var encipher: (@Sendable ([UInt8], APICall) throws -> [UInt8])?
  /// Transforms the body received before it is decoded. An error ends the flight with
  /// ``APIError/Reason/undecipherableBody``.
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
  /// The cache that stores the responses; nil stores none. The default is ``ResponseCache/shared``, which
  /// is in memory only.
  public var store: ResponseCache?
  /// Whose responses a load stores and finds. The default is ``CachePartition/credential``.
  public var partition: CachePartition
  /// The name of the responses' source in cache keys. The default, nil, is the base URL. A service with
  /// several hosts that return the same responses may use one name for all.
  public var origin: String?
  /// Names of parameters that change from load to load and are not part of cache keys. The default is
  /// `timestamp`, `nonce`, `sign` and `signature`.
  public var volatileParameters: Set<String>

  /// Makes options; what is omitted has its default.
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

/// Whose stored responses a load may use. Evaluated at takeoff and again when a response is stored.
public struct CachePartition: Sendable {
  let name: @Sendable (Authenticator?) -> String

  /// A digest of the authenticator's credential (of its refresh token, or else of its access token).
  ///
  /// Users do not see each other's responses; after a sign-in with new tokens the old responses are not
  /// found. Without an authenticator or credential all loads share one partition.
  public static let credential = CachePartition { authenticator in
    guard let credential = authenticator?.credential else { return "" }
    return Hex.encode(Crypto.sha256(Array((credential.refreshToken ?? credential.accessToken).utf8)))
  }
  /// One partition for all users.
  public static let shared = CachePartition { _ in "" }
  /// An id of the signed-in user, so that stored responses are found again after the next sign-in.
  public static func user(_ id: @escaping @Sendable () -> String) -> CachePartition {
    CachePartition { _ in id() }
  }
}

/// When a service's attempts are sent and retried.
public struct AdmissionOptions: Sendable {
  /// Whether and how failed loads are retried, unless the manager says otherwise. The default is
  /// ``RetryPolicy/never``.
  public var retryPolicy: RetryPolicy
  /// What happens to loads while there is no network, unless the manager says otherwise. The default is
  /// ``NetworkGate/fly``.
  public var networkGate: NetworkGate
  /// The monitor that provides the condition of the network. The default is ``NetworkMonitor/shared``.
  public var network: NetworkMonitor
  /// The number of attempts in flight to one host. The default, nil, leaves it to the transport.
  public var hostLimits: HostLimits?
  /// When loads are no longer sent to a failing server. The default, nil, always sends.
  public var breaker: BreakerPolicy?

  /// Makes options; what is omitted has its default.
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
