/// Builds the request of a call: endpoint, common parameters, header fields, encoded body.
struct AssemblyStep {
  let call: APICall

  /// What the later steps need of the request: itself, and the parameters that a signature covers.
  struct Assembled: Sendable {
    var request: HTTPRequest
    var apiName: String
    var parameters: Parameters
  }

  func run() throws(APIError) -> Assembled {
    let service = call.service
    let endpoint = try service.endpoint(of: call)
    var request = HTTPRequest(
      method: call.method, url: endpoint.url, headers: service.headers(for: call),
      timeouts: call.timeouts ?? service.timeouts)
    request.headers.merge(call.headers)

    var parameters = service.commonParameters(for: call).merging(call.parameters)
    if !endpoint.pathParameters.isEmpty { parameters = parameters.removing(endpoint.pathParameters) }
    if let body = call.body {
      try ParameterEncoding.query.apply(parameters, to: &request)
      request.body = body
    } else {
      try (call.encoding ?? service.parameterEncoding).apply(parameters, to: &request)
    }
    try encipher(&request)
    IdempotencyStep(call: call).run(&request)
    try request.validate()
    return Assembled(request: request, apiName: endpoint.apiName, parameters: parameters)
  }

  /// The service's byte transform on the way out. Files and streams are sent as they are.
  private func encipher(_ request: inout HTTPRequest) throws(APIError) {
    guard case .bytes(let bytes) = request.body, !bytes.isEmpty else { return }
    do {
      request.body = .bytes(try call.service.encipher(bytes, of: call))
    } catch let error as APIError {
      throw error
    } catch {
      throw APIError(
        .assembly, .misconfigured, "the body could not be enciphered by \(call.service.name)",
        underlying: error)
    }
  }
}
