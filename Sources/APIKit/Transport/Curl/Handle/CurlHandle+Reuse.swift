#if os(Linux)
  import CAPIKit

  /// Checks before a request is sent on a reused connection.
  extension CurlHandle {
    /// Whether the connection that libcurl chose is new, or is quiet: whatever arrived on it while it was idle
    /// would be taken for the response (RFC 9112, 6.3), and all responses after it for those of the requests
    /// before.
    ///
    /// HTTP/2 tells responses by their streams, and its servers may send frames at any time.
    func isQuiet(_ ssl: OpaquePointer?, localPort: Int32) -> Bool {
      transfer.isMultiplexed = isMultiplexed(ssl)
      guard long(CURLINFO_NUM_CONNECTS) == 0 || transfer.status > 0, !transfer.isMultiplexed else {
        return true
      }
      let sockets = loop.poll.sockets(at: localPort)
      guard !sockets.isEmpty else { return false }
      if sockets.allSatisfy({ capikit_socket_is_quiet($0) != 0 }) {
        return ssl.map { SSL_has_pending($0) == 0 } ?? true
      }
      guard let ssl, sockets.count == 1 else { return false }
      return capikit_ssl_is_quiet(ssl, sockets[0]) != 0
    }

    /// Whether libcurl sends the request again because an HTTP/2 server has said that it did not read it: by
    /// resetting the stream (REFUSED_STREAM), by a GOAWAY for the streams before it (RFC 9113, 8.7), or because
    /// it serves it by HTTP/1.1 alone.
    var wasRefusedUnread: Bool {
      guard transfer.isMultiplexed else { return false }
      return Self.tellsRefusedStreams && (errorMessage.isEmpty || wasRefusedTooOften)
        || errorMessage.contains("HTTP_1_1_REQUIRED")
    }

    /// Whether libcurl has given up after six connections of which each refused the request: the first text stays, and a
    /// connection that was lost has one of its own.
    private var wasRefusedTooOften: Bool { errorMessage.hasPrefix("Connection died, tried") }

    /// libcurl does not say why it sends a request again. For a refused stream alone it writes no error (its
    /// http2.c: a lost connection has a text, and from 8.7 on a code for which nothing is sent again). From 8.0
    /// to 8.6 a lost connection has none either.
    static let tellsRefusedStreams = !(0x080000..<0x080700).contains(Int(capikit_curl_version()))

    private func isMultiplexed(_ ssl: OpaquePointer?) -> Bool {
      session.httpVersion.plain == CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE && transfer.isHTTP
        || ssl.map { capikit_ssl_speaks_http2($0) != 0 } ?? false
    }

    /// Has libcurl close the connection of a transfer that has taken too long, with the last request on it. It does so by
    /// itself for HTTP/1.1, and would use one of HTTP/2 again though it is dead.
    func distrustConnection() {
      guard transfer.isMultiplexed else { return }
      applied.needsReset = true
      _ = isGood { () throws(APIError) in try set(CURLOPT_FORBID_REUSE, 1) }
    }

    /// Has libcurl end the connection that it chose, and the loop start the transfer on a new one; once. False,
    /// as the callback is to return.
    func leaveConnection() -> Bool {
      if transfer.machine.hasStartedAgain {
        transfer.machine.fail(
          APIError(.transport, .connectionLost, "the server sent bytes that were not asked for, or closed"))
      } else {
        transfer.startsAgain = true
      }
      return false
    }

    /// Prepares a transfer that left its connection for a new one.
    func startAgain() throws(APIError) {
      transfer.startsAgain = false
      // libcurl counts from 0.
      transfer.bytesBefore = nil
      transfer.started = loop.now
      // libcurl counts from here.
      transfer.baseline.restart()
      transfer.machine.startAgain(at: loop.now)
      applied.needsReset = true
      try set(CURLOPT_FRESH_CONNECT, 1)
    }
  }
#endif
