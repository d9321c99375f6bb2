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
    /// Notes a phase, once for each connection or request. The loop has it told a little later: most requests have
    /// ended by then, and their metrics tell the same at less cost.
    ///
    /// - Parameter ago: How long ago it was, in microseconds.
    func tell(_ phase: RequestPhases, isReused: Bool = false, ago: Int64 = 0) {
      guard transfer.phaseObserver != nil, !transfer.phases.contains(phase) else { return }
      transfer.phases.formUnion(phase)
      let loop = loop
      untold.append(CurlPhase(phase: phase, isReused: isReused, at: loop.now - max(0, ago)))
      loop.watchPhases()
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
      guard transfer.phaseObserver != nil else { return }
      let sent = transfer.metrics.requestSent + (transfer.job?.posted ?? loop.now)
      tell(.requestSent, ago: loop.now - sent)
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
      guard !transfer.asksForProgress else { return }
      if transfer.lastProgress == 0 { transfer.lastProgress = loop.now }
      report(transfer.moved)
    }
  }
#endif
