#if os(Linux)
  import CAPIKit
  import Glibc

  /// The thread that owns libcurl: it takes jobs from the mailbox, drives their transfers and lands them.
  ///
  /// Made on the thread of the transport's initialiser, then handed over whole; from ``start()`` on nobody
  /// but its own thread touches it. It never runs a caller's code except the callbacks of an exchange, never
  /// decodes a body, and never waits for anything but its sockets.
  final class CurlLoop {
    let mailbox: CurlMailbox
    let poll: CurlPoll
    let multi: UnsafeMutableRawPointer
    /// The time of this turn, in microseconds.
    private(set) var now = CurlClock.now()

    private let session: CurlSession
    private let isForFTP: Bool
    private var queue: CurlQueue
    private var active: [CurlHandle] = []
    private var pool: [CurlHandle] = []
    private var handlesMade = 0
    private var messages: [CurlMailbox.Message] = []
    /// When libcurl wants to be called.
    private var timer = Int64.max
    /// When the first limit may be exceeded; looked at anew then.
    private var nextDeadline = Int64.max
    // See `mayGetMailSoon`.
    private var hasLanded = false
    private var landings = 0
    private var spinCredit = 4
    private var stopped: [UnsafeContinuation<Void, Never>] = []
    private var isStopping = false
    private var isClosed = false
    private var latestTLS: (version: UnsafePointer<CChar>?, cipher: UnsafePointer<CChar>?, text: String)?

    /// How long to look for mail after a landing, in microseconds: about what waking two threads costs.
    private static let spinning: Int64 = 60
    /// How long an FTP transfer may stand still before libcurl is prodded, in milliseconds.
    private static let prodding: Int32 = 20
    /// More idle handles than this are freed; each holds about 17 KB while it has run.
    private static let pooledHandles = 128
    /// How many requests one multiplexing host gets: the streams libcurl puts on one connection are 100.
    private static let multiplexedRequests = 64

    /// - Parameter isForFTP: Whether it carries FTP, which needs to be prodded.
    init(
      _ configuration: TransportConfiguration, mailbox: CurlMailbox, isForFTP: Bool = false
    ) throws(APIError) {
      self.mailbox = mailbox
      self.isForFTP = isForFTP
      session = try CurlSession(configuration)
      poll = try CurlPoll(wakeup: mailbox.wakeup)
      let multiplexed = configuration.versions == .http1Only ? 0 : Self.multiplexedRequests
      queue = CurlQueue(configuration.connections, multiplexedLimit: multiplexed)
      guard let multi = curl_multi_init() else {
        throw APIError(.transport, .transportFailed, "libcurl gave no multi handle; is there memory left?")
      }
      self.multi = multi
      CurlCallbacks.install(on: self)
      let limits = configuration.connections
      if limits.perHost < multiplexed { set(CURLMOPT_MAX_HOST_CONNECTIONS, limits.perHost) }
      if let total = limits.total { set(CURLMOPT_MAX_TOTAL_CONNECTIONS, total) }
      // The first handle proves the options; what libcurl does not take is thrown here.
      pool.append(try makeHandle())
    }

    deinit { if !isClosed { curl_multi_cleanup(multi) } }

    private func set(_ option: CURLMoption, _ value: Int) {
      _ = capikit_curl_multi_set_long(multi, option, value)
    }

    // MARK: The thread

    /// Starts the thread, which keeps the loop alive until it is told to stop.
    func start() throws(APIError) {
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
      pthread_attr_setstacksize(&attributes, 512 << 10)
      defer { pthread_attr_destroy(&attributes) }
      var thread = pthread_t()
      let me = Unmanaged.passRetained(self)
      let code = pthread_create(
        &thread, &attributes,
        { @Sendable pointer in
          capikit_name_thread("apikit-curl")
          guard let pointer else { return nil }
          Unmanaged<CurlLoop>.fromOpaque(pointer).takeRetainedValue().run()
          return nil
        }, me.toOpaque())
      guard code == 0 else {
        me.release()
        throw CurlErrors.system("pthread_create", code)
      }
    }

    private func run() {
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
      while !isStopping {
        now = CurlClock.now()
        readMessages()
        startWaiting()
        if timer <= now { act(CURL_SOCKET_TIMEOUT, 0) }
        checkDeadlines()
        reap()
        wait()
      }
      stop()
    }

    /// Sleeps until a socket, a message or a time calls, and serves the sockets.
    private func wait() {
      if mayGetMailSoon, mailbox.spin(microseconds: Self.spinning) {
        spinCredit = min(spinCredit + 2, 16)
        return
      }
      let next = min(timer, nextDeadline)
      var milliseconds: Int32 = -1
      if next != .max { milliseconds = Int32(clamping: max(0, (next - CurlClock.now() + 999) / 1000)) }
      if isStopping || !mailbox.fallAsleep() { milliseconds = 0 }
      let prods = isForFTP && !active.isEmpty
      if prods, milliseconds < 0 || milliseconds > Self.prodding { milliseconds = Self.prodding }
      var isAwake = false
      poll.wait(milliseconds) { socket, what in
        if !isAwake { wakeUp() }
        isAwake = true
        act(socket, what)
      }
      if !isAwake {
        wakeUp()
        if prods { actOnAll() }
      }
      reap()
    }

    /// Whether the caller of the last landing will probably send its next request at once.
    ///
    /// A caller that awaits one answer after the other posts within some microseconds, and looking for that
    /// costs less than being put to sleep and woken. Bets that fail use up a credit that successes earn; with
    /// none left only every 64th landing tries again.
    private var mayGetMailSoon: Bool {
      guard hasLanded, active.isEmpty else { return false }
      hasLanded = false
      landings &+= 1
      guard spinCredit > 0 || landings % 64 == 0 else { return false }
      if spinCredit > 0 { spinCredit -= 1 }
      return true
    }

    private func wakeUp() {
      mailbox.wakeUp()
      now = CurlClock.now()
    }

    private func act(_ socket: Int32, _ what: Int32) {
      if socket == CURL_SOCKET_TIMEOUT { timer = .max }
      var running: Int32 = 0
      curl_multi_socket_action(multi, socket, what, &running)
    }

    /// Calls libcurl although nothing happened: between two steps of FTP it may wait for nothing at all (7.88,
    /// when the reply to EPSV has come before it was asked for).
    private func actOnAll() {
      var running: Int32 = 0
      capikit_curl_multi_act_on_all(multi, &running)
    }

    /// Called by libcurl: when it wants to be called next, in milliseconds; -1 for never.
    func setTimer(_ milliseconds: Int) {
      timer = milliseconds < 0 ? .max : now &+ Int64(milliseconds) &* 1000
    }

    // MARK: Messages

    private func readMessages() {
      mailbox.take(&messages)
      var hasCancelled = false
      for message in messages {
        switch message {
        case .start(let job):
          queue.append(job)
          nextDeadline = min(nextDeadline, job.limits.deadline(posted: job.posted))
        case .cancel(let job):
          if let handle = handle(of: job) {
            handle.machine.fail(CurlJob.cancelled)
            land(handle, CURLE_ABORTED_BY_CALLBACK)
          }
          hasCancelled = true
        case .resume(let job): handle(of: job)?.resume()
        case .inspect(let answer): answer(counts)
        case .stop(let waiter):
          isStopping = true
          if let waiter { stopped.append(waiter) }
        }
      }
      messages.removeAll(keepingCapacity: messages.count <= 1024)
      if hasCancelled { queue.compact { $0.hasLanded } }
    }

    private func handle(of job: CurlJob) -> CurlHandle? { active.first { $0.job === job } }

    // MARK: Transfers

    private func startWaiting() {
      while let (job, lane) = queue.next() { start(job, lane) }
    }

    private func start(_ job: CurlJob, _ lane: CurlQueue.Lane) {
      do throws(APIError) {
        let handle = if let pooled = pool.popLast() { pooled } else { try makeHandle() }
        handle.begin(job, lane, at: now)
        try add(handle, job)
      } catch {
        job.sink?.fail(error)
        job.source?.close()
        job.land(.failure(error))
        queue.finished(in: lane)
      }
    }

    private func add(_ handle: CurlHandle, _ job: CurlJob) throws(APIError) {
      do throws(APIError) {
        try handle.apply(job)
        let code = curl_multi_add_handle(multi, handle.easy)
        guard code == CURLM_OK else { throw CurlErrors.multi("curl_multi_add_handle", code) }
      } catch {
        // What was set before the failure must not stay for the next request.
        handle.applied.needsReset = true
        recycle(handle)
        throw error
      }
      handle.index = active.count
      active.append(handle)
      watchDeadline(of: handle)
    }

    /// Lands what libcurl has finished, and starts what waited for the places.
    private func reap() {
      var code = CURLE_OK
      while let easy = capikit_curl_multi_done(multi, &code) {
        // `prepare` gave libcurl the handle as its private pointer, and `active` keeps it alive.
        guard let pointer = capikit_curl_get_private(easy) else { continue }
        land(Unmanaged<CurlHandle>.fromOpaque(pointer).takeUnretainedValue(), code)
      }
      startWaiting()
    }

    private func land(_ handle: CurlHandle, _ code: CURLcode) {
      guard let job = handle.job, let lane = handle.lane else { return }
      let outcome = handle.outcome(code)
      handle.reportEnd()
      curl_multi_remove_handle(multi, handle.easy)
      let last = active.removeLast()
      if last !== handle {
        active[handle.index] = last
        last.index = handle.index
      }
      recycle(handle)
      job.land(outcome)
      hasLanded = true
      queue.finished(in: lane)
    }

    private func makeHandle() throws(APIError) -> CurlHandle {
      handlesMade += 1
      return try CurlHandle(session: session, loop: self)
    }

    private func recycle(_ handle: CurlHandle) {
      if handle.recycle(), pool.count < Self.pooledHandles { pool.append(handle) }
    }

    // MARK: Time

    /// Looks again in time after a handle's next limit has become another one.
    func watchDeadline(of handle: CurlHandle) {
      nextDeadline = min(nextDeadline, handle.machine.deadline(isPaused: handle.isPaused))
    }

    /// Fails what has taken too long. Runs when the earliest limit may have passed, so seldom.
    private func checkDeadlines() {
      guard nextDeadline <= now else { return }
      nextDeadline = .max
      for handle in active {
        if let error = handle.machine.overdue(at: now, isPaused: handle.isPaused) {
          handle.machine.fail(error)
        } else {
          nextDeadline = min(nextDeadline, handle.machine.deadline(isPaused: handle.isPaused))
        }
      }
      for handle in active.filter({ $0.machine.failure?.isTimeout == true }) {
        land(handle, CURLE_OPERATION_TIMEDOUT)
      }
      var earliest = nextDeadline
      var hasLanded = false
      queue.forEachWaiting { job in
        let deadline = job.limits.deadline(posted: job.posted)
        if deadline <= now {
          job.land(.failure(job.limits.waitedTooLong))
          hasLanded = true
        } else {
          earliest = min(earliest, deadline)
        }
      }
      if hasLanded { queue.compact { $0.hasLanded } }
      nextDeadline = earliest
    }

    /// A server asked for the client's certificate on the connection of this context.
    func askedForCertificate(_ context: OpaquePointer) {
      active.first { $0.tlsContext == context }?.wasAskedForCertificate = true
    }

    // MARK: The end

    private func stop() {
      while let handle = active.last {
        handle.machine.fail(APIError(.transport, .transportStopped))
        land(handle, CURLE_ABORTED_BY_CALLBACK)
      }
      let unread = mailbox.close()
      let waiting =
        queue.removeAll() + unread.compactMap { if case .start(let job) = $0 { job } else { nil } }
      for job in waiting { job.stop() }
      pool = []
      // Connections are closed before whoever stops the transport goes on. FTP takes leave of its servers by
      // waiting for their replies: nobody waits for that.
      if !isForFTP {
        curl_multi_cleanup(multi)
        isClosed = true
      }
      for case .stop(let waiter?) in unread { stopped.append(waiter) }
      for case .inspect(let answer) in unread { answer(counts) }
      for waiter in stopped { waiter.resume() }
    }

    /// The TLS version and cipher of a connection; mostly the same as the last, so not made anew.
    func tlsProtocol(_ ssl: OpaquePointer) -> String {
      let version = SSL_get_version(ssl)
      let cipher = SSL_CIPHER_get_name(SSL_get_current_cipher(ssl))
      if let latestTLS, latestTLS.version == version, latestTLS.cipher == cipher { return latestTLS.text }
      let words = [version, cipher].compactMap { $0.map { String(cString: $0) } }
      latestTLS = (version, cipher, words.joined(separator: " "))
      return latestTLS?.text ?? ""
    }

    private var counts: CurlCounts {
      CurlCounts(
        active: active.count, waiting: queue.waitingCount, pooledHandles: pool.count,
        handlesMade: handlesMade, openSockets: poll.openSockets)
    }
  }

  /// What a loop holds, for tests that look for leaks.
  struct CurlCounts: Sendable, Equatable {
    var active: Int
    var waiting: Int
    var pooledHandles: Int
    var handlesMade: Int
    var openSockets: Int
  }

  extension APIError {
    fileprivate var isTimeout: Bool {
      reason == .totalTimeout || reason == .idleTimeout || reason == .connectTimeout
    }
  }
#endif
