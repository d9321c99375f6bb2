/// What the recorder of a load tells those who listen to ``FlightEvents``.
extension FlightRecorder {
  /// The load begins to wait for something.
  func tell(waitsFor wait: FlightWait) {
    if FlightEvents.shared.wants(.events) { tell(.waits(for: wait), ago: .zero) }
  }

  /// A request has come further.
  ///
  /// - Parameter ago: How long ago.
  func tell(_ phase: RequestPhase, ago: Duration) {
    if FlightEvents.shared.wants(.events) { tell(.phase(phase), ago: ago) }
  }

  /// Tells an event that the record does not keep.
  private func tell(_ event: FlightEvent, ago: Duration) {
    let at = max(.zero, time.now - begin - ago)
    let successor = state.withLock { state in
      if state.successor == nil { tell(FlightRecord.Entry(at: at, event: event), &state) }
      return state.successor
    }
    successor?.tell(event, ago: ago)
  }

  /// Tells an event, and before the end of a request the phases that its transport did not tell meanwhile.
  func tell(_ entry: FlightRecord.Entry, _ state: inout RecorderState) {
    guard state.isTold else { return }
    switch entry.event {
    case .phase(let phase): state.phases.formUnion(RequestPhases(phase))
    case .attempt: state.phases = []
    case .redirected(_, _, let metrics), .responded(_, let metrics):
      tellLate(metrics, hasResponse: true, until: entry.at, &state)
    case .broken(let status, let metrics):
      tellLate(metrics, hasResponse: status != nil, until: entry.at, &state)
    default: break
    }
    FlightEvents.shared.tell(LiveEvent(self, attempt: state.attempt, at: entry.at, entry.event))
  }

  private func tellLate(
    _ metrics: TransportMetrics, hasResponse: Bool, until end: Duration, _ state: inout RecorderState
  ) {
    let begin = max(.zero, end - .microseconds(metrics.total))
    for (phase, at) in metrics.phases(hasResponse: hasResponse)
    where !state.phases.contains(RequestPhases(phase)) {
      FlightEvents.shared.tell(
        LiveEvent(self, attempt: state.attempt, at: min(end, begin + .microseconds(at)), .phase(phase)))
    }
    state.phases = []
  }
}
