/// A WebSocket whose handshake and frames are the system's: it takes and gives whole messages.
///
/// All of it but ``perform(_:)`` belongs to one serial queue, the wire's, on which its owner is called as well.
package protocol MessageWire: AnyObject, Sendable {
  /// Runs work on the wire's queue, in the order of the calls. From any thread.
  func perform(_ work: @escaping @Sendable () -> Void)

  /// Opens the connection. The owner is kept until ``MessageWireOwner/ended(_:refusal:)`` was called.
  func open(for owner: any MessageWireOwner)
  /// Sends a message behind those that were given before.
  ///
  /// - Parameter done: Called on the queue when the system has sent it; not called where it could not.
  func send(_ message: SocketMessage, _ done: @escaping @Sendable () -> Void)
  /// Asks for one message.
  func receive()
  /// Sends a ping.
  ///
  /// - Parameter pong: Called on the queue when the response has come; not called where none comes.
  func ping(_ pong: @escaping @Sendable () -> Void)
  /// Whether a close frame can have this code.
  func canClose(with code: UInt16) -> Bool
  /// Sends the close frame.
  func close(_ code: UInt16, _ reason: String)
  /// Ends the connection at once; the owner is called no more but for ``MessageWireOwner/ended(_:refusal:)``.
  func cut()
}

/// The owner of a message wire. Called on its queue, so it must not block.
package protocol MessageWireOwner: AnyObject, Sendable {
  /// The server has accepted; the response has status 101.
  func opened(_ response: HTTPResponse)
  /// The message that ``MessageWire/receive()`` has requested.
  func received(_ message: SocketMessage)
  /// The server's close frame; nil where it has no code.
  func receivedClose(_ code: UInt16?, _ reason: String)
  /// No message comes any more, and why; the end follows, with the close frame before it where there was one.
  func broke(_ error: APIError)
  /// The wire has ended; called once, last.
  ///
  /// - Parameters:
  ///   - error: Why it could not be opened, or broke; nil after ``MessageWire/cut()`` and after an orderly end.
  ///   - refusal: The response of a server that has not accepted: its status and fields.
  func ended(_ error: APIError?, refusal: HTTPResponse?)
}

/// The settings of a message wire.
package struct MessageWireTerms: Sendable {
  /// The subprotocols to offer, the preferred one first.
  package var subprotocols: [String]
  /// The most bytes of a message from the server.
  package var maximumMessageBytes: Int

  package init(subprotocols: [String] = [], maximumMessageBytes: Int = 16 << 20) {
    (self.subprotocols, self.maximumMessageBytes) = (subprotocols, maximumMessageBytes)
  }
}

/// A transport whose system opens WebSockets.
package protocol MessageTransport: HTTPTransport {
  /// A wire to the exchange's URL, with the fields of its request.
  ///
  /// Throws ``APIError/Reason/unsupportedCapability`` for what the system cannot do.
  func makeMessageWire(
    for exchange: HTTPExchange, _ terms: MessageWireTerms
  ) throws(APIError) -> any MessageWire
}
