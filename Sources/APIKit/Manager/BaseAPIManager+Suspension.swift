/// Suspending loads at the wish of their caller.
extension BaseAPIManager {
  /// Suspends a load: nothing more of it is sent or read, and it does not land, until ``resume(_:)``.
  ///
  /// Steps before the wire still run; a request that is on its way to a connection may still be sent. The limits of an
  /// attempt do not count meanwhile; the deadline of the retry policy does, so that an attempt that begins after it
  /// fails. A load that shares its call with others lets the call go on, and holds its own landing. It can be cancelled
  /// as any other.
  ///
  /// - Returns: Whether it was in the air or waiting, and not suspended by its caller already.
  /// - Throws: ``APIError/Reason/unsupportedCapability`` where the transport cannot suspend an exchange
  ///   (``TransportCapabilities/suspension``).
  @discardableResult public func suspend(_ flight: FlightID) throws(APIError) -> Bool {
    guard let flight = flightStore[flight], !flight.cancellation.isHeld else { return false }
    try flight.call.wire.client.transport.capabilities.require(.suspension, "suspending a load (suspension)")
    flight.note(.suspended("by its caller"))
    flight.tell(waitsFor: .caller)
    suspend(flight, true)
    flight.cancellation.hold()
    return true
  }

  /// Lets a load that its caller has suspended go on.
  ///
  /// - Returns: Whether it was suspended by ``suspend(_:)``.
  @discardableResult public func resume(_ flight: FlightID) -> Bool {
    guard let flight = flightStore[flight], flight.cancellation.isHeld else { return false }
    flight.note(.resumed)
    suspend(flight, false)
    flight.cancellation.resume()
    return true
  }
}
