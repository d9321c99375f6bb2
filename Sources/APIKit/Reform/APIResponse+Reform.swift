extension APIResponse {
  /// What a reformer makes of this response.
  ///
  /// A reformer that is `Hashable` is run once per response: asked again, or for another view, the first
  /// output is given. Runs where it is called; for long lists see ``dataInBackground(with:)``. Throws what
  /// the reformer throws, as an ``APIError`` placed in `reform`.
  public func data<Output>(with reformer: some Reformer<Output>) throws(APIError) -> Output {
    guard let key = ReformMemo.Key(reformer) else { return try reform(reformer) }
    if let output = reforms.output(of: key, as: Output.self) { return output }
    let output = try reform(reformer)
    reforms.keep(output, of: key)
    return output
  }

  /// What a reformer makes of this response, made off the caller's actor.
  ///
  /// Cancelling the task cancels a reformer that looks at it, with ``APIError/Reason/cancelled``.
  @concurrent public func dataInBackground<Output>(
    with reformer: some Reformer<Output>
  ) async throws(APIError) -> Output {
    try data(with: reformer)
  }

  /// Runs a reformer, and gives its errors their place and context.
  private func reform<Output>(_ reformer: some Reformer<Output>) throws(APIError) -> Output {
    do {
      return try reformer.reform(raw, from: source)
    } catch is CancellationError {
      throw error(.cancelled, "the reform was cancelled", nil)
    } catch let error as APIError {
      throw self.error(error.reason, error.detail, error.underlying)
    } catch {
      throw self.error(.reformFailed, "\(type(of: reformer)) threw \(type(of: error))", error)
    }
  }

  private func error(_ reason: APIError.Reason, _ detail: String, _ underlying: (any Error)?) -> APIError {
    var context = APIError.Context()
    if source.managerType != Never.self { context.manager = String(describing: source.managerType) }
    context.service = source.serviceName
    context.apiName = source.apiName
    context.flightID = source.flightID?.rawValue
    return APIError(.reform, reason, detail, context: context, underlying: underlying)
  }
}
