import Synchronization

/// What is told of each landing. It is called where the load lands, usually on the main actor: it must not wait.
protocol LandingObserver: AnyObject, Sendable {
  func landed(_ load: LandedLoad, _ recorder: FlightRecorder)
}

/// Statistics and sinks that are switched on. While there is none, a landing costs one look at a flag.
enum LandingObservers {
  private static let flag = Atomic<Bool>(false)
  private static let list = Mutex<[any LandingObserver]>([])

  static var isWanted: Bool { flag.load(ordering: .relaxed) }

  static func contains(_ observer: any LandingObserver) -> Bool {
    isWanted && list.withLock { $0.contains { $0 === observer } }
  }

  static func set(_ observer: any LandingObserver, isOn: Bool) {
    list.withLock { list in
      list.removeAll { $0 === observer }
      if isOn { list.append(observer) }
      flag.store(!list.isEmpty, ordering: .relaxed)
    }
  }

  static func tell(_ load: LandedLoad, _ recorder: FlightRecorder) {
    for observer in list.withLock({ $0 }) { observer.landed(load, recorder) }
  }
}
