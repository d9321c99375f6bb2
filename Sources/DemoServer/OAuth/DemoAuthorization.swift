import APIKit
import APIKitOAuth
import Foundation

/// A small OAuth 2.0 authorization server for the demo: the one user, ann, always consents.
///
/// `GET /oauth/authorize` redirects at once with a code and the issuer, and requires PKCE with S256; `POST
/// /oauth/token` exchanges codes and refresh tokens, which rotate; `POST /oauth/revoke` revokes; `GET
/// /oauth/me` names the user of a token; `GET /.well-known/oauth-authorization-server` lists these
/// endpoints. The one client is `demo`, a public client on loopback, or with the URL scheme of the application in
/// `Examples/Homes`.
final class DemoAuthorization: Sendable {
  private struct Code {
    var challenge: String
    var redirect: String
    var scope: String
  }

  private struct AuthorizationState {
    var codes: [String: Code] = [:]
    var refreshTokens: [String: String] = [:]
    var accessTokens: [String: String] = [:]
  }

  private let issuer: String
  private let state = Mutex(AuthorizationState())
  private static let lifetime = 300

  init(issuer: String) { self.issuer = issuer }

  /// Adds the server's routes.
  func register(in routes: RouteTable) {
    routes.set(.get, "/oauth/authorize") { [self] request in authorize(request) }
    routes.set(.post, "/oauth/token") { [self] request in token(Self.form(request)) }
    routes.set(.post, "/oauth/revoke") { [self] request in revoke(Self.form(request)) }
    routes.set(.get, "/oauth/me") { [self] request in me(request) }
    routes.set(.get, "/.well-known/oauth-authorization-server") { [self] _ in metadata() }
  }

  private func metadata() -> DemoResponse {
    .json([
      "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "oauth/authorize"),
      "token_endpoint": .string(issuer + "oauth/token"),
      "revocation_endpoint": .string(issuer + "oauth/revoke"),
      "response_types_supported": .array([.string("code")]),
      "code_challenge_methods_supported": .array([.string("S256")]),
      "authorization_response_iss_parameter_supported": .bool(true),
    ])
  }

  private func authorize(_ request: DemoRequest) -> DemoResponse {
    guard request["client_id"] == "demo", let redirect = request["redirect_uri"],
      redirect.hasPrefix("http://127.0.0.1:") || redirect == "com.example.homes:/signed-in"
    else { return .text("There is no such client, or it may not be sent there.\n", status: 400) }
    var fields = [("iss", issuer)]
    if let state = request["state"] { fields.append(("state", state)) }
    if request["response_type"] != "code" {
      fields.append(("error", "unsupported_response_type"))
    } else if request["code_challenge_method"] != "S256" || request["code_challenge"]?.count != 43 {
      fields += [("error", "invalid_request"), ("error_description", "PKCE with S256 is required")]
    } else {
      let code = makeToken("code")
      state.withLock { state in
        state.codes[code] = Code(
          challenge: request["code_challenge"] ?? "", redirect: redirect, scope: request["scope"] ?? "homes")
      }
      fields.append(("code", code))
    }
    let query = fields.map { "\($0.0)=\(PercentEncoding.component.encode($0.1))" }.joined(separator: "&")
    return DemoResponse(302, headers: ["Location": "\(redirect)?\(query)", "Cache-Control": "no-store"])
  }

  private func token(_ form: [String: String]) -> DemoResponse {
    guard form["client_id"] == "demo" else { return failure("invalid_client", 401) }
    switch form["grant_type"] {
    case "authorization_code":
      // A code is valid once, and only for the client that began the authorization.
      guard let code = state.withLock({ $0.codes.removeValue(forKey: form["code"] ?? "") }),
        code.redirect == form["redirect_uri"],
        ProofKey.challenge(of: form["code_verifier"] ?? "") == code.challenge
      else { return failure("invalid_grant") }
      return grant(code.scope)
    case "refresh_token":
      guard let scope = state.withLock({ $0.refreshTokens.removeValue(forKey: form["refresh_token"] ?? "") })
      else { return failure("invalid_grant") }
      return grant(scope)
    default: return failure("unsupported_grant_type")
    }
  }

  private func grant(_ scope: String) -> DemoResponse {
    let (access, refresh) = (makeToken("access"), makeToken("refresh"))
    state.withLock { state in
      state.accessTokens[access] = scope
      state.refreshTokens[refresh] = scope
    }
    var response = DemoResponse.json([
      "access_token": .string(access), "token_type": "Bearer", "expires_in": .int(Self.lifetime),
      "refresh_token": .string(refresh), "scope": .string(scope),
    ])
    response.headers["Cache-Control"] = "no-store"
    return response
  }

  private func revoke(_ form: [String: String]) -> DemoResponse {
    let token = form["token"] ?? ""
    state.withLock { state in
      // Revoking a refresh token also ends all access tokens: the demo has one user.
      if state.refreshTokens.removeValue(forKey: token) != nil { state.accessTokens = [:] }
      state.accessTokens[token] = nil
    }
    return DemoResponse(200)
  }

  private func me(_ request: DemoRequest) -> DemoResponse {
    guard let scope = scope(of: request) else { return Self.refusal(["error": "invalid_token"]) }
    return .json(["user": "ann", "scope": .string(scope)])
  }

  /// What the token of a request permits; nil where it has none that is valid.
  func scope(of request: DemoRequest) -> String? {
    let token = request.headers["Authorization"].map { String($0.dropFirst("Bearer ".count)) } ?? ""
    return state.withLock { $0.accessTokens[token] }
  }

  /// The response to a request whose token is not valid.
  static func refusal(_ body: JSON) -> DemoResponse {
    var response = DemoResponse.json(body, status: 401)
    response.headers["WWW-Authenticate"] = "Bearer error=\"invalid_token\""
    return response
  }

  private func failure(_ code: String, _ status: Int = 400) -> DemoResponse {
    .json(["error": .string(code)], status: status)
  }

  private func makeToken(_ kind: String) -> String { "\(kind)-\(UUID().uuidString.lowercased())" }

  private static func form(_ request: DemoRequest) -> [String: String] {
    let pairs = PercentEncoding.lenientPairs(of: String(decoding: request.body, as: UTF8.self))
    return Dictionary(pairs.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
  }
}
