#if os(Linux)
  import CAPIKit

  /// libcurl opens the connection, with everything that the transport's configuration says.
  extension CurlWire {
    var easy: UnsafeMutableRawPointer {
      guard let handle else { preconditionFailure("options are set while libcurl has the connection") }
      return handle
    }

    private var isTLS: Bool { exchange.request.url.scheme == "https" || tlsHost != nil }

    func connect() throws(APIError) {
      try prepareHandle()
      try loop.session.applyProxy(to: self)
      if let proxy = loop.session.proxies.proxy(for: url) {
        if loop.session.proxies.isByScheme { try loop.session.apply(proxy, to: self) }
        // A proxy that forwards requests cannot forward a connection.
        try set(CURLOPT_HTTPPROXYTUNNEL, 1)
      } else {
        try set(CURLOPT_PROXY, "")
      }
      if isTLS { _ = try loop.session.tls.replaceChain(of: url.host, on: self) }
      if exchange.crossesOrigin, loop.session.tls.hasIdentity {
        try loop.session.tls.removeIdentity(from: self)
      }
      try set(CURLOPT_URL, url.string)
      if let connectTo = exchange.request.options.connectTo { try applyConnectTo(connectTo) }
      try loop.addHandle(of: self)
    }

    /// Has libcurl make the TLS handshake on the socket that is open.
    func startTLS(host: String) throws(APIError) {
      guard phase == .open, ssl == nil, pending.isEmpty else {
        throw APIError(.transport, .misconfigured, "TLS begins on an open connection without it")
      }
      let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
      let target = try HTTPURL("https://\(name):\(url.effectivePort ?? 443)/")
      tlsHost = target.host
      phase = .securing
      loop.detach(socket)
      loop.poll.want(socket, CURL_POLL_REMOVE)
      do throws(APIError) {
        try prepareHandle()
        try set(CURLOPT_PROXY, "")
        _ = try loop.session.tls.replaceChain(of: target.host, on: self)
        try set(CURLOPT_URL, target.string)
        try check(CURLOPT_OPENSOCKETFUNCTION, CurlCallbacks.installAdoption(on: self))
        // Nothing is looked up: there is a connection already.
        try applyConnectTo("127.0.0.1")
        try loop.addHandle(of: self)
      } catch {
        fail(error)
        throw error
      }
    }

    private func prepareHandle() throws(APIError) {
      guard let handle = curl_easy_init(), let share = curl_share_init() else {
        throw APIError(.transport, .transportFailed, "libcurl gave no handle; is there memory left?")
      }
      self.handle = handle
      self.share = share
      // A list of connections of its own: libcurl drops those of the common list that the server has ended.
      _ = capikit_curl_share_data(share, CURL_LOCK_DATA_CONNECT)
      let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
      errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
      self.errorText = errorText
      let me = Unmanaged.passUnretained(self).toOpaque()
      try loop.session.prepare(self, owner: me, errorText: errorText, share: share)
      try set(CURLOPT_PROTOCOLS_STR, "http,https")
      try set(CURLOPT_CONNECT_ONLY, 1)
      try set(CURLOPT_FRESH_CONNECT, 1)
      // With HTTP/2 agreed on, the server would read frames of it.
      try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
      // Nothing is read through libcurl, so its buffer is as small as it can be.
      try set(CURLOPT_BUFFERSIZE, 1024)
      try set(CURLOPT_TCP_KEEPALIVE, 1)
      if let seconds = loop.dnsCache.limit(at: loop.now) { try set(CURLOPT_DNS_CACHE_TIMEOUT, seconds) }
      try CurlCallbacks.install(on: self, loop)
      if !speaksHTTP { try set(CURLOPT_SSL_ENABLE_ALPN, 0) }
    }

    private var url: HTTPURL { exchange.request.url }

    private func applyConnectTo(_ target: String) throws(APIError) {
      let connectTo = try CurlConnectTo(target, url)
      try set(connectTo)
      self.connectTo = connectTo
    }

    /// The connection is established, TLS included: the last moment at which libcurl shows it. False ends it.
    func prepared() -> Bool {
      wasConnected = true
      guard isTLS else { return true }
      guard let ssl = capikit_curl_get_ssl(easy) else {
        refusal = CurlErrors.hiddenTLS
        return false
      }
      do throws(APIError) {
        try loop.session.tls.trust.check(ssl, host: tlsHost ?? url.host)
      } catch {
        refusal = error
        return false
      }
      self.ssl = ssl
      return true
    }

    /// libcurl has connected, or failed to.
    func connected(_ code: CURLcode) {
      guard phase == .connecting || phase == .securing else { return }
      guard code == CURLE_OK, refusal == nil else { return fail(refusal ?? failure(code)) }
      guard !isTLS || ssl != nil else {
        return fail(
          APIError(.transport, .unsupportedCapability, "libcurl did not let its TLS connection be checked"))
      }
      socket = capikit_curl_get_socket(easy)
      guard socket >= 0 else {
        return fail(APIError(.transport, .connectionLost, "the connection ended as soon as it stood"))
      }
      phase = .open
      if let ssl {
        guard capikit_ssl_detach(ssl, socket) == 1 else {
          return fail(APIError(.transport, .transportFailed, "OpenSSL has no memory left"))
        }
      } else {
        freeHandle()
      }
      loop.attach(socket, to: self)
      watch()
      owner?.opened()
      // Bytes may have come with the end of the handshake.
      if ssl != nil { readLater() }
    }

    private func failure(_ code: CURLcode) -> APIError {
      CurlErrors.error(
        code,
        CurlErrors.Circumstances(
          text: errorText.map { String(cString: $0) } ?? "", verifyResult: long(CURLINFO_SSL_VERIFYRESULT),
          connectStatus: long(CURLINFO_HTTP_CONNECTCODE), systemError: Int32(long(CURLINFO_OS_ERRNO)),
          socketError: loop.poll.openError, wasAskedForCertificate: wasAskedForCertificate,
          hasCertificate: loop.session.tls.hasIdentity, wasConnected: wasConnected,
          isProxied: loop.session.proxies.proxy(for: url) != nil, isTLS: isTLS))
    }

    /// libcurl closes a socket: one that was taken over stays open.
    func close(socket closed: Int32) {
      if closed == socket, ssl == nil { return }
      loop.poll.close(socket: closed)
    }
  }
#endif
