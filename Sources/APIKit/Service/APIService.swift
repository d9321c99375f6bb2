/// One backend: where it is, and the habits that all of its APIs share.
///
/// An application writes one type per backend and hands it to the managers of its APIs; several backends
/// live side by side. Only ``name`` and ``environments`` are required; every other member has the default
/// that its comment names. Members are called off the main actor, many at once, so a service is `Sendable`;
/// state that changes belongs behind a lock. In a test, give a service a `StubTransport` through ``client``.
public protocol APIService: Sendable {
  /// The name in errors, records and cache keys. Two services must not share one.
  var name: String { get }

  /// The base URLs and which of them is in use. Keep it in a `let`: it is the switch.
  var environments: ServiceEnvironments { get }

  /// The version put between the base URL and the API's name, e.g. `v2`. The default is none.
  var apiVersion: String? { get }

  /// What carries the requests: transport, cookies, redirects. The default is ``HTTPClient/shared``.
  var client: HTTPClient { get }

  /// What signs each attempt. The default is nothing.
  var signer: (any RequestSigner)? { get }

  /// Keeps the credential of the signed-in user and renews it; loads carry it, unless their manager is exempt
  /// (``APIManager/signIn``). Keep it in a `let`: it changes. The default is none.
  var authenticator: Authenticator? { get }

  /// The server's clock as far as it is known, used for signatures. Keep it in a `let`: it learns. The
  /// default, nil, signs with the device's time.
  var clock: ServerClock? { get }

  /// What reads bodies, by content type. The default is ``BodyDecoders/standard``.
  var decoders: BodyDecoders { get }

  /// How parameters are written where the manager does not say. The default is
  /// ``ParameterEncoding/automatic``: in the query for GET, HEAD and DELETE, as JSON for the others.
  var parameterEncoding: ParameterEncoding { get }

  /// Limits in time where the manager does not say. The default is that of ``HTTPTimeouts``.
  var timeouts: HTTPTimeouts { get }

  /// How loads of this API that ask for one thing each are put together into one call for a list. The
  /// default, nil, lets every load make its own call.
  func batchPlan(for call: APICall) -> BatchPlan?

  /// Whether and how loads that failed are sent again where the manager does not say. The default is
  /// ``RetryPolicy/never``.
  var retryPolicy: RetryPolicy { get }

  /// Where answers are kept for managers with a cache policy; nil keeps none. The default is
  /// ``ResponseCache/shared``, which is in memory only.
  var cache: ResponseCache? { get }

  /// Whose answers the cache keeps and finds: an id of the signed-in user. Read at takeoff.
  ///
  /// The default follows the credential of the ``authenticator``: a digest of its refresh token, or else of its
  /// access token, so that no user sees another's answers; whoever is given new tokens finds none of the old
  /// ones. An id of the user's own finds them again. Without an authenticator all share.
  var cachePartition: String { get }

  /// Where an API's answers come from, as far as stored ones are told apart by it. The default is the base
  /// URL; a service whose hosts all give the same answers may say one name for all.
  func cacheOrigin(of call: APICall) -> String

  /// Names of parameters that change from load to load and do not tell stored answers apart. The default is
  /// `timestamp`, `nonce`, `sign` and `signature`.
  var volatileParameters: Set<String> { get }

  /// What becomes of loads without a network where the manager does not say. The default is
  /// ``NetworkGate/fly``.
  var networkGate: NetworkGate { get }

  /// Who knows the condition of the network. The default is ``NetworkMonitor/shared``.
  var network: NetworkMonitor { get }

  /// How many attempts are on their way to one host at once. The default, nil, leaves it to the transport.
  var hostLimits: HostLimits? { get }

  /// When loads stop being sent to a server that fails. The default, nil, always sends.
  var breaker: BreakerPolicy? { get }

  /// Whether a failure speaks against the server, for the ``breaker``. The default takes 500, 502, 503 and
  /// 504, and every failure on the wire but a cancellation.
  func isOutage(_ error: APIError) -> Bool

  /// What a load lands with when it may not be sent: there is no network, or the ``breaker`` is open.
  ///
  /// Called off the main actor, when no stored answer fits either; may ask another manager. The response
  /// lands with ``Provenance/fallback``. The default, nil, lets the failure land.
  func fallback(for error: APIError, of call: APICall) async -> APIResponse?

  /// Where an API stands. The default is base URL + version + API name, placeholders like `{id}` filled
  /// from the parameters.
  ///
  /// - Returns: The URL without parameters, and the names of those that went into the path.
  func endpoint(of call: APICall) throws(APIError) -> Endpoint

  /// Parameters added to every call; those of the call win. The default is none.
  func commonParameters(for call: APICall) -> Parameters

  /// Header fields added to every call; those of the manager win. The default is none.
  func headers(for call: APICall) -> HTTPHeaders

  /// Turns the body to be sent into what the backend reads, e.g. encrypts it. The default changes nothing.
  /// What it throws ends the flight in `assembly`.
  func encipher(_ body: [UInt8], of call: APICall) throws -> [UInt8]

  /// Turns the body received into what the decoders read, e.g. decrypts it. The default changes nothing.
  /// What it throws ends the flight with ``APIError/Reason/undecipherableBody``.
  func decipher(_ body: [UInt8], of call: APICall) throws -> [UInt8]

  /// The error that an answer reports in its body, if it does: an HTTP 200 that says "error" inside.
  /// The default finds none.
  func businessError(in raw: RawData, of call: APICall) -> BusinessError?

  /// Whether the server refused an attempt because of the time in its signature.
  ///
  /// Asked when an attempt fails with an answer and ``clock`` is there. When true and the answer's `Date` says that the
  /// clock is off, the clock learns, and the attempt is made again once, beyond the retry policy. The default takes
  /// any 401 or 403.
  func refusesTime(_ error: APIError, of call: APICall) -> Bool

  /// The hook for errors that all APIs of the backend share: signed out, captcha, maintenance.
  ///
  /// Called before a failure lands, off the main actor; it may run other managers, and the flight waits. A
  /// hook that needs time returns ``ErrorResolution/suspend(for:until:)``, so that the flight is seen to
  /// wait. Loads that it makes come to this hook too when they fail; a circle ends with
  /// ``APIError/Reason/resolutionCycle`` naming the managers. The default lets the failure through.
  func resolve(_ error: APIError, of call: APICall) async -> ErrorResolution
}

extension APIService {
  /// None.
  public var apiVersion: String? { nil }
  /// The shared client.
  public var client: HTTPClient { .shared }
  /// Nothing is signed.
  public var signer: (any RequestSigner)? { nil }
  /// Nobody signs in.
  public var authenticator: Authenticator? { nil }
  /// The device's time.
  public var clock: ServerClock? { nil }
  /// JSON, property lists and forms.
  public var decoders: BodyDecoders { .standard }
  /// By method.
  public var parameterEncoding: ParameterEncoding { .automatic }
  /// The general limits.
  public var timeouts: HTTPTimeouts { HTTPTimeouts() }
  /// None.
  public func batchPlan(for call: APICall) -> BatchPlan? { nil }
  /// Nothing is sent again.
  public var retryPolicy: RetryPolicy { .never }
  /// The process's cache in memory.
  public var cache: ResponseCache? { .shared }
  /// One for all users.
  public var cachePartition: String {
    guard let credential = authenticator?.credential else { return "" }
    return Hex.encode(Crypto.sha256(Array((credential.refreshToken ?? credential.accessToken).utf8)))
  }
  /// The base URL.
  public func cacheOrigin(of call: APICall) -> String { call.baseURL?.string ?? "" }
  /// What signatures usually add.
  public var volatileParameters: Set<String> { CacheTraits.usuallyVolatile }
  /// Loads fly.
  public var networkGate: NetworkGate { .fly }
  /// The monitor of the process.
  public var network: NetworkMonitor { .shared }
  /// None.
  public var hostLimits: HostLimits? { nil }
  /// None.
  public var breaker: BreakerPolicy? { nil }
  /// A gateway or server error, or a failure on the wire.
  public func isOutage(_ error: APIError) -> Bool {
    if let status = error.evidence?.status ?? error.context.status {
      return [500, 502, 503, 504].contains(status)
    }
    return error.place == .transport && error.reason != .cancelled
  }
  /// None.
  public func fallback(for error: APIError, of call: APICall) async -> APIResponse? { nil }
  /// Base URL, version and API name.
  public func endpoint(of call: APICall) throws(APIError) -> Endpoint { try Endpoint(joining: call) }
  /// None.
  public func commonParameters(for call: APICall) -> Parameters { Parameters() }
  /// None.
  public func headers(for call: APICall) -> HTTPHeaders { HTTPHeaders() }
  /// Nothing is changed.
  public func encipher(_ body: [UInt8], of call: APICall) throws -> [UInt8] { body }
  /// Nothing is changed.
  public func decipher(_ body: [UInt8], of call: APICall) throws -> [UInt8] { body }
  /// None.
  public func businessError(in raw: RawData, of call: APICall) -> BusinessError? { nil }
  /// 401 and 403.
  public func refusesTime(_ error: APIError, of call: APICall) -> Bool {
    error.context.status == 401 || error.context.status == 403
  }
  /// The failure goes through.
  public func resolve(_ error: APIError, of call: APICall) async -> ErrorResolution { .letThrough }
}

/// An error that a backend reports in the body of an answer.
public struct BusinessError: Error, Sendable, Hashable {
  /// The backend's code, as text.
  public var code: String
  /// The backend's message; shown in logs, so it must not hold secrets.
  public var message: String

  /// Makes an error.
  public init(code: String, message: String) {
    self.code = code
    self.message = message
  }
}

/// What a service's common-error hook makes of a failure.
public enum ErrorResolution: Sendable {
  /// The failure lands as it is.
  case letThrough
  /// The failure lands as this one.
  case replace(APIError)
  /// The service has dealt with it: the flight lands as cancelled, with
  /// ``CancellationReason/handledByService``.
  case swallow
  /// The load is sent again. When it fails in the same way (the same ``APIError/label``) the failure lands;
  /// after other failures the hook is asked again, for three replays at most.
  case replay
  /// The flight is suspended, for a reason that its record keeps, until the work is done and says what to
  /// do: run a sign-in, show a captcha, then `.replay`.
  case suspend(for: String, until: @Sendable () async -> ErrorResolution)
}
