import APIKit

/// What a queue has fixed for a transfer when it kept it; for one that begins at once the environment alone.
struct TransferTerms: Sendable {
  /// Its key.
  var key: String?
  /// Its environment; nil for the one in use.
  var environment: ServiceEnvironment?
  /// What sends its requests in place of the service's transport.
  var transport: (any HTTPTransport)?
  /// How its user is told, in place of the manager's rule.
  var signIn: SignInRule?
  /// The epoch of the authenticator while that user is signed in.
  var epoch: Int?
  /// Whose it is; nil for who is the user when it begins.
  var user: String?
  /// The API's name that the manager had.
  var apiName: String?
  /// The type of its body, where the manager states none.
  var contentType: String?

  /// The options of its loads.
  var options: LoadOptions {
    var options = LoadOptions.none
    options.binding = environment.map { LoadBinding(environment: $0.name, transport: transport) }
    return options
  }
}

/// Whose a transfer is: fixed when it begins, for all of its requests, and compared until the file is at its place.
struct TransferUser: Sendable {
  let owner: LoadOwner
  private let present: UserCheck

  init(_ service: any APIService, signIn rule: SignInRule, _ terms: TransferTerms) {
    let wire = service.wire
    let identity = service.identity
    present = UserCheck(
      identity, wire, signIn: rule, host: service.environments.selection(of: terms.environment).baseURL?.host)
    owner = LoadOwner(identity, wire, signIn: rule, epoch: terms.epoch, hasSubstitute: false)
  }

  /// Throws `APIError.Reason.signedOut` when the user is no longer the present one.
  func check() throws(APIError) {
    if let objection = present.objection(to: owner) { throw objection }
  }

  /// Waits before another attempt; ends at once when the user is no longer the present one, or the task is cancelled.
  func wait(_ duration: Duration, _ time: any TimeSource) async throws(APIError) {
    await present.wait(as: owner) { try? await time.sleep(for: duration) }
    if Task.isCancelled { throw APIError(cancelled: .taskCancelled) }
    try check()
  }

  /// What tells the partial files and journals of a user from those of others, the same in each process; empty for nobody.
  ///
  /// That is the user whom the credential names (`Authenticator.Rules.user`); for one that names none, the credential
  /// itself. Cookies name nobody: there it is the server that decides about the rest.
  static func names(
    of service: any APIService, signIn rule: SignInRule, _ terms: TransferTerms
  ) -> [String?] {
    let identity = service.identity
    var names: [String?] = []
    if let user = terms.user {
      if !user.isEmpty { names = ["user", user] }
    } else if rule != .exempt, let authenticator = identity.authenticator {
      if let credential = authenticator.credential {
        names =
          authenticator.rules.user(credential).map { ["user", $0] }
          ?? ["credential", credential.refreshToken ?? credential.accessToken]
      } else if rule == .required {
        // Who will sign in is not known: nobody goes on with it.
        names = ["unknown", Nonce.make()]
      }
    }
    if let caller = identity.signer?.caller { names += ["signer", caller] }
    return names
  }
}

extension EndpointManager {
  /// What tells the transfers of an endpoint, with these parameters, from others; see ``TransferUser/names(of:signIn:_:)``.
  func transferIdentity(_ parameters: Parameters, _ terms: TransferTerms) throws(APIError) -> [String?] {
    var named = HTTPRequest(url: "https://localhost/")
    try ParameterEncoding.query.apply(parameters, to: &named)
    let base = service.environments.selection(of: terms.environment).baseURL?.string
    return [service.name, base, terms.apiName ?? apiName, named.url.string]
      + TransferUser.names(of: service, signIn: terms.signIn ?? signIn, terms)
  }
}

/// A transfer that is under way.
typealias TransferTask<Value: Sendable> = Task<Result<Value, APIError>, Never>

extension EndpointManager {
  /// What names its transfers in their errors.
  func transferNames(_ method: HTTPMethod) -> APIError.Context {
    var names = APIError.Context()
    names.manager = String(describing: type(of: self))
    (names.service, names.apiName, names.method) = (service.name, apiName, method.rawValue)
    return names
  }
}

extension APIError {
  /// With the name of the manager, and those of its endpoint where no load of the transfer has stated them.
  func named(_ names: Context) -> APIError {
    var error = self
    error.context.manager = names.manager
    if error.context.apiName == nil {
      (error.context.service, error.context.apiName) = (names.service, names.apiName)
      error.context.method = names.method
    }
    return error
  }
}
