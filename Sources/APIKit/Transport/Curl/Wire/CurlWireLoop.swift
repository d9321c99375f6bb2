#if os(Linux)
  import CAPIKit
  import Glibc
  import Synchronization

  /// The thread of a transport's open connections: WebSockets and streams of bytes.
  ///
  /// libcurl opens a connection (`CURLOPT_CONNECT_ONLY`: name, proxies, addresses, TLS, trust) in a multi handle of its
  /// own, so that idle connections cost the requests nothing. Afterwards the wire reads and writes the socket itself, for
  /// libcurl would look for the connection in the list of all at each call.
  ///
  /// `@unchecked Sendable`: ``CurlTurns/start()`` passes it to its thread once; other threads use the mailbox only.
  final class CurlWireLoop: CurlTurns, @unchecked Sendable {
    static let threadName = "apikit-sockets"
    let mailbox: CurlMailbox
    let poll: CurlPoll
    let multi: UnsafeMutableRawPointer
    let session: CurlSession
    /// The time of this turn, in microseconds.
    private(set) var now = CurlClock.now()
    /// What all wires read into.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)

    private var wires: [ObjectIdentifier: CurlWire] = [:]
    private var bySocket: [Int32: CurlWire] = [:]
    /// What has something to write at the end of the turn.
    private var dirty: [CurlWire] = []
    /// What may have bytes to read that no event of the socket tells of.
    private var unread: [CurlWire] = []
    private var messages: [CurlMailbox.Message] = []
    /// How old names may be; connections that are open go on.
    private(set) var names = CurlNameAge()
    var timer = Int64.max
    private var standstill = CurlStandstill()
    private var nextDue = Int64.max
    private var stopped: [UnsafeContinuation<Void, Never>] = []
    private var isFinishing = false
    private var isStopping = false

    init(_ configuration: TransportConfiguration) throws(APIError) {
      mailbox = try CurlMailbox()
      session = try CurlSession(configuration)
      poll = try CurlPoll(wakeup: mailbox.wakeup)
      guard let multi = curl_multi_init() else {
        throw APIError(.transport, .transportFailed, "libcurl gave no multi handle; is there memory left?")
      }
      self.multi = multi
      CurlCallbacks.install(on: self)
    }

    deinit {
      curl_multi_cleanup(multi)
      buffer.deallocate()
    }

    func turn() -> Bool {
      let (sleepBegan, sleep) = (CurlClock.now(), mailbox.fallAsleep() ? timeToSleep() : 0)
      let woken = poll.wait(sleep)
      mailbox.wakeUp()
      now = CurlClock.now()
      let hasStoodStill = standstill.isSeen(
        at: now, sinceBoot: CurlClock.sinceBoot(), alarm: sleep < 0 ? .max : sleepBegan + Int64(sleep) * 1000)
      // One hop to the main actor for all that a turn brings.
      MainDelivery.main.together {
        poll.serve(woken) { socket, what in
          if let wire = bySocket[socket] { wire.serve(what) } else { act(socket, what) }
        }
        readMessages()
        if timer <= now { act(CURL_SOCKET_TIMEOUT, 0) }
        reap()
        readOn()
        if hasStoodStill { for wire in Array(wires.values) { wire.stoodStill() } }
        checkTime()
        flush()
      }
      poll.update()
      if isFinishing, wires.isEmpty { isStopping = true }
      return !isStopping
    }

    private func timeToSleep() -> Int32 {
      if !unread.isEmpty || !dirty.isEmpty { return 0 }
      let alarm = min(timer, nextDue)
      guard alarm != .max else { return -1 }
      return Int32(clamping: max(0, (alarm - CurlClock.now() + 999) / 1000))
    }

    private func readMessages() {
      mailbox.take(&messages)
      guard !messages.isEmpty else { return }
      now = CurlClock.now()
      for message in messages {
        switch message {
        case .perform(let work): work()
        case .finish(let waiter):
          isFinishing = true
          if let waiter { stopped.append(waiter) }
        case .stop(let waiter):
          isStopping = true
          if let waiter { stopped.append(waiter) }
        case .inspect(let answer): answer(counts)
        case .networkChanged: names.networkChanged(at: now)
        case .start, .cancel, .resume, .suspend, .proceed: break
        }
      }
      messages.removeAll(keepingCapacity: messages.count <= 1024)
    }

    /// Tells the wires that libcurl has connected, or failed to.
    private func reap() {
      var code = CURLE_OK
      while let easy = capikit_curl_multi_done(multi, &code) {
        guard let pointer = capikit_curl_get_private(easy) else { continue }
        // The loop keeps every wire that libcurl has a handle of.
        Unmanaged<CurlWire>.fromOpaque(pointer).takeUnretainedValue().connected(code)
      }
    }

    private func readOn() {
      guard !unread.isEmpty else { return }
      var wires: [CurlWire] = []
      swap(&wires, &unread)
      for wire in wires { wire.readOn() }
    }

    private func flush() {
      while !dirty.isEmpty {
        var wires: [CurlWire] = []
        swap(&wires, &dirty)
        for wire in wires { wire.flush() }
      }
    }

    private func checkTime() {
      guard nextDue <= now else { return }
      nextDue = .max
      for wire in Array(wires.values) {
        if wire.due <= now { wire.timeHasCome() }
        nextDue = min(nextDue, wire.due)
      }
    }

    // MARK: For the wires

    /// Why no other wire is taken; nil where one is.
    var refusal: APIError? {
      isStopping || isFinishing ? APIError(.transport, .transportStopped) : nil
    }

    func add(_ wire: CurlWire) { wires[ObjectIdentifier(wire)] = wire }

    func remove(_ wire: CurlWire, socket: Int32) {
      wires[ObjectIdentifier(wire)] = nil
      if socket >= 0 { bySocket[socket] = nil }
    }

    /// From here on the events of the socket are the wire's.
    func attach(_ socket: Int32, to wire: CurlWire) { bySocket[socket] = wire }

    /// From here on they are libcurl's.
    func detach(_ socket: Int32) { bySocket[socket] = nil }

    /// Has the wire flushed at the end of the turn.
    func mustFlush(_ wire: CurlWire) { dirty.append(wire) }

    /// Has the wire read in the next turn without an event.
    func mustRead(_ wire: CurlWire) { unread.append(wire) }

    func watch(_ due: Int64) { nextDue = min(nextDue, due) }

    // MARK: The end

    func stop() {
      now = CurlClock.now()
      MainDelivery.main.together {
        for wire in Array(wires.values) { wire.fail(APIError(.transport, .transportStopped)) }
        for message in mailbox.close() {
          switch message {
          // Each finds that the loop takes nothing, and tells its owner so.
          case .perform(let work): work()
          case .stop(let waiter?), .finish(let waiter?): stopped.append(waiter)
          case .inspect(let answer): answer(counts)
          default: break
          }
        }
        for wire in Array(wires.values) { wire.fail(APIError(.transport, .transportStopped)) }
      }
      (dirty, unread, bySocket) = ([], [], [:])
      for waiter in stopped { waiter.resume() }
    }

    private var counts: CurlCounts {
      CurlCounts(
        active: wires.count, waiting: 0, pooledHandles: 0, handlesMade: 0, openSockets: poll.openSockets)
    }
  }
#endif
