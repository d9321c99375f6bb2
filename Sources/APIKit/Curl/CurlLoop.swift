#if os(Linux)
  import CAPIKit
  import Glibc
  import Synchronization

  /// What owns libcurl: it takes jobs from the mailbox, drives their transfers and lands them.
  ///
  /// Made on the thread of the transport's initialiser, then put into the mailbox: from ``start()`` on it is
  /// reached only there, under a lock. Its own thread holds it except while it sleeps. When it sleeps and no
  /// transfer is under way, who brings a job starts it in the thread's place, which spares waking a thread for
  /// it. It never runs a caller's code except the callbacks of an exchange, never decodes a body, and never
  /// waits while it is held.
  ///
  /// `@unchecked Sendable`: see above; nothing of it is used outside the lock once it has started.
  final class CurlLoop: @unchecked Sendable {
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
    /// When the thread looks at the time again by itself.
    private var alarm = Int64.max
    private var hasLanded = false
    private var nearness = CurlNearness()
    private var stopped: [UnsafeContinuation<Void, Never>] = []
    private var isStopping = false
    private var isClosed = false
    /// What the connections speak; see ``CurlTLSNames``.
    var tlsNames = CurlTLSNames()

    /// How long after a landing the thread looks at the time once more, in microseconds: limits that callers
    /// bring along until then need no alarm of their own.
    private static let afterglow: Int64 = 10_000_000
    /// How long who starts a job looks for its answer, in microseconds: about what waking two threads costs.
    private static let patience: Int64 = 100
    private static let hasCores = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1
    /// How long an FTP transfer may stand still before libcurl is prodded, in milliseconds.
    private static let prodding: Int32 = 20
    /// More idle handles than this are freed; each holds about 17 KB while it has run.
    private static let pooledHandles = 128
    /// How many connections wait for their next request, over all hosts, when nothing limits them.
    private static let idleConnections = 256
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
      // By itself libcurl keeps four for each transfer under way: after a burst, next to none.
      set(CURLMOPT_MAXCONNECTS, limits.total ?? max(Self.idleConnections, limits.perHost))
      // The first handle proves the options; what libcurl does not take is thrown here.
      pool.append(try makeHandle())
    }

    deinit { if !isClosed { curl_multi_cleanup(multi) } }

    private func set(_ option: CURLMoption, _ value: Int) {
      _ = capikit_curl_multi_set_long(multi, option, value)
    }

    // MARK: The thread

    /// Puts the loop into its mailbox and starts the thread, which keeps both alive until it is told to stop.
    func start() throws(APIError) {
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
      pthread_attr_setstacksize(&attributes, 512 << 10)
      defer { pthread_attr_destroy(&attributes) }
      mailbox.loop.withLock { $0 = self }
      var thread = pthread_t()
      let mailbox = Unmanaged.passRetained(mailbox)
      let code = pthread_create(
        &thread, &attributes,
        { @Sendable pointer in
          capikit_name_thread("apikit-curl")
          guard let pointer else { return nil }
          CurlLoop.run(Unmanaged<CurlMailbox>.fromOpaque(pointer).takeRetainedValue())
          return nil
        }, mailbox.toOpaque())
      guard code == 0 else {
        mailbox.release()
        self.mailbox.loop.withLock { $0 = nil }
        throw CurlErrors.system("pthread_create", code)
      }
    }

    private static func run(_ mailbox: CurlMailbox) {
      CurlSignals.blockBrokenPipes()
      guard var sleep = mailbox.loop.withLock({ $0?.poll.makeSleep() }) else { return }
      while let milliseconds = mailbox.loop.withLock({ $0?.turn(after: sleep) }) { sleep.wait(milliseconds) }
      // Whoever wants the loop now is told by the mailbox that it is closed.
      let loop = mailbox.loop.withLock { loop in
        defer { loop = nil }
        return loop
      }
      loop?.stop()
    }

    /// Serves the sockets that called, and whatever else can be done without waiting.
    ///
    /// - Returns: How long to sleep then, in milliseconds; nil when the loop is told to stop.
    private func turn(after sleep: CurlPoll.Sleep) -> Int32? {
      mailbox.wakeUp()
      now = CurlClock.now()
      poll.serve(sleep, act)
      if isForFTP, sleep.count == 0, !active.isEmpty { actOnAll() }
      reap()
      readMessages()
      goOn()
      poll.update()
      guard !isStopping else { return nil }
      guard mailbox.fallAsleep(isIdle: isIdle) else { return 0 }
      return timeToSleep()
    }

    private func goOn() {
      startWaiting()
      if timer <= now { act(CURL_SOCKET_TIMEOUT, 0) }
      checkDeadlines()
      reap()
    }

    private func timeToSleep() -> Int32 {
      alarm = min(timer, nextDeadline)
      if hasLanded, active.isEmpty { alarm = min(alarm, now + Self.afterglow) }
      hasLanded = false
      var milliseconds: Int32 = -1
      if alarm != .max { milliseconds = Int32(clamping: max(0, (alarm - CurlClock.now() + 999) / 1000)) }
      let prods = isForFTP && !active.isEmpty
      return prods && UInt32(bitPattern: milliseconds) > UInt32(Self.prodding) ? Self.prodding : milliseconds
    }

    /// Whether a caller may start a job while the loop's own thread sleeps.
    var isIdle: Bool { active.isEmpty && !isForFTP && !isStopping }

    /// Starts a job on the thread that brings it, while the loop's own sleeps over nothing, and lands it there
    /// when the answer is near.
    ///
    /// False when there is something that goes first.
    func startAtOnce(_ job: CurlJob) -> Bool {
      guard active.isEmpty, !isStopping, !mailbox.hasMessages else { return false }
      CurlSignals.sparingBrokenPipes {
        now = CurlClock.now()
        queue.append(job)
        nextDeadline = min(nextDeadline, job.limits.deadline(posted: job.posted))
        goOn()
        if Self.hasCores, active.count == 1, nearness.isWorthALook() { lookForAnswer() }
        poll.update()
      }
      if min(timer, nextDeadline) < alarm { mailbox.interruptSleep() }
      return true
    }

    /// Looks for the answer for a moment, unless somebody else has mail. What does not come is left to the thread.
    private func lookForAnswer() {
      guard let socket = poll.takeOver() else { return }
      let end = now + Self.patience
      while !active.isEmpty, !mailbox.hasMessages {
        if poll.isReadable(socket) {
          now = CurlClock.now()
          act(socket, CURL_CSELECT_IN)
          reap()
        } else if CurlClock.now() >= end {
          break
        } else {
          capikit_relax()
        }
      }
      nearness.looked(found: active.isEmpty)
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
      guard !messages.isEmpty else { return }
      // Read behind the last posting, or a job would seem to have started before it was posted.
      now = CurlClock.now()
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
      now = CurlClock.now()
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

    private var counts: CurlCounts {
      CurlCounts(
        active: active.count, waiting: queue.waitingCount, pooledHandles: pool.count,
        handlesMade: handlesMade, openSockets: poll.openSockets)
    }
  }

  extension APIError {
    fileprivate var isTimeout: Bool {
      reason == .totalTimeout || reason == .idleTimeout || reason == .connectTimeout
    }
  }
#endif
