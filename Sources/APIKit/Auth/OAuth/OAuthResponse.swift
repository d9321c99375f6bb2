/// What a token endpoint has answered (RFC 6749, 5).
struct OAuthResponse {
  private let answer: HTTPResponse
  private let endpoint: HTTPURL
  /// The body, where it is a JSON object.
  let raw: RawData?

  init(_ answer: HTTPResponse, _ endpoint: HTTPURL) {
    self.answer = answer
    self.endpoint = endpoint
    let raw = try? RawData(parsing: answer.bytes)
    self.raw = raw?.kind == .object ? raw : nil
  }

  /// The credential of a good answer; throws the server's error, or that this is no answer of OAuth.
  func credential(at wallClock: Double) throws(APIError) -> Credential {
    guard answer.status == 200, let raw, let token = raw.access_token.string, !token.isEmpty else {
      throw error
    }
    // The type is required, but some servers leave it out; they all mean bearer tokens.
    let type = raw.token_type.string ?? "Bearer"
    guard type.lowercased() == "bearer" else {
      throw APIError(
        .auth, .malformedOAuthResponse, "the token is of the type \(type.prefix(40)), not Bearer")
    }
    return Credential(
      accessToken: token, tokenType: "Bearer", refreshToken: raw.refresh_token.string,
      expiresAt: raw.expires_in.lifetime.map { wallClock + $0 },
      scopes: Set((raw.scope.string ?? "").split(separator: " ").map(String.init)))
  }

  /// What the answer says went wrong.
  var error: APIError {
    var error: APIError
    if let code = raw?.error.string {
      error = APIError(oauth: code, raw?.error_description.string)
    } else {
      let what =
        raw == nil
        ? "\(answer.mediaType ?? "an answer without a content type") where JSON is due"
        : "JSON without a token or an error"
      error = APIError(
        .auth, .malformedOAuthResponse, "\(endpoint.location) answered \(answer.status) with \(what)")
    }
    error.context.status = answer.status
    error.context.location = endpoint.location
    // The body of a good status may hold tokens, so only that of a failure is kept.
    if answer.status >= 400 { error.evidence = answer.evidence }
    return error
  }
}

extension RawData {
  /// A number of seconds that a server states, as a number or a text: at least 0, and no more than ten years,
  /// so that whatever it says can be counted with.
  var lifetime: Double? { lenientDouble.map { max(0, min($0, 315_360_000)) } }
}
