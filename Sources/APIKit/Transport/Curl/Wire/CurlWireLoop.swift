#if os(Linux)
  import CAPIKit
  import Glibc

  /// The thread of a transport's open connections: WebSockets and streams of bytes.
  ///
  /// libcurl opens a connection (`CURLOPT_CONNECT_ONLY`: name, proxies, addresses, TLS, trust) in a multi handle of its
  /// own, so that idle connections cost the requests nothing. Afterwards the wire reads and writes the socket itself, for
  /// libcurl would look for the connection in the list of all at each call.
  ///
  /// `@unchecked Sendable` as its superclass is.
  final class CurlWireLoop: CurlEventLoop, @unchecked Sendable {
    /// The buffer that all wires read into.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)

    private var wires: [ObjectIdentifier: CurlWire] = [:]
    private var bySocket: [Int32: CurlWire] = [:]
    /// The wires that have something to write at the end of the turn.
    private var dirty: [CurlWire] = []
    /// The wires that may have bytes to read without an event of the socket.
    private var unread: [CurlWire] = []
    private var sleepDetector = CurlSleepDetector()

    init(_ configuration: TransportConfiguration) throws(APIError) {
      try super.init(configuration, mailbox: CurlMailbox())
    }

    deinit { buffer.deallocate() }

    override func turn() -> Bool {
      let (sleepBegan, sleep) = (CurlClock.now(), mailbox.fallAsleep() ? timeToSleep() : 0)
      let woken = poll.wait(sleep)
      mailbox.wakeUp()
      now = CurlClock.now()
      let hasStoodStill = sleepDetector.isSeen(
        at: now, sinceBoot: CurlClock.sinceBoot(), alarm: sleep < 0 ? .max : sleepBegan + Int64(sleep) * 1000)
      // One hop to the main actor for everything in a turn.
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
      return milliseconds(until: min(timer, nextDue))
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
        watch(wire.due)
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

    // MARK: The end

    override func stop() {
      now = CurlClock.now()
      var left: [CurlMailbox.Message] = []
      MainDelivery.main.together {
        for wire in Array(wires.values) { wire.fail(APIError(.transport, .transportStopped)) }
        left = mailbox.close()
        // Each finds that the loop takes nothing, and tells its owner so.
        for case .perform(let work) in left { work() }
        for wire in Array(wires.values) { wire.fail(APIError(.transport, .transportStopped)) }
      }
      (dirty, unread, bySocket) = ([], [], [:])
      tellStopped(left)
    }

    override var counts: CurlCounts {
      CurlCounts(
        active: wires.count, waiting: 0, pooledHandles: 0, handlesMade: 0, openSockets: poll.openSockets)
    }
  }
#endif
