/// Says whether an answer is a good one: status, content type, emptiness, shape, business code, in order.
struct ValidationStep {
  let call: APICall

  /// What can be said before the body is decoded.
  func checkHead(_ answer: HTTPResponse) throws(APIError) {
    let expectation = call.expectation
    guard expectation.statuses.contains(answer.status) else {
      throw refusal(of: answer, .unacceptableStatus, "status \(answer.status)")
    }
    let isEmpty = if case .bytes(let bytes) = answer.body { bytes.isEmpty } else { false }
    if isEmpty {
      guard !expectation.requiresBody else {
        throw refusal(of: answer, .emptyBody, "status \(answer.status) with an empty body")
      }
      return
    }
    guard !expectation.contentTypes.isEmpty else { return }
    let type = answer.mediaType ?? "none"
    guard expectation.contentTypes.contains(where: { Self.matches(type, pattern: $0) }) else {
      throw refusal(
        of: answer, .unacceptableContentType,
        "content type \(type), expected \(expectation.contentTypes.sorted().joined(separator: " or "))")
    }
  }

  /// What can be said of the decoded body.
  func check(_ response: APIResponse) throws(APIError) {
    let raw = response.raw
    guard raw.exists else { return }
    if let error = call.service.businessError(in: raw, of: call) {
      throw refusal(
        of: response.http, .businessError, "the service reported \(error.code): \(error.message)",
        underlying: error)
    }
    let differences = call.expectation.shape.differences(in: raw)
    guard differences.isEmpty else {
      throw refusal(of: response.http, .unexpectedShape, differences.joined(separator: "; "))
    }
  }

  private func refusal(
    of answer: HTTPResponse, _ reason: APIError.Reason, _ detail: String, underlying: (any Error)? = nil
  ) -> APIError {
    var error = APIError(.response, reason, detail, underlying: underlying, evidence: answer.evidence)
    error.context.status = answer.status
    error.context.location = answer.url?.location
    return error
  }

  /// Whether a media type fits `type/subtype`, `type/*` or `*/*`.
  private static func matches(_ type: String, pattern: String) -> Bool {
    if pattern == "*/*" || pattern == type { return true }
    guard pattern.hasSuffix("/*") else { return false }
    return type.hasPrefix(pattern.dropLast())
  }
}
