/// Loads with options of their own, which go before those of the manager, the service and the configuration.
extension APIManager {
  /// Loads with the parameters of the ``BaseAPIManager/parameterSource``, or with none, and with these options.
  ///
  /// - Returns: Whether the load took off, waits, or was refused and why. See ``Takeoff``.
  @discardableResult public func load(cache: CacheUse = .asPolicy, options: LoadOptions) -> Takeoff {
    takeOff(.next(), with: nil, cache: cache, options: options)
  }

  /// Loads with these parameters and these options: where the body of the response goes, a login, limits in time and
  /// more. See ``LoadOptions``.
  ///
  /// - Returns: Whether the load took off, waits, or was refused and why. See ``Takeoff``.
  @discardableResult public func load(
    _ parameters: Parameters, cache: CacheUse = .asPolicy, options: LoadOptions
  ) -> Takeoff {
    takeOff(.next(), with: parameters, cache: cache, options: options)
  }

  /// Loads with these parameters and these options, and waits for the landing.
  ///
  /// Otherwise the same as ``response(_:)-(Parameters)``.
  /// - Parameters:
  ///   - parameters: The parameters; nil, the default, asks the ``BaseAPIManager/parameterSource``.
  ///   - cache: How the load uses the cache.
  ///   - options: The options of this load, over all others.
  public func response(
    _ parameters: Parameters? = nil, cache: CacheUse = .asPolicy, options: LoadOptions
  ) async throws(APIError) -> APIResponse {
    try await response(given: parameters, cache: cache, options: options)
  }
}
