import APIKit

extension APIError {
  /// Whether a redirect has made a request with another method of the one that failed: what the server says is about that.
  func wasRedirectedToOther(than method: HTTPMethod) -> Bool { request.map { $0.method != method } ?? false }
}

/// Sends the requests of one transfer on the path of all loads. It states for each of them what the transfer's manager stated
/// when the transfer began.
final class TransferRequests<Service: APIService>: BaseAPIManager, APIManager {
  let service: Service
  let apiName: String
  let signIn: SignInRule
  let networkGate: NetworkGate
  var headers: HTTPHeaders
  var retryPolicy: RetryPolicy
  var method = HTTPMethod.get
  var expectation = ResponseExpectation()
  /// Whether the server is asked before a body is sent.
  var asksFirst = false
  var body: HTTPBody?
  /// The field of the key by which the server can tell a repeated creation of an upload in parts; nil for none.
  var creationKeyField: String?
  private var creationKey = Nonce.make()
  private let given: HTTPHeaders
  private let options: LoadOptions

  /// - Parameter user: Whose transfer it is.
  init<Manager: EndpointManager>(
    of manager: Manager, _ retryPolicy: RetryPolicy, _ terms: TransferTerms, for user: TransferUser
  ) where Manager.Service == Service {
    service = manager.service
    apiName = terms.apiName ?? manager.apiName
    signIn = terms.signIn ?? manager.signIn
    networkGate = manager.networkGate
    var headers = manager.headers
    if let type = terms.contentType, !headers.contains("Content-Type") { headers.add("Content-Type", type) }
    (self.headers, given) = (headers, headers)
    self.retryPolicy = retryPolicy
    // A deadline over all attempts would end every large file, and so would a limit for a whole attempt.
    self.retryPolicy.deadline = nil
    var options = terms.options
    options.timeouts.total = .zero
    options.owner = user.owner
    self.options = options
    super.init()
  }

  /// The parameters of a transfer are in path and query.
  var parameterEncoding: ParameterEncoding { service.wire.parameterEncoding.withoutBody }

  func body(for parameters: Parameters) throws -> HTTPBody? { body }

  /// Takes a retry that the transfer makes by itself from the budget of a host; false when it is used up.
  func draw(by policy: RetryPolicy) -> @Sendable (HTTPURL) -> Bool {
    { [sharedState, time] url in sharedState.drawRetry(at: url, by: policy, now: time.now) }
  }

  /// The response to the request of one part of a download, at its head.
  func response(adding fields: HTTPHeaders, _ parameters: Parameters) async throws(APIError) -> APIResponse {
    headers = given
    headers.merge(fields)
    var options = options
    options.destination = .stream
    return try await response(parameters, options: options)
  }

  /// The response to all of a body.
  func response(
    sending body: HTTPBody, _ parameters: Parameters,
    _ report: @escaping @MainActor (TransferProgress) -> Void
  ) async -> Result<APIResponse, APIError> {
    self.body = body
    return await send(parameters, at: nil, report)
  }

  /// The response to one request of an upload in parts.
  func response(
    to request: UploadRequest, with part: HTTPBody, _ parameters: Parameters,
    _ report: @escaping @MainActor (TransferProgress) -> Void
  ) async -> Result<APIResponse, APIError> {
    method = request.method
    headers = given
    headers.merge(request.headers)
    if request.location == nil, let creationKeyField, !headers.contains(creationKeyField) {
      headers.add(creationKeyField, creationKey)
    }
    body = part
    let result = await send(parameters, at: request.location, report)
    // A later creation is another one.
    if request.location == nil, case .success = result { creationKey = Nonce.make() }
    return result
  }

  private func send(
    _ parameters: Parameters, at location: String?, _ report: @escaping @MainActor (TransferProgress) -> Void
  ) async -> Result<APIResponse, APIError> {
    var options = options
    if asksFirst, body?.isEmpty == false { options.expectsContinue = true }
    do throws(APIError) {
      options.location = try location.map { (text) throws(APIError) in try HTTPURL(text) }
      return .success(
        try await response(
          given: parameters, path: options.location?.path, options: options, onProgress: report))
    } catch {
      guard options.expectsContinue == true, error.context.status == 417,
        !error.wasRedirectedToOther(than: method), error.metrics?.bytesSent ?? 0 == 0
      else { return .failure(error) }
      // The server cannot say it; nothing of the body was opened.
      asksFirst = false
      return await send(parameters, at: location, report)
    }
  }
}
