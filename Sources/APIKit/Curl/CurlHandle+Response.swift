#if os(Linux)
  import CAPIKit

  extension CurlHandle {
    /// One line of an answer's head, line break included. False ends the transfer with `machine.failure`.
    func receive(line: UnsafeRawBufferPointer) -> Bool {
      machine.moved(at: loop.now, isResponse: true)
      guard isHTTP else { return receive(ftpLine: line) }
      // A status line begins a head: the first one, or one after 100, 103 or a challenge.
      if line.count > 5, line[0] == UInt8(ascii: "H"), line[4] == UInt8(ascii: "/"), isStatusLine(line) {
        return true
      }
      guard isHeadOpen else { return true }  // Trailers.
      guard head.count + line.count <= CurlHead.maximumBytes else {
        machine.fail(APIError(.transport, .responseTooLarge, "the header fields are larger than 256 KiB"))
        return false
      }
      head.append(contentsOf: line)
      if line.count <= 2 {
        isHeadOpen = false
        return status < 200 || mayBeSentAgain ? true : completeHead()
      }
      switch line[0] | 0x20 {
      case UInt8(ascii: "c"): return checkLength(line)
      case UInt8(ascii: "t"): return checkTransferCoding(line)
      default: return true
      }
    }

    /// Bytes of the body. False ends the transfer, nil pauses it.
    func receive(body bytes: UnsafeRawBufferPointer) -> Bool? {
      machine.moved(at: loop.now, isResponse: true)
      // libcurl writes the fields that it makes of FTP's replies to HEAD into the body too.
      if applied.body == .noBody { return true }
      if !isHeadDone, !completeHead() { return false }
      if let sink {
        switch sink.write(bytes) {
        case .taken: return true
        case .later:
          isReceivingPaused = true
          return nil
        case .failed(let error):
          machine.fail(error)
          return false
        }
      }
      guard body.count + bytes.count <= bodyLimit else {
        machine.fail(CurlHandle.tooLarge(bodyLimit))
        return false
      }
      if body.isEmpty, let contentLength, contentLength > Int64(bytes.count) {
        // A length is only a claim: memory is taken for what may well come, not for what is promised.
        body.reserveCapacity(Int(min(contentLength, 16 << 20)))
      }
      body.append(contentsOf: bytes)
      return true
    }

    /// The head is final: it is shown to the caller, and the sink is opened.
    func completeHead() -> Bool {
      guard !isHeadDone, let job else { return true }
      isHeadDone = true
      // libcurl takes `HTtP/1.1 404` for a status line; whatever has none of ours must not pass as a success.
      guard !isHTTP || status > 0 else { return malformed("has no status line that HTTP allows") }
      if let contentLength, contentLength > Int64(bodyLimit), job.exchange.request.method != .head {
        machine.fail(CurlHandle.tooLarge(bodyLimit))
        return false
      }
      guard job.exchange.inspectHead != nil || sink != nil else { return true }
      let headers = CurlHead.headers(head)
      if let inspect = job.exchange.inspectHead {
        do {
          try inspect(status, headers)
        } catch {
          machine.fail(APIError(.transport, .refusedAtHeaders, underlying: error))
          return false
        }
      }
      guard let sink else { return true }
      do {
        let body = try sink.open(contentCoding: headers.combined("Content-Encoding"))
        if sink.landsAtHead { job.land(.success(answer(body))) }
        return true
      } catch {
        machine.fail(error)
        return false
      }
    }

    /// Ends the transfer: libcurl's verdict, and ours, become the outcome.
    func outcome(_ code: CURLcode) -> Result<CurlResponse, APIError> {
      let wasConnected = machine.state != .connecting
      if code == CURLE_BAD_FUNCTION_ARGUMENT, wasConnected, machine.failure == nil, job?.opensOnly == true {
        machine.end()
        return .success(answer(.bytes([])))
      }
      if code == CURLE_OK, machine.failure == nil, isHTTP, isHeadOpen {
        // libcurl takes the end of the connection for the end of the head.
        machine.fail(APIError(.transport, .truncatedBody, "the connection ended within the header fields"))
      }
      if code == CURLE_OK, machine.failure == nil, !isHeadDone { _ = completeHead() }
      if code != CURLE_OK, machine.failure == nil {
        machine.fail(CurlErrors.error(code, circumstances(wasConnected)))
      }
      machine.end()
      source?.close()
      if let failure = machine.failure {
        sink?.fail(failure)
        return .failure(failure)
      }
      guard let sink else {
        let bytes = body
        body = []
        return .success(answer(.bytes(bytes)))
      }
      do {
        return .success(answer(try sink.finish()))
      } catch {
        sink.fail(error)
        return .failure(error)
      }
    }

    private func answer(_ body: HTTPResponse.Body) -> CurlResponse {
      defer { head = [] }
      return CurlResponse(
        status: status == 0 ? 200 : status, version: version, head: head, body: body, metrics: metrics())
    }

    private func circumstances(_ wasConnected: Bool) -> CurlErrors.Circumstances {
      CurlErrors.Circumstances(
        text: errorMessage, verifyResult: long(CURLINFO_SSL_VERIFYRESULT),
        connectStatus: long(CURLINFO_HTTP_CONNECTCODE), systemError: Int32(long(CURLINFO_OS_ERRNO)),
        wasAskedForCertificate: wasAskedForCertificate, wasConnected: wasConnected, isProxied: isProxied,
        isTLS: isTLS)
    }

    private var isProxied: Bool {
      guard let proxy = session.proxy, let host = job?.exchange.request.url.host else { return false }
      return !proxy.isException(host)
    }

    /// Whether libcurl may answer this head with credentials, so that another one follows.
    private var mayBeSentAgain: Bool {
      (status == 401 && job?.exchange.request.options.login != nil)
        || (status == 407 && session.proxy?.login != nil)
    }

    private func isStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
      guard let parsed = CurlHead.statusLine(line) else { return false }
      status = parsed.status
      version = parsed.version
      isHeadOpen = true
      isHeadDone = false
      contentLength = nil
      if head.capacity == 0 { head.reserveCapacity(512) }
      head.removeAll(keepingCapacity: true)
      head.append(contentsOf: line)
      return true
    }

    /// Two lengths that differ are how one answer is smuggled into another (RFC 9112, 6.3); libcurl takes one,
    /// and of `5, 6` or `5x` the first digits.
    private func checkLength(_ line: UnsafeRawBufferPointer) -> Bool {
      guard let value = CurlHead.value(of: "content-length:", in: line) else { return true }
      if contentLength == nil, let length = CurlHead.number(value) {
        contentLength = length
        return true
      }
      for part in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
        guard let length = CurlHead.number(part) else { return malformed("has a length that is no number") }
        if let contentLength, contentLength != length {
          return malformed("has two different lengths, \(contentLength) and \(length)")
        }
        contentLength = length
      }
      return true
    }

    /// A transfer coding besides `chunked`, which nobody asked for (TE), would be undone by libcurl's decoders,
    /// and those take a cut body for a whole one.
    private func checkTransferCoding(_ line: UnsafeRawBufferPointer) -> Bool {
      guard let value = CurlHead.value(of: "transfer-encoding:", in: line) else { return true }
      let coding = String(decoding: value, as: UTF8.self).trimmingSpaces().lowercased()
      return coding == "chunked" || coding == "identity"
        || malformed("has a transfer coding that was not asked for")
    }

    private func malformed(_ what: String) -> Bool {
      machine.fail(APIError(.transport, .malformedResponse, "the response \(what)"))
      return false
    }

    static func tooLarge(_ limit: Int) -> APIError {
      APIError(.transport, .responseTooLarge, "the body is larger than \(limit) bytes")
    }
  }
#endif
