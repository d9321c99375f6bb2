import APIKit

/// The transport of the load that opens a WebSocket: its exchange is the handshake, and a response with status 101 leaves
/// the connection behind.
///
/// So a socket is opened by the path of every load: assembled, authorized, signed, redirected and refused alike.
final class UpgradeTransport: HTTPTransport {
  private let base: any HTTPTransport
  private let options: SocketOptions
  private let offer: WebSocketHandshake.Offer
  private let time: any TimeSource
  private let onStart: @Sendable () -> Void
  private let state = Mutex<(any SocketChannel)?>(nil)

  /// - Parameter onStart: Called when a connection begins to open.
  init(
    _ base: any HTTPTransport, options: SocketOptions, offer: WebSocketHandshake.Offer,
    time: any TimeSource = SystemTime(), onStart: @escaping @Sendable () -> Void
  ) {
    self.base = base
    self.options = options
    self.offer = offer
    self.time = time
    self.onStart = onStart
  }

  var capabilities: TransportCapabilities { base.capabilities }
  var headers: HTTPHeaders { base.headers }
  var caller: String { base.caller }

  /// The connection that the load has left behind, once.
  func takeChannel() -> (any SocketChannel)? { state.withLock { $0.take() } }

  func start(
    _ exchange: HTTPExchange, completion: @escaping Completion
  ) -> any CancellableOperation {
    let completion = base.followed(exchange, completion)
    do throws(APIError) {
      let channel = try makeChannel(exchange)
      onStart()
      channel.open { result in completion(self.take(result, channel, of: exchange)) }
      return channel
    } catch {
      completion(.failure(error))
      return NoOperation()
    }
  }

  /// Keeps the connection of a response that is not refused at its head.
  private func take(
    _ result: Result<HTTPResponse, APIError>, _ channel: any SocketChannel, of exchange: HTTPExchange
  ) -> Result<HTTPResponse, APIError> {
    guard case .success(let response) = result else { return result }
    do throws(APIError) {
      try exchange.inspect(response.status, response.headers, evidence: response.evidence)
    } catch {
      channel.cancel()
      return .failure(error)
    }
    if response.status == 101 { state.withLock { $0 = channel } }
    return result
  }

  private func makeChannel(_ exchange: HTTPExchange) throws(APIError) -> any SocketChannel {
    var exchange = exchange
    let scheme = exchange.request.url.scheme
    guard scheme == "http" || scheme == "https" else {
      throw APIError(
        .transport, .unsupportedScheme,
        "the URL of a socket's service begins with https or http, for wss and ws; not with \(scheme)")
    }
    try WebSocketHandshake.refuseOwnFields(exchange.request.headers)
    try Self.attachLogin(to: &exchange.request)
    // The system's first: App Transport Security and its pins do not count for connections of bytes.
    if let opener = base.messageWires {
      return try MessageSocketChannel(
        opener, base, for: exchange, options: options, offer: offer, time: time)
    }
    if let opener = base.wires {
      return WireSocketChannel(
        try opener.makeWire(for: exchange, speaksHTTP: true), base, for: exchange, options: options,
        offer: offer)
    }
    throw APIError(
      .transport, .unsupportedCapability,
      "\(type(of: base)) opens no WebSockets; CurlTransport does, and URLSessionTransport on Apple platforms")
  }

  /// There is no response to a challenge within a handshake.
  private static func attachLogin(to request: inout HTTPRequest) throws(APIError) {
    guard let login = request.options.login else { return }
    guard login.scheme != .digest else {
      throw APIError(.transport, .unsupportedCapability, "a WebSocket knows no Digest login; Basic it does")
    }
    guard !request.headers.contains("Authorization") else { return }
    request.headers["Authorization"] = "Basic " + Base64.encode(Array("\(login.user):\(login.password)".utf8))
  }
}
