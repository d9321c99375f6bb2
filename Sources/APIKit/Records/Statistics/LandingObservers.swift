/// What is told of each landing. It is called where the load lands, usually on the main actor: it must not wait.
protocol LandingObserver: AnyObject, Sendable {
  /// Whether it is told of takeoffs as well; does not change.
  var followsFlights: Bool { get }
  /// A load has taken off.
  func tookOff(_ recorder: FlightRecorder)
  /// A load has landed.
  func landed(_ load: LandedLoad, _ recorder: FlightRecorder)
}

extension LandingObserver {
  var followsFlights: Bool { false }
  func tookOff(_ recorder: FlightRecorder) {}
}

/// Statistics and sinks that are switched on. While there is none, a landing costs one look at a flag, and so does a
/// takeoff while there is no observer.
enum LandingObservers {
  private static let flag = AtomicFlag()
  private static let takeoffFlag = AtomicFlag()
  private static let list = Mutex<[any LandingObserver]>([])

  static var isWanted: Bool { flag.load() }
  /// Whether an observer wants takeoffs.
  static var followsFlights: Bool { takeoffFlag.load() }

  static func contains(_ observer: any LandingObserver) -> Bool {
    isWanted && list.withLock { $0.contains { $0 === observer } }
  }

  static func set(_ observer: any LandingObserver, isOn: Bool) {
    list.withLock { list in
      list.removeAll { $0 === observer }
      if isOn { list.append(observer) }
      flag.store(!list.isEmpty)
      takeoffFlag.store(list.contains(where: \.followsFlights))
    }
  }

  static func tell(_ load: LandedLoad, _ recorder: FlightRecorder) {
    for observer in list.withLock({ $0 }) { observer.landed(load, recorder) }
  }

  static func tellTakeoff(_ recorder: FlightRecorder) {
    for observer in list.withLock({ $0 }) where observer.followsFlights { observer.tookOff(recorder) }
  }
}
