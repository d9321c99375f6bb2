#if os(Linux)
  import CAPIKit
  import Glibc

  /// An event loop with a thread and a multi handle of libcurl of its own.
  ///
  /// Made on the thread of the transport; from ``start(_:)`` on, only its own thread uses it. Others use its mailbox.
  ///
  /// `@unchecked Sendable`: ``start(_:)`` passes it to its thread once, and no other thread uses it afterwards.
  class CurlEventLoop: @unchecked Sendable {
    let mailbox: CurlMailbox
    let poll: CurlPoll
    let multi: UnsafeMutableRawPointer
    let session: CurlSession
    /// The time of this turn, in microseconds.
    final var now = CurlClock.now()
    /// When libcurl is to be called next.
    private(set) final var timer = Int64.max
    /// The earliest time at which a limit may be exceeded; computed anew then.
    final var nextDue = Int64.max
    /// How old resolved names may be.
    private(set) final var dnsCache = CurlDNSCacheAge()
    /// Takes nothing more, and stops when nothing is under way.
    private(set) final var isFinishing = false
    final var isStopping = false
    private var stopped: [UnsafeContinuation<Void, Never>] = []
    private var messages: [CurlMailbox.Message] = []
    private var isClosed = false
    private var threadName = ""

    init(_ configuration: TransportConfiguration, mailbox: CurlMailbox) throws(APIError) {
      self.mailbox = mailbox
      session = try CurlSession(configuration)
      poll = try CurlPoll(wakeup: mailbox.wakeup)
      guard let multi = curl_multi_init() else {
        throw APIError(.transport, .transportFailed, "libcurl gave no multi handle; is there memory left?")
      }
      self.multi = multi
      CurlCallbacks.install(on: self)
    }

    deinit { close() }

    // MARK: For the subclasses

    /// Sleeps until an event, then does everything that needs no waiting. False after a stop message.
    func turn() -> Bool { false }
    /// Ends everything; called after the last turn.
    func stop() {}
    /// A message about a job.
    func take(_ message: CurlMailbox.Message) {}
    /// The network is another one.
    func leaveNetwork() {}
    /// The counts of what it holds.
    var counts: CurlCounts { preconditionFailure("a loop states what it holds") }

    // MARK: The thread

    /// Starts the thread, which keeps the loop alive until a stop message.
    ///
    /// - Parameter name: That of the thread, at most 15 bytes.
    final func start(_ name: String) throws(APIError) {
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
      pthread_attr_setstacksize(&attributes, 512 << 10)
      defer { pthread_attr_destroy(&attributes) }
      var thread = pthread_t()
      threadName = name
      let passed = Unmanaged.passRetained(self)
      let code = pthread_create(
        &thread, &attributes,
        { @Sendable pointer in
          if let pointer { Unmanaged<CurlEventLoop>.fromOpaque(pointer).takeRetainedValue().run() }
          return nil
        }, passed.toOpaque())
      guard code == 0 else {
        passed.release()
        throw CurlErrors.system("pthread_create", code)
      }
    }

    private func run() {
      capikit_name_thread(threadName)
      // A write to a connection that the server has closed must not end the process: libcurl suppresses the signal for
      // plain sockets, OpenSSL does not.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
      while turn() {}
      stop()
    }

    /// How many milliseconds there are to a time; -1 for no time.
    final func milliseconds(until time: Int64) -> Int32 {
      time == .max ? -1 : Int32(clamping: max(0, (time - CurlClock.now() + 999) / 1000))
    }

    /// Starts a prepared handle.
    final func addHandle(of owner: some CurlOptions) throws(APIError) {
      let code = curl_multi_add_handle(multi, owner.easy)
      guard code == CURLM_OK else { throw CurlErrors.multi("curl_multi_add_handle", code) }
    }

    /// Has libcurl serve a socket, or its timer.
    final func act(_ socket: Int32, _ what: Int32) {
      if socket == CURL_SOCKET_TIMEOUT { timer = .max }
      var running: Int32 = 0
      curl_multi_socket_action(multi, socket, what, &running)
    }

    /// Called by libcurl with the time after which to call it again, in milliseconds; -1 for never.
    final func setTimer(_ milliseconds: Int) {
      timer = milliseconds < 0 ? .max : now &+ Int64(milliseconds) &* 1000
    }

    /// Wakes up in time for a limit.
    final func watch(_ due: Int64) { nextDue = min(nextDue, due) }

    final func readMessages() {
      mailbox.take(&messages)
      guard !messages.isEmpty else { return }
      // Read after the messages were taken, or a job could seem to start before it was posted.
      now = CurlClock.now()
      for message in messages {
        switch message {
        case .perform(let work): work()
        case .inspect(let response): response(counts)
        case .networkChanged:
          dnsCache.networkChanged(at: now)
          leaveNetwork()
        case .finish(let waiter):
          isFinishing = true
          if let waiter { stopped.append(waiter) }
        case .stop(let waiter):
          isStopping = true
          if let waiter { stopped.append(waiter) }
        case .start, .cancel, .resume, .suspend, .proceed, .tellPhases: take(message)
        }
      }
      messages.removeAll(keepingCapacity: messages.count <= 1024)
    }

    // MARK: The end

    /// Closes the connections.
    final func close() {
      if !isClosed { curl_multi_cleanup(multi) }
      isClosed = true
    }

    /// Tells who waits for the end.
    ///
    /// - Parameter unread: The messages that were not read.
    final func tellStopped(_ unread: [CurlMailbox.Message]) {
      for message in unread {
        switch message {
        case .stop(let waiter?), .finish(let waiter?): stopped.append(waiter)
        case .inspect(let response): response(counts)
        default: break
        }
      }
      for waiter in stopped { waiter.resume() }
    }
  }

  /// Counts of what a loop holds, for tests that look for leaks.
  struct CurlCounts: Sendable, Equatable {
    var active: Int
    var waiting: Int
    var pooledHandles: Int
    var handlesMade: Int
    var openSockets: Int
  }
#endif
