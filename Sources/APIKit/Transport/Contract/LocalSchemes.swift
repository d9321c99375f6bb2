import Foundation

/// Responds to `file:` and `data:` URLs for every transport; no connection is needed.
///
/// libcurl can read files too, but would block its loop while the disk is read.
enum LocalSchemes {
  /// Whether a URL has one of these schemes.
  static func serves(_ url: HTTPURL) -> Bool { url.scheme == "file" || url.scheme == "data" }

  /// Starts an exchange in a task.
  static func start(
    _ exchange: HTTPExchange, completion: @escaping HTTPTransport.Completion
  ) -> any CancellableOperation {
    Task.respond(completion) { () async throws(APIError) in try await respond(to: exchange) }
  }

  /// The response to a request, in memory.
  @inline(never)
  static func respond(to request: HTTPRequest) async throws(APIError) -> HTTPResponse {
    try await respond(to: HTTPExchange(request))
  }

  /// The response to an exchange. Runs in the caller's task; a file is read in pieces, and a cancelled task
  /// stops at the next one.
  static func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    let request = exchange.request
    guard request.method == .get || request.method == .head else {
      throw APIError(
        .transport, .unsupportedCapability,
        "a \(request.url.scheme): URL can be read with GET and HEAD, not \(request.method)")
    }
    let start = ContinuousClock.now
    var response = try await request.url.scheme == "data" ? data(exchange) : file(exchange)
    response.url = request.url
    response.metrics.total = (ContinuousClock.now - start).microseconds
    response.metrics.bytesDecoded = response.metrics.bytesReceived
    return response
  }

  // MARK: data: (RFC 2397)

  private static func data(_ exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    let text = exchange.request.url.path
    // By bytes: a mark behind the comma makes one character with it.
    guard let comma = text.utf8.firstIndex(of: UInt8(ascii: ",")) else {
      throw APIError(.transport, .invalidURL, "a data: URL needs a comma before its data")
    }
    var type = String(text[..<comma])
    guard let decoded = PercentEncoding.bytes(of: text[comma...].utf8.dropFirst()) else {
      throw APIError(.transport, .invalidURL, "the data of a data: URL is not percent-encoded rightly")
    }
    var bytes = decoded
    if type.lowercased().hasSuffix(";base64") {
      type.removeLast(";base64".count)
      guard let plain = Data(base64Encoded: Data(bytes), options: .ignoreUnknownCharacters) else {
        throw APIError(.transport, .invalidURL, "the data of a data: URL is not Base64")
      }
      bytes = [UInt8](plain)
    }
    if type.isEmpty || type.hasPrefix(";") {
      type = "text/plain" + (type.isEmpty ? ";charset=US-ASCII" : type)
    }
    let headers: HTTPHeaders = ["Content-Type": type, "Content-Length": String(bytes.count)]
    let rest = SingleChunk(bytes)
    return try await deliver(exchange, headers) { () async throws(APIError) in rest.take() }
  }

  // MARK: file: (RFC 8089)

  private static func file(_ exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    let url = exchange.request.url
    guard url.host.isEmpty || url.host == "localhost" else {
      throw APIError(.transport, .invalidURL, "a file: URL names no host but localhost, not \(url.host)")
    }
    guard let bytes = PercentEncoding.bytes(of: url.path.utf8), !bytes.contains(0) else {
      throw APIError(.transport, .invalidURL, "the path of a file: URL is not percent-encoded rightly")
    }
    let path = String(decoding: bytes, as: UTF8.self)
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue
    else {
      throw APIError(.transport, .fileFailed, "there is no file \(path)")
    }
    let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
    let chunks: FileChunks
    do throws(APIError) {
      chunks = try FileChunks(path: path, offset: 0)
    } catch {
      throw APIError(.transport, .fileFailed, "the file \(path) cannot be read", underlying: error.underlying)
    }
    var headers = HTTPHeaders()
    if let size { headers.add("Content-Length", String(size)) }
    return try await deliver(exchange, headers) { () async throws(APIError) in try chunks.next() }
  }

  // MARK: To the destination

  private static func deliver(
    _ exchange: HTTPExchange, _ headers: HTTPHeaders,
    next: @escaping @Sendable () async throws(APIError) -> [UInt8]?
  ) async throws(APIError) -> HTTPResponse {
    try exchange.inspect(200, headers)
    let isHead = exchange.request.method == .head
    let stream = ResponseStream { () async throws(APIError) in
      guard !Task.isCancelled else { throw APIError(.transport, .cancelled) }
      return isHead ? nil : try await next()
    }
    var response = HTTPResponse(status: 200, headers: headers, version: .other)
    var destination = exchange.destination
    if let path = exchange.file(status: 200, headers) { destination = .file(path: path) }
    switch destination {
    case .memory(let maximumBytes):
      response.body = .bytes(try await stream.collect(maximumBytes: maximumBytes))
    case .file(let path, let maximumBytes):
      response.body = try await write(stream, to: path, maximumBytes: maximumBytes)
    case .stream: response.body = .stream(stream)
    }
    let received = response.body.count ?? 0
    response.metrics.bytesReceived = received
    exchange.tell(TransferProgress(received: received, totalToReceive: received, delta: received))
    return response
  }

  private static func write(
    _ stream: ResponseStream, to path: String, maximumBytes: Int64
  ) async throws(APIError) -> HTTPResponse.Body {
    var file = try ResponseFile(path: path, maximumBytes: maximumBytes)
    do throws(APIError) {
      var chunks = stream.makeAsyncIterator()
      while let chunk = try await chunks.next() {
        try chunk.withUnsafeBufferPointer { (bytes) throws(APIError) in
          try file.write(UnsafeRawBufferPointer(bytes))
        }
      }
      try file.commit()
    } catch {
      file.discard()
      throw error
    }
    return .file(path: path, count: file.count)
  }
}

/// Bytes that are returned once.
private final class SingleChunk: Sendable {
  private let bytes: Mutex<[UInt8]?>
  init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes.isEmpty ? nil : bytes) }
  func take() -> [UInt8]? { bytes.withLock { $0.take() } }
}
