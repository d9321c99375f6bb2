/// Suspending loads at the wish of their caller.
extension BaseAPIManager {
  /// Suspends a load: nothing more of it is sent or read, and it does not land, until ``resume(_:)``.
  ///
  /// Steps before the transport still run; a load that is opening a connection may still send its request. The timeouts
  /// of an attempt do not count meanwhile; the deadline of the retry policy does, so that an attempt that begins after it
  /// fails. If a load shares its call with others, the call continues and only this load's landing waits. It can be cancelled
  /// as any other.
  ///
  /// - Returns: Whether it was running or waiting, and not suspended by its caller already.
  /// - Throws: ``APIError/Reason/unsupportedCapability`` if the transport cannot suspend an exchange
  ///   (``TransportCapabilities/suspension``), and for a load that an outbox keeps (``APIManager/isQueued``), which sends it
  ///   by another manager.
  @discardableResult public func suspend(_ flight: FlightID) throws(APIError) -> Bool {
    guard let flight = flightStore[flight], !flight.cancellation.isHeld else { return false }
    guard queue == nil else {
      throw APIError(unsupported: "suspending a load that an outbox keeps (isQueued)")
    }
    try flight.call.wire.client.transport.capabilities.require(.suspension, "suspending a load (suspension)")
    flight.note(.suspended("by its caller"))
    flight.tell(waitsFor: .caller)
    // Before the observers are told, who may resume it.
    flight.cancellation.hold()
    suspend(flight, true)
    return true
  }

  /// Resumes a load that its caller has suspended.
  ///
  /// - Returns: Whether it was suspended by ``suspend(_:)``.
  @discardableResult public func resume(_ flight: FlightID) -> Bool {
    guard let flight = flightStore[flight], flight.cancellation.isHeld else { return false }
    flight.note(.resumed)
    flight.cancellation.resume()
    suspend(flight, false)
    return true
  }
}
