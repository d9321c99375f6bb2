#if os(Linux)
  import CAPIKit

  /// Sends requests with libcurl: the default transport on Linux.
  ///
  /// A thread runs the transfers of a transport. Connections, TLS sessions and resolved names are kept and reused. Further
  /// threads, each with connections of its own, are started when they are first needed: for bodies that are files or streams,
  /// for requests with a body over TLS, for event streams and line streams, for FTP, and for sockets; see
  /// `Docs/Connections.md`. Make one transport per configuration and keep it: no transport shares its threads and connections.
  /// It stops when its last reference is released.
  ///
  /// Isolation: may be used from any thread, with many exchanges at once. Redirects, cookies and retries
  /// are handled above it.
  /// - SeeAlso: <https://curl.se/libcurl/c/libcurl-multi.html>
  public final class CurlTransport: ConfiguredTransport, WireTransport, CodingTransport {
    /// The settings of all its requests.
    public let configuration: TransportConfiguration
    /// The value of its configuration.
    public var headers: HTTPHeaders { configuration.headers }
    /// The value of its configuration.
    public var ignoresCaches: Bool { configuration.ignoresCaches }
    /// The value of its configuration.
    public var loadOptions: LoadOptions { configuration.loadOptions }
    /// A digest of the configuration's header fields and client certificate; empty where there are none.
    public let caller: String
    let loops: CurlLoops
    private let isInvalid = AtomicFlag()
    private let observation: any Sendable
    private let limits: CurlLimits
    private let cleartext: CleartextPolicy
    /// The handler of challenges for exchanges that state none.
    private let challenges: ChallengeHandler?
    private let logins: any LoginStore
    private let proxies: ProxyTable
    /// The exchanges that may wait for the application.
    private let runs = ChallengedRuns()

    /// A transport of the standard configuration, made at its first use.
    public static let shared: CurlTransport = {
      do throws(APIError) {
        return try CurlTransport()
      } catch {
        // The standard configuration is valid; this is reached only when the system has no memory or
        // threads left.
        fatalError(error.description)
      }
    }()

    /// Makes a transport and starts its thread.
    ///
    /// Throws ``APIError/Reason/misconfigured`` or ``APIError/Reason/unsupportedCapability`` for a
    /// configuration that the transport cannot honour, and ``APIError/Reason/transportFailed`` when the
    /// system has no memory, descriptors or threads left.
    public convenience init(_ configuration: TransportConfiguration = .standard) throws(APIError) {
      try self.init(configuration, network: .shared)
    }

    /// - Parameter network: The source of changes of the network.
    init(_ configuration: TransportConfiguration, network: NetworkHub) throws(APIError) {
      try Self.initialiseLibrary()
      try configuration.validate(for: Self.supported)
      self.configuration = configuration
      caller = configuration.caller
      cleartext = configuration.cleartextInForce
      limits = CurlLimits(configuration.timeouts)
      challenges = configuration.challenges
      logins = try configuration.loginStore()
      var configuration = configuration
      proxies = try configuration.readProxies()
      let loops = try CurlLoops(configuration)
      self.loops = loops
      let way = Mutex(NetworkWay())
      observation = network.observe { [weak loops] report in
        if way.withLock({ $0.changes(to: report) }) { loops?.networkChanged() }
      }
    }

    deinit {
      runs.stop()
      loops.stop()
      tellInvalid()
    }

    /// Everything but the choice of interfaces, which Linux does not offer. HTTP/2, Brotli and Zstandard
    /// only where libcurl was built with them.
    public var capabilities: TransportCapabilities { Self.supported }

    /// Starts an exchange and returns at once.
    ///
    /// The completion runs on the transport's thread. It runs in a task when a coded body unpacks to more
    /// than 64 KiB and for `file:` and `data:` URLs, and on the calling thread when the exchange cannot be
    /// started or is cancelled before its start.
    public func start(
      _ exchange: HTTPExchange, completion: @escaping Completion
    ) -> any CancellableOperation {
      if LocalSchemes.serves(exchange.request.url) {
        return LocalSchemes.start(exchange, completion: completion)
      }
      if let handler = handler(for: exchange) {
        return Task.respond(completion) { () async throws(APIError) in
          try await self.respond(to: exchange, asking: handler)
        }
      }
      do throws(APIError) {
        let job = try makeJob(exchange, completion: .callback(completion))
        job.start()
        return job
      } catch {
        completion(.failure(error))
        return NoOperation()
      }
    }

    /// Sends one request; the response is parsed and decoded in the caller's task.
    public func send(_ exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
      // Thousands of flights may be suspended here, and each local variable of this function takes memory
      // in each of them. So the work before and after the suspension is in functions of its own.
      if LocalSchemes.serves(exchange.request.url) { return try await LocalSchemes.respond(to: exchange) }
      if let handler = handler(for: exchange) { return try await respond(to: exchange, asking: handler) }
      let job = try makeJob(exchange, completion: .task)
      await land(job)
      return try response(to: job)
    }

    /// Sends a request whose response is collected in memory, up to the default limit.
    public func send(_ request: HTTPRequest) async throws(APIError) -> HTTPResponse {
      if LocalSchemes.serves(request.url) { return try await LocalSchemes.respond(to: request) }
      if challenges != nil { return try await send(HTTPExchange(request)) }
      let job = try makeJob(request)
      await land(job)
      return try response(to: job)
    }

    /// Suspends until the job has ended. Inlined: another async frame would take memory in every flight.
    @inline(__always)
    private func land(_ job: CurlJob) async {
      await withTaskCancellationHandler {
        await withUnsafeContinuation { job.start(resuming: $0) }
      } onCancel: {
        job.cancel()
      }
    }

    /// The handler of an exchange's challenges; nil for FTP, which has no challenges.
    func handler(for exchange: HTTPExchange) -> ChallengeHandler? {
      guard let handler = exchange.challenges ?? challenges else { return nil }
      return CurlFTP.serves(exchange.request.url) ? nil : handler
    }

    /// Makes attempts until every challenge is met or refused.
    @inline(never)
    private func respond(
      to exchange: HTTPExchange, asking handler: ChallengeHandler
    ) async throws(APIError) -> HTTPResponse {
      try await runs.run { () async throws(APIError) in
        try await self.challenged(exchange.request.url, handler).respond(to: exchange) {
          (exchange) async throws(APIError) in
          let job = try self.makeJob(exchange, completion: .task)
          await self.land(job)
          return try self.response(to: job)
        }
      }
    }

    private func challenged(_ url: HTTPURL, _ handler: ChallengeHandler) -> ChallengedExchange {
      ChallengedExchange(
        handler: handler, logins: logins, identity: configuration.tls.identity,
        proxy: proxies.proxy(for: url), timeouts: configuration.timeouts)
    }

    /// Opens connections before the first request, TLS included, and returns when they can be used.
    ///
    /// No request is sent on them. Name, address, proxy, certificate and pins are checked, and a failure is
    /// thrown. With HTTP/2 one connection carries many requests, so only one is opened; requests with a body do
    /// not use it. Neither do bodies that are files or streams, over any version. A server may close an idle connection; the next request then opens another. URLs other than
    /// `http` and `https` fail with ``APIError/Reason/unsupportedScheme``, and servers with TLS 1.3 and without
    /// HTTP/2 with ``APIError/Reason/unsupportedCapability`` from libcurl 8.0.0 on: their session tickets wait
    /// unread, and libcurl closes such a connection instead of using it.
    /// - Parameters:
    ///   - url: The URL of the requests to come, or any other of their host; `http` or `https`.
    ///   - connections: The number of connections to open, in addition to those that are open already; the
    ///     default is 1, the maximum ``ConnectionLimits/perHost``. With less than 1 none is opened.
    public func prewarm(_ url: HTTPURL, connections: Int = 1) async throws(APIError) {
      guard url.scheme == "http" || url.scheme == "https" else {
        throw APIError(.transport, .unsupportedScheme, "\(url.scheme): has no connections to open ahead")
      }
      try cleartext.check(HTTPRequest(url: url))
      guard connections > 0, try await open(url) != .http2 else { return }
      let more = min(connections, configuration.connections.perHost) - 1
      guard more > 0 else { return }
      let outcomes = await withTaskGroup(of: Result<Void, APIError>.self) { group in
        for _ in 0..<more {
          group.addTask {
            do throws(APIError) {
              _ = try await self.open(url)
              return .success(())
            } catch {
              return .failure(error)
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      for outcome in outcomes { try outcome.get() }
    }

    private func open(_ url: HTTPURL) async throws(APIError) -> HTTPVersion {
      let exchange = HTTPExchange(HTTPRequest(method: .head, url: url))
      let open = { @Sendable (exchange: HTTPExchange) async throws(APIError) -> HTTPResponse in
        try await self.open(exchange, on: self.loops.main)
      }
      let opened =
        if let challenges {
          try await runs.run { () async throws(APIError) in
            try await self.challenged(url, challenges).respond(to: exchange, attempt: open)
          }
        } else { try await open(exchange) }
      guard
        CurlSession.reusesUnreadConnections || opened.version == .http2
          || opened.metrics.tlsProtocol?.hasPrefix("TLSv1.3") != true
      else {
        throw APIError(
          .transport, .unsupportedCapability,
          "this libcurl closes a connection over TLS 1.3 without HTTP/2 on which nothing was read")
      }
      return opened.version
    }

    /// Opens a connection and sends nothing on it.
    ///
    /// - Parameter mayReuse: Whether one that is open already will do.
    func open(
      _ exchange: HTTPExchange, on mailbox: CurlMailbox, mayReuse: Bool = false
    ) async throws(APIError) -> HTTPResponse {
      let job = CurlJob(
        exchange, mailbox, limits: limits(of: exchange), completion: .task, opening: mayReuse ? .any : .new)
      await land(job)
      return try job.response()
    }

    /// The request's limits; those it leaves out are the configuration's.
    private func limits(of exchange: HTTPExchange) -> CurlLimits {
      let own = exchange.request.timeouts
      return own == HTTPTimeouts() ? limits : CurlLimits(own.filled(from: configuration.timeouts))
    }

    /// Accepts no new requests, and returns when every attempt under way has ended and the transport is as
    /// after ``shutdown()``.
    ///
    /// Requests sent afterwards fail with ``APIError/Reason/transportStopped``; so do further attempts of loads under
    /// way, for a redirect or a retry. A paused response is waited for until it is read or released. When its task is
    /// cancelled this returns early, and the transport finishes all the same.
    public func finish() async {
      await Task.finishing { [self] in
        // They may need further attempts, which the loops still take.
        await runs.finish()
        await loops.finish()
        tellInvalid()
      }
    }

    /// Ends every transfer with ``APIError/Reason/transportStopped``, closes every connection and ends the
    /// thread; returns when that is done. FTP connections may be closed a little later. Requests sent
    /// afterwards fail at once with the same reason.
    public func shutdown() async {
      runs.stop()
      await loops.shutdown()
      tellInvalid()
    }

    /// Tells once that the transport takes nothing more.
    private func tellInvalid() {
      guard !isInvalid.exchange(true) else { return }
      TransportEnd.tell(self)
    }

    /// The counts of a loop; nil where there is none, and after it has stopped.
    func counts(of kind: CurlLoops.LoopKind = .main) async -> CurlCounts? {
      guard let mailbox = loops.mailboxIfAny(kind) else { return nil }
      return await withUnsafeContinuation { continuation in
        if !mailbox.post(.inspect { continuation.resume(returning: $0) }) {
          continuation.resume(returning: nil)
        }
      }
    }

    package func makeWire(for exchange: HTTPExchange, speaksHTTP: Bool) throws(APIError) -> any Wire {
      try check(exchange)
      guard handler(for: exchange) == nil else {
        throw APIError(unsupported: "asking the application about challenges (challenges) of sockets")
      }
      return CurlWire(exchange, try loops.wires(), speaksHTTP: speaksHTTP)
    }

    @inline(never)
    private func makeJob(_ request: HTTPRequest) throws(APIError) -> CurlJob {
      try makeJob(HTTPExchange(request), completion: .task)
    }

    @inline(never)
    private func makeJob(
      _ exchange: HTTPExchange, completion: CurlJob.Completion
    ) throws(APIError) -> CurlJob {
      do throws(APIError) { return try job(exchange, completion) } catch { throw error.unsent }
    }

    /// Throws ``APIError/Reason/unsupportedCapability`` for what libcurl, or this configuration, cannot do.
    private func check(_ exchange: HTTPExchange) throws(APIError) {
      try Self.supported.check(exchange, cleartext: cleartext)
      // libcurl would connect to the socket, and ignore the address.
      if configuration.unixSocketPath != nil, exchange.request.options.connectTo != nil {
        throw APIError(
          unsupported: "an address to connect to (connectTo) beside a Unix-domain socket (unixSocketPath)")
      }
    }

    private func job(
      _ exchange: HTTPExchange, _ completion: CurlJob.Completion
    ) throws(APIError) -> CurlJob {
      try check(exchange)
      let scheme = exchange.request.url.scheme
      guard scheme == "http" || scheme == "https" || scheme == "ftp" || scheme == "ftps" else {
        throw APIError(
          .transport, .unsupportedScheme,
          "\(scheme): is not served; http, https, ftp, ftps, file and data are")
      }
      let isFTP = CurlFTP.serves(exchange.request.url)
      if isFTP {
        try CurlFTP.check(exchange.request, configuration.tls)
        if exchange.challenges != nil {
          throw APIError(unsupported: "asking the application about challenges of FTP")
        }
      }
      var exchange = exchange
      if exchange.request.options.compressesBody { exchange.request = exchange.request.compressingBody() }
      let source = try Self.source(exchange.request, isAlways: isFTP && exchange.request.method == .put)
      let sink = sink(exchange.destination)
      let job = CurlJob(
        exchange, try loops.mailbox(for: exchange), limits: limits(of: exchange), completion: completion,
        source: source,
        sink: sink,
        maximumDecodedBytes: configuration.maximumDecodedBytes)
      attach(job)
      return job
    }

    /// The response, or the job's error. Parses and decodes in the caller's task.
    @inline(never)
    private func response(to job: CurlJob) throws(APIError) -> HTTPResponse { try job.response() }

    private static let supported: TransportCapabilities = {
      let all: TransportCapabilities = [
        .http2, .fileUpload, .streamUpload, .fileDownload, .streamDownload, .progress, .connectTimeout,
        .idleTimeout, .totalTimeout, .pinning, .customTrust, .clientIdentity,
        .minimumTLS, .connectTo,
        .proxy, .login, .metrics, .unixSocket, .ftp, .connectionLimits, .headInspection, .insecureTLS,
        .prewarming, .versionChoice, .gzip, .suspension, .challenges, .dnsOverHTTPS, .expectContinue,
        .startTLS,
      ]
      var coded = all
      if !CurlSession.speaksHTTP2 { coded.remove(.http2) }
      if CurlCodingLibraries.brotli != nil { coded.insert(.brotli) }
      if CurlCodingLibraries.zstandard != nil { coded.insert(.zstd) }
      return coded
    }()

    private static func initialiseLibrary() throws(APIError) {
      guard libraryCode == CURLE_OK else { throw CurlErrors.option("curl_global_init", libraryCode) }
    }

    private static let libraryCode = curl_global_init(Int(CURL_GLOBAL_SSL | CURL_GLOBAL_WIN32))
  }
#endif
