#if os(Linux)
  import CAPIKit

  extension CurlHandle {
    /// Sets the options that the job's request needs.
    func apply(_ job: CurlJob) throws(APIError) {
      let request = job.exchange.request
      try applyURL(request)
      if applied.isTLS != transfer.isTLS {
        let version = transfer.isTLS ? session.httpVersion.tls : session.httpVersion.plain
        try set(CURLOPT_HTTP_VERSION, version)
        // Connections of HTTP/1.1 are never multiplexed, so waiting to learn that only costs time.
        try set(CURLOPT_PIPEWAIT, transfer.isTLS && version != CURL_HTTP_VERSION_1_1 ? 1 : 0)
        applied.isTLS = transfer.isTLS
      }
      try applyBody(request)
      try applyFTP(request)
      applyHeaders(job.exchange)
      try set(CURLOPT_HTTPHEADER, pointer: lines.list())
      if let login = request.options.login { try applyLogin(login, request.body) }
      if request.options.connectTo != nil || applied.connectTo != nil { try applyConnectTo(request) }
      if session.hasProxies { try applyProxy(request.url) }
      if job.exchange.crossesOrigin, session.tls.hasIdentity {
        try session.tls.removeIdentity(from: self)
        applied.needsReset = true
      }
      if let handler = job.exchange.challenges {
        try applyChallenges(handler, job.exchange)
      } else if transfer.isTLS, try session.tls.replaceChain(of: request.url.host, on: self) {
        applied.needsReset = true
      }
      if let seconds = loop.dnsCache.limit(at: loop.now) {
        try set(CURLOPT_DNS_CACHE_TIMEOUT, seconds)
        applied.needsReset = true
      }
      if job.opensOnly { try applyOpening(job.opening) }
      if transfer.sink != nil {
        // Fewer, larger reads from the socket; a callback still gets 16 KB at most.
        try set(CURLOPT_BUFFERSIZE, 100 << 10)
        applied.needsReset = true
      }
      if job.exchange.onProgress != nil {
        try set(CURLOPT_NOPROGRESS, 0)
        applied.needsReset = true
      }
    }

    /// Sets the URL and the request target. Path and query, which only the server reads, go as the target: libcurl formats
    /// each part of a URL several times per request, byte by byte, and from 8.8 on it drops an empty query, although a
    /// signature of `/?` is not one of `/`.
    private func applyURL(_ request: HTTPRequest) throws(APIError) {
      let url = request.url
      let isAbsolute = transfer.isHTTP && !transfer.isTLS && proxy?.kind == .http
      var text = url.authorityText
      var target: String?
      if !transfer.isHTTP {
        text = url.string
      } else if isAbsolute || request.options.login != nil {
        // A plain proxy needs the whole URL, and a digest login signs path and query.
        text = url.string
        if url.query?.isEmpty == true { target = isAbsolute ? text : url.target }
      } else {
        target = url.target
      }
      if applied.url != text {
        applied.url = nil
        try set(CURLOPT_URL, text)
        applied.url = text
      }
      guard target != nil || applied.hasTarget else { return }
      try set(CURLOPT_REQUEST_TARGET, target)
      applied.hasTarget = target != nil
    }

    /// Sets body and method. libcurl derives the method from the kind of body; any other is set by name.
    private func applyBody(_ request: HTTPRequest) throws(APIError) {
      var natural = HTTPMethod.get
      switch request.body {
      case .bytes(let bytes) where transfer.source == nil && !bytes.isEmpty:
        try applyFields(bytes)
        natural = .post
      case _ where transfer.source != nil:
        try applyUpload()
        natural = .put
      default:
        if request.method == .head {
          if applied.body != .noBody { try set(CURLOPT_NOBODY, 1) }
          applied.body = .noBody
          natural = .head
        } else if request.method.hasLengthWithoutBody {
          // Content-Length: 0 is sent for an empty body (RFC 9110, 8.6).
          try applyFields([])
          natural = .post
        } else {
          if applied.body != .none { try set(CURLOPT_HTTPGET, 1) }
          applied.body = .none
        }
      }
      let custom = request.method == natural || !transfer.isHTTP ? nil : request.method.rawValue
      if custom != applied.customMethod {
        try set(CURLOPT_CUSTOMREQUEST, custom)
        applied.customMethod = custom
      }
    }

    /// Sets a body that libcurl copies: it is small enough for that to cost less than a callback.
    private func applyFields(_ bytes: [UInt8]) throws(APIError) {
      if applied.body != .fields { try set(CURLOPT_POST, 1) }
      applied.body = .fields
      try set(CURLOPT_POSTFIELDSIZE_LARGE, size: Int64(bytes.count))
      let code = bytes.withUnsafeBytes { buffer in
        let base = buffer.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) }
        guard let base else { return capikit_curl_set_string(easy, CURLOPT_COPYPOSTFIELDS, "") }
        return capikit_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, base)
      }
      try check(CURLOPT_COPYPOSTFIELDS, code)
    }

    private func applyUpload() throws(APIError) {
      try set(CURLOPT_UPLOAD, 1)
      try set(CURLOPT_INFILESIZE_LARGE, size: transfer.source?.length ?? -1)
      try set(CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10)
      applied.body = .upload
      applied.needsReset = true
    }

    private func applyHeaders(_ exchange: HTTPExchange) {
      let request = exchange.request
      lines.removeAll()
      var isTyped = false
      var acceptsEncodings = false
      var isRange = false
      for field in request.headers.fields {
        lines.append(field.name, field.value)
        // Compared by length first: comparing every name with three others would cost more than sending it.
        switch field.name.utf8.count {
        case 5: isRange = isRange || HTTPHeaders.equal(field.name, "Range")
        case 12: isTyped = isTyped || HTTPHeaders.equal(field.name, "Content-Type")
        case 15: acceptsEncodings = acceptsEncodings || HTTPHeaders.equal(field.name, "Accept-Encoding")
        default: break
        }
      }
      if !exchange.crossesOrigin {
        for field in session.configuration.headers.fields where !request.headers.contains(field.name) {
          lines.append(field.name, field.value)
          if HTTPHeaders.equal(field.name, "Content-Type") { isTyped = true }
          if HTTPHeaders.equal(field.name, "Accept-Encoding") { acceptsEncodings = true }
        }
      }
      // No coding is requested for a range, which could not be decoded, and for a file.
      if !acceptsEncodings, !isRange, !exchange.isToFile { lines.append(line: CurlDecoding.acceptLine) }
      switch applied.body {
      case .fields:
        // libcurl would add the content type of a form, and wait a second for 100-continue when the body is
        // large.
        if !isTyped { lines.append(line: "Content-Type:") }
        lines.append(line: request.options.expectsContinue ? "Expect: 100-continue" : "Expect:")
      case .upload where request.options.expectsContinue: lines.append(line: "Expect: 100-continue")
      case .upload: lines.append(line: "Expect:")
      case .none, .noBody: break
      }
    }

    /// Makes libcurl open a connection and abandon the request before it writes a byte of it, because of a
    /// date that no header field can hold. No option puts a connection into the pool without a request: one
    /// made with CURLOPT_CONNECT_ONLY does not enter it.
    private func applyOpening(_ opening: CurlJob.Opening) throws(APIError) {
      try set(CURLOPT_TIMECONDITION, capikit_curl_if_modified_since)
      try set(CURLOPT_TIMEVALUE_LARGE, size: .max)
      if opening == .new { try set(CURLOPT_FRESH_CONNECT, 1) }
      applied.needsReset = true
    }

    /// Sets what is not the same for all requests.
    private func applyProxy(_ url: HTTPURL) throws(APIError) {
      let proxy = session.proxies.proxy(for: url)
      if session.proxies.isByScheme {
        guard let proxy else { return }
        try session.apply(proxy, to: self)
      } else {
        guard proxy == nil else { return }
        // In libcurl's own list a name also means all names below it.
        try set(CURLOPT_NOPROXY, "*")
      }
      applied.needsReset = true
    }

    private func applyLogin(_ login: HTTPLogin, _ body: HTTPBody) throws(APIError) {
      try set(CURLOPT_USERNAME, login.user)
      try set(CURLOPT_PASSWORD, login.password)
      // A body that can be read once is kept for the request behind the challenge.
      let bits = CurlSession.authentication(login.scheme, asksFirst: !body.isReplayable)
      try set(CURLOPT_HTTPAUTH, Int(truncatingIfNeeded: bits))
      applied.needsReset = true
    }

    /// Connects to a given address. All requests to a host have the same, so that it is made once for them; it stays set
    /// until another request needs another one: a service with a pool sends all of its requests so.
    private func applyConnectTo(_ request: HTTPRequest) throws(APIError) {
      var connectTo: CurlConnectTo?
      if let target = request.options.connectTo {
        connectTo = transfer.hostJobs?.connectTo
        if connectTo == nil {
          connectTo = try CurlConnectTo(target, request.url)
          transfer.hostJobs?.connectTo = connectTo
        }
      }
      guard connectTo !== applied.connectTo else { return }
      try set(connectTo)
      applied.connectTo = connectTo
    }
  }

  extension HTTPExchange {
    /// Whether the response goes to a file, for which no coding is offered.
    var isToFile: Bool {
      if case .file = destination { return true }
      return false
    }
  }
#endif
