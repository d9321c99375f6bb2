import APIKit

/// What carries the requests of transfers in place of the services' transports, also while the process is suspended.
protocol TransferCarrier: Sendable {
  /// What it was made with.
  var options: BackgroundSessionOptions { get }
  /// Why it carries nothing; nil where it does.
  var fault: APIError? { get }
  /// Takes up what earlier launches have left. Called when the queue starts, maybe more than once.
  func open()
  /// Begins an exchange, or takes over the one of this name that an earlier launch has begun.
  func start(_ carried: CarriedExchange, completion: @escaping HTTPTransport.Completion)
  func cancel(_ name: String)
  /// Only transfers with these keys are in the queue; what is left of others is ended.
  func keepOnly(_ keys: Set<String>)
  /// The transfer with this key was given up.
  func forget(_ key: String)
  /// As many transfers are under way, and the queue has taken all that it can for the moment.
  func settled(underWay count: Int)
  /// A handler that is called once, when all that has ended is worked off.
  @MainActor func take(handler: @escaping @MainActor () -> Void)
}

/// A request that a ``TransferCarrier`` sends.
struct CarriedExchange: Sendable {
  /// The same in each launch; see `HTTPRequest.backgroundName(key:without:)`.
  let name: String
  var exchange: HTTPExchange
  /// What the transport of its service was made with.
  let configuration: TransportConfiguration
}

/// Sends the requests of one transfer by a carrier, as the transport of its service would: with its header fields, under its
/// policies.
struct CarriedTransport: HTTPTransport {
  /// Bodies of files and bytes; a response can be read as a stream once it is complete. `idleTimeout` stands for the system's own
  /// way to notice that nothing comes.
  static let capabilities: TransportCapabilities = [
    .fileUpload, .streamDownload, .progress, .http2, .http3, .idleTimeout, .interfaceControl,
  ]

  private let carrier: any TransferCarrier
  private let base: any HTTPTransport
  private let configuration: TransportConfiguration
  private let key: String
  /// Names of parameters that change from launch to launch.
  private let volatile: Set<String>

  /// - Parameter key: That of the transfer.
  /// - Throws: `APIError.Reason.unsupportedCapability` for the first setting of the service that does not hold with this carrier.
  init(by carrier: any TransferCarrier, for key: String, of service: any APIService) throws(APIError) {
    if let fault = carrier.fault { throw fault }
    let client = service.wire.client
    guard let configuration = client.transport.madeWith else {
      throw BackgroundSetting.refusal(
        of:
          "the transport of \(service.name), \(type(of: client.transport)), which is not made with a TransportConfiguration alone"
      )
    }
    try BackgroundSetting.check(
      BackgroundSetting.Stated(
        configuration: configuration, timeouts: service.wire.timeouts,
        loadOptions: [service.wire.loadOptions, configuration.loadOptions],
        isFollowingRedirects: client.redirects.isFollow, session: carrier.options))
    (self.carrier, base, self.configuration, self.key) = (carrier, client.transport, configuration, key)
    volatile = service.cache.volatileParameters
  }

  var capabilities: TransportCapabilities { Self.capabilities }
  var headers: HTTPHeaders { base.headers }
  var caller: String { base.caller }
  var ignoresCaches: Bool { base.ignoresCaches }
  var loadOptions: LoadOptions { base.loadOptions }

  func start(_ exchange: HTTPExchange, completion: @escaping Completion) -> any CancellableOperation {
    let completion = base.followed(exchange, completion)
    do throws(APIError) {
      let name = exchange.request.backgroundName(key: key, without: volatile)
      let carried = CarriedExchange(
        name: name, exchange: try carried(exchange), configuration: configuration)
      carrier.start(carried, completion: completion)
      return Operation(carrier: carrier, name: name)
    } catch {
      completion(.failure(error.unsent))
      return NoOperation()
    }
  }

  /// Throws where a request to this URL would be refused by the policy for servers without TLS.
  func check(_ url: HTTPURL, cleartext: CleartextPolicy?) throws(APIError) {
    var request = HTTPRequest(url: url)
    request.options.cleartext = cleartext
    try capabilities.check(HTTPExchange(request), cleartext: configuration.cleartext)
  }

  /// The exchange with what the configuration states; throws what the service's transport would throw.
  private func carried(_ exchange: HTTPExchange) throws(APIError) -> HTTPExchange {
    try capabilities.check(exchange, cleartext: configuration.cleartext)
    var exchange = exchange
    guard ["http", "https"].contains(exchange.request.url.scheme) else {
      throw APIError(
        .transport, .unsupportedScheme,
        "a background session serves http and https, not \(exchange.request.url.scheme)")
    }
    guard exchange.request.method != .get || exchange.request.body.isEmpty else {
      throw APIError(unsupported: "a body in a GET request: URLSession refuses it")
    }
    guard !exchange.request.options.compressesBody else {
      throw APIError(unsupported: "compressed bodies in a background session (compressesBody)")
    }
    exchange.request.headers = exchange.headers(over: configuration.headers)
    let interfaces = configuration.interfaces
    var options = exchange.request.options
    options.allowsCellular = options.allowsCellular ?? interfaces.allowsCellular
    options.allowsExpensive = options.allowsExpensive ?? interfaces.allowsExpensive
    options.allowsConstrained = options.allowsConstrained ?? interfaces.allowsConstrained
    options.serviceType = options.serviceType ?? interfaces.serviceType
    exchange.request.options = options
    return exchange
  }

  private struct Operation: CancellableOperation {
    let carrier: any TransferCarrier
    let name: String
    func cancel() { carrier.cancel(name) }
  }
}

extension HTTPRequest {
  /// What tells it from the other requests of its transfer, the same in each launch: the key, a space, and a digest of method,
  /// URL and place, so that nothing of the URL stands in the system's books.
  ///
  /// - Parameter volatile: Names of parameters in the query that do not count, nor do those of secrets: a signature of a later
  ///   launch is another one.
  func backgroundName(key: String, without volatile: Set<String> = []) -> String {
    let query = url.query.map { query in
      query.split(separator: "&", omittingEmptySubsequences: false).filter { pair in
        let name = pair.prefix { $0 != "=" }
        let plain = PercentEncoding.decode(name) ?? String(name)
        return !volatile.contains(plain) && !SecretNames.contains(plain)
      }.joined(separator: "&")
    }
    let place = headers["Upload-Offset"] ?? headers["Range"]
    return "\(key) \(Crypto.digest(of: [method.rawValue, url.origin, url.path, query, place]))"
  }
}
