#if os(Linux)
  import CAPIKit
  import Glibc

  /// The owner of libcurl: takes jobs from the mailbox, runs their transfers and ends them.
  ///
  /// At the end of a turn it calls the completions of the transfers that have ended; they may decode a
  /// small body there and must not wait.
  ///
  /// `@unchecked Sendable` as its superclass is.
  final class CurlLoop: CurlEventLoop, @unchecked Sendable {
    let isForFTP: Bool
    private var queue: CurlQueue
    /// Jobs that their caller has suspended before they were started, and since when.
    private var held: [ObjectIdentifier: (job: CurlJob, since: Int64)] = [:]
    /// Those of them that the queue still has until the end of the messages: it is gone through once for all.
    private var leaving: Set<ObjectIdentifier> = []
    private var active: [CurlHandle] = []
    private var pool: [CurlHandle] = []
    private var handlesMade = 0
    /// Whether a message has cancelled a job that may wait.
    private var hasCancelled = false
    /// Jobs that have ended and whose completions were not called yet.
    private var ended: [CurlJob] = []
    /// The memory of the last turn's ended jobs, for those of the next.
    private var spare: [CurlJob] = []
    private var hasEnded = false
    /// Transfers whose chunks arrive, by their sockets.
    private var chunked: [Int32: CurlHandle] = [:]
    /// Whether the loop will be asked to tell phases.
    @exclusivity(unchecked) private var hasAnnouncedPhases = false
    /// The texts for TLS version and cipher of connections.
    var tlsNames = CurlTLSNames()

    /// How long the thread sleeps at most, in microseconds, before it checks the time once more after the
    /// last transfer has ended.
    private static let idleCheck: Int64 = 10_000_000
    /// How many responses are passed to the main actor at once: it works on them while the next are read.
    private static let responsesPerHop = 8
    /// How long an FTP transfer may be without an event before libcurl is called anyway, in milliseconds.
    private static let ftpPollInterval: Int32 = 20
    /// How many idle handles are kept; each takes about 17 KB once it has been used.
    private static let pooledHandles = 128
    /// How many idle connections are kept, over all hosts, when the configuration sets no limit.
    private static let idleConnections = 256
    /// How many requests libcurl gets for one host that multiplexes; it puts at most 100 streams on one
    /// connection.
    private static let multiplexedRequests = 64

    /// - Parameter isForFTP: Whether it carries FTP, for which libcurl is called even without an event.
    init(
      _ configuration: TransportConfiguration, mailbox: CurlMailbox, isForFTP: Bool = false
    ) throws(APIError) {
      self.isForFTP = isForFTP
      let multiplexed = configuration.versions == .http1Only ? 0 : Self.multiplexedRequests
      queue = CurlQueue(configuration.connections, multiplexedLimit: multiplexed)
      try super.init(configuration, mailbox: mailbox)
      let limits = configuration.connections
      if limits.perHost < multiplexed { set(CURLMOPT_MAX_HOST_CONNECTIONS, limits.perHost) }
      if let total = limits.total { set(CURLMOPT_MAX_TOTAL_CONNECTIONS, total) }
      // libcurl's default is four for each running transfer, which leaves almost none after a burst.
      set(CURLMOPT_MAXCONNECTS, limits.total ?? max(Self.idleConnections, limits.perHost))
      // Making the first handle here reports options that libcurl refuses.
      pool.append(try makeHandle())
    }

    private func set(_ option: CURLMoption, _ value: Int) {
      _ = capikit_curl_multi_set_long(multi, option, value)
    }

    // MARK: The thread

    override func turn() -> Bool {
      let woken = poll.wait(mailbox.fallAsleep() ? timeToSleep() : 0)
      mailbox.wakeUp()
      now = CurlClock.now()
      poll.serve(woken) { socket, what in
        act(socket, what)
        if !chunked.isEmpty, let handle = chunked[socket] { handle.checkChunks(on: socket) }
      }
      if isForFTP, woken == 0, !active.isEmpty {
        // Between two steps of FTP libcurl may wait for no event (7.88, when the reply to EPSV has arrived before).
        var running: Int32 = 0
        capikit_curl_multi_act_on_all(multi, &running)
      }
      reap()
      readMessages()
      compact()
      startWaiting()
      if timer <= now { act(CURL_SOCKET_TIMEOUT, 0) }
      checkDeadlines()
      reap()
      poll.update()
      tellEnded()
      if isFinishing, active.isEmpty, queue.waitingCount == 0, held.isEmpty { isStopping = true }
      return !isStopping
    }

    private func timeToSleep() -> Int32 {
      var alarm = min(timer, nextDue)
      if hasEnded, active.isEmpty { alarm = min(alarm, now + Self.idleCheck) }
      hasEnded = false
      let milliseconds = milliseconds(until: alarm)
      let polls = isForFTP && !active.isEmpty
      return polls && UInt32(bitPattern: milliseconds) > UInt32(Self.ftpPollInterval)
        ? Self.ftpPollInterval : milliseconds
    }

    /// Ends a job, unless it has ended; its completion is called at the end of the turn.
    func end(_ job: CurlJob, _ outcome: Result<CurlResponse, APIError>) {
      if job.end(outcome) { ended.append(job) }
    }

    /// Calls the completions, after all sockets were served: the servers work while small bodies are
    /// decoded.
    private func tellEnded() {
      guard !ended.isEmpty else { return }
      hasEnded = true
      var told = spare
      spare = []
      swap(&told, &ended)
      for start in stride(from: 0, to: told.count, by: Self.responsesPerHop) {
        MainDelivery.main.together {
          for job in told[start..<min(start + Self.responsesPerHop, told.count)] { job.complete() }
        }
      }
      told.removeAll(keepingCapacity: told.count <= Self.pooledHandles)
      spare = told
    }

    // MARK: Messages

    override func take(_ message: CurlMailbox.Message) {
      switch message {
      case .start(let job) where isFinishing: job.stop()
      case .start(let job):
        queue.append(job)
        watch(job.due)
      case .cancel(let job):
        if let handle = handle(of: job) { end(handle, with: CurlJob.cancelled) }
        hasCancelled = true
      case .resume(let job): handle(of: job)?.resume()
      case .suspend(let job): suspend(job)
      case .proceed(let job): proceed(job)
      case .tellPhases:
        hasAnnouncedPhases = false
        for handle in active { handle.tellPhases() }
      default: break
      }
    }

    /// Drops waiting jobs that were cancelled or suspended.
    private func compact() {
      guard hasCancelled || !leaving.isEmpty else { return }
      queue.compact { $0.isOver || leaving.contains(ObjectIdentifier($0)) }
      if hasCancelled { held = held.filter { !$0.value.job.isOver } }
      hasCancelled = false
      leaving = []
    }

    /// The network is another one. Transfers under way continue: their limits apply.
    override func leaveNetwork() {
      // libcurl waits for no event of a paused transfer either, nor for one of FTP's control connection.
      guard !isForFTP else { return }
      let paused = active.filter(\.isPaused).flatMap { poll.sockets(at: $0.transfer.localPort) }
      poll.endIdle(except: Set(paused))
    }

    private func handle(of job: CurlJob) -> CurlHandle? { active.first { $0.transfer.job === job } }

    /// Its caller suspends a job: what runs is paused, what waits is kept from being started.
    private func suspend(_ job: CurlJob) {
      if let handle = handle(of: job) { return handle.suspend() }
      let id = ObjectIdentifier(job)
      guard !job.isOver, held[id] == nil else { return }
      held[id] = (job, now)
      leaving.insert(id)
    }

    private func proceed(_ job: CurlJob) {
      if let handle = handle(of: job) { return handle.proceed() }
      let id = ObjectIdentifier(job)
      guard let since = held.removeValue(forKey: id)?.since else { return }
      job.wasHeld(for: now - since)
      if leaving.remove(id) == nil { queue.append(job) }
      watch(job.due)
    }

    // MARK: Transfers

    private func startWaiting() {
      while let (job, hostJobs) = queue.next() {
        job.exchange.onSlot?(false)
        start(job, hostJobs)
      }
    }

    private func start(_ job: CurlJob, _ hostJobs: CurlQueue.HostJobs) {
      do throws(APIError) {
        try job.source?.open()
        try job.sink?.open()
        let handle = if let pooled = pool.popLast() { pooled } else { try makeHandle() }
        handle.transfer = CurlHandle.Transfer(job, hostJobs, at: now)
        try add(handle, job)
      } catch {
        job.sink?.fail(error)
        job.source?.close()
        end(job, .failure(error.unsent))
        queue.finished(in: hostJobs)
      }
    }

    private func add(_ handle: CurlHandle, _ job: CurlJob) throws(APIError) {
      do throws(APIError) {
        try handle.apply(job)
        try addHandle(of: handle)
      } catch {
        // Options that were set before the failure must not apply to the next request.
        handle.applied.needsReset = true
        recycle(handle)
        throw error
      }
      handle.transfer.index = active.count
      active.append(handle)
      watchDeadline(of: handle)
    }

    /// The chunks of a response are about to arrive: a server may send other bytes between them.
    func watchChunks(of handle: CurlHandle) {
      guard handle.transfer.localPort > 0, !handle.transfer.isMultiplexed else { return }
      for socket in poll.sockets(at: handle.transfer.localPort) { chunked[socket] = handle }
    }

    /// Ends a transfer that the loop has found fault with.
    func end(_ handle: CurlHandle, with error: APIError) {
      handle.transfer.machine.fail(error)
      finish(handle, CURLE_ABORTED_BY_CALLBACK)
    }

    /// Ends the transfers that libcurl has finished, and starts jobs that waited for their places.
    private func reap() {
      var code = CURLE_OK
      while let easy = capikit_curl_multi_done(multi, &code) {
        // The private pointer is the handle, which `active` keeps alive.
        guard let pointer = capikit_curl_get_private(easy) else { continue }
        let handle = Unmanaged<CurlHandle>.fromOpaque(pointer).takeUnretainedValue()
        if !startAgain(handle) { finish(handle, code) }
      }
      startWaiting()
    }

    /// Starts a transfer on a new connection when it left the one that libcurl chose; false when it did not.
    private func startAgain(_ handle: CurlHandle) -> Bool {
      guard handle.transfer.startsAgain else { return false }
      curl_multi_remove_handle(multi, handle.easy)
      do throws(APIError) {
        try handle.startAgain()
        try addHandle(of: handle)
      } catch {
        handle.transfer.machine.fail(error)
        return false
      }
      watchDeadline(of: handle)
      return true
    }

    private func finish(_ handle: CurlHandle, _ code: CURLcode) {
      guard let job = handle.transfer.job, let hostJobs = handle.transfer.hostJobs else { return }
      let outcome = handle.outcome(code)
      if handle.transfer.chunks != nil { chunked = chunked.filter { $0.value !== handle } }
      handle.reportEnd()
      if handle.transfer.hasToldPhases { handle.tellPhases() }
      curl_multi_remove_handle(multi, handle.easy)
      let last = active.removeLast()
      if last !== handle {
        active[handle.transfer.index] = last
        last.transfer.index = handle.transfer.index
      }
      recycle(handle)
      end(job, outcome)
      queue.finished(in: hostJobs)
    }

    private func makeHandle() throws(APIError) -> CurlHandle {
      handlesMade += 1
      return try CurlHandle(session: session, loop: self)
    }

    private func recycle(_ handle: CurlHandle) {
      if handle.recycle(), pool.count < Self.pooledHandles { pool.append(handle) }
    }

    // MARK: Time

    /// Makes the loop wake up in time for a handle's next limit, after that has changed.
    func watchDeadline(of handle: CurlHandle) {
      watch(handle.transfer.machine.deadline(isPaused: handle.isPaused))
    }

    /// Fails what has taken too long. Runs only when the earliest limit may have passed.
    private func checkDeadlines() {
      guard nextDue <= now else { return }
      nextDue = .max
      for handle in active {
        if let error = handle.transfer.machine.overdue(at: now, isPaused: handle.isPaused) {
          handle.transfer.machine.fail(error)
        } else {
          watchDeadline(of: handle)
        }
      }
      for handle in active.filter({ $0.transfer.machine.failure?.isTimeout == true }) {
        handle.distrustConnection()
        finish(handle, CURLE_OPERATION_TIMEDOUT)
      }
      var areLate = false
      queue.forEachWaiting { job in
        let deadline = job.due
        if deadline <= now {
          end(job, .failure(job.limits.waitedTooLong(now - job.posted)))
          areLate = true
        } else {
          watch(deadline)
        }
      }
      if areLate { queue.compact { $0.isOver } }
    }

    /// A phase was noted in a handle. The loop sets no timer for it: arming one that expires before all other timers of the
    /// processor costs a request more than its events do.
    func announcePhases(of handle: CurlHandle) {
      guard !hasAnnouncedPhases else { return }
      hasAnnouncedPhases = true
      handle.transfer.phaseObserver?.announce(mailbox)
    }

    /// The handle for which the connection of this context is being made.
    func handle(connecting context: OpaquePointer) -> CurlHandle? {
      active.first { $0.transfer.tlsContext == context }
    }

    // MARK: The end

    override func stop() {
      now = CurlClock.now()
      while let handle = active.last {
        end(handle, with: APIError(.transport, .transportStopped))
      }
      let unread = mailbox.close()
      let waiting =
        queue.removeAll() + held.values.map(\.job)
        + unread.compactMap { if case .start(let job) = $0 { job } else { nil } }
      held = [:]
      for job in waiting { job.stop() }
      tellEnded()
      // Handles end before what they share.
      pool = []
      // Connections are closed before `shutdown` returns. Those of FTP are closed afterwards, because
      // libcurl waits for the server's reply to QUIT.
      if !isForFTP { close() }
      tellStopped(unread)
    }

    override var counts: CurlCounts {
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
