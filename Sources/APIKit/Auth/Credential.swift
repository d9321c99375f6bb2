/// The credential of a user: an access token, and a refresh token to renew it.
///
/// A value; the ``Authenticator`` keeps the one in use. Its description contains no token.
public struct Credential: Sendable, Hashable {
  /// The token that is sent with every request.
  public var accessToken: String
  /// The scheme in the `Authorization` field; the default is `Bearer`.
  public var tokenType: String
  /// The token that renews the access token; nil, the default, when there is none.
  public var refreshToken: String?
  /// When the access token expires, in seconds since 1970; nil, the default, when the backend did not say.
  public var expiresAt: Double?
  /// When it was issued, in seconds since 1970; nil, the default, when that is not known. The ``Authenticator`` sets
  /// it where it is nil when a user signs in or a renewal brings the credential. With ``expiresAt`` it tells the
  /// token's lifetime, of which ``Authenticator/Rules/leeway`` takes a quarter at most.
  public var issuedAt: Double?
  /// The scopes of the token. Empty by default.
  public var scopes: Set<String>
  /// Notes of the application. Empty by default. The note `user` names the user
  /// (``Authenticator/Rules/user``).
  public var notes: [String: String]
  /// Which sign-in it comes from. The ``Authenticator`` sets it when a user signs in, and renewals keep it: so a credential
  /// that another process has renewed is not taken for that of another user. A store of your own keeps it as it is.
  public var signInID: String?

  /// Makes a credential.
  public init(
    accessToken: String, tokenType: String = "Bearer", refreshToken: String? = nil, expiresAt: Double? = nil,
    issuedAt: Double? = nil, scopes: Set<String> = [], notes: [String: String] = [:],
    signInID: String? = nil
  ) {
    self.accessToken = accessToken
    self.tokenType = tokenType
    self.refreshToken = refreshToken
    self.expiresAt = expiresAt
    self.issuedAt = issuedAt
    self.scopes = scopes
    self.notes = notes
    self.signInID = signInID
  }

  /// Whether the access token has expired, or will within `leeway`.
  func isExpired(at wallClock: Double, leeway: Duration = .zero) -> Bool {
    guard let expiresAt else { return false }
    return wallClock + leeway / .seconds(1) >= expiresAt
  }

  /// Whether the access token is to be renewed before it is used: within `leeway` of its end, or within a quarter of
  /// its lifetime where that is less, so that a token that lives no longer than the leeway is used at all.
  func isDue(at wallClock: Double, leeway: Duration) -> Bool {
    guard let expiresAt, let issuedAt else { return isExpired(at: wallClock, leeway: leeway) }
    return isExpired(
      at: wallClock, leeway: min(leeway, .seconds(max(0, min((expiresAt - issuedAt) / 4, 1e9)))))
  }
}

extension Credential {
  /// A new credential, completed from the old one where the server sent nothing new.
  package func renewing(_ old: Credential) -> Credential {
    var new = self
    new.refreshToken = refreshToken ?? old.refreshToken
    new.signInID = old.signInID
    if scopes.isEmpty { new.scopes = old.scopes }
    new.notes.merge(old.notes) { own, _ in own }
    return new
  }

  /// The credential with an id of its sign-in: one that was stored without has that of its own tokens, the same in every
  /// process.
  var identified: Credential {
    guard signInID == nil else { return self }
    var new = self
    new.signInID = Crypto.digest(of: ["sign-in", refreshToken ?? accessToken])
    return new
  }

  /// The credential, issued at that time where it does not say otherwise.
  func issued(at wallClock: Double) -> Credential {
    var new = self
    new.issuedAt = issuedAt ?? wallClock
    return new
  }
}

extension Credential: Redacted {
  /// Type, scopes and expiry, without a token.
  public var description: String {
    var parts = ["\(tokenType) •••"]
    if refreshToken != nil { parts.append("renewable") }
    if !scopes.isEmpty { parts.append("scopes \(scopes.sorted().joined(separator: " "))") }
    if let expiresAt {
      parts.append("ends at \(Int64(exactly: expiresAt.rounded()).map { "\($0)" } ?? "no time")")
    }
    return parts.joined(separator: ", ")
  }
}

extension Credential {
  /// The credential as JSON text for stores, tokens included.
  var jsonText: String {
    get throws {
      try RawData(
        plain: [
          "access_token": accessToken, "token_type": tokenType, "refresh_token": refreshToken,
          "expires_at": expiresAt, "issued_at": issuedAt, "scopes": scopes.sorted(), "notes": notes,
          "sign_in": signInID,
        ] as [String: Any?]
      ).jsonText(canonical: true)
    }
  }

  /// Reads what ``jsonText`` wrote.
  init(json: [UInt8]) throws(APIError) {
    let raw = try RawData(parsing: json)
    self.init(
      accessToken: try raw.access_token.require(), tokenType: try raw.token_type.require(),
      refreshToken: try raw.refresh_token.optional(), expiresAt: try raw.expires_at.optional(),
      issuedAt: try raw.issued_at.optional(), scopes: Set(try raw.scopes.require(arrayOf: String.self)),
      notes: Dictionary(
        raw.notes.members.compactMap { name, value in value.string.map { (name, $0) } },
        uniquingKeysWith: { $1 }), signInID: try raw.sign_in.optional())
  }
}
