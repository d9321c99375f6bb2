@testable import APIKit

extension LandedLoad {
  /// A load as a test needs it.
  static func make(
    service: String = "Homes", method: HTTPMethod = .get, name: String = "list", host: String = "homes.test",
    status: Int? = 200, outcome: Outcome = .succeeded, label: String = "transport.idle-timeout",
    duration: Duration = .milliseconds(1), at: Duration = .zero, begin: Duration = .zero,
    wallClock: Double = 1_767_225_600, flight: UInt64 = 1
  ) -> LandedLoad {
    var state = FlightRecorder.RecorderState()
    (state.service, state.method, state.apiName) = (service, method, name)
    state.entries.append(.init(at: at, event: .attempt(1, host: host)))
    if let status {
      state.entries.append(
        .init(at: duration, event: .responded(status: status, metrics: TransportMetrics())))
    }
    let landing: FlightLanding =
      switch outcome {
      case .succeeded: .succeeded(.network)
      case .failed: .failed(label: label, detail: "")
      case .cancelled: .cancelled("by-caller")
      }
    state.entries.append(.init(at: duration, event: .landed(landing)))
    return LandedLoad(
      FlightID(rawValue: flight), state, begin: begin, wallClock: wallClock, landing: landing, status: status,
      decoded: 0)
  }
}
