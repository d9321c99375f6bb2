/// Calls of endpoints without a class: for scripts, migrations and prototypes.
///
/// ```swift
/// let home = try await Homes.shared.get("homes/{id}", ["id": 7], as: Home.self)
/// try await Homes.shared.delete("favourites/{id}", ["id": 7])
/// ```
/// A call makes a manager for itself, so that it takes the same path as each load, under the policies of its service. What
/// belongs to an endpoint has its place in a class: a takeoff policy, a cache, validation, a delegate, an observed state.
/// Cancelling the task cancels the load. Each call throws what ``APIManager/response(_:)-(Parameters)`` and
/// `value(_:as:)` throw.
extension APIService {
  /// Loads with GET, with the parameters in the query.
  @MainActor public func get(
    _ apiName: String, _ parameters: Parameters = [:], headers: HTTPHeaders = HTTPHeaders()
  ) async throws(APIError) -> APIResponse {
    try await EndpointCall(self, apiName, .get, headers).response(parameters)
  }

  /// Loads with GET, and decodes the response.
  @MainActor public func get<Value: Decodable & Sendable>(
    _ apiName: String, _ parameters: Parameters = [:], headers: HTTPHeaders = HTTPHeaders(),
    as type: Value.Type
  ) async throws(APIError) -> Value {
    try await EndpointCall(self, apiName, .get, headers).value(parameters, as: type)
  }

  /// Sends the parameters with POST, as JSON unless the service states another encoding.
  @discardableResult @MainActor public func post(
    _ apiName: String, _ parameters: Parameters = [:], headers: HTTPHeaders = HTTPHeaders()
  ) async throws(APIError) -> APIResponse {
    try await EndpointCall(self, apiName, .post, headers).response(parameters)
  }

  /// Sends the parameters with POST, and decodes the response.
  @MainActor public func post<Value: Decodable & Sendable>(
    _ apiName: String, _ parameters: Parameters = [:], headers: HTTPHeaders = HTTPHeaders(),
    as type: Value.Type
  ) async throws(APIError) -> Value {
    try await EndpointCall(self, apiName, .post, headers).value(parameters, as: type)
  }

  /// Sends the parameters with PUT.
  @discardableResult @MainActor public func put(
    _ apiName: String, _ parameters: Parameters = [:], headers: HTTPHeaders = HTTPHeaders()
  ) async throws(APIError) -> APIResponse {
    try await EndpointCall(self, apiName, .put, headers).response(parameters)
  }

  /// Sends the parameters with PUT, and decodes the response.
  @MainActor public func put<Value: Decodable & Sendable>(
    _ apiName: String, _ parameters: Parameters = [:], headers: HTTPHeaders = HTTPHeaders(),
    as type: Value.Type
  ) async throws(APIError) -> Value {
    try await EndpointCall(self, apiName, .put, headers).value(parameters, as: type)
  }

  /// Sends the parameters with PATCH.
  @discardableResult @MainActor public func patch(
    _ apiName: String, _ parameters: Parameters = [:], headers: HTTPHeaders = HTTPHeaders()
  ) async throws(APIError) -> APIResponse {
    try await EndpointCall(self, apiName, .patch, headers).response(parameters)
  }

  /// Sends the parameters with PATCH, and decodes the response.
  @MainActor public func patch<Value: Decodable & Sendable>(
    _ apiName: String, _ parameters: Parameters = [:], headers: HTTPHeaders = HTTPHeaders(),
    as type: Value.Type
  ) async throws(APIError) -> Value {
    try await EndpointCall(self, apiName, .patch, headers).value(parameters, as: type)
  }

  /// Loads with DELETE, with the parameters in the query.
  @discardableResult @MainActor public func delete(
    _ apiName: String, _ parameters: Parameters = [:], headers: HTTPHeaders = HTTPHeaders()
  ) async throws(APIError) -> APIResponse {
    try await EndpointCall(self, apiName, .delete, headers).response(parameters)
  }
}

/// The same with the members of a value.
extension APIService {
  /// Sends the members of a value with POST.
  @_disfavoredOverload @discardableResult @MainActor public func post(
    _ apiName: String, _ value: some Encodable, headers: HTTPHeaders = HTTPHeaders()
  ) async throws(APIError) -> APIResponse {
    try await EndpointCall(self, apiName, .post, headers).response(value)
  }

  /// Sends the members of a value with POST, and decodes the response.
  @_disfavoredOverload @MainActor public func post<Value: Decodable & Sendable>(
    _ apiName: String, _ value: some Encodable, headers: HTTPHeaders = HTTPHeaders(), as type: Value.Type
  ) async throws(APIError) -> Value {
    try await EndpointCall(self, apiName, .post, headers).response(value).decode(as: type)
  }

  /// Sends the members of a value with PUT.
  @_disfavoredOverload @discardableResult @MainActor public func put(
    _ apiName: String, _ value: some Encodable, headers: HTTPHeaders = HTTPHeaders()
  ) async throws(APIError) -> APIResponse {
    try await EndpointCall(self, apiName, .put, headers).response(value)
  }

  /// Sends the members of a value with PATCH.
  @_disfavoredOverload @discardableResult @MainActor public func patch(
    _ apiName: String, _ value: some Encodable, headers: HTTPHeaders = HTTPHeaders()
  ) async throws(APIError) -> APIResponse {
    try await EndpointCall(self, apiName, .patch, headers).response(value)
  }
}

/// The manager of one call.
private final class EndpointCall<Service: APIService>: BaseAPIManager, APIManager, UnnamedManager {
  let service: Service
  let apiName: String
  let method: HTTPMethod
  let headers: HTTPHeaders

  init(_ service: Service, _ apiName: String, _ method: HTTPMethod, _ headers: HTTPHeaders) {
    (self.service, self.apiName, self.method, self.headers) = (service, apiName, method, headers)
  }
}
