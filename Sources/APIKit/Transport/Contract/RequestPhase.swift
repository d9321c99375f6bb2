/// A phase of one request.
///
/// ``FlightEvent/phase(_:)`` sends it to the listeners of ``FlightEvents``.
public enum RequestPhase: Sendable, Hashable {
  /// It waits in the transport for a connection: the limit of its host or of the transport is reached.
  case queued
  /// The name of the host, or of the proxy, was looked up. Not reported for a reused connection.
  case nameLookedUp
  /// The request has a connection; `isReused` says whether it was open before.
  case connected(isReused: Bool)
  /// The TLS handshake is complete. Not reported for a reused connection.
  case secured
  /// The request was written, its body included.
  case requestSent
  /// The first byte of the response arrived.
  case firstByte
  /// Bytes of a body have moved: at most about ten times a second.
  indirect case progress(TransferProgress)
}

extension RequestPhase: CustomStringConvertible {
  /// The phase in a few words.
  public var description: String {
    switch self {
    case .queued: "waits for a connection"
    case .nameLookedUp: "name looked up"
    case .connected(let isReused): isReused ? "connection reused" : "connected"
    case .secured: "TLS handshake complete"
    case .requestSent: "request sent"
    case .firstByte: "first byte"
    case .progress(let progress):
      (progress.isReceiving ? "received " : "sent ") + "\(progress.total)"
        + (progress.expected.map { " of \($0)" } ?? "") + " bytes"
    }
  }
}

/// Receives the phases of a request while it is under way.
package protocol PhaseObserver: AnyObject, Sendable {
  /// The request has come further. Called on a thread of the transport; does not block.
  func reached(_ phase: RequestPhase, microsecondsAgo: Int64)
  /// A source has noted phases, of this request or of others, and is to be asked for them a little later: most requests have
  /// ended by then.
  func announce(_ source: any PhaseSource)
}

/// Notes the phases of requests, and tells them when it is asked.
package protocol PhaseSource: AnyObject, Sendable {
  /// Reports the noted phases to their observers, a little later. May be called from any thread; does not block.
  func tellPhases()
}

/// Phases of one request, as a set.
package struct RequestPhases: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let nameLookedUp = RequestPhases(rawValue: 1)
  package static let connected = RequestPhases(rawValue: 2)
  package static let secured = RequestPhases(rawValue: 4)
  package static let requestSent = RequestPhases(rawValue: 8)
  package static let firstByte = RequestPhases(rawValue: 16)

  /// The set of one phase; empty for one that may be told any number of times.
  package init(_ phase: RequestPhase) {
    switch phase {
    case .queued, .progress: self = []
    case .nameLookedUp: self = .nameLookedUp
    case .connected: self = .connected
    case .secured: self = .secured
    case .requestSent: self = .requestSent
    case .firstByte: self = .firstByte
    }
  }
}

extension RequestPhase {
  /// The phase of a set of one; nil for any other.
  ///
  /// - Parameter isReused: For ``connected(isReused:)``.
  package init?(_ element: RequestPhases, isReused: Bool) {
    switch element {
    case .nameLookedUp: self = .nameLookedUp
    case .connected: self = .connected(isReused: isReused)
    case .secured: self = .secured
    case .requestSent: self = .requestSent
    case .firstByte: self = .firstByte
    default: return nil
    }
  }
}

extension TransportMetrics {
  /// Passes on the phases that the request has completed, each with its time since the transport accepted it; none where
  /// nothing was measured.
  ///
  /// - Parameter hasResponse: Whether the head of a response arrived.
  package func forEachPhase(hasResponse: Bool, _ body: (_ phase: RequestPhase, _ at: Int64) -> Void) {
    guard total > 0, max(connect, requestSent, firstByte, nameLookup) > 0 else { return }
    let broken = hasResponse ? nil : brokenPhase
    if isReused {
      body(.connected(isReused: true), queued)
    } else {
      guard broken != .dns else { return }
      if nameLookup > queued { body(.nameLookedUp, nameLookup) }
      guard broken != .connect else { return }
      body(.connected(isReused: false), connect)
      guard broken != .tls else { return }
      if tls > connect { body(.secured, tls) }
    }
    if requestSent > 0 { body(.requestSent, requestSent) }
    if hasResponse, firstByte > 0 { body(.firstByte, firstByte) }
  }
}

extension TransportMetrics {
  /// What a request was at when it ended without the head of a response.
  package enum BrokenPhase: String {
    case dns, connect, tls, wait
  }

  /// Of metrics without a first byte: a phase that was not completed has the time of the one before.
  package var brokenPhase: BrokenPhase {
    if isReused || requestSent > tls { return .wait }
    if nameLookup == queued { return .dns }
    return connect == nameLookup ? .connect : .tls
  }
}
