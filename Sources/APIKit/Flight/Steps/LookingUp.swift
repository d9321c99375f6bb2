/// Step `lookUp`: a stored response may land at once, or be shown while the load continues.
extension Flight {
  func lookUp() throws(APIError) -> Progress {
    guard let cache else {
      try FlightCache.refuseStoredOnly(call)
      return .next
    }
    if run.executor == .mainActor {
      switch cache.lookInMemory() {
      case .land(let stored):
        run.response = stored
        return .goTo(.land)
      case .preview(let stored): show(stored)
      case .ask: break
      }
      if cache.mustReadDisk { return .on(.task) }
    }
    guard let stored = try cache.lookUp(preview: show) else { return .next }
    run.response = stored
    return .goTo(.land)
  }

  private func show(_ stored: APIResponse) {
    // The load goes on meanwhile, so its run is not the main actor's.
    let (preview, user) = (stored.landing(call), run.user)
    MainDelivery.main.put { self.flightStore?.manager?.preview(preview, of: self, for: user) }
  }
}
