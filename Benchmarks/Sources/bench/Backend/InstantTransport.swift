import APIKit

/// Responds to every request at once, with one body of JSON or with none.
struct InstantTransport: HTTPTransport {
  var body: [UInt8] = []
  var capabilities: TransportCapabilities = []

  func start(_ exchange: HTTPExchange, completion: @escaping Completion) -> any CancellableOperation {
    guard !body.isEmpty else {
      completion(.success(HTTPResponse(status: 200)))
      return IsOver()
    }
    // Bytes of its own, as from a wire: a cache would otherwise keep one array a thousand times for nothing.
    let own = body.withUnsafeBufferPointer { Array($0) }
    completion(
      .success(HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: .bytes(own))))
    return IsOver()
  }

  private struct IsOver: CancellableOperation {
    func cancel() {}
  }
}
