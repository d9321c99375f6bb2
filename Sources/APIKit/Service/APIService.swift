/// One backend: its base URLs, and the rules that all of its APIs share.
///
/// An application writes one type per backend and returns it from the managers of its APIs; several
/// backends can be used side by side. Only ``name`` and ``environments`` are required; the comment of every
/// other member names its default.
///
/// Isolation: the properties are read on the main actor at takeoff; ``name``, ``apiVersion`` and
/// ``businessErrors`` are also read later, on any thread. ``endpoint(of:)``, ``commonParameters(for:)``,
/// ``headers(for:)`` and ``batchPlan(for:)`` must be quick and safe on any thread: they are called while
/// the request is assembled, on the main actor at takeoff or on another thread (after a wait, or for a
/// large body), usually once per load. ``isOutage(_:)`` must be quick too, and runs on the thread on which
/// an attempt has failed. The other hooks run off the main actor. A service is `Sendable`; protect mutable
/// state with a lock. In a test, give a service a `StubTransport` through ``wire``.
public protocol APIService: Sendable {
  /// The name in errors, records and cache keys. It must be unique among the services of the application.
  var name: String { get }

  /// The base URLs, and which of them is in use. Keep it in a `let`, because it holds the current
  /// environment.
  var environments: ServiceEnvironments { get }

  /// The path component between the base URL and the API's name, e.g. `v2`. The default, the empty string,
  /// adds none.
  var apiVersion: String { get }

  /// The signer, authenticator and clock. None by default.
  var identity: ServiceIdentity { get }

  /// The client, encoding, timeouts, decoders and cipher. The default is that of ``WireOptions``.
  var wire: WireOptions { get }

  /// Where responses are stored, and for which users. The default is that of ``CacheOptions``.
  var cache: CacheOptions { get }

  /// The retry policy, network gate, host limits and circuit breaker. The default is that of
  /// ``AdmissionOptions``.
  var admission: AdmissionOptions { get }

  /// How responses report errors in their bodies. The default is ``BusinessErrorRule/none``.
  var businessErrors: BusinessErrorRule { get }

  /// The URL of an API. The default is base URL + version + API name, with placeholders like `{id}`
  /// replaced with the parameters.
  ///
  /// - Returns: The URL without parameters, and the names of the parameters used in its path.
  func endpoint(of call: APICall) throws(APIError) -> Endpoint

  /// Parameters added to every call; a parameter of the call replaces one of the same name. The default is
  /// none.
  func commonParameters(for call: APICall) -> Parameters

  /// Header fields added to every call; fields of the manager replace those of the same name. The default
  /// is none.
  func headers(for call: APICall) -> HTTPHeaders

  /// How loads of this API that each request one item are combined into one call for a list. The default,
  /// nil, combines none.
  func batchPlan(for call: APICall) -> BatchPlan?

  /// Changes a response before it is stored. Return nil to store nothing. The manager's
  /// ``APIManager/willStore(_:)`` is called after it. Called on the main actor, so it must be quick. The default changes
  /// nothing.
  func willStore(_ response: StorableResponse, of call: APICall) -> StorableResponse?

  /// Whether a failure counts as an outage of the server, for the circuit breaker. The default counts 500,
  /// 502, 503 and 504, and every failure of the transport except a cancellation.
  func isOutage(_ error: APIError) -> Bool

  /// Whether the server refused an attempt because of the time in its signature.
  ///
  /// Called when a signed attempt fails with a response whose `Date` differs from the service's clock by
  /// more than 5 seconds. When true, the clock is set to that `Date`, and the attempt is made again once,
  /// in addition to the retry policy. The default returns true for 401 and 403. See
  /// ``ServiceIdentity/clock``.
  func refusesTime(_ error: APIError, of call: APICall) -> Bool

  /// The hook for errors that all APIs of the backend share: signed out, captcha, maintenance.
  ///
  /// Called before a failure lands, unless the load failed before its first attempt. It may run other
  /// managers while the flight waits. If that takes time, return ``ErrorResolution/suspend(for:until:)``,
  /// so that the flight's state is ``FlightState/suspended``. This hook is also called for failures of the
  /// loads that it makes; a cycle ends with ``APIError/Reason/resolutionCycle``, which names the managers.
  ///
  /// A refused sign-in (``Authenticator/Rules/isRefusal``, status 401 without an authenticator, or a failure in
  /// ``APIError/Stage/auth``) is that of all loads of the user: the hook is called once for all that fail with the same
  /// ``APIError/label``, whether they fail while it runs or were sent before it was done, and they share the outcome.
  /// So state ``SignInRule/exempt`` in the managers that sign in.
  /// The default lets the failure land.
  func resolve(_ error: APIError, of call: APICall) async -> ErrorResolution

  /// The response that a load lands with when it cannot be sent, because there is no network, the circuit
  /// breaker is open or the client's own rate refuses it.
  ///
  /// Called when no stored response can be used instead; it may run another manager. The response lands
  /// with ``Provenance/fallback``. The default, nil, lets the failure land. Not called for what has no substitute: downloads,
  /// uploads and what an outbox has kept.
  func fallback(for error: APIError, of call: APICall) async -> APIResponse?
}

extension APIService {
  /// None.
  public var apiVersion: String { "" }
  /// No signer, no authenticator, and the device's clock.
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
  /// Stores the response unchanged.
  public func willStore(_ response: StorableResponse, of call: APICall) -> StorableResponse? { response }
  /// Status 500, 502, 503 or 504, or a failure of the transport except a cancellation.
  public func isOutage(_ error: APIError) -> Bool {
    error.isOutage
  }
  /// Status 401 or 403.
  public func refusesTime(_ error: APIError, of call: APICall) -> Bool {
    error.status == 401 || error.status == 403
  }
  /// Lets the failure land.
  public func resolve(_ error: APIError, of call: APICall) async -> ErrorResolution { .letThrough }
  /// None.
  public func fallback(for error: APIError, of call: APICall) async -> APIResponse? { nil }
}
