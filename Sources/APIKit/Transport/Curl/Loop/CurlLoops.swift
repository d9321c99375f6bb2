#if os(Linux)

  /// The loops of one transport, each with a thread and connections of its own, and which of them carries a
  /// request. All but the first are made when they are first needed.
  final class CurlLoops: Sendable {
    /// The kinds of transfers that have a loop of their own.
    enum LoopKind: Hashable, CaseIterable {
      /// Everything that needs no loop of its own.
      case main
      /// Bodies that are files or streams, in either direction. They come as fast as the network and the disk can, so that what
      /// shares their thread waits for it. They do not use HTTP/2; see `needsHTTP1(_:)`.
      case transfers
      /// HTTP over TLS that must not use HTTP/2; see `needsHTTP1(_:)`.
      ///
      /// libcurl decides for each host whether requests share a connection (7.88: `Curl_multiuse_state`). In one
      /// multi handle, an HTTP/1.1 response would make all later requests to that host use connections of
      /// their own.
      case http1
      /// Streams that stay open: they have as many connections to a host as the others have, so that they leave those
      /// alone.
      case streams
      /// FTP. libcurl blocks its thread while it waits for some replies.
      case ftp
      /// Open connections: the loop is a ``CurlWireLoop``.
      case wires
    }

    private struct LoopsState {
      var others: [LoopKind: CurlMailbox] = [:]
      var wires: CurlWireLoop?
      var isStopped = false
    }

    /// The mailbox of the main loop.
    let main: CurlMailbox
    private let configuration: TransportConfiguration
    private let mayUseHTTP2: Bool
    private let state = Mutex(LoopsState())

    /// Starts the main loop.
    init(_ configuration: TransportConfiguration) throws(APIError) {
      var configuration = configuration
      // Two loops cannot keep one limit of connections.
      if configuration.connections.total != nil, configuration.versions == .upToHTTP2 {
        configuration.versions = .http1Only
      }
      self.configuration = configuration
      mayUseHTTP2 = configuration.versions == .upToHTTP2 && CurlSession.speaksHTTP2
      main = try CurlMailbox()
      try CurlLoop(configuration, mailbox: main).start("apikit-curl")
    }

    /// The mailbox of the loop that carries an exchange.
    func mailbox(for exchange: HTTPExchange) throws(APIError) -> CurlMailbox {
      let kind: LoopKind =
        if CurlFTP.serves(exchange.request.url) { .ftp } else if staysOpen(exchange) {
          .streams
        } else if passesBodies(exchange) { .transfers } else if needsHTTP1(exchange) { .http1 } else { .main }
      guard kind != .main else { return main }
      return try state.withLock { state throws(APIError) in
        if let mailbox = state.others[kind] { return mailbox }
        // The stopped mailbox fails the job with `transportStopped`.
        if state.isStopped { return main }
        var configuration = configuration
        if kind != .ftp, mayUseHTTP2 { configuration.versions = .http1Only }
        let mailbox = try CurlMailbox()
        try CurlLoop(configuration, mailbox: mailbox, isForFTP: kind == .ftp).start("apikit-curl")
        state.others[kind] = mailbox
        return mailbox
      }
    }

    /// The mailbox of a loop, where one was needed.
    func mailboxIfAny(_ kind: LoopKind) -> CurlMailbox? {
      kind == .main ? main : state.withLock { $0.others[kind] }
    }

    /// The loop of open connections.
    func wires() throws(APIError) -> CurlWireLoop {
      try state.withLock { state throws(APIError) in
        if let wires = state.wires { return wires }
        if state.isStopped { throw APIError(.transport, .transportStopped) }
        let wires = try CurlWireLoop(configuration)
        try wires.start("apikit-sockets")
        state.wires = wires
        state.others[.wires] = wires.mailbox
        return wires
      }
    }

    /// Whether an exchange has a place among the streams. With a limit of connections in all there is one loop, which keeps
    /// that.
    private func staysOpen(_ exchange: HTTPExchange) -> Bool {
      exchange.onSlot != nil && configuration.connections.total == nil
    }

    /// Whether a body of an exchange is passed on, to or from a file or a stream, and not kept in memory.
    private func passesBodies(_ exchange: HTTPExchange) -> Bool {
      guard configuration.connections.total == nil else { return false }
      if case .memory = exchange.destination {} else { return true }
      return switch exchange.request.body {
      case .empty, .bytes: false
      case .file, .stream: true
      }
    }

    /// Whether an exchange that may use HTTP/2 loses responses or takes too much memory there, so that it uses
    /// HTTP/1.1.
    ///
    /// - A request with a body: when a server responds and resets the stream (NO_ERROR) before it has read the
    ///   body, as nginx does with 401, 413 and 429, libcurl fails with CURLE_HTTP2_STREAM and drops the response
    ///   (7.88: 15 to 30 % of uploads above 64 KiB, and of small ones when the server also sends GOAWAY). 8.22.0
    ///   still fails with CURLE_SEND_ERROR when the response is complete before the end of the body is sent.
    /// - A response as a stream: libcurl has no option for the size of its window, so each unread stream may hold
    ///   as much as libcurl offers to servers (7.88: 32 MiB).
    /// - SeeAlso: <https://github.com/curl/curl/issues/22984>, <https://github.com/curl/curl/pull/8263>
    private func needsHTTP1(_ exchange: HTTPExchange) -> Bool {
      guard mayUseHTTP2, exchange.request.url.scheme == "https" else { return false }
      return !exchange.request.body.isEmpty || exchange.request.method.hasLengthWithoutBody
    }

    /// The network is another one.
    func networkChanged() {
      for mailbox in state.withLock({ Array($0.others.values) }) + [main] { mailbox.post(.networkChanged) }
    }

    /// Ends the loops without waiting.
    func stop() {
      for mailbox in close() { mailbox.post(.stop(nil)) }
    }

    /// Has the loops take nothing more, and returns when the last has ended.
    func finish() async {
      let mailboxes = close()
      for mailbox in mailboxes { mailbox.post(.finish(nil)) }
      for mailbox in mailboxes { await end(mailbox) { .finish($0) } }
    }

    /// Ends the loops, the main one last, and returns when that is done.
    func shutdown() async {
      for mailbox in close() { await end(mailbox) { .stop($0) } }
    }

    private func end(
      _ mailbox: CurlMailbox, by message: (UnsafeContinuation<Void, Never>) -> CurlMailbox.Message
    ) async {
      await withUnsafeContinuation { if !mailbox.post(message($0)) { $0.resume() } }
    }

    /// Makes no more loops, and returns the mailboxes of those there are, the main one last.
    private func close() -> [CurlMailbox] {
      state.withLock { state in
        state.isStopped = true
        return Array(state.others.values) + [main]
      }
    }
  }
#endif
