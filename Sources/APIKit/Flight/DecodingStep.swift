/// Turns an answer into raw data: the service's byte transform, then the decoder for its content type.
///
/// An answer of a status that does not pass is read only to find the service's own words in it: they join
/// the error, in which its bytes stay readable.
struct DecodingStep {
  let call: APICall

  func run(_ answer: HTTPResponse) throws(APIError) -> APIResponse {
    var answer = answer
    if case .bytes(let bytes) = answer.body, !bytes.isEmpty {
      answer.body = .bytes(try decipher(bytes, of: answer))
    }
    do throws(APIError) {
      try ValidationStep(call: call).checkHead(answer)
    } catch {
      throw explained(error, by: answer)
    }
    guard !answer.bytes.isEmpty, let decoder = try decoder(for: answer) else {
      return APIResponse(raw: .missing, http: answer, source: ReformSource(call))
    }
    do throws(APIError) {
      return APIResponse(
        raw: try decoder.decode(answer.bytes, limits: .default), http: answer, source: ReformSource(call))
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

  /// A refused status with what the service says about it, where it says something that can be read.
  private func explained(_ error: APIError, by answer: HTTPResponse) -> APIError {
    guard error.reason == .unacceptableStatus, !answer.bytes.isEmpty,
      let decoder = call.service.decoders.decoder(for: answer.headers["Content-Type"]),
      let raw = try? decoder.decode(answer.bytes, limits: .default),
      let said = call.service.businessError(in: raw, of: call)
    else { return error }
    var error = error
    error.detail += ": the service reported \(said.code): \(said.message)"
    error.underlying = said
    return error
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
