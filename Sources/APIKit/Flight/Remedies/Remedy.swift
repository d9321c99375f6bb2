/// Something that may mend a failure of a load. ``Flight`` lists them in `FlightPath.swift`.
///
/// Made for one load, at its first failure. Runs in a task, so it may wait.
protocol Remedy: Sendable {
  /// Mends a failure, and says at which step the load continues; nil when it knows no help.
  ///
  /// - Parameter failure: May be changed, for the remedies that follow.
  /// - Throws: The error of the load in place of `failure`, unless a later remedy mends that.
  mutating func mend(_ failure: inout APIError, of flight: Flight) async throws(APIError) -> Flight.Step?

  /// A later remedy has mended a failure: what this one may do once, it may do again.
  mutating func reset(for flight: Flight)
}

extension Remedy {
  mutating func reset(for flight: Flight) {}
}
