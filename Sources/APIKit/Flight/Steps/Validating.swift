/// Steps `validate` and `complete`: whether a decoded response is a good one, and the end of its attempt.
extension Flight {
  func validate() throws(APIError) -> Progress {
    guard let response = run.response else { return .next }
    if response.provenance == .network { try call.check(response) }
    return .next
  }

  func complete() -> Progress {
    leaveHost()
    if let credential = run.credential { call.authenticator?.accepted(version: credential.version) }
    guard let request = run.request, let response = run.response else { return .next }
    shared.succeeded(at: HostKey(request.url), now: call.time.now)
    cache?.received(response)
    guard case .sharing(let completion) = purpose else { return .next }
    // The loads of a batch, for which this one goes, have no request whose URL the server has changed.
    if !call.method.isSafe { tellChanges(by: response.http) }
    completion(.success(response), run.user)
    return .handedOver
  }
}

extension APICall {
  /// The checks before the body is decoded: status, emptiness, content type, in this order.
  func checkHead(of http: HTTPResponse) throws(APIError) {
    guard terms.expectation.statuses.contains(http.status) else {
      // 101 is expected of the handshake of a WebSocket alone.
      let meaning = terms.expectation.statuses == 101..<102 ? "the server did not upgrade to WebSocket: " : ""
      throw refusal(of: http, .unacceptableStatus, "\(meaning)status \(http.status)")
    }
    let isEmpty = if case .bytes(let bytes) = http.body { bytes.isEmpty } else { false }
    if isEmpty {
      guard !terms.expectation.requiresBody else {
        throw refusal(of: http, .emptyBody, "status \(http.status) with an empty body")
      }
      return
    }
    let expected = terms.expectation.contentTypes
    guard !expected.isEmpty else { return }
    guard http.hasMediaType(in: expected) else {
      let type = http.mediaType ?? "none"
      throw refusal(
        of: http, .unacceptableContentType,
        "content type \(type), expected \(expected.sorted().joined(separator: " or "))")
    }
  }

  /// The checks of the decoded body: business code, then shape. A response that reports an error rarely has
  /// the shape of a good one.
  func check(_ response: APIResponse) throws(APIError) {
    let raw = response.raw
    guard raw.exists else { return }
    if let error = service.businessErrors.error(in: raw, of: self) {
      throw refusal(
        of: response.http, .businessError, "the service reported \(error.code): \(error.message)",
        underlying: error)
    }
    let differences = terms.expectation.shape.differences(in: raw)
    guard differences.isEmpty else {
      throw refusal(of: response.http, .unexpectedShape, differences.joined(separator: "; "))
    }
  }

  private func refusal(
    of http: HTTPResponse, _ reason: APIError.Reason, _ detail: String, underlying: (any Error)? = nil
  ) -> APIError {
    var error = APIError(.response, reason, detail, underlying: underlying, evidence: http.evidence)
    error.context.status = http.status
    error.context.location = http.url?.maskedLocation
    error.metrics = http.metrics
    return error
  }
}
