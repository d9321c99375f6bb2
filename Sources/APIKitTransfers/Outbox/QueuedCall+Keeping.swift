import APIKit

/// What is kept of a load.
extension QueuedCall {
  /// The content of a load, but for its body.
  init(keeping call: APICall, key: String) {
    self.init()
    self.key = key
    service = call.service.name
    environment = call.environment.name
    apiName = call.apiName
    method = call.method
    parameters = call.parameters
    headers = call.terms.headers.withoutSecrets
    if case .stream(let stream)? = call.body { contentType = stream.contentType }
  }

  /// Becomes the content of another load of the same manager, but for its body: what the manager states of each load is read
  /// anew.
  ///
  /// - Returns: Its body; nil where the parameters are.
  @MainActor mutating func becomeNext<Manager: APIManager>(
    of manager: Manager, _ given: Parameters, like call: APICall, keyField: String
  ) throws(APIError) -> HTTPBody? {
    (apiName, method, parameters) = (manager.apiName, manager.method, given)
    let (accepted, body) = try manager.accept(given, like: call)
    let headers = manager.headers
    parameters = accepted
    key = headers[keyField] ?? Nonce.make()
    self.headers = headers.withoutSecrets
    contentType = nil
    if case .stream(let stream)? = body { contentType = stream.contentType }
    return body
  }

  /// The load, to be sent: with the idempotency key in its field.
  @MainActor func load(
    _ body: HTTPBody?, of manager: any APIManager, keyField: String, epoch: Int?
  ) -> KeptLoad {
    var headers = headers
    headers[keyField] = key
    if let contentType, !headers.contains("Content-Type"), !manager.headers.contains("Content-Type") {
      headers.add("Content-Type", contentType)
    }
    var load = KeptLoad(
      method, apiName, parameters: parameters, body: body, headers: headers,
      environment: ServiceEnvironment(environment))
    load.epoch = epoch
    return load
  }
}
