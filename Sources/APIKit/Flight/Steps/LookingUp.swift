/// Step `lookUp`: a stored response may land at once, or be shown while the load goes on.
extension Flight {
  func lookUp() throws(APIError) -> Progress {
    guard let cache else {
      try FlightCache.refuseStoredOnly(call)
      return .next
    }
    if place == .mainActor {
      switch cache.lookInMemory() {
      case .land(let stored), .landAndRefresh(let stored):
        response = stored
        return .goTo(.land)
      case .preview(let stored): show(stored)
      case .ask: break
      }
      if cache.mustReadDisk { return .on(.task) }
    }
    guard let stored = try cache.lookUp(preview: show) else { return .next }
    response = stored
    return .goTo(.land)
  }

  private func show(_ stored: APIResponse) {
    var stored = stored
    stored.source = ReformSource(call)
    let preview = stored
    MainDelivery.main.put { self.book?.manager?.preview(preview, of: self) }
  }
}
