/// What the recorder of a load tells those who listen to ``FlightEvents``.
///
/// A load is announced with the first event since the last look, and its events are read a little later, off its path: so an event
/// costs the load little more than its line in the record.
extension FlightRecorder {
  /// What is to be told at the next look.
  struct News {
    /// Whether the load is announced, so that it is looked at.
    var isAnnounced = false
    /// The first entry that is not told.
    var first = 0
    /// Events that the record does not keep, each with the number of entries before it.
    var asides: [Aside] = []
    /// The attempt of the first entry, and the phases that were told of its request.
    var attempt = 0
    var phases: RequestPhases = []

    struct Aside {
      let place: Int
      let entry: FlightRecord.Entry
    }
  }

  /// The load begins to wait for something.
  func tell(waitsFor wait: FlightWait) {
    if FlightEvents.shared.wants(.events) { tell(.waits(for: wait), ago: .zero) }
  }

  /// Tells an event that the record does not keep.
  fileprivate func tell(_ event: FlightEvent, ago: Duration) {
    let at = max(.zero, time.now - begin - ago)
    let successor = state.withLock { state in
      if state.isTold {
        announce(from: state.entries.count, &state)
        if state.news.asides.isEmpty { state.news.asides.reserveCapacity(4) }
        state.news.asides.append(
          News.Aside(place: state.entries.count, entry: FlightRecord.Entry(at: at, event: event)))
      }
      return state.successor
    }
    successor?.tell(event, ago: ago)
  }

  /// Has the load looked at.
  ///
  /// - Parameter first: The first entry that is told.
  func announce(from first: Int, _ state: inout RecorderState) {
    guard state.isTold, !state.news.isAnnounced else { return }
    (state.news.isAnnounced, state.news.first, state.news.attempt) = (true, first, state.attempt)
    FlightEvents.shared.announce(self)
  }

  /// Adds the events since the last look, in order, and before the end of a request the phases that its transport did not tell
  /// meanwhile. Nothing is told after the landing.
  func takeNews(_ events: inout [LiveEvent]) {
    state.withLock { state in
      state.news.isAnnounced = false
      var aside = 0
      while true {
        if aside < state.news.asides.count, state.news.asides[aside].place <= state.news.first {
          let entry = state.news.asides[aside].entry
          aside += 1
          if case .phase(let phase) = entry.event { state.news.phases.formUnion(RequestPhases(phase)) }
          events.append(LiveEvent(self, attempt: state.news.attempt, entry))
        } else if state.news.first < state.entries.count {
          let entry = state.entries[state.news.first]
          state.news.first += 1
          tellLate(before: entry, &state.news, &events)
          if case .landed = entry.event { state.news.first = .max }
          events.append(LiveEvent(self, attempt: state.news.attempt, entry))
        } else {
          return state.news.asides = []
        }
      }
    }
  }

  private func tellLate(before entry: FlightRecord.Entry, _ news: inout News, _ events: inout [LiveEvent]) {
    let (metrics, hasResponse): (TransportMetrics, Bool)
    switch entry.event {
    case .attempt(let number, _):
      (news.attempt, news.phases) = (number, [])
      return
    case .redirected(_, _, let own), .responded(_, let own): (metrics, hasResponse) = (own, true)
    case .broken(let status, let own): (metrics, hasResponse) = (own, status != nil)
    default: return
    }
    let begin = max(.zero, entry.at - .microseconds(metrics.total))
    metrics.forEachPhase(hasResponse: hasResponse) { phase, at in
      guard !news.phases.contains(RequestPhases(phase)) else { return }
      let late = FlightRecord.Entry(at: min(entry.at, begin + .microseconds(at)), event: .phase(phase))
      events.append(LiveEvent(self, attempt: news.attempt, late))
    }
    news.phases = []
  }
}

extension FlightRecorder: PhaseObserver {
  package func reached(_ phase: RequestPhase, microsecondsAgo: Int64) {
    if FlightEvents.shared.wants(.events) { tell(.phase(phase), ago: .microseconds(microsecondsAgo)) }
  }

  package func announce(_ source: any PhaseSource) { FlightEvents.shared.announce(source) }
}
