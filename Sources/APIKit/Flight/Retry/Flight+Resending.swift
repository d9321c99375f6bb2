/// Whether a load's request goes again: what the flight knows of it, for ``ResendOccasion``.
extension Flight {
  /// Why the load's request may not be sent again; nil when it may.
  ///
  /// - Parameter isUnprocessed: Whether the response says that the server has not acted on it. It then counts as unsent
  ///   from here on.
  func objection(to occasion: ResendOccasion, isUnprocessed: Bool = false) -> ResendObjection? {
    // Nothing was made that could have been sent.
    guard let request = run.request else { return nil }
    var tried = TriedRequest(
      request, run.requestProgress, isKeyed: !run.wentWithoutKey && carriesKey(request))
    // Where a redirect has made another request of it, the response is about that one: the load's own was acted on.
    tried.isUnprocessed = isUnprocessed && (run.sent?.method ?? request.method) == request.method
    if let objection = occasion.objection(to: tried) { return objection }
    if tried.isUnprocessed { (run.requestProgress, run.wentWithoutKey) = (.unsent, false) }
    return nil
  }

  /// Whether the load's request may be sent again; where not, its record says why.
  func mayGoAgain(_ occasion: ResendOccasion, isUnprocessed: Bool) -> Bool {
    guard let objection = objection(to: occasion, isUnprocessed: isUnprocessed) else { return true }
    note(.gaveUp(because: objection.text))
    return false
  }

  /// The transport has ended: how far the request came.
  func noteProgress(_ result: Result<HTTPResponse, APIError>) {
    switch result {
    case .success: run.requestProgress = .responseBegan
    case .failure(let error):
      run.requestProgress = max(run.requestProgress, error.requestProgress ?? .sent)
      if error.requestProgress == .unsent { return }
    }
    guard call.terms.retryPolicy.idempotencyKeyField != nil, let request = run.request, let sent = run.sent,
      !sent.method.isIdempotent, carriesKey(request), !carriesKey(sent)
    else { return }
    run.wentWithoutKey = true
  }

  private func carriesKey(_ request: HTTPRequest) -> Bool {
    call.terms.retryPolicy.idempotencyKeyField.map { request.headers.contains($0) } ?? false
  }
}
