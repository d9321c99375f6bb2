/// What proves to a backend who its user is: an access token, and what renews it.
///
/// A value; an ``Authenticator`` keeps the one in use. Printing it shows no token.
public struct Credential: Sendable, Hashable {
  /// The token that goes with every request.
  public var accessToken: String
  /// How the token is named in the `Authorization` field; the default is `Bearer`.
  public var tokenType: String
  /// The token that renews the access token; nil when it cannot be renewed.
  public var refreshToken: String?
  /// When the access token ends, in seconds since 1970; nil when the backend did not say.
  public var expiresAt: Double?
  /// What the token allows, in the backend's words.
  public var scopes: Set<String>
  /// What else the application wants to keep with it, such as the user's id.
  public var notes: [String: String]

  /// Makes a credential.
  public init(
    accessToken: String, tokenType: String = "Bearer", refreshToken: String? = nil, expiresAt: Double? = nil,
    scopes: Set<String> = [], notes: [String: String] = [:]
  ) {
    self.accessToken = accessToken
    self.tokenType = tokenType
    self.refreshToken = refreshToken
    self.expiresAt = expiresAt
    self.scopes = scopes
    self.notes = notes
  }

  /// Whether the access token has ended, or will within `leeway`.
  func isExpired(at wallClock: Double, leeway: Duration = .zero) -> Bool {
    guard let expiresAt else { return false }
    return wallClock + leeway / .seconds(1) >= expiresAt
  }
}

extension Credential {
  /// A new credential, with what the old one had where the server gave nothing new.
  func renewing(_ old: Credential) -> Credential {
    var new = self
    new.refreshToken = refreshToken ?? old.refreshToken
    if scopes.isEmpty { new.scopes = old.scopes }
    new.notes.merge(old.notes) { own, _ in own }
    return new
  }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Type, scopes and end, without a token.
  public var description: String {
    var parts = ["\(tokenType) •••"]
    if refreshToken != nil { parts.append("renewable") }
    if !scopes.isEmpty { parts.append("scopes \(scopes.sorted().joined(separator: " "))") }
    if let expiresAt {
      parts.append("ends at \(Int64(exactly: expiresAt.rounded()).map { "\($0)" } ?? "no time")")
    }
    return parts.joined(separator: ", ")
  }

  /// As ``description``.
  public var debugDescription: String { description }

  /// The description alone, so that `dump` shows no token either.
  public var customMirror: Mirror { Mirror(self, children: ["credential": description]) }
}

extension Credential {
  /// The credential as JSON text, tokens included: for stores.
  var jsonText: String {
    get throws {
      try RawData(
        plain: [
          "access_token": accessToken, "token_type": tokenType, "refresh_token": refreshToken,
          "expires_at": expiresAt, "scopes": scopes.sorted(), "notes": notes,
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
      scopes: Set(try raw.scopes.require(arrayOf: String.self)),
      notes: Dictionary(
        raw.notes.members.compactMap { name, value in value.string.map { (name, $0) } },
        uniquingKeysWith: { $1 }))
  }
}
