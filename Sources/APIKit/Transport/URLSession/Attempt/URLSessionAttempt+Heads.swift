import Foundation

/// What the head of a response decides: whether its body is taken, where it goes, and how large it may be.
extension URLSessionAttempt {
  /// The most bytes of a body with this status.
  func limit(for status: Int) -> Int64 {
    if case .file(_, let maximum) = exchange.destination, ResponseFile.takes(status: status) {
      return min(maximum, maximumDecodedBytes)
    }
    return min(Int64(exchange.destination.memoryLimit), maximumDecodedBytes)
  }

  /// Why a response ends at its head; nil where its body is taken.
  func refusal(of head: HTTPResponse) -> APIError? {
    let lengths = Set(
      head.headers.values("Content-Length").flatMap { $0.split(separator: ",") }
        .map { String($0).trimmingSpaces() })
    if lengths.count > 1 {
      return APIError(.transport, .malformedResponse, "the response has two different Content-Length values")
    }
    do throws(APIError) { try exchange.inspect(head.status, head.headers, evidence: head.evidence) } catch {
      return error
    }
    let hasBody = exchange.request.method != .head && head.status != 304 && head.status != 204
    let coding = head.headers.combined("Content-Encoding").map { $0.lowercased() }
    if let coding, coding != "identity", hasBody, !URLSessionTransport.capabilities.contains(.gzip) {
      return APIError(
        .transport, .undecodableContent,
        "the body has the coding \(coding.debugDescription), which was not requested: the system's session passes truncated ones as complete",
        evidence: head.evidence)
    }
    return nil
  }

  /// The error of a body whose declared length is above the limit.
  func excess(of head: HTTPResponse, over limit: Int64) -> APIError? {
    let hasBody = exchange.request.method != .head && head.status != 304 && head.status != 204
    let coding = head.headers.combined("Content-Encoding")?.lowercased() ?? "identity"
    guard hasBody, coding == "identity", let length = head.headers["Content-Length"].flatMap({ Int64($0) }),
      length > limit
    else { return nil }
    return tooLarge(limit, head)
  }

  /// The file that takes a body with this status.
  func path(for status: Int) -> String? {
    if case .file(let path, _) = exchange.destination, ResponseFile.takes(status: status) { return path }
    return nil
  }

  /// The error of a body above a limit.
  func tooLarge(_ limit: Int64, _ head: HTTPResponse?) -> APIError {
    APIError(bodyLargerThan: limit, evidence: head?.evidence)
  }
}
