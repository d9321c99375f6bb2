import Synchronization

/// The transport of the load that opens a WebSocket: its exchange is the handshake, and a response with status 101 leaves
/// the connection behind.
///
/// So a socket is opened by the path of every load: assembled, authorized, signed, redirected and refused alike.
final class UpgradeTransport: HTTPTransport {
  private let base: any HTTPTransport
  private let options: SocketOptions
  private let offer: WebSocketHandshake.Offer
  private let onStart: @Sendable () -> Void
  private let state = Mutex<(any SocketLink)?>(nil)

  /// - Parameter onStart: Called when a connection begins to open.
  init(
    _ base: any HTTPTransport, _ options: SocketOptions, _ offer: WebSocketHandshake.Offer,
    onStart: @escaping @Sendable () -> Void
  ) {
    self.base = base
    self.options = options
    self.offer = offer
    self.onStart = onStart
  }

  var capabilities: TransportCapabilities { base.capabilities }
  var headers: HTTPHeaders { base.headers }
  var caller: String { base.caller }

  /// The connection that the load has left behind, once.
  func takeLink() -> (any SocketLink)? { state.withLock { $0.take() } }

  func start(
    _ exchange: HTTPExchange, completion: @escaping Completion
  ) -> any CancellableOperation {
    let completion = base.followed(exchange, completion)
    do throws(APIError) {
      let link = try makeLink(exchange)
      onStart()
      link.open { result in completion(self.take(result, link, exchange)) }
      return link
    } catch {
      completion(.failure(error))
      return NoOperation()
    }
  }

  /// Keeps the connection of a response that is not refused at its head.
  private func take(
    _ result: Result<HTTPResponse, APIError>, _ link: any SocketLink, _ exchange: HTTPExchange
  ) -> Result<HTTPResponse, APIError> {
    guard case .success(let response) = result else { return result }
    do { try exchange.inspectHead?(response.status, response.headers) } catch {
      link.cancel()
      return .failure(
        APIError(.transport, .refusedAtHeaders, underlying: error, evidence: response.evidence))
    }
    if response.status == 101 { state.withLock { $0 = link } }
    return result
  }

  private func makeLink(_ exchange: HTTPExchange) throws(APIError) -> any SocketLink {
    var exchange = exchange
    let scheme = exchange.request.url.scheme
    guard scheme == "http" || scheme == "https" else {
      throw APIError(
        .transport, .unsupportedScheme,
        "the URL of a socket's service begins with https or http, for wss and ws; not with \(scheme)")
    }
    try WebSocketHandshake.refuseOwnFields(exchange.request.headers)
    try Self.attachLogin(to: &exchange.request)
    guard let opener = base.wires else {
      throw APIError(
        .transport, .unsupportedCapability,
        "\(type(of: base)) opens no WebSockets; CurlTransport does")
    }
    return WireSocketLink(
      try opener.makeWire(for: exchange, speaksHTTP: true), base, exchange, options, offer)
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

/// One connection of a WebSocket, as its manager has it. From any thread.
protocol SocketLink: CancellableOperation {
  /// Opens the connection; called once. The completion has the response to the handshake; with status 101 the
  /// connection stays and waits for ``begin(_:)``.
  func open(_ completion: @escaping HTTPTransport.Completion)
  /// Begins to deliver.
  func begin(_ inbox: SocketInbox)
  /// What the server accepted; read after the completion of ``open(_:)``.
  var accepted: WebSocketHandshake.Accepted { get }

  /// How many bytes wait to be sent.
  var queuedBytes: Int { get }
  /// Has the inbox told once, when nothing waits to be sent.
  func tellWhenDrained()
  func send(_ message: SocketMessage, packs: Bool)
  func ping(token: UInt64?)
  func close(_ code: SocketCloseCode?, _ reason: String)
  /// Ends the connection at once.
  func cancel()
  /// Ends the connection for want of anybody who has it: 1001 is tried, and nothing is delivered.
  func release()
  /// The inbox has room again.
  func readOn()
}
