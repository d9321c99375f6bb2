// Names of version 0.1, which go with version 0.3.

extension APIManager {
  /// Renamed.
  @available(*, deprecated, renamed: "response(_:)")
  public func response(for parameters: Parameters) async throws(APIError) -> APIResponse {
    try await response(parameters)
  }

  /// Renamed.
  @available(*, deprecated, renamed: "response(_:)")
  @_disfavoredOverload public func response(for parameters: some Encodable) async throws(APIError)
    -> APIResponse
  {
    try await response(parameters)
  }

  /// Renamed.
  @available(*, deprecated, renamed: "response(_:cache:)")
  public func response(for parameters: Parameters, cache: CacheUse) async throws(APIError) -> APIResponse {
    try await response(parameters, cache: cache)
  }

  /// Renamed.
  @available(*, deprecated, renamed: "response(_:cache:options:)")
  public func response(
    for parameters: Parameters, cache: CacheUse = .asPolicy, options: LoadOptions
  ) async throws(APIError) -> APIResponse {
    try await response(parameters, cache: cache, options: options)
  }

  /// Renamed.
  @available(*, deprecated, renamed: "responses(_:cache:)")
  public func responses(for parameters: Parameters, cache: CacheUse = .asPolicy) -> LandingSequence {
    responses(parameters, cache: cache)
  }

  /// Renamed.
  @available(*, deprecated, renamed: "value(_:as:)")
  public func value<Value: Decodable & Sendable>(
    as type: Value.Type, for parameters: Parameters?
  ) async throws(APIError) -> Value {
    try await value(parameters, as: type)
  }

  /// Renamed.
  @available(*, deprecated, renamed: "value(_:with:)")
  public func value<Value: Sendable>(
    with reformer: some Reformer<Value>, for parameters: Parameters?
  ) async throws(APIError) -> Value {
    try await value(parameters, with: reformer)
  }
}
