/// What keeps the loads of managers that state ``APIManager/isQueued`` until they can be sent.
@MainActor package protocol LoadQueue: AnyObject {
  /// Takes a load that waits. It must be landed in the end, on a later turn of the main actor.
  func take(_ load: QueuedLoad)
  /// The caller has cancelled a load.
  func giveUp(_ flight: FlightID)
}

extension LoadQueue {
  /// Takes the loads of a type from now on, in place of another queue.
  package func serve(_ type: any APIManager.Type) {
    LoadQueues.byType[ObjectIdentifier(type)] = LoadQueues.RegisteredQueue(queue: self)
  }
}

/// Which queue a type's loads go to.
@MainActor enum LoadQueues {
  fileprivate struct RegisteredQueue {
    weak var queue: (any LoadQueue)?
  }
  fileprivate static var byType: [ObjectIdentifier: RegisteredQueue] = [:]

  static func queue(of type: any APIManager.Type) throws(APIError) -> any LoadQueue {
    if let queue = byType[ObjectIdentifier(type)]?.queue { return queue }
    throw APIError(
      .takeoff, .misconfigured,
      "\(type) states isQueued, and no Outbox knows it: keep an Outbox and call register(\(type).self) at launch"
    )
  }
}

/// A load that a queue has taken. Its manager is not kept.
@MainActor package struct QueuedLoad {
  private let flight: Flight
  package private(set) weak var manager: BaseAPIManager?

  init(_ flight: Flight, of manager: BaseAPIManager) { (self.flight, self.manager) = (flight, manager) }

  package var id: FlightID { flight.id }
  package var call: APICall { flight.call }
  /// Whether it still waits: its manager is there, and nobody has cancelled it.
  package var isWaiting: Bool { manager != nil && !flight.state.isFinal }

  /// Why it may not be kept: its user has left since it was called. Nil where that is not so.
  package var objection: APIError? { call.objection(to: call.user, host: nil) }

  /// A line for its record.
  package func note(_ text: String) { flight.note(.note("outbox", text)) }

  /// Ends it. False when it does not wait any more.
  @discardableResult package func land(_ result: Result<APIResponse, APIError>) -> Bool {
    guard let manager, isWaiting else { return false }
    manager.land(
      queued: flight, result.map { $0.landing(flight.call) }.mapError { $0.completed(for: flight.call) })
    return true
  }
}

extension BaseAPIManager {
  /// Gives a load to the queue. It counts as waiting until the queue lands it.
  func enter(_ queue: any LoadQueue, _ flight: Flight) -> Takeoff {
    flight.policy = "queue"
    openWaiting(flight)
    queue.take(QueuedLoad(flight, of: self))
    interceptors.forEach { $0.manager(self, didLoad: flight.call.parameters, as: flight.id) }
    return .waiting(flight.id)
  }

  /// Ends a load that a queue has taken.
  fileprivate func land(queued flight: Flight, _ result: Result<APIResponse, APIError>) {
    if flight.state == .waiting {
      flightStore.takeOff(flight)
      enter(.flying, flight)
    }
    flight.ownership.take()
    land(flight, result)
  }
}
