import APIKit

/// One connection of a WebSocket, as its manager has it. From any thread.
protocol SocketChannel: CancellableOperation {
  /// Opens the connection; called once. The completion has the response to the handshake; with status 101 the
  /// connection stays and waits for ``begin(_:)``.
  func open(_ completion: @escaping HTTPTransport.Completion)
  /// Begins to deliver.
  func begin(_ inbox: SocketInbox)
  /// What the server accepted; read after the completion of ``open(_:)``.
  var accepted: WebSocketHandshake.Accepted { get }
  /// Why the connection cannot do something that not every transport can; nil where it can.
  func objection(to feature: OptionalSocketFeature) -> APIError?

  /// How many bytes wait to be sent.
  var queuedBytes: Int { get }
  /// Puts ``SocketInboxItem/drained`` into the inbox once there is room for messages to send.
  func tellWhenDrained()
  func send(_ message: SocketMessage, packs: Bool)
  func ping(token: UInt64?)
  func close(_ code: SocketCloseCode?, _ reason: String)
  /// Ends the connection at once.
  func cancel()
  /// Ends the connection because its owner was released: 1001 is tried, and nothing is delivered.
  func release()
  /// Puts ``SocketInboxItem/settled`` into the inbox behind all messages that came back unsent.
  func settle()
  /// The inbox has room again.
  func readOn()
}

/// Features of an open connection that not every transport has.
enum OptionalSocketFeature {
  case close(SocketCloseCode)
  case sendUncompressed
}

extension SocketChannel {
  /// None.
  func objection(to feature: OptionalSocketFeature) -> APIError? { nil }
}

extension SocketOptions {
  /// How long the close frame of a released connection may take: its descriptor is closed within a tenth of a second.
  static let releaseLimit = Duration.milliseconds(50)

  /// How long opening may take: ``openLimit``, or a shorter limit of the load.
  func openLimit(of exchange: HTTPExchange) -> Duration {
    let own = [exchange.request.timeouts.total, exchange.request.timeouts.ceiling]
    return own.compactMap(\.self).filter { $0 > .zero }.reduce(openLimit, min)
  }
}

extension SocketClosing {
  /// Of a connection that has ended before anything could come of it.
  static func atOnce(_ error: APIError?) -> Self {
    SocketClosing(
      code: .abnormal, end: .cut,
      error: error
        ?? APIError(.transport, .connectionLost, "the connection ended as soon as it was open"))
  }
}

extension HTTPResponse {
  /// The response to the handshake of an exchange: for a redirect, a WebSocket's URL is that of HTTP.
  func ofHandshake(_ exchange: HTTPExchange) -> HTTPResponse {
    var response = self
    response.url = exchange.request.url
    if let location = headers["Location"],
      location.lowercased().hasPrefix("ws:") || location.lowercased().hasPrefix("wss:")
    {
      response.headers["Location"] = "http" + location.dropFirst(2)
    }
    return response
  }
}
