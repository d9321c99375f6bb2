import APIKit

/// The demo's server: where it is, who is signed in, and what all of its endpoints share.
struct HomesService: APIService {
  let name = "Homes"
  let environments: ServiceEnvironments
  let identity: ServiceIdentity
  let wire: WireOptions
  let admission: AdmissionOptions
  /// The responses of this server alone.
  let cache = CacheOptions(store: ResponseCache())
  let businessErrors = BusinessErrorRule.code("code", success: "0", message: "message")

  init(_ configuration: HomesModel.Configuration, authenticator: Authenticator) {
    environments = ServiceEnvironments(configuration.server)
    identity = ServiceIdentity(authenticator: authenticator)
    wire = WireOptions(client: configuration.client)
    admission = AdmissionOptions(
      retryPolicy: configuration.retryPolicy, network: configuration.network)
  }
}
