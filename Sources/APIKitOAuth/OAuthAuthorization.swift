public import APIKit

/// One authorization by a user, from the URL to open until the redirect.
///
/// Made by ``OAuthClient/authorization(redirectURI:parameters:)``. It holds the secret state and PKCE
/// verifier (RFC 7636) of this request. Use each only once.
public struct OAuthAuthorization: Sendable {
  /// The URL to open in a browser, never in a view of the application's own (RFC 8252, 8.12).
  public let url: HTTPURL
  /// The URI to which the server redirects the user.
  public let redirectURI: String
  let state: String
  let verifier: String
  let issuer: String?
  let requiresIssuer: Bool

  /// The authorization code in the URL that the server redirected to.
  ///
  /// Throws `APIError.Reason.malformedOAuthResponse` when the URL is not the redirect URI, cannot be read
  /// or has a field twice; `APIError.Reason.stateMismatch` or `APIError.Reason.issuerMismatch` when it
  /// belongs to another request or server; then the reason of the server's error, such as
  /// `APIError.Reason.accessDenied`; and `APIError.Reason.malformedOAuthResponse` when there is neither
  /// a code nor an error.
  public func code(from callback: String) throws(APIError) -> String {
    let fields = try Self.fields(of: callback)
    guard Self.place(of: callback) == Self.place(of: redirectURI) else {
      throw APIError(.auth, .malformedOAuthResponse, "the user came back to another URL than \(redirectURI)")
    }
    guard isMatched(by: callback) else { throw APIError(.auth, .stateMismatch) }
    if let issuer {
      let named = fields["iss"]
      guard named.equalsExactly(issuer) || (named == nil && !requiresIssuer) else {
        throw APIError(
          .auth, .issuerMismatch,
          named == nil
            ? "the response comes from a server that does not say who it is, expected \(issuer)"
            : "the response comes from another server than \(issuer)", quote: named)
      }
    }
    if let code = fields["error"] { throw APIError(oauth: code, fields["error_description"]) }
    guard let code = fields["code"], !code.isEmpty else {
      throw APIError(.auth, .malformedOAuthResponse, "the user came back without a code")
    }
    return code
  }

  /// Whether a URL has the state of this authorization.
  func isMatched(by callback: String) -> Bool {
    guard let returned = try? Self.fields(of: callback)["state"] else { return false }
    return Crypto.constantTimeEquals(Array(returned.utf8), Array(state.utf8))
  }

  /// A URL without query and fragment, and without the slash that some browsers append to a bare host.
  private static func place(of url: String) -> Substring {
    let place = url.prefix { $0 != "?" && $0 != "#" }
    return place.hasSuffix("/") ? place.dropLast() : place
  }

  /// The fields of the query. A repeated name is an attack or a mistake (RFC 6749, 3.1).
  private static func fields(of callback: String) throws(APIError) -> [String: String] {
    guard let mark = callback.firstIndex(of: "?") else { return [:] }
    let query = callback[callback.index(after: mark)...].prefix { $0 != "#" }
    guard let pairs = PercentEncoding.pairs(of: query) else {
      throw APIError(.auth, .malformedOAuthResponse, "the URL the user came back with is not valid")
    }
    var fields: [String: String] = [:]
    for (name, value) in pairs {
      guard fields.updateValue(value, forKey: name) == nil else {
        throw APIError(
          .auth, .malformedOAuthResponse, "\(name) stands twice in the URL the user came back with")
      }
    }
    return fields
  }
}

extension OAuthAuthorization: Redacted {
  /// The URL and the redirect URI, without state and verifier.
  public var description: String { "authorization at \(url), back to \(Self.place(of: redirectURI))" }
}

/// PKCE: proves that the client that redeems a code is the one that requested it (RFC 7636).
public enum ProofKey {
  /// Makes a verifier: 256 random bits, as 43 characters.
  public static func makeVerifier() -> String { Base64.encode(Crypto.random(32), .url) }

  /// The challenge of the method S256.
  public static func challenge(of verifier: String) -> String {
    Base64.encode(Crypto.sha256(Array(verifier.utf8)), .url)
  }
}

extension APIError {
  /// An error that an authorization server reports. The server's own description, cut to 200 characters and without
  /// control characters, is quoted, as it may repeat what it was sent.
  init(oauth code: String, _ description: String?) {
    let reason = Reason.oauth(code)
    let words = [reason == .otherOAuthError ? code : nil, description].compactMap { $0 }.joined(
      separator: ": ")
    self.init(
      .auth, reason,
      quote: words.isEmpty
        ? nil : String(words.unicodeScalars.filter { $0.value >= 0x20 }.prefix(200).map(Character.init)))
  }
}
