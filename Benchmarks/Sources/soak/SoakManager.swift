import APIKit

/// The one service that both users load from: they share its name, transport, cache and queues.
struct SoakService: APIService {
  let name = "Soak"
  let environments: ServiceEnvironments
  let identity: ServiceIdentity
  let wire: WireOptions
  let cache: CacheOptions
  let admission: AdmissionOptions
}

/// An endpoint with habits drawn at random.
final class SoakManager: BaseAPIManager, APIManager {
  let service: SoakService
  let apiName: String
  let method: HTTPMethod
  let takeoffPolicy: TakeoffPolicy
  let joinsIdenticalFlights: Bool
  let cachePolicy: CachePolicy
  let retryPolicy: RetryPolicy

  init(_ service: SoakService, _ random: inout SoakRandom, apiName: String = "item") {
    self.service = service
    self.apiName = apiName
    method = random.chance(20) ? .post : .get
    takeoffPolicy = [.concurrent, .concurrent, .ignoreNew, .cancelPrevious, .queue].randomElement(
      using: &random)!
    joinsIdenticalFlights = random.chance(50)
    cachePolicy = [.none, .none, .fresh(for: .seconds(1)), .http, .cacheThenNetwork].randomElement(
      using: &random)!
    // A deadline is a sleep, which Swift keeps until its time even when it was cancelled: short, so that the heap
    // is level early.
    var retry = random.chance(70) ? RetryPolicy(attempts: 3, deadline: .seconds(1)) : .never
    retry.backoff = .constant(.milliseconds(5))
    retry.drawsOnBudget = false
    retryPolicy = retry
    super.init()
  }
}

/// One of the two users: a credential that is renewed and a jar of its own.
@MainActor final class SoakUser {
  let name: String
  let service: SoakService
  var managers: [SoakManager] = []

  init(
    _ name: String, baseURL: HTTPURL, transport: any HTTPTransport, store: ResponseCache, server: SoakServer
  ) {
    self.name = name
    let credentials = MemoryCredentialStore()
    let authenticator = Authenticator(store: credentials) { _ in
      Credential(accessToken: server.token(of: name), refreshToken: name)
    }
    try? authenticator.signIn(with: Credential(accessToken: server.token(of: name), refreshToken: name))
    service = SoakService(
      environments: ServiceEnvironments(baseURL),
      identity: ServiceIdentity(authenticator: authenticator),
      wire: WireOptions(client: HTTPClient(transport: transport, cookies: CookieJar())),
      cache: CacheOptions(store: store),
      admission: AdmissionOptions(
        network: NetworkMonitor(watchesSystem: false), hostLimits: HostLimits(attemptsPerHost: 12)))
  }
}
