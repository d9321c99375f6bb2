/// What the cache adds to the landings: previews, background refreshes, and stored answers gone bad.
extension BaseAPIManager {
  /// Shows a stored answer while the flight goes on. One that does not validate any more is dropped.
  func preview(_ response: APIResponse, of ticket: FlightTicket) {
    guard tickets[ticket.id] != nil else { return }
    guard case .succeeded = judge(.succeeded(response), of: ticket.call) else {
      ticket.cache?.discard()
      return
    }
    guard interceptors.allow({ $0.manager(self, beforePreview: response) }) else { return }
    lastResponse = response
    delegate?.manager(self, didPreviewWith: response)
    ticket.previews?.yield(response)
  }

  /// Stores the answer of a background refresh, when it validates. Nobody is told.
  func absorb(_ response: APIResponse, of ticket: FlightTicket) {
    flightTasks.remove(ticket.id)
    guard case .succeeded = judge(.succeeded(response), of: ticket.call) else { return }
    ticket.cache?.settle(response)
  }

  /// Sends a flight to the server whose stored answer does not validate any more: rules change, and what
  /// was stored under old ones must not fail a load that would succeed.
  ///
  /// - Returns: Whether the flight goes on.
  func askInsteadOf(_ stored: APIResponse, _ ticket: FlightTicket) -> Bool {
    switch stored.provenance {
    case .network, .revalidated, .fallback: return false
    case .memory, .disk, .stale: break
    }
    guard let cache = ticket.cache else { return false }
    cache.discard()
    guard cache.mayAsk else { return false }
    fly(ticket)
    return true
  }
}
