#if os(Linux)
  import CAPIKit

  extension CurlHandle {
    /// The connection stands, TLS included, and the request is about to leave. False ends the transfer.
    ///
    /// Called for reused connections too, which is what makes it the place for checks of the certificate.
    func connected(_ address: UnsafePointer<CChar>?, _ port: Int32) -> Bool {
      machine.connected(at: loop.now)
      loop.watchDeadline(of: self)
      remoteAddress = address.map { String(cString: $0) }
      remotePort = Int(port)
      guard isTLS else { return true }
      guard let ssl = capikit_curl_get_ssl(easy) else {
        machine.fail(
          APIError(
            .transport, .unsupportedCapability,
            "libcurl does not show its TLS connection, which cannot be checked; it needs one with OpenSSL"))
        return false
      }
      tlsProtocol = loop.tlsNames.text(of: ssl)
      guard let host = job?.exchange.request.url.host else { return true }
      do {
        try session.tls.check(ssl, host: host)
        if job?.opensOnly == true, capikit_ssl_speaks_http2(ssl) != 0 { version = .http2 }
        return true
      } catch {
        machine.fail(error)
        return false
      }
    }

    /// Copies the next bytes of the request's body.
    func send(into buffer: UnsafeMutableRawBufferPointer) -> CurlRead {
      machine.moved(at: loop.now, isResponse: false)
      guard let source else { return .bytes(0) }
      let read = source.read(into: buffer)
      switch read {
      case .bytes: break
      case .later: isSendingPaused = true
      case .failed(let error): machine.fail(error)
      }
      return read
    }

    /// Lets a paused side go on.
    func resume() {
      guard isPaused else { return }
      isSendingPaused = false
      isReceivingPaused = false
      machine.moved(at: loop.now, isResponse: false)
      loop.watchDeadline(of: self)
      curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    /// Tells the caller how far it is, about ten times a second.
    func report(_ progress: TransferProgress) {
      guard let onProgress = job?.exchange.onProgress, loop.now - lastProgress >= 100_000 else { return }
      guard progress.sent + progress.received > 0 else { return }
      lastProgress = loop.now
      onProgress(progress)
    }

    /// The last report, with what there was in all.
    func reportEnd() {
      guard let onProgress = job?.exchange.onProgress else { return }
      let sent = size(CURLINFO_SIZE_UPLOAD_T)
      let received = size(CURLINFO_SIZE_DOWNLOAD_T)
      onProgress(
        TransferProgress(
          sent: sent, totalToSend: sent > 0 ? sent : nil, received: received, totalToReceive: received))
    }
  }
#endif
