/// Turns an answer into raw data: the service's byte transform, then the decoder for its content type.
///
/// An answer that will not pass as good (its status) is deciphered but not decoded: its bytes stay readable
/// in the error.
struct DecodingStep {
  let call: APICall

  func run(_ answer: HTTPResponse) throws(APIError) -> APIResponse {
    var answer = answer
    if case .bytes(let bytes) = answer.body, !bytes.isEmpty {
      answer.body = .bytes(try decipher(bytes, of: answer))
    }
    try ValidationStep(call: call).checkHead(answer)
    guard !answer.bytes.isEmpty, let decoder = try decoder(for: answer) else {
      return APIResponse(raw: .missing, http: answer)
    }
    do throws(APIError) {
      return APIResponse(raw: try decoder.decode(answer.bytes, limits: .default), http: answer)
    } catch {
      var error = error
      error.evidence = answer.evidence
      throw error
    }
  }

  /// The raw data of a stored answer: its bytes were deciphered before they were stored.
  func decode(stored answer: HTTPResponse) throws(APIError) -> RawData {
    guard !answer.bytes.isEmpty, let decoder = try decoder(for: answer) else { return .missing }
    return try decoder.decode(answer.bytes, limits: .default)
  }

  private func decipher(_ bytes: [UInt8], of answer: HTTPResponse) throws(APIError) -> [UInt8] {
    do {
      return try call.service.decipher(bytes, of: call)
    } catch {
      throw APIError(
        .response, .undecipherableBody, "the body of \(bytes.count) bytes could not be deciphered",
        underlying: error, evidence: answer.evidence)
    }
  }

  /// The decoder for the answer; nil when only its bytes are wanted.
  private func decoder(for answer: HTTPResponse) throws(APIError) -> (any BodyDecoder)? {
    switch call.expectation.format {
    case .bytes: return nil
    case .decoder(let decoder): return decoder
    case .automatic:
      if let decoder = call.service.decoders.decoder(for: answer.headers["Content-Type"]) { return decoder }
      throw APIError(
        .response, .unacceptableContentType,
        "no decoder reads \(answer.mediaType ?? "a body without a content type"); ask for .bytes or add one",
        evidence: answer.evidence)
    }
  }
}
