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
