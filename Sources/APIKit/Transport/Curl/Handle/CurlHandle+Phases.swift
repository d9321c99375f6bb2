#if os(Linux)
  /// A phase that was noted. Most are never told, so it holds no reference and costs little.
  struct CurlPhase {
    /// The one phase.
    let phase: RequestPhases
    /// For ``RequestPhase/connected(isReused:)``.
    let isReused: Bool
    /// When it was, in microseconds.
    let at: Int64
  }

  /// What libcurl's callbacks show of a request while it is under way.
  extension CurlHandle {
    /// Notes a phase, once for each connection or request, and does not report it yet. The loop is asked for noted phases from
    /// time to time: most requests have ended by then, and their metrics report the same phases at less cost.
    ///
    /// - Parameter time: When it was; now by default.
    func tell(_ phase: RequestPhases, isReused: Bool = false, at time: Int64 = .max) {
      guard transfer.phaseObserver != nil, !transfer.phases.contains(phase) else { return }
      transfer.phases.formUnion(phase)
      let loop = loop
      if untold.isEmpty { loop.announcePhases(of: self) }
      untold.append(CurlPhase(phase: phase, isReused: isReused, at: min(time, loop.now)))
    }

    /// Tells the phases that were noted.
    func tellPhases() {
      guard !untold.isEmpty else { return }
      let now = CurlClock.now()
      for noted in untold {
        if let phase = RequestPhase(noted.phase, isReused: noted.isReused) {
          transfer.phaseObserver?.reached(phase, microsecondsAgo: now - noted.at)
        }
      }
      untold.removeAll(keepingCapacity: true)
      transfer.hasToldPhases = true
    }

    /// A request is about to be sent on the connection that there is now.
    func tellConnected() {
      guard transfer.phaseObserver != nil else { return }
      transfer.moved.sent = 0
      // The metrics at the end are those of the last request alone.
      if transfer.baseline.requests > 1 { tellPhases() }
      if transfer.metrics.isReused {
        transfer.phases = []
        tell(.connected, isReused: true)
      } else {
        tell(.nameLookedUp)
        tell(.connected)
        if transfer.isTLS { tell(.secured) }
        transfer.phases = []
      }
    }

    /// The response begins. libcurl does not say when it has written a request; what the loop measured is told here.
    func tellFirstByte() {
      guard transfer.phaseObserver != nil, let posted = transfer.job?.posted else { return }
      tell(.requestSent, at: posted + transfer.metrics.requestSent)
      tell(.firstByte)
    }

    /// Bytes of a body have moved. Reports the progress of an exchange for which libcurl itself reports none.
    func tellMoved(sent: Int = 0, received: Int = 0) {
      guard transfer.phaseObserver != nil else { return }
      transfer.moved.sent += Int64(sent)
      transfer.moved.received += Int64(received)
      if received > 0 { transfer.moved.totalToReceive = transfer.contentLength }
      if sent > 0 {
        transfer.moved.totalToSend = transfer.source?.length
        // libcurl does not ask for the end of a body whose length it knows.
        if transfer.moved.sent == transfer.moved.totalToSend { tell(.requestSent) }
      }
      guard transfer.job?.exchange.onProgress == nil else { return }
      if transfer.lastProgress == 0 { transfer.lastProgress = loop.now }
      report(transfer.moved)
    }
  }
#endif
