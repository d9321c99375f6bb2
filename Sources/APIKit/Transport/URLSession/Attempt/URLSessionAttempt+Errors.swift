import Foundation

extension URLSessionAttempt {
  /// The error for what the system says of the end of the task.
  func translate(_ error: any Error) -> APIError {
    let url = exchange.request.url
    if let fault = terms.faults.failure(for: error, of: url) { return fault }
    #if canImport(Security)
      let failure = SystemTrust.fault(in: error, host: url.host) ?? reported(error)
    #else
      let failure = reported(error)
    #endif
    terms.faults.note(failure, of: url)
    return failure
  }

  private func reported(_ error: any Error) -> APIError {
    var reason = URLSessionTransport.reason(of: error)
    let (head, received) = state.withLock { ($0.head, $0.progress.received) }
    var detail = URLSessionTransport.detail(of: error) ?? reason.text
    detail += " (URLSession: \((error as NSError).code))"
    if head != nil, reason == .connectionLost || reason == .transportFailed {
      reason = .truncatedBody
      detail = "the connection ended after \(received) bytes of the body (\(error.localizedDescription))"
    }
    return APIError(.transport, reason, detail, underlying: error, evidence: head?.evidence)
  }
}
