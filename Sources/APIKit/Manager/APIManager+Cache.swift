extension APIManager {
  /// Loads with the parameters of the ``BaseAPIManager/parameterSource``, or with none, with an exception
  /// from the cache policy: `.ignoring` for a reload, `.revalidating` to ask the server whether the stored
  /// response is still current, `.storedOnly` to send nothing. See ``CacheUse``.
  @discardableResult public func load(cache: CacheUse) -> Takeoff {
    takeOff(.next(), with: nil, cache: cache)
  }

  /// Loads with these parameters, with an exception from the cache policy for this load.
  @discardableResult public func load(_ parameters: Parameters, cache: CacheUse) -> Takeoff {
    takeOff(.next(), with: parameters, cache: cache)
  }

  /// Loads with these parameters, with an exception from the cache policy, and waits for the landing.
  ///
  /// Otherwise the same as ``response(_:)-(Parameters)``. A preview is delivered to the delegate only;
  /// ``responses(_:cache:)`` returns previews as well.
  public func response(_ parameters: Parameters, cache: CacheUse) async throws(APIError) -> APIResponse {
    try await response(given: parameters, cache: cache)
  }

  /// Loads with these parameters and returns the preview, if the policy is ``CachePolicy/cacheThenNetwork``
  /// and a response is stored, followed by the landing.
  ///
  /// The load takes off when the iteration begins. Leaving the loop early cancels the flight. The iteration
  /// throws the failure, the refusal or ``APIError/Reason/cancelled``.
  public func responses(_ parameters: Parameters, cache: CacheUse = .asPolicy) -> LandingSequence {
    LandingSequence { (yield) throws(APIError) in
      try await self.response(given: parameters, cache: cache, previews: yield)
    }
  }
}

extension APIManager {
  /// What tells the stored responses of a load with these parameters apart, for what is kept of them beside the response
  /// cache; nil where it is not known whose they are. It changes with the user, the environment and the credential.
  ///
  /// The parameters are not reformed and not validated.
  package func storedKey(for parameters: Parameters, path: String? = nil) -> CacheKey? {
    let (service, recorder) = (service, FlightRecorder(flight: .next(), manager: type(of: self), time: time))
    var wire = service.wire
    let options = wire.applyOptions(load: .none, manager: loadOptions, timeouts: timeouts, recorder)
    let call = APICall(
      terms(CacheTerms(policy: cachePolicy, traits: cacheTraits), wantsProgress: false), of: service,
      over: wire,
      recorder: recorder, apiName: apiName, path: path, parameters: parameters, options: options,
      resolving: [])
    guard let partition = LoadIdentity.partition(of: call) else { return nil }
    return CacheKey(call, partition: partition, common: service.commonParameters(for: call), body: [])
  }
}

/// The responses of one load: the preview, if there is one, then the landing.
public struct LandingSequence: AsyncSequence {
  /// A preview or the landing.
  public typealias Element = APIResponse
  /// The error that the iteration throws.
  public typealias Failure = APIError

  let load: @MainActor (AsyncStream<APIResponse>.Continuation) async throws(APIError) -> APIResponse

  /// Starts the load.
  public func makeAsyncIterator() -> Iterator {
    let (previews, continuation) = AsyncStream.makeStream(of: APIResponse.self)
    // A task of its own does not know that the one around it is cancelled.
    let (load, isCancelled) = (load, Task.isCancelled)
    let landing = Task { @MainActor in
      defer { continuation.finish() }
      do throws(APIError) {
        if isCancelled { throw APIError(cancelled: .taskCancelled) }
        return Result<APIResponse, APIError>.success(try await load(continuation))
      } catch {
        return .failure(error)
      }
    }
    continuation.onTermination = { if case .cancelled = $0 { landing.cancel() } }
    return Iterator(previews: previews.makeAsyncIterator(), landing: landing)
  }

  /// Returns the preview, then the landing.
  public struct Iterator: AsyncIteratorProtocol {
    var previews: AsyncStream<APIResponse>.Iterator
    var landing: Task<Result<APIResponse, APIError>, Never>?

    /// The next response; nil after the landing. Throws the error of the load.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(APIError) -> APIResponse? {
      if let preview = await previews.next(isolation: actor) { return preview }
      guard let landing else { return nil }
      self.landing = nil
      return try await landing.value.get()
    }
  }
}
