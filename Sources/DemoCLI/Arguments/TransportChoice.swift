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
struct TalkingTransport: TransportWrapper {
  let base: any HTTPTransport
  let console: Console

  func follow(_ exchange: HTTPExchange, _ completion: @escaping Completion) -> Completion {
    let console = console
    console.error(exchange.request.curlCommand())
    return { result in
      if case .success(let response) = result {
        // The length of a stream is not known yet.
        let length = if case .bytes(let bytes) = response.body { ", \(bytes.count) bytes" } else { "" }
        console.error("# \(response.status)\(length)")
      }
      completion(result)
    }
  }
}
