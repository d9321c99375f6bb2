import APIKit

/// The server of a URL that is known only when the program runs. An application has one service for each backend instead,
/// with the base URL in its environments.
struct CallService: APIService {
  let name: String
  let environments: ServiceEnvironments
  let identity: ServiceIdentity
  let wire: WireOptions
  let admission: AdmissionOptions
  let cache = CacheOptions(store: nil)

  /// The whole URL: its query tells one transfer from another.
  private let url: HTTPURL

  /// - Parameters:
  ///   - timeout: The limit of each attempt; nil for none.
  ///   - retries: How often a failed load is sent again.
  @MainActor init(_ target: CallTarget, in session: Session, timeout: Duration? = nil, retries: Int = 0)
    throws
  {
    url = target.url
    name = target.url.host
    // Whoever types the URL has named the server.
    environments = ServiceEnvironments(target.url, cleartext: .loopback(and: [target.url.host]))
    identity = ServiceIdentity(signer: target.signer)
    var client = try session.makeClient()
    client.redirects = target.redirects
    var options = LoadOptions(login: target.login)
    // A server that is silent for long ends by the limit that was asked for, too, and not by a shorter one.
    if let timeout { options.timeouts = HTTPTimeouts(connect: timeout, idle: timeout, total: timeout) }
    wire = WireOptions(client: client, loadOptions: options)
    var policy = RetryPolicy.standard
    policy.attempts = retries + 1
    policy.deadline = nil
    admission = AdmissionOptions(retryPolicy: policy)
  }

  /// The path without its first slash; the slash alone for the root.
  var apiName: String { url.path == "/" ? "/" : String(url.path.dropFirst()) }

  /// The URL as it was typed, dots, slashes and query included.
  func endpoint(of call: APICall) throws(APIError) -> Endpoint { Endpoint(url: url, apiName: call.apiName) }
}
