extension APIResponse {
  /// Decodes the whole response as a type, by the options of its manager or service (``APIManager/decoding``).
  ///
  /// - Throws: What ``RawData/decode(as:options:)`` throws, with the API, the method and the status in its context.
  public func decode<Value: Decodable>(as type: Value.Type = Value.self) throws(APIError) -> Value {
    try placed { () throws(APIError) in try raw.decode(as: type, options: source.decoding) }
  }

  /// Reads the whole response as a ``RawDecodable`` type, which knows its own names and dates; otherwise the same.
  public func decode<Value: RawDecodable>(as type: Value.Type = Value.self) throws(APIError) -> Value {
    try placed { () throws(APIError) in try raw.decode(as: type) }
  }

  /// Reads the whole response as a type that is both, by ``RawDecodable``.
  public func decode<Value: RawDecodable & Decodable>(
    as type: Value.Type = Value.self
  ) throws(APIError) -> Value {
    try placed { () throws(APIError) in try raw.decode(as: type) }
  }

  /// What is read, or its error with the context of the response and the response itself.
  private func placed<Value>(_ read: () throws(APIError) -> Value) throws(APIError) -> Value {
    do throws(APIError) {
      return try read()
    } catch {
      throw placed(error)
    }
  }

  /// The output of a reformer for this response.
  ///
  /// A `Hashable` reformer runs once per response: its output is kept and returned to later calls with an
  /// equal reformer. At most 64 outputs are kept for a response; one more replaces them. Runs on the caller's thread; for long
  /// lists use ``dataInBackground(with:)``. Throws the reformer's error as an ``APIError`` placed in `reform`.
  public func data<Output>(with reformer: some Reformer<Output>) throws(APIError) -> Output {
    guard let key = ReformMemo.ReformerKey(reformer) else { return try reform(reformer) }
    if let output = reforms.output(of: key, as: Output.self) { return output }
    let output = try reform(reformer)
    reforms.keep(output, of: key)
    return output
  }

  /// The output of a reformer for this response, made off the caller's actor.
  ///
  /// Cancelling the task cancels a reformer that checks for cancellation, with
  /// ``APIError/Reason/cancelled``. Otherwise the same as ``data(with:)``.
  @concurrent public func dataInBackground<Output>(
    with reformer: some Reformer<Output>
  ) async throws(APIError) -> Output {
    try data(with: reformer)
  }

  /// Runs a reformer, and adds place and context to its errors.
  private func reform<Output>(_ reformer: some Reformer<Output>) throws(APIError) -> Output {
    do {
      return try reformer.reform(raw, from: source)
    } catch is CancellationError {
      throw error(.cancelled, "the reform was cancelled", underlying: nil)
    } catch let error as APIError {
      throw placed(error)
    } catch {
      throw self.error(.reformFailed, "\(type(of: reformer)) threw \(type(of: error))", underlying: error)
    }
  }

  private func placed(_ error: APIError) -> APIError {
    self.error(
      error.reason, error.detail, quote: error.quote, underlying: error.underlying, evidence: error.evidence)
  }

  private func error(
    _ reason: APIError.Reason, _ detail: String, quote: String? = nil, underlying: (any Error)?,
    evidence: APIError.Evidence? = nil
  ) -> APIError {
    var context = APIError.Context()
    if source.managerType != Never.self {
      context.manager = TypeName.of(
        manager: source.managerType, method: source.method?.rawValue ?? "", apiName: source.apiName)
    }
    context.service = source.serviceName
    context.apiName = source.apiName
    context.flightID = source.flightID?.rawValue
    context.method = source.method?.rawValue
    context.status = status == 0 ? nil : status
    var error = APIError(
      .reform, reason, detail, quote: quote, context: context, underlying: underlying, evidence: evidence)
    guard evidence == nil, status != 0 else { return error }
    error.evidence = http.evidence
    if raw.kind != .missing { error.bodyDecoders = .giving(raw) }
    return error
  }
}

extension BodyDecoders {
  /// For ``APIError/raw``: a body that was decoded already, by whichever decoder the manager has stated.
  fileprivate static func giving(_ raw: RawData) -> BodyDecoders {
    var decoders = BodyDecoders()
    decoders.fallback = DecodedBody(raw: raw)
    decoders.readsUnknownTypes = true
    return decoders
  }
}

/// The value of one body.
private struct DecodedBody: BodyDecoder {
  let raw: RawData

  func decode(_ bytes: [UInt8], limits: RawData.Limits) throws(APIError) -> RawData { raw }
}
