/// Step `decode`: a response becomes raw data by the service's cipher and the decoder for its content type, or
/// confirms what is stored.
extension Flight {
  func decode() throws(APIError) -> Progress {
    guard let http = run.http else { return .next }
    if run.executor == .transport, !mayReadInline(http) { return .on(.task) }
    run.http = nil
    if let confirmed = cache?.confirmed(by: http) {
      run.response = confirmed
    } else {
      run.response = try call.read(http)
    }
    return .next
  }

  /// Whether reading the response takes microseconds and runs no code of the application.
  private func mayReadInline(_ http: HTTPResponse) -> Bool {
    guard http.bytes.count <= Self.inlineBytes, call.wire.cipher.decipher == nil,
      !call.service.businessErrors.isCustom
    else { return false }
    // The decoders of the service read what a refused response says, whatever the format is.
    if call.terms.expectation.statuses.contains(http.status) {
      switch call.terms.expectation.format {
      case .bytes: return true
      case .decoder(let decoder): return decoder.runsInline
      case .firstOf(let choices): return choices.allSatisfy(\.decoder.runsInline)
      case .automatic: break
      }
    }
    return call.wire.decoders.decoder(for: http.headers["Content-Type"])?.runsInline ?? true
  }
}

extension APICall {
  /// Deciphers, checks and decodes a response.
  ///
  /// The body of a status that is refused is read only to find the service's own words in it: they join the error,
  /// in which the bytes stay readable.
  func read(_ http: HTTPResponse) throws(APIError) -> APIResponse {
    var http = http
    if case .bytes(let bytes) = http.body, !bytes.isEmpty, let decipher = wire.cipher.decipher {
      do {
        http.body = .bytes(try decipher(bytes, self))
      } catch {
        // A proxy or load balancer knows no cipher; its status says what has happened.
        try checkHead(of: http)
        throw APIError(
          .response, .undecipherableBody, "the body of \(bytes.count) bytes could not be deciphered",
          underlying: error, evidence: http.evidence)
      }
    }
    do throws(APIError) { try checkHead(of: http) } catch { throw explained(error, by: http) }
    do throws(APIError) {
      return APIResponse(raw: try decode(http), http: http, source: ReformSource(self))
    } catch {
      var error = error
      error.evidence = error.evidence ?? http.evidence
      throw error
    }
  }

  /// The raw data of a deciphered body; missing where it is empty or only its bytes are wanted.
  func decode(_ http: HTTPResponse) throws(APIError) -> RawData {
    try terms.expectation.decode(http, by: wire.decoders)
  }

  /// A refused status with what the service says about it, where it says something that can be read.
  private func explained(_ error: APIError, by http: HTTPResponse) -> APIError {
    guard error.reason == .unacceptableStatus, !http.bytes.isEmpty, service.businessErrors.isStated,
      let decoder = wire.decoders.decoder(for: http.headers["Content-Type"]),
      let raw = try? decoder.decode(http.bytes, contentType: http.headers["Content-Type"], limits: .default),
      let said = service.businessErrors.error(in: raw, of: self)
    else { return error }
    var error = error
    error.detail += ": the service reported \(said.code): \(said.message)"
    error.underlying = said
    return error
  }
}
