/// Marks a flight as waiting for something outside, for as long as it does.
struct Suspension: Sendable {
  let recorder: FlightRecorder
  /// Told true when the wait begins and false when it is over.
  var tell: (@Sendable (Bool) -> Void)?

  func during<Value, Failure: Error>(
    _ reason: String, _ wait: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    recorder.record(.suspended(reason))
    tell?(true)
    do {
      let value = try await wait()
      resume()
      return value
    } catch {
      resume()
      throw error
    }
  }

  private func resume() {
    recorder.record(.resumed)
    tell?(false)
  }
}
