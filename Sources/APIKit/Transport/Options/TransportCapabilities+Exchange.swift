extension TransportCapabilities {
  /// Every capability: the default of a `StubTransport`.
  public static let all = Self(rawValue: .max)

  /// Throws what ``HTTPRequest/validate()`` throws, and ``APIError/Reason/unsupportedCapability`` for the
  /// first thing that an exchange needs and the set lacks, and for a body in a HEAD request.
  ///
  /// A transport calls it before it sends: so what signers, credentials and hooks have added to the request
  /// is checked too. A time limit of `.zero` or nil needs no capability.
  ///
  /// - Parameters:
  ///   - exchange: The exchange to check.
  ///   - cleartext: The transport's own policy; that of the request goes before it.
  public func check(
    _ exchange: borrowing HTTPExchange, cleartext: CleartextPolicy = .allowed
  ) throws(APIError) {
    try exchange.request.validate()
    try (exchange.request.options.cleartext ?? cleartext).check(exchange.request)
    guard exchange.request.method != .head || exchange.request.body.isEmpty else {
      // It has no meaning (RFC 9110, 9.3.2), and libcurl would wait for the body of the response.
      throw APIError(.transport, .unsupportedCapability, "transports do not support a body in a HEAD request")
    }
    guard self != .all else { return }
    switch exchange.request.body {
    case .empty, .bytes: break
    case .file: try require(.fileUpload, "request bodies from a file (fileUpload)")
    case .stream: try require(.streamUpload, "request bodies from a stream (streamUpload)")
    }
    switch exchange.destination {
    case .memory: break
    case .file: try require(.fileDownload, "responses to a file (fileDownload)")
    case .stream: try require(.streamDownload, "responses as a stream (streamDownload)")
    }
    if exchange.inspectHead != nil {
      try require(.headInspection, "refusing a response at its headers (headInspection)")
    }
    if exchange.fileAtHead != nil {
      try require(
        [.headInspection, .fileDownload],
        "turning a response into a file at its head (headInspection, fileDownload)")
    }
    if exchange.onProgress != nil { try require(.progress, "progress (progress)") }
    if exchange.challenges != nil {
      try require(.challenges, "asking the application about authentication challenges (challenges)")
    }
    try check(exchange.request.timeouts)
    try check(exchange.request.options)
  }

  private func check(_ timeouts: HTTPTimeouts) throws(APIError) {
    if let connect = timeouts.connect, connect != .zero {
      try require(.connectTimeout, "a limit for the connection alone (connectTimeout)")
    }
    if let idle = timeouts.idle, idle != .zero {
      try require(.idleTimeout, "a limit between two bytes (idleTimeout)")
    }
    if let total = timeouts.total, total != .zero {
      try require(.totalTimeout, "a limit for the whole attempt (totalTimeout)")
    }
  }

  private func check(_ options: HTTPRequestOptions) throws(APIError) {
    if options.login != nil { try require(.login, "logins (login)") }
    if options.connectTo != nil { try require(.connectTo, "connecting to a given address (connectTo)") }
    if options.expectsContinue {
      try require(.expectContinue, "asking before a body is sent (expectContinue)")
    }
    if options.choosesInterfaces {
      try require(.interfaceControl, "a choice of interfaces or a service type (interfaceControl)")
    }
  }
}
