#if os(Linux)
  import CAPIKit

  extension CurlHandle {
    /// The connection is established, TLS included, and the request is about to be sent. False ends the
    /// transfer.
    ///
    /// Called for reused connections too, so the certificate is checked here. Called once more when libcurl
    /// sends the request again.
    func connected(_ address: UnsafePointer<CChar>?, _ port: Int32, localPort: Int32) -> Bool {
      noteSent()
      transfer.machine.connected(at: loop.now, hadResponse: transfer.status >= 200, tried)
      guard transfer.machine.failure == nil else { return false }
      transfer.bytesBefore = long(CURLINFO_REQUEST_SIZE)
      loop.watchDeadline(of: self)
      transfer.localPort = localPort
      let ssl = transfer.isTLS ? capikit_curl_get_ssl(easy) : nil
      guard isQuiet(ssl, localPort: localPort) else { return leaveConnection() }
      measureRequest(to: address, port, localPort: localPort)
      tellConnected()
      guard transfer.isTLS else { return true }
      guard let ssl else {
        transfer.machine.fail(CurlErrors.hiddenTLS)
        return false
      }
      transfer.metrics.tlsProtocol = loop.tlsNames.text(of: ssl)
      guard let host = transfer.job?.exchange.request.url.host else { return true }
      guard session.tls.trust.mayUse(ssl, in: transfer.challengeContext) else { return leaveConnection() }
      return isGood { () throws(APIError) in
        if transfer.challengeContext == nil { try session.tls.trust.check(ssl, host: host) }
        if transfer.job?.opensOnly == true {
          if capikit_ssl_speaks_http2(ssl) != 0 { transfer.version = .http2 }
        } else {
          // OpenSSL takes a write as a whole, so libcurl counts none of it while some records have left.
          transfer.machine.sent(.partlySent)
        }
      }
    }

    /// Whether a check throws nothing; what it throws is what the transfer fails with.
    func isGood(_ check: () throws(APIError) -> Void) -> Bool {
      do throws(APIError) {
        try check()
        return true
      } catch {
        transfer.machine.fail(error)
        return false
      }
    }

    /// Opens a socket for the next connection. Refused where the request was sent on one that ended, and must not go
    /// again: nothing is sent to a second server, and no handshake is begun.
    func open(_ address: UnsafePointer<curl_sockaddr>) -> Int32 {
      // FTP opens a connection for its data.
      let hadResponse = transfer.machine.state == .receiving && transfer.status >= 200
      if transfer.isHTTP, transfer.machine.state != .connecting, !hadResponse {
        noteSent()
        guard transfer.machine.connectionEnded(at: loop.now, tried) else { return -1 }
        transfer.baseline.reopened = CurlClock.now()
        tellPhases()
        transfer.phases = []
        loop.watchDeadline(of: self)
      }
      tell(.nameLookedUp)
      return loop.poll.open(address)
    }

    /// The request, without what its machine keeps.
    var tried: TriedRequest {
      guard let request = transfer.job?.exchange.request else {
        return TriedRequest(progress: .sent, isIdempotent: false, isBodyReplayable: false)
      }
      var tried = TriedRequest(request, nil)
      tried.isUnprocessed = wasRefusedUnread
      return tried
    }

    /// Notes how much of the request has left on the present connection, as libcurl has counted.
    func noteSent() {
      guard let before = transfer.bytesBefore, long(CURLINFO_REQUEST_SIZE) > before else { return }
      let length = transfer.source.map { $0.length ?? .max } ?? 0
      transfer.machine.sent(size(CURLINFO_SIZE_UPLOAD_T) < length ? .partlySent : .sent)
    }

    /// Copies the next bytes of the request's body; returns how many, or libcurl's constant for a pause or an abort.
    func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      let now = loop.now
      transfer.machine.moved(at: now, isResponse: false)
      guard let source = transfer.source else { return 0 }
      if transfer.machine.isSuspended { return Int(CURL_READFUNC_PAUSE) }
      transfer.metrics.requestSent = now - (transfer.job?.posted ?? now)
      do throws(APIError) {
        if let count = try source.read(into: buffer) {
          if count > 0 { tellMoved(sent: count) } else { tell(.requestSent) }
          return count
        }
        transfer.isSendingPaused = true
        return Int(CURL_READFUNC_PAUSE)
      } catch {
        transfer.machine.fail(error)
        return Int(CURL_READFUNC_ABORT)
      }
    }

    /// Resumes the paused sides.
    func resume() {
      guard isPaused else { return }
      transfer.isSendingPaused = false
      transfer.isReceivingPaused = false
      // The caller's suspension takes precedence over source and sink.
      if transfer.machine.isSuspended { return }
      transfer.machine.moved(at: loop.now, isResponse: false)
      loop.watchDeadline(of: self)
      curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    /// Pauses both sides at the caller's wish. A transfer that is on its way to a connection is paused when it moves
    /// its first bytes.
    func suspend() {
      transfer.machine.suspend(at: loop.now)
      if transfer.machine.state != .connecting { curl_easy_pause(easy, CURLPAUSE_RECV | CURLPAUSE_SEND) }
    }

    /// Resumes both sides, unless source or sink has paused them too.
    func proceed() {
      guard transfer.machine.isSuspended else { return }
      transfer.machine.proceed(at: loop.now)
      loop.watchDeadline(of: self)
      let paused =
        (transfer.isReceivingPaused ? CURLPAUSE_RECV : 0) | (transfer.isSendingPaused ? CURLPAUSE_SEND : 0)
      curl_easy_pause(easy, paused)
    }

    /// Reports the progress to the caller, at most about ten times a second.
    func report(_ progress: TransferProgress) {
      guard loop.now - transfer.lastProgress >= 100_000, let exchange = transfer.job?.exchange,
        exchange.tellsProgress
      else { return }
      guard progress.sent + progress.received > 0 else { return }
      // The body is sent, and the response is awaited: libcurl calls once a second meanwhile.
      if progress == transfer.told, progress.received == 0, progress.sent == progress.totalToSend { return }
      transfer.told = progress
      transfer.lastProgress = loop.now
      tellPhases()
      exchange.tell(measured(progress))
    }

    /// The last report, with the final numbers, unless they were told already.
    func reportEnd() {
      guard let exchange = transfer.job?.exchange, exchange.onProgress != nil else { return }
      let sent = min(size(CURLINFO_SIZE_UPLOAD_T), transfer.source?.given ?? .max)
      let received = size(CURLINFO_SIZE_DOWNLOAD_T)
      let last = TransferProgress(
        sent: sent, totalToSend: sent > 0 ? sent : nil, received: received, totalToReceive: received)
      // Of a response without a body there is nothing to tell.
      if received == 0, transfer.told?.totalToReceive == nil { transfer.told?.totalToReceive = 0 }
      guard last != transfer.told else { return }
      tellPhases()
      exchange.tell(measured(last))
    }

    private func measured(_ progress: TransferProgress) -> TransferProgress {
      var meter = transfer.meter ?? TransferMeter(at: transfer.started)
      defer { transfer.meter = meter }
      return meter.completing(progress, at: loop.now)
    }
  }
#endif
