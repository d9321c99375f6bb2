import APIKit

/// A part of a flight's time, with what it went to.
struct FlightPhase: Equatable {
  enum PhaseKind: String, CaseIterable {
    case held, dns, connect, tls, wait, receive, again, own

    var title: String {
      switch self {
      case .held: "held back"
      case .dns: "name"
      case .connect: "connect"
      case .tls: "TLS"
      case .wait: "waiting"
      case .receive: "receiving"
      case .again: "before a retry"
      case .own: "own work"
      }
    }
  }

  var kind: PhaseKind
  var from: Duration
  var to: Duration

  /// The phases of a record, in order and without gaps.
  static func phases(of record: FlightRecord) -> [FlightPhase] {
    var phases: [FlightPhase] = []
    var last = Duration.zero
    func add(_ kind: PhaseKind, to end: Duration) {
      let end = max(end, last)
      if end > last {
        if phases.last?.kind == kind {
          phases[phases.count - 1].to = end
        } else {
          phases.append(FlightPhase(kind: kind, from: last, to: end))
        }
      }
      last = end
    }
    var isOnWire = false
    var next = PhaseKind.own
    /// A request on the wire, with what it was at when it ended.
    func addRequest(_ metrics: TransportMetrics, _ ending: PhaseKind, endsAt end: Duration) {
      let begin = max(last, end - .microseconds(metrics.total))
      add(.held, to: begin)
      // Before it, what the transport itself has sent: it waited for a response, and was not held back.
      for part in metrics.earlier + [metrics] where part.firstByte > 0 {
        let isLast = part.total == metrics.total
        for (kind, time) in [
          (PhaseKind.held, part.queued), (.dns, part.nameLookup), (.connect, part.connect), (.tls, part.tls),
          (.wait, part.firstByte), (isLast ? ending : part.version == nil ? .wait : .receive, part.total),
        ] {
          add(kind, to: min(end, begin + .microseconds(time)))
        }
      }
      add(.wait, to: end)
      isOnWire = false
      next = .own
    }
    for entry in record.entries {
      switch entry.event {
      case .responded(_, let metrics), .redirected(_, _, let metrics):
        addRequest(metrics, .receive, endsAt: entry.at)
      case .broken(let status, let metrics):
        let broken = PhaseKind(rawValue: metrics.brokenPhase.rawValue) ?? .wait
        addRequest(metrics, status == nil ? broken : .receive, endsAt: entry.at)
      case .attemptFailed:
        add(isOnWire ? .wait : .own, to: entry.at)
        isOnWire = false
        next = .own
      case .attempt:
        add(next, to: entry.at)
        isOnWire = true
      case .retry:
        add(next, to: entry.at)
        next = .again
      case .waiting, .suspended:
        add(next, to: entry.at)
        next = .held
      case .tookOff, .resumed:
        add(next, to: entry.at)
        next = .own
      case .held, .paced: add(.held, to: entry.at)
      case .traced, .span: break
      case .joined:
        add(next, to: entry.at)
        next = .wait
      case .landed:
        add(isOnWire ? .wait : next, to: entry.at)
        // A cancelled request ends on the wire after its flight.
        return phases
      default: add(isOnWire ? .wait : next, to: entry.at)
      }
    }
    return phases
  }
}
