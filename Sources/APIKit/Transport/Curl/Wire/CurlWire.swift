#if os(Linux)
  import CAPIKit
  import Glibc

  /// One connection of a ``CurlWireLoop``.
  ///
  /// A plain socket is taken over once libcurl has connected it, and the handle freed. A TLS connection stays with its
  /// handle, which closes it; its records are read and written here (`capikit_ssl_detach`).
  ///
  /// Legal moves: idle → connecting → open → over; open → securing → open; each of them → over.
  ///
  /// `@unchecked Sendable`: only the loop's thread uses it, but for ``perform(_:)``, which posts to the mailbox, and for
  /// what never changes.
  final class CurlWire: Wire, CurlOptions, @unchecked Sendable {
    enum WirePhase { case idle, connecting, open, securing, over }

    let loop: CurlWireLoop
    let exchange: HTTPExchange
    let speaksHTTP: Bool
    /// The name of the server's certificate, where TLS begins on the open connection.
    var tlsHost: String?
    var phase = WirePhase.idle
    var owner: (any WireOwner)?

    // While libcurl connects; over TLS, until the end.
    var handle: UnsafeMutableRawPointer?
    var share: UnsafeMutableRawPointer?
    var connectTo: CurlConnectTo?
    var errorText: UnsafeMutablePointer<CChar>?
    /// The error of the check of the certificate.
    var refusal: APIError?
    var wasAskedForCertificate = false
    var wasConnected = false

    var socket: Int32 = -1
    var ssl: OpaquePointer?
    var pending: [UInt8] = []
    private var sent = 0
    private var isDirty = false
    private var awaitsWriting = false
    private var endsSending = false
    private var hasEndedSending = false
    private var hasReadEnd = false
    private var isUnread = false

    /// How many bytes are read before others have their turn.
    private static let readBudget = 1 << 20

    init(_ exchange: HTTPExchange, _ loop: CurlWireLoop, speaksHTTP: Bool) {
      self.exchange = exchange
      self.speaksHTTP = speaksHTTP
      self.loop = loop
    }

    deinit { release() }

    // MARK: Wire

    func perform(_ work: @escaping @Sendable () -> Void) -> Bool { loop.mailbox.post(.perform(work)) }

    var now: Int64 { loop.now }
    var unsentBytes: Int { pending.count - sent }

    var due = Int64.max {
      didSet { if due < oldValue { loop.watch(due) } }
    }

    var isReading = true {
      didSet {
        guard phase == .open, isReading != oldValue else { return }
        watch()
        if isReading { readLater() }
      }
    }

    func open(for owner: any WireOwner) {
      guard phase == .idle else { return }
      self.owner = owner
      phase = .connecting
      if let refusal = loop.refusal { return fail(refusal) }
      loop.add(self)
      do throws(APIError) {
        try connect()
      } catch {
        fail(error)
      }
    }

    func write(_ bytes: [UInt8]) {
      guard phase == .open, !endsSending, !bytes.isEmpty else { return }
      if pending.isEmpty { pending = bytes } else { pending += bytes }
      markDirty()
    }

    func endSending() {
      guard phase == .open, !endsSending else { return }
      endsSending = true
      markDirty()
    }

    func cut() { end(nil) }

    func stoodStill() { if phase == .open { owner?.stoodStill() } }

    // MARK: Reading

    /// The socket has events.
    func serve(_ what: Int32) {
      guard phase == .open else { return }
      if what & CURL_CSELECT_OUT != 0 || awaitsWriting {
        awaitsWriting = false
        markDirty()
      }
      if what & (CURL_CSELECT_IN | CURL_CSELECT_ERR) != 0 { read() }
      if phase == .open { watch() }
    }

    /// Reads in this turn without an event.
    func readOn() {
      isUnread = false
      read()
    }

    func readLater() {
      guard !isUnread, phase == .open else { return }
      isUnread = true
      loop.mustRead(self)
    }

    private func read() {
      var budget = Self.readBudget
      while phase == .open, isReading, !hasReadEnd {
        guard budget > 0 else { return readLater() }
        let count = readOnce()
        guard count > 0 else { return }
        budget -= count
        owner?.received(UnsafeRawBufferPointer(rebasing: loop.buffer[..<count]))
        // The next event reports the rest, if there is some.
        if ssl == nil, count < loop.buffer.count { return }
      }
    }

    /// Reads what there is into the loop's buffer; 0 when there is nothing, or nothing more to come.
    private func readOnce() -> Int {
      guard let ssl else {
        let count = recv(socket, loop.buffer.baseAddress, loop.buffer.count, 0)
        if count > 0 { return count }
        if count == 0 {
          readEnd(isOrderly: true)
        } else if errno != EAGAIN, errno != EINTR {
          fail(CurlWire.lost("recv", errno))
        }
        return 0
      }
      ERR_clear_error()
      errno = 0
      let count = SSL_read(ssl, loop.buffer.baseAddress, Int32(loop.buffer.count))
      if count > 0 { return Int(count) }
      switch capikit_ssl_outcome(ssl, count) {
      case CAPIKIT_SSL_WANTS_READ: break
      case CAPIKIT_SSL_WANTS_WRITE:
        awaitsWriting = true
        watch()
      case CAPIKIT_SSL_CLOSED: readEnd(isOrderly: true)
      case CAPIKIT_SSL_TRUNCATED: readEnd(isOrderly: false)
      default: fail(CurlWire.lost("SSL_read", errno))
      }
      return 0
    }

    private func readEnd(isOrderly: Bool) {
      hasReadEnd = true
      watch()
      owner?.receivedEnd(isOrderly: isOrderly)
    }

    private static func lost(_ call: String, _ number: Int32) -> APIError {
      let why = number == 0 ? "TLS failed" : String(cString: strerror(number))
      return APIError(.transport, .connectionLost, "the connection broke: \(why) (\(call))")
    }

    // MARK: Writing

    private func markDirty() {
      guard !isDirty, phase == .open else { return }
      isDirty = true
      loop.mustFlush(self)
    }

    /// Writes what is pending, at the end of the turn.
    func flush() {
      isDirty = false
      guard phase == .open else { return }
      let (hadSome, before) = (sent < pending.count, sent)
      while sent < pending.count {
        let count = pending.withUnsafeBytes { writeOnce(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
        guard phase == .open else { return }
        guard count > 0 else {
          if sent > before { tellOfPart() }
          return watch()
        }
        sent += count
      }
      if hadSome {
        // A large buffer is not kept for an idle connection.
        pending.removeAll(keepingCapacity: pending.capacity <= 4 << 10)
        sent = 0
        owner?.flushed()
        guard phase == .open, sent == pending.count else { return }
      }
      if endsSending, !hasEndedSending {
        hasEndedSending = true
        if let ssl { SSL_shutdown(ssl) } else { shutdown(socket, Int32(SHUT_WR)) }
      }
      watch()
    }

    private func tellOfPart() {
      // Sent bytes are dropped, or a backlog that never ends would keep everything that was ever sent.
      if sent > 1 << 20, sent > pending.count / 2 {
        pending.removeSubrange(..<sent)
        sent = 0
      }
      owner?.flushedPart()
    }

    /// Writes a part; 0 when the socket takes nothing now.
    private func writeOnce(_ bytes: UnsafeRawBufferPointer) -> Int {
      guard let ssl else {
        let count = send(socket, bytes.baseAddress, bytes.count, Int32(CAPIKIT_MSG_NOSIGNAL))
        if count >= 0 { return count }
        if errno == EAGAIN || errno == EINTR {
          awaitsWriting = true
        } else {
          fail(CurlWire.lost("send", errno))
        }
        return 0
      }
      ERR_clear_error()
      errno = 0
      let count = SSL_write(ssl, bytes.baseAddress, Int32(min(bytes.count, 1 << 20)))
      if count > 0 { return Int(count) }
      switch capikit_ssl_outcome(ssl, count) {
      case CAPIKIT_SSL_WANTS_READ, CAPIKIT_SSL_WANTS_WRITE: awaitsWriting = true
      default: fail(CurlWire.lost("SSL_write", errno))
      }
      return 0
    }

    /// Says which events of the socket count.
    func watch() {
      guard phase == .open else { return }
      let reads = isReading && !hasReadEnd
      let what =
        switch (reads, awaitsWriting) {
        case (true, true): CURL_POLL_INOUT
        case (true, false): CURL_POLL_IN
        case (false, true): CURL_POLL_OUT
        case (false, false): CURL_POLL_REMOVE
        }
      loop.poll.want(socket, what)
    }

    // MARK: The end

    func timeHasCome() {
      due = .max
      owner?.timeHasCome()
    }

    func fail(_ error: APIError) { end(error) }

    private func end(_ error: APIError?) {
      guard phase != .over else { return }
      let wasOpen = phase == .open
      phase = .over
      loop.remove(self, socket: socket)
      if wasOpen, error == nil, let ssl, !hasEndedSending {
        ERR_clear_error()
        SSL_shutdown(ssl)
      }
      release()
      let owner = owner
      self.owner = nil
      // It reads how much has not left.
      owner?.ended(error)
      (pending, sent) = ([], 0)
    }

    private func release() {
      let (open, isPlain) = (socket, ssl == nil)
      freeHandle()
      ssl = nil
      if open >= 0, isPlain { loop.poll.close(socket: open) }
      socket = -1
    }

    /// Frees libcurl's handle; its TLS connection is closed with it.
    func freeHandle() {
      guard let handle else { return }
      curl_multi_remove_handle(loop.multi, handle)
      curl_easy_cleanup(handle)
      self.handle = nil
      curl_share_cleanup(share)
      share = nil
      connectTo = nil
      errorText?.deallocate()
      errorText = nil
    }
  }
#endif
