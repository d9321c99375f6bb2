/// Step `assemble`: the request of a call, made of endpoint, common parameters, header fields and encoded body.
extension Flight {
  func assemble() throws(APIError) -> Progress {
    if run.executor == .mainActor, !mayAssembleInline { return .on(.task) }
    try call.terms.expectation.validate()
    if planBatch() { return .next }
    let service = call.service
    let endpoint = try Endpoint(of: call)
    let (apiName, pathParameters) = (endpoint.apiName, endpoint.pathParameters)
    // Given away, so that the query is appended without a copy of the URL.
    var request = HTTPRequest(
      method: call.terms.method, url: (consume endpoint).url, headers: service.headers(for: call),
      timeouts: call.terms.timeouts)
    request.headers.merge(call.terms.headers)
    if let cleartext = call.cleartext { request.options.cleartext = cleartext }
    call.options.apply(to: &request)
    request.options.priority = call.terms.priority

    // Asked once, for the cache's key as well; a replay asks anew.
    let common = run.request == nil ? cache?.common : nil
    var parameters = common ?? service.commonParameters(for: call)
    parameters.merge(call.parameters)
    if !pathParameters.isEmpty { parameters = parameters.removing(pathParameters) }
    if let body = call.body {
      try call.terms.encoding.withoutBody.apply(parameters, to: &request)
      request.body = body
      if case .stream(let stream) = body, let type = stream.contentType,
        !request.headers.contains("Content-Type")
      {
        request.headers.add("Content-Type", type)
      }
    } else {
      try call.terms.encoding.apply(parameters, to: &request)
    }
    if call.terms.caching.use == .ignoringAllCaches { request.headers.add("Cache-Control", "no-cache") }
    try encipher(&request)
    addIdempotencyKey(&request)
    cache?.prepare(&request)
    run.request = request
    run.signed = (apiName, call.terms.encoding.signed(parameters))
    return .next
  }

  /// Whether assembly and signature take microseconds and run no code of the application beside the service's
  /// quick functions, so that they need not leave the main actor.
  private var mayAssembleInline: Bool {
    if call.identity.signer?.runsInline == false { return false }
    guard call.wire.cipher.encipher == nil, call.terms.encoding.runsInline else { return false }
    switch call.body {
    case nil, .empty: return call.parameters.isSmall
    case .bytes(let bytes): return bytes.count <= Self.inlineBytes
    case .file, .stream: return false
    }
  }

  /// Larger bodies are written, signed and read off the main actor and the transports' threads.
  static let inlineBytes = 64 << 10

  /// The service's byte transform on the way out. Files and streams are sent as they are.
  private func encipher(_ request: inout HTTPRequest) throws(APIError) {
    guard let encipher = call.wire.cipher.encipher, case .bytes(let bytes) = request.body, !bytes.isEmpty
    else { return }
    do {
      request.body = .bytes(try encipher(bytes, call))
    } catch let error as APIError {
      throw error
    } catch {
      throw APIError(
        .assembly, .misconfigured, "the body could not be enciphered by \(call.service.name)",
        underlying: error)
    }
  }

  /// One key for all attempts and replays, where the retry policy wants one.
  private func addIdempotencyKey(_ request: inout HTTPRequest) {
    guard let field = call.terms.retryPolicy.idempotencyKeyField, !request.method.isIdempotent,
      !request.headers.contains(field)
    else { return }
    request.headers.add(field, run.request?.headers[field] ?? Nonce.make())
  }
}

extension Parameters {
  /// Whether they are written in microseconds: few, and no long list or text at any depth.
  fileprivate var isSmall: Bool {
    var budget = 16 << 10
    return spend(&budget)
  }

  /// Takes their size from the budget; false when it is used up.
  private func spend(_ budget: inout Int) -> Bool {
    for (name, value) in pairs where !Self.spend(name.utf8.count, value, from: &budget) { return false }
    return true
  }

  private static func spend(_ size: Int, _ value: ParameterValue, from budget: inout Int) -> Bool {
    budget -= size + 16
    switch value {
    case .string(let text), .number(let text): budget -= text.utf8.count
    case .data(let bytes): budget -= bytes.count
    case .object(let parameters): return budget > 0 && parameters.spend(&budget)
    case .array(let values):
      for value in values where !spend(0, value, from: &budget) { return false }
    case .integer, .double, .bool, .date, .null: break
    }
    return budget > 0
  }
}
