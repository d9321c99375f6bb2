#if os(Linux)
  import CAPIKit
  import Synchronization

  /// Carries requests with libcurl: the default transport on Linux.
  ///
  /// One thread drives all transfers of a transport; it alone calls libcurl. Connections, TLS sessions and names
  /// are kept and used again. Make one transport per configuration and keep it: every transport has its own
  /// thread and connections. When the last reference goes, it stops.
  ///
  /// Isolation: any thread, many at once. Redirects, cookies and retries are the flight's.
  /// - SeeAlso: <https://curl.se/libcurl/c/libcurl-multi.html>
  public final class CurlTransport: HTTPTransport {
    /// What all its requests have in common.
    public let configuration: TransportConfiguration
    private let mailbox: CurlMailbox
    private let limits: CurlLimits
    private let ftp = Mutex(FTPLoop())

    /// libcurl waits for some replies of FTP with its thread, so FTP has a loop of its own from the first such
    /// request on, and HTTP never waits with it.
    private struct FTPLoop {
      var mailbox: CurlMailbox?
      var isStopped = false
    }

    /// The transport of those who need no configuration of their own.
    public static let shared: CurlTransport = {
      do throws(APIError) {
        return try CurlTransport()
      } catch {
        // The standard configuration is valid; only a system without memory or threads comes here.
        preconditionFailure(error.description)
      }
    }()

    /// Makes a transport and starts its thread.
    ///
    /// Throws ``APIError/Reason/misconfigured`` or ``APIError/Reason/unsupportedCapability`` for a
    /// configuration that cannot be honoured.
    public init(_ configuration: TransportConfiguration = .standard) throws(APIError) {
      try Self.initialiseLibrary()
      try configuration.validate(for: Self.supported)
      self.configuration = configuration
      limits = CurlLimits(configuration.timeouts)
      mailbox = try CurlMailbox()
      try CurlLoop(configuration, mailbox: mailbox).start()
    }

    deinit {
      mailbox.post(.stop(nil))
      ftp.withLock { _ = $0.mailbox?.post(.stop(nil)) }
    }

    /// Everything but the choice of interfaces, which Linux has none of.
    public var capabilities: TransportCapabilities { Self.supported }

    /// Starts an exchange. The completion runs on the transport's thread; what is large or coded is decoded on the
    /// cooperative pool before.
    public func start(
      _ exchange: HTTPExchange, completion: @escaping Completion
    ) -> any CancellableOperation {
      if LocalSchemes.serves(exchange.request.url) {
        return LocalSchemes.start(exchange, completion: completion)
      }
      do throws(APIError) {
        let mailbox = try mailbox(for: exchange.request.url)
        let job = try makeJob(exchange, mailbox, completion: .callback(completion))
        job.start()
        return job
      } catch {
        completion(.failure(error))
        return NoOperation()
      }
    }

    /// Sends one request; the response is parsed and decoded on the caller's task.
    public func send(_ exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
      // Little may live across the suspension: thousands of flights wait here, and each local of this function
      // is memory of each of them. So the work before and behind it is in functions of their own.
      if LocalSchemes.serves(exchange.request.url) { return try await LocalSchemes.respond(to: exchange) }
      let job = try makeJob(exchange, try mailbox(for: exchange.request.url), completion: .task)
      await land(job)
      return try response(to: job)
    }

    /// Sends a request whose response is collected in memory, up to the default limit.
    public func send(_ request: HTTPRequest) async throws(APIError) -> HTTPResponse {
      if LocalSchemes.serves(request.url) { return try await LocalSchemes.respond(to: request) }
      let job = try makeJob(request, try mailbox(for: request.url))
      await land(job)
      return try response(to: job)
    }

    /// The way to the loop that serves a URL.
    private func mailbox(for url: HTTPURL) throws(APIError) -> CurlMailbox {
      guard CurlFTP.serves(url) else { return mailbox }
      return try ftp.withLock { ftp throws(APIError) in
        if let mailbox = ftp.mailbox { return mailbox }
        // A stopped mailbox ends what it gets as stopped.
        if ftp.isStopped { return mailbox }
        let mailbox = try CurlMailbox()
        try CurlLoop(configuration, mailbox: mailbox, isForFTP: true).start()
        ftp.mailbox = mailbox
        return mailbox
      }
    }

    /// Suspends until the job is over. Inlined: a level of its own would be memory of every flight.
    @inline(__always)
    private func land(_ job: CurlJob) async {
      await withTaskCancellationHandler {
        await withUnsafeContinuation { job.start(resuming: $0) }
      } onCancel: {
        job.cancel()
      }
    }

    /// Opens connections ahead of the first request, TLS included, and returns when they stand and may be used.
    ///
    /// Nothing of HTTP is sent on them: name, address, proxy, certificate and pins are all dealt with, and what
    /// is wrong with them is thrown. With HTTP/2 one connection carries many requests, and no second is
    /// opened. A server may close a connection that stays silent; the next request then opens another.
    /// - Parameters:
    ///   - url: The URL of the requests to come, or any other of their host; `http` or `https`.
    ///   - connections: How many, beside those that stand already; the default is 1, the most
    ///     ``ConnectionLimits/perHost``.
    public func prewarm(_ url: HTTPURL, connections: Int = 1) async throws(APIError) {
      guard url.scheme == "http" || url.scheme == "https" else {
        throw APIError(.transport, .unsupportedScheme, "\(url.scheme): has no connections to open ahead")
      }
      guard try await open(url) != .http2 else { return }
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
      let job = CurlJob(exchange, mailbox, limits: limits, completion: .task, opensOnly: true)
      await land(job)
      return try job.response().version
    }

    /// Ends every transfer with ``APIError/Reason/transportStopped``, closes every connection and ends the
    /// thread; returns when that is done. Requests sent afterwards fail at once with the same reason.
    public func shutdown() async {
      let ftp = ftp.withLock { ftp in
        ftp.isStopped = true
        return ftp.mailbox
      }
      if let ftp {
        await withUnsafeContinuation { continuation in
          if !ftp.post(.stop(continuation)) { continuation.resume() }
        }
      }
      await withUnsafeContinuation { continuation in
        if !mailbox.post(.stop(continuation)) { continuation.resume() }
      }
    }

    /// What the loop holds; nil after it has stopped.
    func counts() async -> CurlCounts? {
      await withUnsafeContinuation { continuation in
        if !mailbox.post(.inspect { continuation.resume(returning: $0) }) {
          continuation.resume(returning: nil)
        }
      }
    }

    @inline(never)
    private func makeJob(_ request: HTTPRequest, _ mailbox: CurlMailbox) throws(APIError) -> CurlJob {
      try makeJob(HTTPExchange(request), mailbox, completion: .task)
    }

    @inline(never)
    private func makeJob(
      _ exchange: HTTPExchange, _ mailbox: CurlMailbox, completion: CurlJob.Completion
    ) throws(APIError) -> CurlJob {
      try Self.supported.check(exchange)
      let scheme = exchange.request.url.scheme
      guard scheme == "http" || scheme == "https" || scheme == "ftp" || scheme == "ftps" else {
        throw APIError(
          .transport, .unsupportedScheme,
          "\(scheme): is not served; http, https, ftp, ftps, file and data are")
      }
      let isFTP = CurlFTP.serves(exchange.request.url)
      if isFTP { try CurlFTP.check(exchange.request, configuration.tls) }
      var exchange = exchange
      if exchange.request.options.compressesBody { exchange.request = exchange.request.compressingBody() }
      let own = exchange.request.timeouts
      let limits = own == HTTPTimeouts() ? limits : CurlLimits(own.filled(from: configuration.timeouts))
      let source = try Self.source(exchange.request.body, isAlways: isFTP && exchange.request.method == .put)
      let sink = try sink(exchange.destination)
      let job = CurlJob(
        exchange, mailbox, limits: limits, completion: completion, source: source, sink: sink,
        maximumDecodedBytes: configuration.maximumDecodedBytes)
      attach(job)
      return job
    }

    /// What feeds the body; with `isAlways`, even a small or missing one, which libcurl takes for a form else.
    private static func source(_ body: HTTPBody, isAlways: Bool) throws(APIError) -> (any CurlSource)? {
      switch body {
      case .empty: isAlways ? CurlBytesSource([]) : nil
      case .bytes(let bytes):
        bytes.count >= CurlBytesSource.threshold || isAlways ? CurlBytesSource(bytes) : nil
      case .file(let path, let offset): try CurlFileSource(path: path, offset: offset)
      case .stream(let stream): try CurlStreamSource(stream)
      }
    }

    private func sink(_ destination: HTTPExchange.Destination) throws(APIError) -> (any CurlSink)? {
      switch destination {
      case .memory: nil
      case .file(let path, let maximumBytes):
        try CurlFileSink(
          path: path, maximumBytes: maximumBytes, maximumDecodedBytes: configuration.maximumDecodedBytes)
      case .stream: CurlStreamSink(maximumDecodedBytes: configuration.maximumDecodedBytes)
      }
    }

    /// Lets the ends of a job tell the loop that they can go on. They hold the job weakly: it holds them.
    private func attach(_ job: CurlJob) {
      guard job.source != nil || job.sink != nil else { return }
      let resume: @Sendable () -> Void = { [weak job] in
        if let job { job.mailbox.post(.resume(job)) }
      }
      (job.source as? CurlStreamSource)?.attach(resume)
      (job.sink as? CurlStreamSink)?.attach(
        onDrain: resume, onAbandon: { [weak job] in if let job { job.mailbox.post(.cancel(job)) } })
    }

    /// The response, or why there is none. Parses and decodes on the caller's thread.
    @inline(never)
    private func response(to job: CurlJob) throws(APIError) -> HTTPResponse { try job.response() }

    private static let supported: TransportCapabilities = {
      let all: TransportCapabilities = [
        .http2, .fileUpload, .streamUpload, .fileDownload, .streamDownload, .progress, .connectTimeout,
        .idleTimeout, .totalTimeout, .pinning, .customTrust, .clientIdentity,
        .minimumTLS, .connectTo,
        .proxy, .login, .metrics, .unixSocket, .ftp, .connectionLimits, .headInspection, .insecureTLS,
        .prewarming, .versionChoice,
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
