import APIKit

extension HTTPTransport {
  /// Leaves an idle connection that the libcurl transport uses for a request with this body: a body that is a file or a stream
  /// goes over other connections than one in memory.
  func keepConnection(to url: HTTPURL, for body: HTTPBody) async throws {
    let destination: HTTPExchange.Destination =
      switch body {
      case .empty, .bytes: .memory()
      case .file, .stream: .stream
      }
    let response = try await send(HTTPExchange(HTTPRequest(url: url), destination: destination))
    if case .stream(let stream) = response.body { _ = try await stream.collect(maximumBytes: .max) }
  }
}
