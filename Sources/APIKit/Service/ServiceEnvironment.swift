/// One deployment of a backend: development, release candidate, release, or one of the application's own.
public struct ServiceEnvironment: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name, as it appears in keys and records.
  public let name: String

  /// An environment of the application's own.
  public init(_ name: String) { self.name = name }

  /// An environment of the application's own.
  public init(stringLiteral value: String) { name = value }

  /// For development.
  public static let development: Self = "development"
  /// For tests of the next release.
  public static let releaseCandidate: Self = "release-candidate"
  /// For users.
  public static let release: Self = "release"

  /// The name.
  public var description: String { name }
}

/// The base URLs of one backend by environment, and which of them is in use.
///
/// One backend has one of these: keep its service in a `static let shared`, and state that in every manager. If
/// managers use several objects of a service of one name, the record of the first load of each says so, and the process
/// prints it once on its standard error stream.
///
/// May be changed at any time from any thread. Loads that take off later use the new environment;
/// running loads keep theirs. Stored responses of different environments are kept apart.
public final class ServiceEnvironments: Sendable {
  private struct EnvironmentState {
    var current: ServiceEnvironment
    var places: [ServiceEnvironment: Place]
  }

  /// Where an environment is.
  private struct Place {
    var baseURL: HTTPURL?
    var cleartext: CleartextPolicy?
  }

  private let state: Mutex<EnvironmentState>
  /// Whether ``ServiceStore`` knows it as that of its service.
  let isEntered = AtomicFlag()

  /// Makes a table of environments.
  ///
  /// - Parameters:
  ///   - baseURLs: The base URL of each environment; the API's name is appended to its path.
  ///   - current: The environment in use; the default is ``ServiceEnvironment/release``.
  ///   - cleartext: The servers that the loads of an environment may ask without TLS; for others
  ///     ``TransportConfiguration/cleartext`` decides.
  public init(
    _ baseURLs: [ServiceEnvironment: HTTPURL], current: ServiceEnvironment = .release,
    cleartext: [ServiceEnvironment: CleartextPolicy] = [:]
  ) {
    var places = baseURLs.mapValues { Place(baseURL: $0) }
    for (environment, policy) in cleartext { places[environment, default: Place()].cleartext = policy }
    state = Mutex(EnvironmentState(current: current, places: places))
  }

  /// Makes a table with one base URL, for ``ServiceEnvironment/release``, and its policy.
  public convenience init(_ baseURL: HTTPURL, cleartext: CleartextPolicy? = nil) {
    self.init([.release: baseURL], cleartext: cleartext.map { [.release: $0] } ?? [:])
  }

  /// Makes a table with one base URL that is known when the program runs, e.g. from an environment variable or a setting.
  ///
  /// ```swift
  /// let environments = try ServiceEnvironments(ProcessInfo.processInfo.environment["HOMES_URL"] ?? "")
  /// ```
  /// For a server without TLS make the URL first: `try ServiceEnvironments(HTTPURL(text), cleartext: …)`.
  /// - Throws: ``APIError/Reason/invalidURL`` for a text that is no base URL.
  @_disfavoredOverload
  public convenience init(_ baseURL: String) throws(APIError) { self.init(try HTTPURL(baseURL)) }

  /// The environment in use.
  public var current: ServiceEnvironment {
    get { state.withLock { $0.current } }
    set { state.withLock { $0.current = newValue } }
  }

  /// The base URL of an environment; nil when there is none. A change takes effect for later loads.
  public subscript(environment: ServiceEnvironment) -> HTTPURL? {
    get { state.withLock { $0.places[environment]?.baseURL } }
    set { state.withLock { $0.places[environment, default: Place()].baseURL = newValue } }
  }

  /// An environment, its base URL and its policy, read in one step; nil is the one in use.
  package func selection(
    of fixed: ServiceEnvironment? = nil
  ) -> (environment: ServiceEnvironment, baseURL: HTTPURL?, cleartext: CleartextPolicy?) {
    state.withLock { state in
      let environment = fixed ?? state.current
      let place = state.places[environment]
      return (environment, place?.baseURL, place?.cleartext)
    }
  }
}
