import APIKit
import APIKitSigning

/// The backend of the path rows: common parameters, header fields and a signature, as a real one has.
final class BenchService: APIService {
  static let hmac = HMACSigner(key: SecretKey("bench-key"), keyID: "bench")

  let name = "Bench"
  let environments: ServiceEnvironments
  let wire: WireOptions
  let identity: ServiceIdentity
  let admission: AdmissionOptions

  init(
    baseURL: HTTPURL = "http://127.0.0.1:1/api", transport: any HTTPTransport,
    signer: (any RequestSigner)? = BenchService.hmac, hosts: HostPool? = nil
  ) {
    admission = AdmissionOptions(hosts: hosts)
    environments = ServiceEnvironments(baseURL)
    wire = WireOptions(client: HTTPClient(transport: transport))
    identity = ServiceIdentity(signer: signer)
  }

  func commonParameters(for call: APICall) -> Parameters { ["app": "bench", "os": "linux"] }
  func headers(for call: APICall) -> HTTPHeaders { ["Accept": "application/json"] }
}

/// A backend that signs nothing, and whose flight control, sign-in and cache a row can set.
///
/// Unchecked: a row sets it up before the first load and leaves it alone from then on.
final class ControlledService: APIService, @unchecked Sendable {
  let name = "Control"
  let environments: ServiceEnvironments
  let wire: WireOptions
  var identity = ServiceIdentity()
  var cache = CacheOptions()
  var admission = AdmissionOptions(network: NetworkMonitor(watchesSystem: false))
  var onCall: (@Sendable (APICall) -> Void)?

  init(
    baseURL: HTTPURL = "http://127.0.0.1:1/api",
    transport: any HTTPTransport = InstantTransport(capabilities: [.totalTimeout])
  ) {
    environments = ServiceEnvironments(baseURL)
    wire = WireOptions(client: HTTPClient(transport: transport))
  }

  func headers(for call: APICall) -> HTTPHeaders {
    onCall?(call)
    return [:]
  }
}

/// A signer of the application's own, which runs off the main actor: the sum of the nonce's bytes in a header field.
struct OwnSigner: RequestSigner {
  func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
    request.headers["X-Sum"] = String(subject.nonce.utf8.reduce(0) { $0 + Int($1) })
  }
}
