#if os(Linux)
  import CAPIKit
  import Glibc

  /// One easy handle of libcurl and the state of the transfer in it; reused.
  ///
  /// Options that all requests of the transport share are set once, others for each request
  /// (``apply(_:)``); the handle is reset only after a request with rare options. Used on the loop's thread
  /// only, so that exclusive access needs no check: libcurl's callbacks find it as their user data.
  final class CurlHandle: CurlOptions {
    private(set) var easy: UnsafeMutableRawPointer
    let session: CurlSession
    unowned let loop: CurlLoop

    /// The transfer in it, or an empty one while the handle is in the pool.
    @exclusivity(unchecked) var transfer = Transfer()

    /// One transfer: what is sent, what was received, and its state.
    struct Transfer {
      var job: CurlJob?
      var hostJobs: CurlQueue.HostJobs?
      /// Its index among the loop's active handles.
      var index = -1
      var machine = CurlTransferMachine()
      var started: Int64 = 0
      var isHTTP = true
      var isTLS = false
      /// Whether the connection on which the request was last sent speaks HTTP/2.
      var isMultiplexed = false
      /// libcurl's count of bytes of requests when the request was about to be sent; nil before.
      var bytesBefore: Int?
      /// Whether the connection that libcurl chose cannot be used, and the loop is to start it on a new one.
      var startsAgain = false

      // The response as it arrives.
      var status = 0
      var version = HTTPVersion.other
      var head: [UInt8] = []
      /// The lines behind the body, after an empty one that stands for the status line.
      var trailers: [UInt8] = []
      /// The bytes of all heads and trailers.
      var headBytes = 0
      var body: [UInt8] = []
      var bodyLimit = Int.max
      var contentLength: Int64?
      /// Whether there is a `Content-Encoding` other than `identity`.
      var isCoded = false
      /// Whether a byte of the body has arrived.
      var hasContent = false
      /// The watch over a body in chunks; nil for any other.
      var chunks: Chunks?
      var isHeadOpen = false
      var isHeadDone = false
      /// The metrics of the request that was sent last, and libcurl's sums over those before it.
      var metrics = TransportMetrics()
      var baseline = CurlCounterBaseline()
      /// The local port of its connection; 0 before there is one, and without ports.
      var localPort: Int32 = 0
      /// The TLS context of a new connection made for it; only compared, never dereferenced.
      var tlsContext: OpaquePointer?
      var wasAskedForCertificate = false
      /// The handler that decides about the server in place of libcurl; nil where libcurl does.
      var challengeContext: CurlChallengeContext?

      // Where the bodies come from and go to when they are not bytes in memory, and which side is paused.
      var source: (any CurlSource)?
      var sink: (any CurlSink)?
      var isSendingPaused = false
      var isReceivingPaused = false
      var lastProgress: Int64 = 0
      /// The counts of the last report.
      var told: TransferProgress?
      /// The observer of the phases of the request, and the phases that were noted.
      var phaseObserver: (any PhaseObserver)?
      var phases: RequestPhases = []
      var hasToldPhases = false
      var moved = TransferProgress()
      var meter: TransferMeter?

      /// The bytes that a server sends between the chunks of a body.
      struct Chunks {
        /// Whether bytes of the body arrived since the last look.
        var hasMoved = true
        /// The bytes of the connection when they last had not.
        var received: UInt64?
      }

      /// No transfer.
      init() {}

      init(_ job: CurlJob, _ hostJobs: CurlQueue.HostJobs, at now: Int64) {
        self.job = job
        self.hostJobs = hostJobs
        started = now
        machine = CurlTransferMachine(job.limits, posted: job.began, now: now)
        source = job.source
        sink = job.sink
        bodyLimit = job.bodyLimit
        phaseObserver = job.exchange.phaseObserver
        let scheme = job.exchange.request.url.scheme
        isHTTP = scheme == "http" || scheme == "https"
        isTLS = scheme == "https" || scheme == "ftps"
      }
    }

    /// Phases that were not told yet.
    @exclusivity(unchecked) var untold: [CurlPhase] = []

    // What was set for the previous request, so that nothing is set twice.
    @exclusivity(unchecked) var applied = Applied()
    @exclusivity(unchecked) var lines = CurlHeaderLines()
    private let errorText: UnsafeMutablePointer<CChar>

    /// Options that stay set on a handle until they are changed.
    struct Applied {
      enum Body { case none, noBody, fields, upload }
      var url: String?
      var hasTarget = false
      var body = Body.none
      var customMethod: String?
      /// The address that it connects to in place of the host's.
      var connectTo: CurlConnectTo?
      /// Whether version and waiting are those of TLS.
      var isTLS = false
      /// Whether an option was set that only a reset removes.
      var needsReset = false
      /// Whether it may hold what no reset removes: from 8.8 on libcurl keeps in a handle that the body is to be rewound,
      /// and the next request fails for it.
      var isSpent = false
    }

    init(session: CurlSession, loop: CurlLoop) throws(APIError) {
      guard let easy = curl_easy_init() else {
        throw APIError(.transport, .transportFailed, "libcurl gave no handle; is there memory left?")
      }
      self.easy = easy
      self.session = session
      self.loop = loop
      errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
      errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
      try prepare()
    }

    deinit {
      curl_easy_cleanup(easy)
      errorText.deallocate()
    }

    var isPaused: Bool { transfer.isSendingPaused || transfer.isReceivingPaused }
    var me: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Sets the options that all requests of the session share, on a new or reset handle.
    private func prepare() throws(APIError) {
      applied = Applied()
      try session.prepare(self, owner: me, errorText: errorText, share: session.share)
      try set(CURLOPT_NOPROGRESS, 1)
      try set(CURLOPT_PROTOCOLS_STR, loop.isForFTP ? "ftp,ftps" : "http,https")
      // A signed path is sent as it was signed.
      try set(CURLOPT_PATH_AS_IS, 1)
      try set(CURLOPT_HTTP_CONTENT_DECODING, 0)
      try set(CURLOPT_MAXREDIRS, Self.mostLogins)
      try set(CURLOPT_HTTP_VERSION, session.httpVersion.plain)
      try CurlCallbacks.install(on: self)
      try session.applyProxy(to: self)
    }

    /// Prepares it for the next job; false when that failed and the handle cannot be used any more.
    func recycle() -> Bool {
      transfer = Transfer()
      untold.removeAll(keepingCapacity: true)
      errorText[0] = 0
      guard applied.needsReset || applied.isSpent || !Self.isReusable else { return true }
      if Self.isReusable, !applied.isSpent {
        curl_easy_reset(easy)
      } else {
        guard let fresh = curl_easy_init() else { return false }
        curl_easy_cleanup(easy)
        easy = fresh
      }
      do { try prepare() } catch { return false }
      return true
    }

    /// How often libcurl sends a request again with a login, of server and proxy: it would for as long as they call each
    /// one stale (RFC 7616, 3.3). It counts that as redirects, of which it follows none here.
    private static let mostLogins = 6

    /// From 7.83.0 to 8.0.1 libcurl keeps a dangling pointer to the last header field of the previous
    /// transfer, and dereferences it when the first field line of a response begins with a space (fixed by
    /// cd1c611b24 in 8.1.0). With these versions each transfer gets a new handle.
    static let isReusable = !(0x075300..<0x080100).contains(Int(capikit_curl_version()))

    /// libcurl's text about the last failure.
    var errorMessage: String { String(cString: errorText) }
  }
#endif
