#if os(Linux)
  import CAPIKit

  extension CurlHandle {
    /// One line of a response's head, line break included. False ends the transfer with `machine.failure`.
    func receive(line: UnsafeRawBufferPointer) -> Bool {
      transfer.machine.moved(at: loop.now, isResponse: true)
      // Heads before the final one and trailers count as well: a server may send either without end.
      transfer.headBytes += line.count
      guard transfer.headBytes <= CurlHead.maximumBytes else {
        transfer.machine.fail(
          APIError(.transport, .responseTooLarge, "the header fields and trailers are larger than 256 KiB"))
        return false
      }
      guard transfer.isHTTP else { return receive(ftpLine: line) }
      // A status line begins a head: the first one, or one after 100, 103 or an authentication challenge. A trailer may
      // look like one.
      if !transfer.isHeadDone, line.count > 5, line[0] == UInt8(ascii: "H"), line[4] == UInt8(ascii: "/"),
        isStatusLine(line)
      {
        return true
      }
      guard transfer.isHeadOpen else {
        if transfer.trailers.isEmpty { transfer.trailers.append(0x0A) }
        transfer.trailers.append(contentsOf: line)
        return true
      }
      transfer.head.append(contentsOf: line)
      if line.count <= 2 {
        transfer.isHeadOpen = false
        if transfer.isCoded { transfer.isCoded = CurlDecoding.isCoded(CurlHead.headers(transfer.head)) }
        if transfer.status == 417 { keepRefusedExpectation() }
        // libcurl would wait for another head without end.
        if transfer.status == 101 { return malformed("changes to a protocol that was not asked for") }
        return transfer.status < 200 || mayBeSentAgain ? true : completeHead()
      }
      switch line[0] | 0x20 {
      case UInt8(ascii: "c"):
        // Its value may go on in folded lines: the end of the head decides.
        if CurlHead.begins(line, with: "content-encoding") { transfer.isCoded = true }
        return checkLength(line)
      case UInt8(ascii: "t"): return checkTransferCoding(line)
      case UInt8(ascii: " "), UInt8(ascii: "\t") | 0x20: return checkFolding(line)
      default: return true
      }
    }

    /// Bytes of the body. False ends the transfer, nil pauses it.
    func receive(body bytes: UnsafeRawBufferPointer) -> Bool? {
      if transfer.machine.isSuspended { return nil }
      transfer.machine.moved(at: loop.now, isResponse: true)
      transfer.chunks?.hasMoved = true
      // libcurl also writes the fields that it derives from FTP's replies to HEAD into the body.
      if applied.body == .noBody { return true }
      if !transfer.isHeadDone, !completeHead() { return false }
      if !bytes.isEmpty { transfer.hasContent = true }
      if let sink = transfer.sink {
        do throws(APIError) {
          if try sink.write(bytes) {
            tellMoved(received: bytes.count)
            return true
          }
          transfer.isReceivingPaused = true
          return nil
        } catch {
          transfer.machine.fail(error)
          return false
        }
      }
      guard transfer.body.count + bytes.count <= transfer.bodyLimit else {
        transfer.machine.fail(APIError(bodyLargerThan: transfer.bodyLimit))
        return false
      }
      if transfer.body.isEmpty, let length = transfer.contentLength, length > Int64(bytes.count) {
        // The declared length may be wrong: at most 16 MiB are reserved in advance.
        transfer.body.reserveCapacity(Int(min(length, 16 << 20)))
      }
      transfer.body.append(contentsOf: bytes)
      tellMoved(received: bytes.count)
      return true
    }

    /// The head is final: calls the caller's `inspectHead` and opens the sink.
    func completeHead() -> Bool {
      guard !transfer.isHeadDone, let job = transfer.job else { return true }
      transfer.isHeadDone = true
      // libcurl stops sending after an error, but would wait for a body that it has paused.
      if transfer.isSendingPaused, transfer.status >= 400 {
        transfer.isSendingPaused = false
        curl_easy_pause(easy, transfer.isReceivingPaused ? CURLPAUSE_RECV : 0)
      }
      // libcurl accepts `HTtP/1.1 404` as a status line; a response without a valid one must not count as a
      // success.
      guard !transfer.isHTTP || transfer.status > 0 else {
        return malformed("has no status line that HTTP allows")
      }
      if transfer.isHTTP, let sink = transfer.sink, !sink.takes(status: transfer.status) {
        sink.fail(APIError(.transport, .unacceptableStatus))
        transfer.sink = nil
      }
      let inspects = job.exchange.inspectHead != nil || job.exchange.fileAtHead != nil
      let headers = inspects || transfer.sink != nil ? CurlHead.headers(transfer.head) : HTTPHeaders()
      return isGood { () throws(APIError) in
        try job.exchange.inspect(transfer.status, headers)
        if let path = job.exchange.file(status: transfer.isHTTP ? transfer.status : 200, headers) {
          let file = CurlFileSink(
            path: path, maximumBytes: .max, maximumDecodedBytes: job.maximumDecodedBytes)
          transfer.sink = file
          try file.open()
        }
        if transfer.sink == nil, let length = transfer.contentLength, length > Int64(transfer.bodyLimit),
          job.exchange.request.method != .head
        {
          throw APIError(bodyLargerThan: transfer.bodyLimit)
        }
        guard let sink = transfer.sink else { return }
        let body = try sink.begin(contentCoding: headers.combined("Content-Encoding"))
        if sink.landsAtHead { loop.end(job, .success(response(body))) }
      }
    }

    /// Ends the transfer and returns its outcome, from libcurl's code and the machine's failure.
    func outcome(_ code: CURLcode) -> Result<CurlResponse, APIError> {
      let wasConnected = transfer.machine.state != .connecting
      let code = code == CURLE_TOO_MANY_REDIRECTS && transfer.status == 417 ? CURLE_OK : code
      if code == CURLE_BAD_FUNCTION_ARGUMENT, wasConnected, transfer.machine.failure == nil,
        transfer.job?.opensOnly == true
      {
        transfer.machine.end()
        return .success(response(.bytes([])))
      }
      if code == CURLE_OK, transfer.machine.failure == nil, transfer.isHTTP, transfer.isHeadOpen {
        // libcurl accepts the end of the connection as the end of the head.
        transfer.machine.fail(
          APIError(.transport, .truncatedBody, "the connection ended within the header fields"))
      }
      if code == CURLE_OK, transfer.machine.failure == nil, !transfer.isHeadDone { _ = completeHead() }
      if code == CURLE_OK, transfer.machine.failure == nil, isCutToNothing {
        transfer.machine.fail(
          APIError(.transport, .truncatedBody, "the compressed body was cut before its first byte"))
      }
      noteSent()
      if transfer.isHeadDone { transfer.machine.sent(.responseBegan) }
      if code != CURLE_OK, transfer.machine.failure == nil {
        let error = raisingProxy(CurlErrors.error(code, circumstances(wasConnected)))
        // A connection that is lost has a code of its own from 8.7 on, and no text.
        if error.reason == .connectionLost, !transfer.isHeadDone, code != CURLE_HTTP2, wasRefusedUnread {
          transfer.machine.refused()
        }
        transfer.machine.fail(lost(code, error) ?? told(error))
      }
      transfer.machine.end()
      transfer.source?.close()
      let resends = transfer.machine.resends
      // libcurl counts lost connections over all transfers of a handle, and gives up at the sixth; only a reset clears
      // the count.
      if resends > 0 || transfer.machine.failure != nil { applied.needsReset = true }
      if transfer.machine.failure != nil, applied.body == .fields || applied.body == .upload {
        applied.isSpent = true
      }
      if var failure = transfer.machine.failure {
        if resends > 0 { failure.detail += "; the request was sent \(resends + 1) times" }
        return failed(failure)
      }
      guard let sink = transfer.sink else {
        let bytes = transfer.body
        transfer.body = []
        return .success(response(.bytes(bytes)))
      }
      do { return .success(response(try sink.finish(metrics()))) } catch { return failed(error) }
    }

    private func failed(_ error: APIError) -> Result<CurlResponse, APIError> {
      var failure = error
      failure.metrics = metrics(hasFailed: true)
      failure.requestProgress = transfer.machine.progress
      transfer.sink?.fail(failure)
      return .failure(failure)
    }

    /// The error, with a note where the server may have acted on a request that must not be sent again.
    private func told(_ error: APIError) -> APIError {
      var request = tried
      // One that was refused unread counts as not sent.
      (request.progress, request.isUnprocessed) = (transfer.machine.progress, false)
      guard error.reason == .connectionLost, transfer.machine.progress < .responseBegan,
        ResendOccasion.retry.objection(to: request) != nil
      else { return error }
      var error = error
      error.detail += "; the server may have acted on the request"
      return error
    }

    /// The failure of a request that was sent on a connection which then ended, where libcurl reports why it could not
    /// begin anew: a name without an address, a body that cannot be rewound. Nil for any other failure.
    private func lost(_ code: CURLcode, _ error: APIError) -> APIError? {
      let isLate =
        code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_COULDNT_RESOLVE_HOST
        || code == CURLE_SEND_FAIL_REWIND
      guard isLate, transfer.isHTTP, transfer.machine.state == .requesting,
        transfer.machine.progress > .unsent
      else { return nil }
      var request = tried
      (request.progress, request.resends) = (transfer.machine.progress, transfer.machine.resends)
      return ResendOccasion.connectionEnded.objection(to: request)?.connectionLost(error)
    }

    /// Whether a compressed body has no bytes, though every coding writes some. Responses that declare an empty body do not
    /// count, nor do those whose status alone matters: errors and redirects.
    private var isCutToNothing: Bool {
      transfer.isHTTP && transfer.isCoded && !transfer.hasContent && applied.body != .noBody
        && transfer.contentLength != 0 && (200..<300).contains(transfer.status)
        && transfer.status != 204 && transfer.status != 205
    }

    private func response(_ body: HTTPResponse.Body) -> CurlResponse {
      defer { transfer.head = [] }
      return CurlResponse(
        status: transfer.status == 0 ? 200 : transfer.status, version: transfer.version, head: transfer.head,
        trailers: transfer.trailers, body: body, isCoded: transfer.isCoded, metrics: metrics())
    }

    private func circumstances(_ wasConnected: Bool) -> CurlErrors.Circumstances {
      CurlErrors.Circumstances(
        text: errorMessage, verifyResult: long(CURLINFO_SSL_VERIFYRESULT),
        connectStatus: long(CURLINFO_HTTP_CONNECTCODE), systemError: Int32(long(CURLINFO_OS_ERRNO)),
        socketError: loop.poll.openError, wasAskedForCertificate: transfer.wasAskedForCertificate,
        hasCertificate: session.tls.hasIdentity || transfer.challengeContext?.hasIdentity == true,
        wasConnected: wasConnected,
        hasResponse: !transfer.isHTTP || transfer.machine.progress == .responseBegan,
        isProxied: proxy != nil, isTLS: transfer.isTLS)
    }

    /// The proxy of the request.
    var proxy: HTTPProxy? {
      guard session.hasProxies, let url = transfer.job?.exchange.request.url else { return nil }
      return session.proxies.proxy(for: url)
    }

    /// Whether libcurl may react to this head by sending credentials, so that another head follows.
    private var mayBeSentAgain: Bool {
      (transfer.status == 401 && transfer.job?.exchange.request.options.login != nil)
        || (transfer.status == 407
          && (proxy?.login != nil || transfer.job?.exchange.proxyLogin != nil))
    }

    /// A server that refuses `Expect: 100-continue` has the last word: libcurl would send the request again, with the same
    /// field and without end. Now it drops the body of the response, and ends the transfer as one with too many redirects.
    private func keepRefusedExpectation() {
      guard transfer.job?.exchange.request.options.expectsContinue == true else { return }
      applied.needsReset = true
      _ = isGood { () throws(APIError) in try set(CURLOPT_MAXREDIRS, 0) }
    }

    private func isStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
      guard let parsed = CurlHead.statusLine(line) else { return false }
      transfer.status = parsed.status
      transfer.version = parsed.version
      if parsed.status >= 200 { tellFirstByte() }
      transfer.isHeadOpen = true
      transfer.isHeadDone = false
      transfer.trailers = []
      transfer.contentLength = nil
      transfer.isCoded = false
      transfer.hasContent = false
      if transfer.head.capacity == 0 { transfer.head.reserveCapacity(512) }
      transfer.head.removeAll(keepingCapacity: true)
      transfer.head.append(contentsOf: line)
      return true
    }

    /// Refuses different lengths, which allow response splitting (RFC 9112, 6.3). libcurl uses one of them,
    /// and of `5, 6` or `5x` the first digits.
    private func checkLength(_ line: UnsafeRawBufferPointer) -> Bool {
      guard let value = CurlHead.value(of: "content-length:", in: line) else { return true }
      if transfer.contentLength == nil, let length = CurlHead.number(value) {
        transfer.contentLength = length
        return true
      }
      for part in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
        guard let length = CurlHead.number(part) else { return malformed("has a length that is no number") }
        if let other = transfer.contentLength, other != length {
          return malformed("has two different lengths, \(other) and \(length)")
        }
        transfer.contentLength = length
      }
      return true
    }

    /// Refuses a folded line with no field before it (RFC 9112, 2.2); libcurl before 8.1 refuses it itself.
    private func checkFolding(_ line: UnsafeRawBufferPointer) -> Bool {
      guard line[0] == UInt8(ascii: " ") || line[0] == UInt8(ascii: "\t") else { return true }
      let isFirst = transfer.head.firstIndex(of: 0x0A) == transfer.head.count - line.count - 1
      return !isFirst || malformed("has a folded line with no field before it")
    }

    /// Refuses transfer codings other than `chunked`, which were not requested (TE): libcurl's decoders
    /// would accept a truncated body as complete.
    private func checkTransferCoding(_ line: UnsafeRawBufferPointer) -> Bool {
      guard let value = CurlHead.value(of: "transfer-encoding:", in: line) else { return true }
      let coding = String(decoding: value, as: UTF8.self).trimmingSpaces().lowercased()
      if coding == "chunked", transfer.chunks == nil {
        transfer.chunks = CurlHandle.Transfer.Chunks()
        loop.watchChunks(of: self)
      }
      return coding == "chunked" || coding == "identity"
        || malformed("has a transfer coding that was not asked for")
    }

    /// Bytes arrived, and libcurl has read them. Ends the transfer when too many were none of the body: libcurl reads
    /// extensions of chunks (RFC 9112, 7.1.1) without end.
    func checkChunks(on socket: Int32) {
      guard let chunks = transfer.chunks, transfer.machine.failure == nil, !isPaused else { return }
      guard !chunks.hasMoved else {
        transfer.chunks = CurlHandle.Transfer.Chunks(hasMoved: false)
        return
      }
      let received = capikit_bytes_received(socket)
      guard let before = chunks.received else {
        transfer.chunks?.received = received
        return
      }
      guard received > before + Self.mostBetweenChunks else { return }
      loop.end(
        self,
        with: APIError(
          .transport, .malformedResponse,
          "the response has more than \(Self.mostBetweenChunks >> 10) KiB between two chunks"))
    }

    private static let mostBetweenChunks: UInt64 = 16 << 10

    private func malformed(_ what: String) -> Bool {
      transfer.machine.fail(APIError(.transport, .malformedResponse, "the response \(what)"))
      return false
    }
  }
#endif
