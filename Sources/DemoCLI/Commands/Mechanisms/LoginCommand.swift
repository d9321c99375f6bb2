import APIKit
import APIKitOAuth
import Foundation

/// Signs in at an authorization server, with the browser and a redirect to loopback.
struct LoginCommand: Command {
  static let name = "login"
  static let summary = "sign in by OAuth 2.0: browser, loopback redirect, token, and a call with it"
  static let example = "login --scope homes"
  static let options = [
    Option(
      "--authorize-url", value: "URL", help: "where users authorize; the default is the demo's own server"),
    Option("--token-url", value: "URL", help: "where tokens are given"),
    Option(
      "--me-url", value: "URL", help: "what to call with the token; nothing by default with another server"),
    Option("--client", value: "ID", help: "the client's name there; the default is demo"),
    Option("--scope", value: "WORDS", help: "what to ask for; the default is what the server gives"),
    Option(
      "--issuer", value: "URL",
      help: "the server's name for itself, checked on return; without the addresses they are asked for there"),
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
    let isOwn = !arguments.has("--authorize-url") && !arguments.has("--issuer")
    let client = try session.client
    let oauth = OAuthClient(try await configuration(in: session), client: client)

    let redirect = try LoopbackRedirect()
    let authorization = try oauth.authorization(redirectURI: redirect.uri)
    session.console.error("Open this in a browser:\n\(authorization.url.string)")
    if isOwn {
      session.console.error("The demo's own server needs no user: the browser's part is played here.")
      let address = authorization.url
      Task.detached { _ = try? await client.send(HTTPExchange(HTTPRequest(url: address))) }
    }
    let credential = try await oauth.credential(
      for: authorization, callback: redirect.callback(for: authorization, within: limit))
    let authenticator = oauth.authenticator()
    try authenticator.signIn(with: credential)
    try await show(
      credential, of: authenticator, at: isOwn ? try HTTPURL(session.baseURL.string + "oauth/me") : nil,
      in: session)
  }

  /// The server of the command line, given by its addresses or by its issuer alone; otherwise the demo's
  /// own.
  private func configuration(in session: Session) async throws -> OAuthConfiguration {
    let clientID = arguments.text("--client") ?? "demo"
    let issuer = arguments.text("--issuer")
    var configuration: OAuthConfiguration
    if let authorize = arguments.text("--authorize-url"), let token = arguments.text("--token-url") {
      configuration = OAuthConfiguration(
        clientID: clientID, authorizationEndpoint: try HTTPURL(authorize), tokenEndpoint: try HTTPURL(token))
      configuration.issuer = issuer
    } else {
      let name = try issuer ?? session.baseURL.string
      let server = try await OAuthServerMetadata.discover(name, client: session.client)
      configuration = OAuthConfiguration(clientID: clientID, server: server)
    }
    configuration.scopes = arguments.text("--scope")?.split(separator: " ").map(String.init) ?? []
    return configuration
  }

  private func show(
    _ credential: Credential, of authenticator: Authenticator, at own: HTTPURL?, in session: Session
  ) async throws {
    let address = try arguments.text("--me-url").map { (text) throws(APIError) in try HTTPURL(text) } ?? own
    var user: RawData?
    if let address {
      let service = try MeService(
        environments: ServiceEnvironments(address), wire: WireOptions(client: session.client),
        identity: ServiceIdentity(authenticator: authenticator))
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

/// The service of the one address that names the user of a token.
private struct MeService: APIService {
  let name = "Login"
  let environments: ServiceEnvironments
  let wire: WireOptions
  let identity: ServiceIdentity
}

/// `GET` of that address.
private final class MeManager: BaseAPIManager, APIManager {
  let service: MeService
  let apiName = ""
  let signIn = SignInRule.required

  init(_ service: MeService) { self.service = service }
}
