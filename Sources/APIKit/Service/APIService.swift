/// One backend: where it is, and the habits that all of its APIs share.
///
/// An application writes one type per backend and hands it to the managers of its APIs; several backends
/// live side by side. Only ``name`` and ``environments`` are required; every other member has the default
/// that its comment names.
///
/// Isolation: the values are read, and ``endpoint(of:)``, ``commonParameters(for:)``, ``headers(for:)`` and
/// ``batchPlan(for:)`` called, where a load takes off: on the main actor, once a load, so they must be quick. The
/// hooks for failures run off it. A service is `Sendable`; state that changes belongs behind a lock. In a test, give
/// a service a `StubTransport` through ``wire``.
public protocol APIService: Sendable {
  /// The name in errors, records and cache keys. Two services must not share one.
  var name: String { get }

  /// The base URLs and which of them is in use. Keep it in a `let`: it is the switch.
  var environments: ServiceEnvironments { get }

  /// The version put between the base URL and the API's name, e.g. `v2`. The default is none, the empty text.
  var apiVersion: String { get }

  /// Signer, authenticator and clock. None by default.
  var identity: ServiceIdentity { get }

  /// Client, encoding, limits in time, decoders, cipher. The default is that of ``WireOptions``.
  var wire: WireOptions { get }

  /// Where responses are stored and for whom. The default is that of ``CacheOptions``.
  var cache: CacheOptions { get }

  /// Retry, network gate, host limits, circuit breaker. The default is that of ``AdmissionOptions``.
  var admission: AdmissionOptions { get }

  /// How responses report errors inside. The default is ``BusinessErrorRule/none``.
  var businessErrors: BusinessErrorRule { get }

  /// Where an API stands. The default is base URL + version + API name, placeholders like `{id}` filled
  /// from the parameters.
  ///
  /// - Returns: The URL without parameters, and the names of those that went into the path.
  func endpoint(of call: APICall) throws(APIError) -> Endpoint

  /// Parameters added to every call; those of the call win. The default is none.
  func commonParameters(for call: APICall) -> Parameters

  /// Header fields added to every call; those of the manager win. The default is none.
  func headers(for call: APICall) -> HTTPHeaders

  /// How loads of this API that ask for one thing each are put together into one call for a list. The
  /// default, nil, lets every load make its own call.
  func batchPlan(for call: APICall) -> BatchPlan?

  /// Whether a failure speaks against the server, for the circuit breaker. The default takes 500, 502, 503 and
  /// 504, and every failure on the wire but a cancellation.
  func isOutage(_ error: APIError) -> Bool

  /// Whether the server refused an attempt because of the time in its signature.
  ///
  /// Asked when an attempt fails with a response and there is a clock. When true and the response's `Date` says that
  /// the clock is off, the clock learns, and the attempt is made again once, beyond the retry policy. The default
  /// takes any 401 or 403.
  func refusesTime(_ error: APIError, of call: APICall) -> Bool

  /// The hook for errors that all APIs of the backend share: signed out, captcha, maintenance.
  ///
  /// Called before a failure lands; it may run other managers, and the flight waits. A hook that needs time returns
  /// ``ErrorResolution/suspend(for:until:)``, so that the flight is seen to wait. Loads that it makes come to this
  /// hook too when they fail; a circle ends with ``APIError/Reason/resolutionCycle`` naming the managers. The
  /// default lets the failure through.
  func resolve(_ error: APIError, of call: APICall) async -> ErrorResolution

  /// What a load lands with when it may not be sent: there is no network, or the circuit breaker is open.
  ///
  /// Called when no stored response fits either; may ask another manager. The response lands with
  /// ``Provenance/fallback``. The default, nil, lets the failure land.
  func fallback(for error: APIError, of call: APICall) async -> APIResponse?
}

extension APIService {
  /// None.
  public var apiVersion: String { "" }
  /// Nothing is signed, nobody signs in, the device's time.
  public var identity: ServiceIdentity { ServiceIdentity() }
  /// The shared client; JSON, property lists and forms.
  public var wire: WireOptions { .standard }
  /// The process's cache in memory.
  public var cache: CacheOptions { .standard }
  /// Loads are sent once, at once.
  public var admission: AdmissionOptions { .standard }
  /// None.
  public var businessErrors: BusinessErrorRule { .none }
  /// Base URL, version and API name.
  public func endpoint(of call: APICall) throws(APIError) -> Endpoint { try Endpoint(joining: call) }
  /// None.
  public func commonParameters(for call: APICall) -> Parameters { Parameters() }
  /// None.
  public func headers(for call: APICall) -> HTTPHeaders { HTTPHeaders() }
  /// None.
  public func batchPlan(for call: APICall) -> BatchPlan? { nil }
  /// A gateway or server error, or a failure on the wire.
  public func isOutage(_ error: APIError) -> Bool {
    if let status = error.evidence?.status ?? error.context.status {
      return [500, 502, 503, 504].contains(status)
    }
    return error.place == .transport && error.reason != .cancelled
  }
  /// Any 401 or 403.
  public func refusesTime(_ error: APIError, of call: APICall) -> Bool {
    let status = error.context.status ?? error.evidence?.status
    return status == 401 || status == 403
  }
  /// The failure goes through.
  public func resolve(_ error: APIError, of call: APICall) async -> ErrorResolution { .letThrough }
  /// None.
  public func fallback(for error: APIError, of call: APICall) async -> APIResponse? { nil }
}
