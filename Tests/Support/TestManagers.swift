import APIKitTesting
import XCTest

import APIKit

/// A backend whose every habit a test can set.
struct TestService: APIService {
  /// One backend is one object; a test that changes its environments has its own.
  static let homes = ServiceEnvironments("https://homes.test/api")

  var name = "Homes"
  var environments = homes
  var apiVersion = ""
  var client: HTTPClient
  var requestIDField: String?
  var trace = TracePolicy.none
  var signer: (any RequestSigner)?
  var verifier: (any ResponseVerifier)?
  var clock: ServerClock?
  var authenticator: Authenticator?
  var parameterEncoding: ParameterEncoding = .automatic
  var timeouts = HTTPTimeouts()
  var loadOptions = LoadOptions.none
  var decoders = BodyDecoders.standard
  var retryPolicy = RetryPolicy.never
  var networkGate = NetworkGate.fly
  var network = NetworkMonitor(watchesSystem: false)
  var requestRate = RequestRate.unlimited
  var hostLimits: HostLimits?
  var breaker: BreakerPolicy?
  var hosts: HostPool?
  var onBatchPlan: @Sendable (APICall) -> BatchPlan? = { _ in nil }
  var onFallback: @Sendable (APIError) async -> APIResponse? = { _ in nil }
  var store: ResponseCache?
  /// Nil is that of the credential.
  var cachePartition: String? = ""
  var common: Parameters = [:]
  var extraHeaders = HTTPHeaders()
  var onCommonParameters: (@Sendable () -> Parameters)?
  var onHeaders: (@Sendable () -> HTTPHeaders)?
  var transform: (@Sendable ([UInt8]) throws -> [UInt8])?
  var findBusinessError: (@Sendable (RawData) -> BusinessError?)?
  var onError: @Sendable (APIError) async -> ErrorResolution = { _ in .letThrough }
  var onWillStore: @Sendable (StorableResponse) -> StorableResponse? = { $0 }

  init(_ stub: StubTransport) { client = HTTPClient(transport: stub) }

  init(_ client: HTTPClient, _ environments: ServiceEnvironments) {
    self.client = client
    self.environments = environments
  }

  func batchPlan(for call: APICall) -> BatchPlan? { onBatchPlan(call) }
  func fallback(for error: APIError, of call: APICall) async -> APIResponse? {
    await onFallback(error)
  }
  func commonParameters(for call: APICall) -> Parameters { onCommonParameters?() ?? common }
  func headers(for call: APICall) -> HTTPHeaders { onHeaders?() ?? extraHeaders }
  func willStore(_ response: StorableResponse, of call: APICall) -> StorableResponse? {
    onWillStore(response)
  }
  var identity: ServiceIdentity {
    ServiceIdentity(signer: signer, verifier: verifier, authenticator: authenticator, clock: clock)
  }
  var wire: WireOptions {
    WireOptions(
      client: client, parameterEncoding: parameterEncoding, timeouts: timeouts,
      decoders: decoders,
      cipher: transform.map { transform in
        BodyCipher(encipher: { body, _ in try transform(body) }, decipher: { body, _ in try transform(body) })
      } ?? .none, requestIDField: requestIDField, loadOptions: loadOptions, trace: trace)
  }
  var cache: CacheOptions {
    CacheOptions(store: store, partition: cachePartition.map { own in .user { own } } ?? .credential)
  }
  var admission: AdmissionOptions {
    AdmissionOptions(
      retryPolicy: retryPolicy, networkGate: networkGate, network: network, requestRate: requestRate,
      hostLimits: hostLimits, breaker: breaker, hosts: hosts)
  }
  var businessErrors: BusinessErrorRule {
    findBusinessError.map { find in .rule { raw, _ in find(raw) } } ?? .none
  }
  func resolve(_ error: APIError, of call: APICall) async -> ErrorResolution { await onError(error) }
}

/// A manager whose every statement a test can set.
final class TestManager: BaseAPIManager, APIManager {
  var service: TestService
  var apiName = "list"
  var method: HTTPMethod = .get
  var takeoffPolicy: TakeoffPolicy = .concurrent
  var headers = HTTPHeaders()
  var ownEncoding: ParameterEncoding?
  var ownTimeouts: HTTPTimeouts?
  var loadOptions = LoadOptions.none
  var ownRetryPolicy: RetryPolicy?
  var joinsIdenticalFlights = false
  var signIn: SignInRule = .asAvailable
  var priority = FlightPriority.normal
  var ownNetworkGate: NetworkGate?
  var ownRequestRate: RequestRate?
  var body: HTTPBody?
  var expectation = ResponseExpectation()
  var cachePolicy: CachePolicy = .none
  var cacheTraits = CacheTraits()
  var outlivesRelease = false
  var onReformParameters: (Parameters) throws -> Parameters = { $0 }
  var onValidateParameters: (Parameters) throws -> Void = { _ in }
  var onValidateResponse: (APIResponse) throws -> Void = { _ in }
  var onWillStore: (StorableResponse) -> StorableResponse? = { $0 }

  init(_ service: TestService) {
    self.service = service
    super.init()
  }

  convenience init(_ stub: StubTransport) { self.init(TestService(stub)) }

  var parameterEncoding: ParameterEncoding {
    get { ownEncoding ?? service.parameterEncoding }
    set { ownEncoding = newValue }
  }
  var timeouts: HTTPTimeouts {
    get { ownTimeouts ?? service.timeouts }
    set { ownTimeouts = newValue }
  }
  var retryPolicy: RetryPolicy {
    get { ownRetryPolicy ?? service.retryPolicy }
    set { ownRetryPolicy = newValue }
  }
  var networkGate: NetworkGate {
    get { ownNetworkGate ?? service.networkGate }
    set { ownNetworkGate = newValue }
  }

  var requestRate: RequestRate {
    get { ownRequestRate ?? service.requestRate }
    set { ownRequestRate = newValue }
  }

  func reformParameters(_ parameters: Parameters) throws -> Parameters {
    try onReformParameters(parameters)
  }
  func body(for parameters: Parameters) throws -> HTTPBody? { body }
  func validate(parameters: Parameters) throws { try onValidateParameters(parameters) }
  func validate(response: APIResponse) throws { try onValidateResponse(response) }
  func willStore(_ response: StorableResponse) -> StorableResponse? { onWillStore(response) }
}

/// Writes down, in order, everything that a manager tells its collaborators.
@MainActor
final class Recorder: APIManagerDelegate, APIManagerInterceptor, APIManagerValidator,
  APIManagerParameterSource
{
  /// Everything told, by name and in order.
  private(set) var events: [String] = []
  private(set) var responses: [APIResponse] = []
  private(set) var errors: [APIError] = []
  private(set) var cancellations: [(flight: FlightID, reason: CancellationReason)] = []
  private(set) var progress: [TransferProgress] = []

  var given: Parameters = [:]
  var vetoes: Set<String> = []
  var validateParameters: (Parameters) throws -> Void = { _ in }
  var validateResponse: (APIResponse) throws -> Void = { _ in }
  var onSuccess: (BaseAPIManager) -> Void = { _ in }
  var onFailure: (BaseAPIManager) -> Void = { _ in }

  private var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  /// How many flights have landed, whatever their end.
  var landingCount: Int { responses.count + errors.count + cancellations.count }

  /// Returns when so many flights have landed.
  func waitForLandings(_ count: Int = 1, file: StaticString = #filePath, line: UInt = #line) async {
    if landingCount >= count { return }
    let limit = Task {
      try await Task.sleep(for: .seconds(60))
      XCTFail("\(landingCount) of \(count) landed in a minute", file: file, line: line)
      for waiter in waiters { waiter.continuation.resume() }
      waiters = []
    }
    await withCheckedContinuation { waiters.append((count, $0)) }
    limit.cancel()
  }

  private func landed() {
    let done = waiters.filter { $0.count <= landingCount }
    waiters.removeAll { $0.count <= landingCount }
    for waiter in done { waiter.continuation.resume() }
  }

  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
    events.append("delegate.success")
    responses.append(response)
    onSuccess(manager)
    landed()
  }

  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
    events.append("delegate.failure")
    errors.append(error)
    onFailure(manager)
    landed()
  }

  func manager(
    _ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason
  ) {
    events.append("delegate.cancel")
    cancellations.append((flight, reason))
    landed()
  }

  func manager(_ manager: BaseAPIManager, didProgress progress: TransferProgress, of flight: FlightID) {
    self.progress.append(progress)
  }

  func parameters(for manager: BaseAPIManager) -> Parameters { given }

  func manager(_ manager: BaseAPIManager, validate parameters: Parameters) throws {
    events.append("validate.parameters")
    try validateParameters(parameters)
  }

  func manager(_ manager: BaseAPIManager, validate response: APIResponse) throws {
    events.append("validate.response")
    try validateResponse(response)
  }

  func manager(_ manager: BaseAPIManager, shouldLoad parameters: Parameters) -> Bool {
    note("shouldLoad")
  }

  func manager(_ manager: BaseAPIManager, didLoad parameters: Parameters, as flight: FlightID) {
    _ = note("didLoad")
  }

  func manager(_ manager: BaseAPIManager, didReceive response: HTTPResponse, of flight: FlightID) {
    _ = note("didReceive")
  }

  func manager(_ manager: BaseAPIManager, beforeSuccess response: APIResponse) -> Bool {
    note("beforeSuccess")
  }

  func manager(_ manager: BaseAPIManager, afterSuccess response: APIResponse) {
    _ = note("afterSuccess")
  }

  func manager(_ manager: BaseAPIManager, beforeFailure error: APIError) -> Bool {
    note("beforeFailure")
  }

  func manager(_ manager: BaseAPIManager, afterFailure error: APIError) { _ = note("afterFailure") }

  private func note(_ hook: String) -> Bool {
    events.append(hook)
    return !vetoes.contains(hook)
  }
}

/// The body the stubs respond with where a test does not care.
let someJSON = #"{"items": [{"id": 1}], "total": 1}"#

/// Returns when the main actor has worked off what was put on the main delivery before.
@MainActor func landingsWorkedOff() async {
  await withCheckedContinuation { continuation in MainDelivery.main.put { continuation.resume() } }
}

/// Runs `body`, which must throw an `APIError`, and returns that error.
@MainActor func errorThrown<T>(
  file: StaticString = #filePath, line: UInt = #line, by body: () async throws(APIError) -> T
) async throws -> APIError {
  do throws(APIError) {
    _ = try await body()
  } catch {
    return error
  }
  XCTFail("nothing was thrown", file: file, line: line)
  throw ValidationError("nothing was thrown")
}

extension [String] {
  /// The lines of a record without the notice about several objects of a service, which depends on the tests before.
  var withoutNotices: [String] { filter { !$0.hasPrefix("service: several objects") } }
}
