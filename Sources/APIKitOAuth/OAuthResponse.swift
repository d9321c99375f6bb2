import APIKit

/// A response of an OAuth endpoint (RFC 6749, 5).
struct OAuthResponse {
  private let response: HTTPResponse
  private let endpoint: HTTPURL
  /// The body, where it is a JSON object.
  let raw: RawData?

  init(_ response: HTTPResponse, _ endpoint: HTTPURL) {
    self.response = response
    self.endpoint = endpoint
    let raw = try? RawData(parsing: response.bytes)
    self.raw = raw?.kind == .object ? raw : nil
  }

  /// The credential in a successful response; otherwise throws ``error``.
  func credential(at wallClock: Double) throws(APIError) -> Credential {
    guard response.status == 200, let raw, let token = raw.access_token.string, !token.isEmpty else {
      throw error
    }
    // The type is required, but some servers omit it; all of those use bearer tokens.
    let type = raw.token_type.string ?? "Bearer"
    guard type.lowercased() == "bearer" else {
      throw APIError(
        .auth, .malformedOAuthResponse, "the token is not of the type Bearer", quote: String(type.prefix(40)))
    }
    guard HTTPHeaders.mayBeValue(token) else {
      throw APIError(
        .auth, .malformedOAuthResponse, "the token has a control character, which no header field may have")
    }
    return Credential(
      accessToken: token, tokenType: "Bearer",
      // Some servers send an empty one where there is none.
      refreshToken: raw.refresh_token.string.flatMap { $0.isEmpty ? nil : $0 },
      expiresAt: raw.expires_in.lifetime.map { wallClock + $0 }, issuedAt: wallClock,
      scopes: Set((raw.scope.string ?? "").split(separator: " ").map(String.init)))
  }

  /// The error that the response reports, or that the response does not conform to OAuth.
  var error: APIError {
    var error: APIError
    if let code = raw?.error.string {
      error = APIError(oauth: code, raw?.error_description.string)
    } else {
      let type = response.mediaType
      let what =
        if raw != nil {
          "JSON without a token or an error"
        } else if type?.hasSuffix("json") == true {
          response.bytes.isEmpty ? "an empty body" : "\(type ?? "") that is no JSON object"
        } else {
          "\(type ?? "a response without a content type") where JSON is due"
        }
      error = APIError(
        .auth, .malformedOAuthResponse, "\(endpoint.location) responded \(response.status) with \(what)")
    }
    error.context.status = response.status
    error.context.location = endpoint.location
    // A successful response may contain tokens, so evidence is kept only of failures.
    if response.status >= 400 { error.evidence = response.evidence }
    return error
  }
}

extension RawData {
  /// A number of seconds from a server, as a number or a text, limited to 0 through ten years so that
  /// arithmetic cannot overflow.
  var lifetime: Double? { lenientDouble.map { max(0, min($0, 315_360_000)) } }
}
