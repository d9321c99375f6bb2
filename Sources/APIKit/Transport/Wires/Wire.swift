/// A connection of bytes to a server: TCP, TLS over it, or a Unix-domain socket, through proxies and with trust, pins and
/// addresses as its transport is configured.
///
/// All of it but ``perform(_:)`` belongs to one thread, the wire's, on which its owner is called as well.
package protocol Wire: AnyObject, Sendable {
  /// Runs work on the wire's thread, in the order of the calls; false, and without running it, when the transport has
  /// stopped. From any thread.
  @discardableResult func perform(_ work: @escaping @Sendable () -> Void) -> Bool

  /// Opens the connection. The owner is kept until ``WireOwner/ended(_:)`` was called.
  func open(for owner: any WireOwner)
  /// Sends bytes behind those that were given before.
  func write(_ bytes: [UInt8])
  /// How many bytes the kernel has not taken yet.
  var unsentBytes: Int { get }
  /// Whether bytes are read; they are from the beginning.
  var isReading: Bool { get set }
  /// Ends the own side behind what was written: TCP's FIN, for TLS after a close_notify.
  func endSending()
  /// Begins TLS on an open connection without it; ``WireOwner/opened()`` is called when it is established. Throws
  /// ``APIError/Reason/unsupportedCapability`` where the system cannot, with the connection as it was.
  func startTLS(host: String) throws(APIError)
  /// When the owner is to be called, in microseconds of the wire's clock; `.max` for never.
  var due: Int64 { get set }
  /// The time of this turn, in microseconds.
  var now: Int64 { get }
  /// Ends the connection at once; the owner is called no more but for ``WireOwner/ended(_:)``.
  func cut()
}

/// The owner of a wire. Called on its thread, so it must not block.
package protocol WireOwner: AnyObject, Sendable {
  /// The connection is established, with TLS where there is TLS.
  func opened()
  /// Bytes have come; they are valid during the call.
  func received(_ bytes: UnsafeRawBufferPointer)
  /// The kernel has taken a part of what was written, and ``Wire/unsentBytes`` still wait.
  func flushedPart()
  /// The kernel has taken everything that was written.
  func flushed()
  /// The time of ``Wire/due`` has passed.
  func timeHasCome()
  /// The process or the machine stood still for a while: deadlines that seem to have passed may not be the server's fault.
  func stoodStill()
  /// The server has ended its side: nothing more is read, and the own side may still send.
  ///
  /// - Parameter isOrderly: False where TLS has ended without a close_notify, as an attacker could end it (RFC 8446, 6.1).
  func receivedEnd(isOrderly: Bool)
  /// The wire has ended; called once, last.
  ///
  /// - Parameter error: Why it could not be opened, or broke; nil after ``Wire/cut()``.
  func ended(_ error: APIError?)
}

extension WireOwner {
  /// Does nothing.
  package func flushedPart() {}
  /// Does nothing.
  package func stoodStill() {}
}

/// A transport that opens connections of bytes.
package protocol WireTransport: HTTPTransport {
  /// A wire to the host of the exchange's URL, `http` for TCP and `https` for TLS, with the address and the time limit
  /// for connecting of its request.
  ///
  /// - Parameter speaksHTTP: Whether HTTP/1.1 is named as the protocol in the TLS handshake (ALPN).
  func makeWire(for exchange: HTTPExchange, speaksHTTP: Bool) throws(APIError) -> any Wire
}
