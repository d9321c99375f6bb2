extension APIManager {
  /// Loads with the parameters of the ``BaseAPIManager/parameterSource``, or with none.
  ///
  /// - Returns: Whether the load took off, waits, or was refused and why. See ``Takeoff``.
  @discardableResult public func load() -> Takeoff { takeOff(.next(), with: nil) }

  /// Loads with these parameters.
  ///
  /// - Returns: Whether the load took off, waits, or was refused and why. See ``Takeoff``.
  @discardableResult public func load(_ parameters: Parameters) -> Takeoff {
    takeOff(.next(), with: parameters)
  }

  /// Loads with the members of a value, e.g. a struct of search terms.
  ///
  /// - Returns: Whether the load took off, waits, or was refused and why. See ``Takeoff``.
  @_disfavoredOverload @discardableResult public func load(_ parameters: some Encodable) -> Takeoff {
    load(Parameters(encoding: parameters, keys: parameterEncoding.keys))
  }

  /// Loads with the parameters of the ``BaseAPIManager/parameterSource``, or with none, and waits for the
  /// landing.
  ///
  /// See ``response(_:)-(Parameters)``.
  public func response() async throws(APIError) -> APIResponse { try await response(given: nil) }

  /// Loads with these parameters and returns the response that the load lands with.
  ///
  /// The flight is the same as that of `load`: policies and interceptors apply, and the delegate, if there
  /// is one, is called as well. Cancelling the task cancels the flight; in a task that is cancelled already
  /// nothing takes off. Throws the failure, the refusal, or ``APIError/Reason/cancelled``.
  public func response(_ parameters: Parameters) async throws(APIError) -> APIResponse {
    try await response(given: parameters)
  }

  /// Loads with the members of a value and returns the response that the load lands with.
  ///
  /// See ``response(_:)-(Parameters)``.
  @_disfavoredOverload public func response(
    _ parameters: some Encodable
  ) async throws(APIError) -> APIResponse {
    try await response(Parameters(encoding: parameters, keys: parameterEncoding.keys))
  }

  package func response(
    given parameters: Parameters?, path: String? = nil, cache: CacheUse = .asPolicy,
    options: LoadOptions = .none, previews: AsyncStream<APIResponse>.Continuation? = nil,
    onProgress: (@MainActor (TransferProgress) -> Void)? = nil, as flight: FlightID = .next()
  ) async throws(APIError) -> APIResponse {
    guard !Task.isCancelled else { throw APIError(cancelled: .taskCancelled) }
    let result = await landing(of: flight) { waiter in
      _ = takeOff(
        flight, with: parameters, path: path, cache: cache, options: options, previews: previews,
        onProgress: onProgress, waiter: waiter)
    }
    return try result.get()
  }

  /// Waits for the landing of a flight that is begun with the waiter. Cancelling the task cancels the flight.
  @inline(__always) func landing(
    of flight: FlightID, begin: (MainSlot<Result<APIResponse, APIError>>) -> Void
  ) async -> Result<APIResponse, APIError> {
    let flightStore = flightStore
    return await withTaskCancellationHandler {
      let waiter = MainSlot<Result<APIResponse, APIError>>()
      begin(waiter)
      return await waiter.wait()
    } onCancel: {
      // Runs on any thread, possibly before the takeoff. The takeoff then follows on the main actor without
      // a suspension, so the delivery is handled after it. A flight in the air sends nothing more from here on.
      flightStore[flight]?.cancel()
      MainDelivery.main.put { [weak self] in _ = self?.end(flight, because: .taskCancelled) }
    }
  }
}
