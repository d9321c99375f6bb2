import APIKit

/// Responds to every request at once, with one body of JSON or with none.
struct InstantTransport: HTTPTransport {
  var body: [UInt8] = []
  var capabilities: TransportCapabilities = []

  func send(_ exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    guard !body.isEmpty else { return HTTPResponse(status: 200) }
    // Bytes of its own, as from a wire: a cache would otherwise keep one array a thousand times for nothing.
    let own = body.withUnsafeBufferPointer { Array($0) }
    return HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: .bytes(own))
  }
}
