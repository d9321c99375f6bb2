import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests with Foundation's `URLSession`: the default transport on Apple platforms.
///
/// Built and tested on Linux too, where `CurlTransport` can do more and is many times faster. Redirects,
/// cookies and the cache of `URLSession` are switched off: the layers above handle them for every
/// transport. Time limits are timers of the transport, because the system's have other meanings on each
/// platform. A feature that the platform lacks is not among the ``capabilities-property``.
///
/// Isolation: may be used from any thread, with many exchanges at once.
///
/// It has its own session, or uses a session of the application: `init(session:configuration:)`.
///
/// Known limits: repeated header fields of a response are joined and sorted by name, because the system
/// gives a dictionary. On Linux the environment variables `http_proxy` and `https_proxy` apply whatever
/// ``TransportConfiguration/proxy`` says, the
/// protocol version is not known over TLS (``HTTPVersion/other``), and compressed responses are neither
/// requested nor accepted (``APIError/Reason/undecodableContent``): the system passes truncated ones as
/// complete. A server that closes the connection within its header fields, or sends fields
/// after a chunked body, ends the program on Linux (a trap inside FoundationNetworking): use it there only
/// with servers you trust.
public final class URLSessionTransport: HTTPTransport {
  /// The capabilities on this platform; fewer over a session of the application.
  public let capabilities: TransportCapabilities

  /// The capabilities of this transport on this platform.
  ///
  /// On every platform: uploads and downloads of files, progress, idle and total time limits, head
  /// inspection and a limit of connections per host. On Apple platforms also HTTP/2 and HTTP/3, bodies and responses as
  /// streams, full metrics, interface control, the minimum TLS version, own trust, pinning, client certificates, proxies,
  /// logins, challenges, gzip and Brotli, and beside the capabilities WebSockets
  /// and, over the Network framework, streams of bytes. Streamed downloads are missing on
  /// Linux because resuming a suspended task ends the program there.
  public static let capabilities: TransportCapabilities = {
    #if canImport(FoundationNetworking)
      everywhere
    #else
      onApple
    #endif
  }()

  static let everywhere: TransportCapabilities = [
    .fileUpload, .fileDownload, .progress, .idleTimeout, .totalTimeout, .headInspection, .connectionLimits,
  ]
  /// What it can do on Apple's systems.
  static let onApple = everywhere.union([
    .http2, .http3, .streamUpload, .streamDownload, .metrics, .interfaceControl, .minimumTLS, .gzip, .brotli,
    .customTrust, .pinning, .insecureTLS, .clientIdentity, .proxy, .login, .challenges, .suspension,
  ])

  /// The value of its configuration.
  public var headers: HTTPHeaders { configuration.headers }
  /// The value of its configuration.
  public var ignoresCaches: Bool { configuration.ignoresCaches }
  /// The value of its configuration.
  public var loadOptions: LoadOptions { configuration.loadOptions }
  /// A digest of the configuration's header fields; empty where there are none.
  public let caller: String
  package let configuration: TransportConfiguration
  let session: URLSession
  let bridge: URLSessionBridge
  let terms: URLSessionAttempt.Terms
  /// Whether the session was given: then the bridge is the delegate of each task, and not of the session.
  let isGiven: Bool
  private let isInvalid = AtomicFlag()
  #if !canImport(FoundationNetworking)
    /// Of changes of the network; nil for a session that it was given.
    private let observation: (any Sendable)?
  #endif

  /// Makes a transport with a session of its own.
  ///
  /// Throws ``APIError/Reason/unsupportedCapability`` naming the first setting that the system's session
  /// cannot honour, or ``APIError/Reason/misconfigured``.
  public init(_ configuration: TransportConfiguration = .standard) throws(APIError) {
    try configuration.validate(for: Self.capabilities)
    let told = try SystemSessionTerms(configuration)
    self.configuration = configuration
    capabilities = Self.capabilities
    isGiven = false
    let faults = TrustFaults()
    terms = URLSessionAttempt.Terms(configuration, faults)
    caller = configuration.caller
    #if canImport(FoundationNetworking)
      bridge = URLSessionBridge()
    #else
      try SystemIdentity.check(configuration.tls.identity)
      let proxy: HTTPProxy? = if case .through(let proxy) = configuration.proxy { proxy } else { nil }
      bridge = URLSessionBridge(
        SystemChallenges(
          trust: try SystemTrust(configuration.tls), identity: configuration.tls.identity,
          proxyLogin: proxy?.login, handler: configuration.challenges, logins: try configuration.loginStore(),
          faults: faults))
    #endif
    let system = URLSessionConfiguration.ephemeral
    system.set(told)
    let queue = OperationQueue()
    queue.name = "APIKit.URLSessionTransport"
    queue.maxConcurrentOperationCount = 1
    session = URLSession(configuration: system, delegate: bridge, delegateQueue: queue)
    #if !canImport(FoundationNetworking)
      let way = Mutex(NetworkWay())
      observation = NetworkHub.shared.observe { [weak session] report in
        // Later requests use new connections.
        if way.withLock({ $0.changes(to: report) }) { session?.flush {} }
      }
    #endif
  }

  /// Makes a transport over a session that it was given.
  ///
  /// - Parameter bridge: The delegate of its tasks.
  init(
    _ session: URLSession, _ bridge: URLSessionBridge, _ configuration: TransportConfiguration,
    _ capabilities: TransportCapabilities
  ) {
    (self.session, self.bridge) = (session, bridge)
    self.configuration = configuration
    self.capabilities = capabilities
    terms = URLSessionAttempt.Terms(configuration, TrustFaults(ofGivenSession: true))
    caller = configuration.caller
    #if !canImport(FoundationNetworking)
      // The connections are the session's.
      observation = nil
    #endif
    isGiven = true
  }

  deinit { shutdown() }

  /// Accepts no new requests, and returns when every attempt under way has ended and the session is invalid. A session
  /// of the application stays as it is.
  ///
  /// Requests sent afterwards fail with ``APIError/Reason/transportStopped``; so do further attempts of loads under
  /// way, for a redirect or a retry. When its task is cancelled this returns early, and the transport finishes all the
  /// same.
  public func finish() async {
    await Task.finishing { [self] in
      await bridge.finish()
      end()
    }
  }

  /// Ends the session: running attempts fail with ``APIError/Reason/transportStopped``, and so do later
  /// ones. A session of the application stays as it is, with its other tasks.
  ///
  /// Releasing the last reference does the same. May be called more than once.
  public func shutdown() {
    for operation in bridge.stop() { operation.fail(APIError(.transport, .transportStopped)) }
    end()
  }

  /// Invalidates a session of its own, and tells once that the transport takes nothing more.
  private func end() {
    #if canImport(FoundationNetworking)
      // What was under way is being cancelled, on the delegate's queue; see `URLSessionAttempt.fail(_:)`.
      if !isGiven { session.finishTasksAndInvalidate() }
    #else
      if !isGiven { session.invalidateAndCancel() }
    #endif
    guard !isInvalid.exchange(true) else { return }
    TransportEnd.tell(self)
  }

  /// Starts an exchange and returns at once; see ``HTTPTransport``.
  public func start(
    _ exchange: HTTPExchange, completion: @escaping Completion
  ) -> any CancellableOperation {
    do throws(APIError) {
      let start = ContinuousClock.now
      try capabilities.check(exchange, cleartext: configuration.cleartextInForce)
      if let handler = exchange.challenges, handler !== configuration.challenges {
        throw APIError(
          unsupported: "a handler of challenges for one exchange: URLSession shares its connections; "
            + "give it to the session")
      }
      var exchange = exchange
      exchange.request = exchange.request.compressingBody()
      let rest = try FileRest(of: &exchange.request)
      if LocalSchemes.serves(exchange.request.url) {
        return LocalSchemes.start(exchange, completion: completion)
      }
      let request = try Self.urlRequest(exchange, configuration)
      let priority = SystemRequestTerms(exchange.request, configuration).priority
      let (ready, body, bridge) = (exchange, exchange.request.body, bridge)
      let attempt = try bridge.add { () throws(APIError) in
        let task = try makeTask(request, body)
        task.priority = priority
        #if !canImport(FoundationNetworking)
          if isGiven { task.delegate = bridge }
        #endif
        return URLSessionAttempt(
          task: task, queue: session.delegateQueue, exchange: ready, terms: terms, start: start
        ) {
          [weak bridge] result in
          // The task may end later; its further callbacks are ignored.
          if case .failure = result { bridge?.forget(task) }
          completion(result)
          withExtendedLifetime(rest) {}
        }
      }
      attempt.begin()
      return attempt
    } catch {
      completion(.failure(error.unsent))
      return NoOperation()
    }
  }

  /// The system's request for an exchange.
  static func urlRequest(
    _ exchange: HTTPExchange, _ configuration: TransportConfiguration
  ) throws(APIError) -> URLRequest {
    let request = exchange.request
    guard ["http", "https"].contains(request.url.scheme) else {
      throw APIError(
        .transport, .unsupportedScheme,
        "URLSessionTransport serves http, https, file and data, not \(request.url.scheme)")
    }
    guard request.method != .get || request.body.isEmpty else {
      throw APIError(unsupported: "a body in a GET request: URLSession refuses it")
    }
    var headers = exchange.headers(over: configuration.headers)
    #if canImport(FoundationNetworking)
      // See ``TransportCapabilities/gzip``: the session would decode what it cannot verify.
      if !headers.contains("Accept-Encoding") { headers.add("Accept-Encoding", "identity") }
    #else
      // The session keeps only what it has decoded.
      if exchange.keepsCodedBody { headers["Accept-Encoding"] = "identity" }
      // The session frames a body of unknown length itself.
      if case .stream(let body) = request.body, let length = body.length {
        headers.add("Content-Length", String(length))
      }
    #endif
    return try bridge(request, headers: headers, terms: SystemRequestTerms(request, configuration))
  }

  private func makeTask(_ request: URLRequest, _ body: HTTPBody) throws(APIError) -> URLSessionTask {
    switch body {
    case .empty: return session.dataTask(with: request)
    case .bytes(let bytes): return session.uploadTask(with: request, from: Data(bytes))
    case .file(let path, _):
      guard FileIdentity(path: path) != nil, FileManager.default.isReadableFile(atPath: path) else {
        throw APIError(.transport, .unreadableBody, "the file \(path) cannot be read")
      }
      return session.uploadTask(with: request, fromFile: URL(fileURLWithPath: path))
    case .stream:
      #if canImport(FoundationNetworking)
        throw APIError(unsupported: "request bodies from a stream (streamUpload)")
      #else
        return session.uploadTask(withStreamedRequest: request)
      #endif
    }
  }

  /// A week in seconds: longer than any attempt, and within the system's range in milliseconds.
  static let systemTimeout: Double = 7 * 86_400
}

extension URLSessionAttempt.Terms {
  init(_ configuration: TransportConfiguration, _ faults: TrustFaults) {
    self.init(
      timeouts: configuration.timeouts, maximumDecodedBytes: configuration.maximumDecodedBytes, faults: faults
    )
  }
}
