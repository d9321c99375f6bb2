/// Carries one request to a server and brings its response back: one attempt, nothing more.
///
/// A transport follows no redirect, keeps no cookies, retries nothing and signs nothing: the layers above do, so
/// that every transport behaves alike. `CurlTransport` (the default on Linux), `URLSessionTransport` (the
/// default on Apple platforms) and `StubTransport` (for tests, in APIKitTesting) exist. Write one when requests
/// must travel another way: adopt ``AsyncHTTPTransport`` when awaiting is simpler than calling back. In a test,
/// script a `StubTransport` instead.
///
/// Isolation: called from any thread, many at once. What a transport cannot do it must not list in its
/// ``capabilities``; asked for it all the same, it fails with ``APIError/Reason/unsupportedCapability``:
/// ``TransportCapabilities/check(_:)``.
public protocol HTTPTransport: Sendable {
  /// What is called when an exchange is over.
  typealias Completion = @Sendable (Result<HTTPResponse, APIError>) -> Void

  /// What the transport can do. Asked when a service or a request is configured.
  var capabilities: TransportCapabilities { get }

  /// Starts an exchange and returns at once.
  ///
  /// - Parameter completion: Called exactly once, when the response is complete or, for a stream, at its head. A
  ///   response of any status is a success; failures are placed in `transport`. Called on a thread of the
  ///   transport, perhaps before this function returns: it must not block.
  /// - Returns: What cancels the exchange, which then completes at once with ``APIError/Reason/cancelled``.
  func start(_ exchange: HTTPExchange, completion: @escaping Completion) -> any CancellableOperation

  /// The same exchange, awaited. Cancelling the task cancels it.
  func send(_ exchange: HTTPExchange) async throws(APIError) -> HTTPResponse
}

extension HTTPTransport {
  /// Starts the exchange and waits for its completion.
  public func send(_ exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    let wait = AwaitedExchange()
    let result = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let isBegun = wait.cancellation.begin {
          start(exchange) { continuation.resume(returning: $0) }
        }
        if !isBegun { continuation.resume(returning: .failure(APIError(.transport, .cancelled))) }
      }
    } onCancel: {
      wait.cancellation.cancel()
    }
    return try result.get()
  }

  /// Sends a request whose response is collected in memory, up to the default limit.
  public func send(_ request: HTTPRequest) async throws(APIError) -> HTTPResponse {
    try await send(HTTPExchange(request))
  }
}

private final class AwaitedExchange: Sendable {
  let cancellation = Cancellation()
}

/// A transport that is written with `async`: each exchange runs in a task of its own.
public protocol AsyncHTTPTransport: HTTPTransport {
  /// Sends one request and returns when the response is complete, or at its head for a stream.
  ///
  /// Must end soon with ``APIError/Reason/cancelled`` when its task is cancelled.
  func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse
}

extension AsyncHTTPTransport {
  /// Runs ``respond(to:)`` in a task.
  public func start(
    _ exchange: HTTPExchange, completion: @escaping Completion
  ) -> any CancellableOperation {
    Task.detached {
      do throws(APIError) {
        completion(.success(try await respond(to: exchange)))
      } catch {
        completion(.failure(error))
      }
    }
  }

  /// Awaits ``respond(to:)`` in the caller's task.
  public func send(_ exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    guard !Task.isCancelled else { throw APIError(.transport, .cancelled) }
    return try await respond(to: exchange)
  }
}
