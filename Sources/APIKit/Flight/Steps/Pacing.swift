/// Step `pace`: an attempt begins when the client's own rate for the service or the API allows it.
///
/// Asked for every attempt, before its slot at the host, so that a load that waits for the rate holds no slot. One that
/// sends nothing is not counted (``leaveHost(after:)``).
extension Flight {
  func pace() throws(APIError) -> Progress {
    guard call.terms.requestRate.isLimited else { return .next }
    let key = RateLimiter.RateKey(call)
    if shared.rateLimiter.enterAtOnce(call, key) {
      run.isPaced = true
      return .next
    }
    tell(waitsFor: .rate(key.description))
    return .wait { () throws(APIError) in
      let (call, shared) = (self.call, self.shared)
      let waited = try await self.waitInLine { () throws(APIError) in
        try await shared.rateLimiter.enter(call, key) { shared.joins.priority(of: call) }
      }
      self.run.isPaced = true
      if let waited { self.note(.paced(waited, by: key.description)) }
      return nil
    }
  }
}
