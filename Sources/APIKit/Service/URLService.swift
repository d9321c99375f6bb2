/// A backend of which only the base URL is known: for scripts, and for addresses that are known when the program runs.
///
/// ```swift
/// let api = URLService("https://api.example.com/v1")
/// let home = try await api.get("homes/{id}", ["id": 7], as: Home.self)
/// ```
/// An application writes a class for each backend instead; see ``APIService``. Where a program makes several, each needs a
/// ``name`` of its own, which is the host of the URL by default.
public struct URLService: APIService {
  /// The name in errors, records and cache keys. The default is the host.
  public let name: String
  /// The base URL, as that of ``ServiceEnvironment/release``.
  public let environments: ServiceEnvironments
  /// Signer, authenticator and clock. None by default.
  public var identity = ServiceIdentity()
  /// Client, encoding, timeouts and decoders. The default is that of ``WireOptions``.
  public var wire = WireOptions()
  /// Where responses are stored. The default is that of ``CacheOptions``.
  public var cache = CacheOptions()
  /// Retry policy, network gate and limits. The default is that of ``AdmissionOptions``.
  public var admission = AdmissionOptions()
  /// The one URL of the service, with its query; nil where the URL is a base.
  private var whole: HTTPURL?

  /// Makes a service.
  ///
  /// - Parameters:
  ///   - baseURL: The base URL. A name of an API is the path below it.
  ///   - name: The name; nil, the default, takes the host.
  ///   - cleartext: Which servers are asked without TLS; nil, the default, leaves it to
  ///     ``TransportConfiguration/cleartext``.
  public init(_ baseURL: HTTPURL, name: String? = nil, cleartext: CleartextPolicy? = nil) {
    self.name = name ?? baseURL.host
    environments = ServiceEnvironments(baseURL, cleartext: cleartext)
  }

  /// Makes a service for one URL, which is asked as it is whatever the name of the API is.
  package init(whole url: HTTPURL) {
    self.init(url)
    whole = url
  }

  /// Base URL and API name, with placeholders like `{id}` replaced with the parameters.
  public func endpoint(of call: APICall) throws(APIError) -> Endpoint {
    guard let whole else { return try Endpoint(joining: call) }
    return Endpoint(url: whole, apiName: call.apiName)
  }
}
