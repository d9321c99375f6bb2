/// What a queue has fixed for a transfer when it kept it; nothing for one that begins at once.
struct TransferTerms: Sendable {
  /// Its environment; nil for the one in use.
  var environment: ServiceEnvironment?
  /// What sends its requests in place of the service's transport.
  var transport: (any HTTPTransport)?
  /// How its user is told, in place of the manager's rule.
  var signIn: SignInRule?
  /// The epoch of the authenticator while that user is signed in.
  var epoch: Int?
  /// The API's name that the manager had.
  var apiName: String?
  /// The type of its body, where the manager states none.
  var contentType: String?

  /// The options of its loads.
  var options: LoadOptions {
    var options = LoadOptions.none
    options.epoch = epoch
    options.binding = environment.map { LoadBinding(environment: $0.name, transport: transport) }
    return options
  }
}
