import APIKit

/// The transports that a user can choose; the first is the platform's default.
enum TransportChoice: String, CaseIterable {
  #if os(Linux)
    case curl
  #endif
  case urlsession

  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

  /// Makes a transport of the kind.
  func make() throws(APIError) -> any HTTPTransport {
    switch self {
    #if os(Linux)
      case .curl: try CurlTransport()
    #endif
    case .urlsession: try URLSessionTransport()
    }
  }
}

/// Prints each request and passes it to another transport.
struct TalkingTransport: AsyncHTTPTransport {
  let base: any HTTPTransport
  let console: Console

  var capabilities: TransportCapabilities { base.capabilities }
  var headers: HTTPHeaders { base.headers }
  var caller: String { base.caller }

  func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    console.error(exchange.request.curlCommand())
    let response = try await base.send(exchange)
    console.error("# \(response.status), \(response.bytes.count) bytes")
    return response
  }
}
