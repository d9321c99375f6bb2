extension APIManager {
  /// Loads with the parameters of the ``BaseAPIManager/parameterSource``, or with none, and uses stored
  /// answers as told: `.ignoring` for a reload, `.revalidating` for one that saves bytes.
  @discardableResult public func load(cache: CacheUse) -> Takeoff {
    takeOff(.next(), with: nil, cache: cache)
  }

  /// Loads with these parameters and uses stored answers as told.
  @discardableResult public func load(_ parameters: Parameters, cache: CacheUse) -> Takeoff {
    takeOff(.next(), with: parameters, cache: cache)
  }

  /// Loads with these parameters, uses stored answers as told, and waits for the landing.
  ///
  /// As ``response(for:)`` otherwise. A preview is shown to the delegate alone; see
  /// ``responses(for:cache:)`` for all of them.
  public func response(for parameters: Parameters, cache: CacheUse) async throws(APIError) -> APIResponse {
    try await response(given: parameters, cache: cache)
  }

  /// Loads with these parameters and gives what lands: the preview, where the policy is
  /// ``CachePolicy/cacheThenNetwork`` and something is stored, and the landing.
  ///
  /// The load takes off when the iteration begins. Leaving the loop early cancels the flight. The failure,
  /// the refusal or ``APIError/Reason/cancelled`` is thrown from the iteration.
  public func responses(for parameters: Parameters, cache: CacheUse = .asPolicy) -> LandingSequence {
    LandingSequence { (yield) throws(APIError) in
      try await self.response(given: parameters, cache: cache, previews: yield)
    }
  }
}

/// What one load lands with, in order: the preview, if there is one, then the landing.
public struct LandingSequence: AsyncSequence {
  /// One landing.
  public typealias Element = APIResponse
  /// What the iteration throws.
  public typealias Failure = APIError

  let load: @MainActor (AsyncStream<APIResponse>.Continuation) async throws(APIError) -> APIResponse

  /// Has the load take off.
  public func makeAsyncIterator() -> Iterator {
    let (previews, continuation) = AsyncStream.makeStream(of: APIResponse.self)
    let load = load
    let landing = Task { @MainActor in
      defer { continuation.finish() }
      do throws(APIError) {
        return Result<APIResponse, APIError>.success(try await load(continuation))
      } catch {
        return .failure(error)
      }
    }
    continuation.onTermination = { if case .cancelled = $0 { landing.cancel() } }
    return Iterator(previews: previews.makeAsyncIterator(), landing: landing)
  }

  /// Takes one landing after the other.
  public struct Iterator: AsyncIteratorProtocol {
    var previews: AsyncStream<APIResponse>.Iterator
    var landing: Task<Result<APIResponse, APIError>, Never>?

    /// The next landing; nil after the last.
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
