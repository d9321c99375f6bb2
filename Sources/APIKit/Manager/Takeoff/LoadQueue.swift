/// What keeps the loads of managers that state ``APIManager/isQueued`` until they can be sent.
@MainActor protocol LoadQueue: AnyObject {
  /// Takes a load that waits; it is landed by ``BaseAPIManager/land(queued:_:)``.
  func take(_ flight: Flight, of manager: BaseAPIManager)
  /// Its caller does not want a load any more.
  func giveUp(_ flight: FlightID)
}

/// Which queue a type's loads go to.
@MainActor enum LoadQueues {
  private struct Entry {
    weak var queue: (any LoadQueue)?
  }
  private static var byType: [ObjectIdentifier: Entry] = [:]

  static func register(_ type: any APIManager.Type, with queue: any LoadQueue) {
    byType[ObjectIdentifier(type)] = Entry(queue: queue)
  }

  static func queue(of type: any APIManager.Type) throws(APIError) -> any LoadQueue {
    if let queue = byType[ObjectIdentifier(type)]?.queue { return queue }
    throw APIError(
      .takeoff, .misconfigured,
      "\(type) states isQueued, and no Outbox knows it: keep an Outbox and call register(\(type).self) at launch"
    )
  }
}

/// Loads that a queue has taken.
extension BaseAPIManager {
  /// Gives a load to the queue. It counts as waiting until the queue lands it.
  func enter(_ queue: any LoadQueue, _ flight: Flight) -> Takeoff {
    flight.policy = "queue"
    open(flight, isWaiting: true)
    flight.note(.waiting(policy: "queue"))
    queue.take(flight, of: self)
    interceptors.forEach { $0.manager(self, didLoad: flight.call.parameters, as: flight.id) }
    return .waiting(flight.id)
  }

  /// Ends a load that a queue has taken.
  func land(queued flight: Flight, _ result: Result<APIResponse, APIError>) {
    if flight.state == .waiting {
      book.takeOff(flight)
      enter(.flying, flight)
    }
    land(flight, result)
  }

  /// Delivers the end of a load that another object has made, maybe in a launch before.
  func land(kept result: Result<APIResponse, APIError>) {
    switch result {
    case .success(let response):
      guard interceptors.allow({ $0.manager(self, beforeSuccess: response) }) else { return }
      lastResponse = response
      lastError = nil
      delegate?.manager(self, didSucceedWith: response)
      interceptors.forEach { $0.manager(self, afterSuccess: response) }
    case .failure(let error):
      guard interceptors.allow({ $0.manager(self, beforeFailure: error) }) else { return }
      tellFailure(error)
    }
    tellListeners(result)
  }
}
