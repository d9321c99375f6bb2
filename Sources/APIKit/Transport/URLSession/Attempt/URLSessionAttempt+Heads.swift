import Foundation

/// The decisions at the head of a response: whether its body is taken, where it goes, and how large it may be.
extension URLSessionAttempt {
  /// The most bytes of a body with this status.
  func limit(for status: Int) -> Int64 {
    if case .file(_, let maximum) = exchange.destination, ResponseFile.takes(status: status) {
      return min(maximum, terms.maximumDecodedBytes)
    }
    return min(Int64(exchange.destination.memoryLimit), terms.maximumDecodedBytes)
  }

  /// Throws why a response ends at its head.
  func check(_ head: HTTPResponse) throws(APIError) {
    let lengths = Set(
      head.headers.values("Content-Length").flatMap { $0.split(separator: ",") }
        .map { String($0).trimmingSpaces() })
    if lengths.count > 1 {
      throw APIError(.transport, .malformedResponse, "the response has two different Content-Length values")
    }
    try exchange.inspect(head.status, head.headers, evidence: head.evidence)
    let coding = coding(of: head)
    if coding != "identity", hasBody(head), !URLSessionTransport.capabilities.contains(.gzip) {
      throw APIError(
        .transport, .undecodableContent,
        "the body has the coding \(coding.debugDescription), which was not requested: the system's session passes truncated ones as complete",
        evidence: head.evidence)
    }
  }

  /// Throws where the declared length of a body is above the limit.
  func checkLength(of head: HTTPResponse, limit: Int64) throws(APIError) {
    guard hasBody(head), coding(of: head) == "identity",
      let length = head.headers["Content-Length"].flatMap({ Int64(digits: $0) }), length > limit
    else { return }
    throw APIError(bodyLargerThan: limit, evidence: head.evidence)
  }

  private func hasBody(_ head: HTTPResponse) -> Bool {
    exchange.request.method != .head && head.status != 304 && head.status != 204
  }

  private func coding(of head: HTTPResponse) -> String {
    head.headers.combined("Content-Encoding")?.lowercased() ?? "identity"
  }

  /// The file that takes a body with this status.
  func path(for status: Int) -> String? {
    if case .file(let path, _) = exchange.destination, ResponseFile.takes(status: status) { return path }
    return nil
  }

  /// Whether a compressed body has no bytes, though every coding writes some. Responses that declare an empty body do not
  /// count, nor do those whose status alone matters.
  var isCutToNothing: Bool {
    let head = state.withLock { $0.decoded == 0 && $0.progress.received == 0 ? $0.head : nil }
    guard let head, exchange.request.method != .head, (200..<300).contains(head.status), head.status != 204,
      head.status != 205, head.headers["Content-Length"] != "0"
    else { return false }
    return head.headers["Content-Encoding"].map { !$0.isEmpty && $0.lowercased() != "identity" } ?? false
  }
}
