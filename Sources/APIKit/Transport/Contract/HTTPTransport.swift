/// Sends one request and returns its response: one attempt, nothing more.
///
/// A transport follows no redirect, keeps no cookies, retries nothing and signs nothing: the layers above
/// do that, so that every transport behaves alike. `CurlTransport` (the default on Linux),
/// `URLSessionTransport` (the default on Apple platforms) and `StubTransport` (for tests, in APIKitTesting)
/// exist. Write one when requests must be sent in another way; adopt ``AsyncHTTPTransport`` when that is
/// simpler to write with `await`. In a test, use a `StubTransport`.
///
/// Isolation: called from any thread, with many exchanges at once. A transport must not list in its
/// ``capabilities`` what it cannot do. When a request needs it anyway, the transport fails with
/// ``APIError/Reason/unsupportedCapability``; ``TransportCapabilities/check(_:cleartext:)`` throws that.
public protocol HTTPTransport: Sendable {
  /// Called with the result of an exchange.
  typealias Completion = @Sendable (Result<HTTPResponse, APIError>) -> Void

  /// The capabilities of the transport. Read when a configuration or a request is checked.
  var capabilities: TransportCapabilities { get }

  /// Header fields that it adds to requests which have none of the same name. The default is none.
  ///
  /// It does not add them where ``HTTPExchange/crossesOrigin`` is true: the request then has the public ones.
  var headers: HTTPHeaders { get }

  /// The identity that the transport itself adds to requests: a text that is the same in every process, equal for the
  /// same header fields and client certificate only, and holds no secret. The default is empty.
  ///
  /// Loads share requests and stored responses only if it is equal. So a transport that adds credentials must state
  /// it.
  var caller: String { get }

  /// Whether loads over the transport use no cache, unless they say otherwise: see
  /// ``TransportConfiguration/ignoresCaches``. The default is false.
  var ignoresCaches: Bool { get }

  /// Options of its loads with the lowest precedence: ``TransportConfiguration/loadOptions``. Read when a client
  /// is made. The default is none.
  var loadOptions: LoadOptions { get }

  /// Starts an exchange and returns at once.
  ///
  /// - Parameters:
  ///   - exchange: The request, and where its response goes.
  ///   - completion: Called exactly once, when the response is complete or, for a stream, at its head. A response
  ///     of any status is a success; failures have the stage `transport`. Called on any thread, a transport's own
  ///     usually, and perhaps before this function returns. It must not block.
  /// - Returns: The operation that cancels the exchange. A cancelled exchange completes soon with
  ///   ``APIError/Reason/cancelled``, unless it has completed already.
  func start(_ exchange: HTTPExchange, completion: @escaping Completion) -> any CancellableOperation

  /// Runs an exchange and returns its response. Cancelling the task cancels the exchange.
  func send(_ exchange: HTTPExchange) async throws(APIError) -> HTTPResponse
}

extension HTTPTransport {
  /// None.
  public var headers: HTTPHeaders { HTTPHeaders() }

  /// Empty.
  public var caller: String { "" }
  /// False.
  public var ignoresCaches: Bool { false }
  /// None.
  public var loadOptions: LoadOptions { .none }

  /// Starts the exchange and waits for its completion.
  public func send(_ exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    let cancellation = Cancellation()
    let result = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let isBegun = cancellation.begin {
          start(exchange) { continuation.resume(returning: $0) }
        }
        if !isBegun { continuation.resume(returning: .failure(APIError(.transport, .cancelled))) }
      }
    } onCancel: {
      cancellation.cancel()
    }
    return try result.get()
  }

  /// Sends a request whose response is collected in memory, up to the default limit.
  public func send(_ request: HTTPRequest) async throws(APIError) -> HTTPResponse {
    try await send(HTTPExchange(request))
  }
}

/// A transport that is written with `async`. Each exchange that is started runs in a task of its own.
public protocol AsyncHTTPTransport: HTTPTransport {
  /// Sends one request and returns when the response is complete, or at its head for a stream.
  ///
  /// Must end soon with ``APIError/Reason/cancelled`` when its task is cancelled. Many may run at once.
  func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse
}

extension AsyncHTTPTransport {
  /// Runs ``respond(to:)`` in a detached task and calls the completion from it.
  public func start(
    _ exchange: HTTPExchange, completion: @escaping Completion
  ) -> any CancellableOperation {
    Task.respond(completion) { () async throws(APIError) in try await respond(to: exchange) }
  }

  /// Awaits ``respond(to:)`` in the caller's task. Throws ``APIError/Reason/cancelled`` when that is
  /// cancelled already.
  public func send(_ exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    guard !Task.isCancelled else { throw APIError(.transport, .cancelled) }
    return try await respond(to: exchange)
  }
}

extension Task<Void, Never> {
  /// Calls a completion with what work comes to, from a task of its own.
  static func respond(
    _ completion: @escaping HTTPTransport.Completion,
    _ work: @escaping @Sendable () async throws(APIError) -> HTTPResponse
  ) -> Self {
    detached {
      do throws(APIError) { completion(.success(try await work())) } catch { completion(.failure(error)) }
    }
  }
}

extension HTTPExchange {
  /// Asks ``inspectHead`` about a response; throws where that refuses it.
  package func inspect(
    _ status: Int, _ headers: HTTPHeaders, evidence: @autoclosure () -> APIError.Evidence? = nil
  ) throws(APIError) {
    guard let inspectHead else { return }
    do { try inspectHead(status, headers) } catch {
      throw APIError(.transport, .refusedAtHeaders, underlying: error, evidence: evidence())
    }
  }
}
