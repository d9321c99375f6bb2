import APIKit
import Foundation

/// Signs in at an authorization server, through the browser and back to loopback.
struct LoginCommand: Command {
  static let name = "login"
  static let summary = "sign in by OAuth 2.0: browser, loopback redirect, token, and a call with it"
  static let options = [
    Option(
      "--authorize-url", value: "URL", help: "where users authorize; the default is the demo's own server"),
    Option("--token-url", value: "URL", help: "where tokens are given"),
    Option(
      "--me-url", value: "URL", help: "what to call with the token; nothing by default with another server"),
    Option("--client", value: "ID", help: "the client's name there; the default is demo"),
    Option("--scope", value: "WORDS", help: "what to ask for; the default is what the server gives"),
    Option("--issuer", value: "URL", help: "the server's name for itself, checked on return"),
    Option("--wait", value: "S", help: "seconds to wait for the browser; the default is 120"),
  ]

  private let arguments: ParsedArguments
  private let limit: Duration

  init(_ arguments: ParsedArguments) throws(UsageError) {
    self.arguments = arguments
    limit = .seconds(try arguments.number("--wait", in: 1...3600) ?? 120)
    guard arguments.has("--authorize-url") == arguments.has("--token-url") else {
      throw UsageError("--authorize-url and --token-url go together")
    }
  }

  func run(in session: Session) async throws {
    let isOwn = !arguments.has("--authorize-url")
    let base = try session.baseURL.string
    func url(_ option: String, _ path: String) throws -> HTTPURL {
      try HTTPURL(arguments.text(option) ?? base + path)
    }
    var configuration = OAuthConfiguration(
      clientID: arguments.text("--client") ?? "demo",
      authorizationEndpoint: try url("--authorize-url", "oauth/authorize"),
      tokenEndpoint: try url("--token-url", "oauth/token"))
    configuration.issuer = arguments.text("--issuer") ?? (isOwn ? base : nil)
    configuration.scopes = arguments.text("--scope")?.split(separator: " ").map(String.init) ?? []
    let client = try session.client
    let oauth = OAuthClient(configuration, client: client)

    let redirect = try LoopbackRedirect()
    let authorization = try oauth.authorization(redirectURI: redirect.uri)
    session.console.error("Open this in a browser:\n\(authorization.url.string)")
    if isOwn {
      session.console.error("The demo's own server needs no user: the browser's part is played here.")
      let address = authorization.url
      Task.detached { _ = try? await client.send(HTTPExchange(HTTPRequest(url: address))) }
    }
    let credential = try await oauth.credential(
      for: authorization, callback: redirect.callback(within: limit))
    let authenticator = oauth.authenticator()
    try authenticator.signIn(with: credential)
    try await show(credential, authenticator, isOwn ? try url("--me-url", "oauth/me") : nil, session)
  }

  private func show(
    _ credential: Credential, _ authenticator: Authenticator, _ own: HTTPURL?, _ session: Session
  ) async throws {
    let address = try arguments.text("--me-url").map { (text) throws(APIError) in try HTTPURL(text) } ?? own
    var user: RawData?
    if let address {
      let service = try MeService(
        environments: ServiceEnvironments(address), client: session.client, authenticator: authenticator)
      user = try await MeManager(service).response().raw
    }
    if session.writesJSON {
      return try HomePrinter(session: session).json(
        [
          "scopes": credential.scopes.sorted(), "isRenewable": credential.refreshToken != nil,
          "expiresAt": credential.expiresAt, "user": user?.user.string,
        ] as [String: Any?])
    }
    session.console.print("signed in: \(credential)")
    if let user { session.console.print("the server knows the user as \(user.user.string ?? "nobody")") }
  }
}

/// The one address that says who a token belongs to.
private struct MeService: APIService {
  let name = "Login"
  let environments: ServiceEnvironments
  let client: HTTPClient
  let authenticator: Authenticator?
}

/// `GET` of that address.
private final class MeManager: BaseAPIManager, APIManager {
  let service: MeService
  let apiName = ""
  let signIn = SignInRule.required

  init(_ service: MeService) { self.service = service }
}
