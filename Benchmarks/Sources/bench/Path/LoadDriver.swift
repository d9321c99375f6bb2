import APIKit

/// Keeps so many loads of one manager in the air until so many have landed.
@MainActor final class LoadDriver: APIManagerDelegate {
  private let manager: BenchManager
  private let use: @MainActor @Sendable (BaseAPIManager) -> Void
  private var toStart: Int
  private var toLand: Int
  private var done: CheckedContinuation<Void, Never>?

  private init(
    _ manager: BenchManager, loads: Int, use: @escaping @MainActor @Sendable (BaseAPIManager) -> Void
  ) {
    self.manager = manager
    self.use = use
    (toStart, toLand) = (loads, loads)
  }

  /// Runs the loads and gives the seconds they took, by the clock and by the CPU of the process.
  static func run(
    service: BenchService, loads: Int, inFlight: Int,
    use: @escaping @MainActor @Sendable (BaseAPIManager) -> Void
  ) async -> (wall: Double, cpu: Double) {
    let manager = BenchManager(service)
    let driver = LoadDriver(manager, loads: loads, use: use)
    manager.delegate = driver
    let (start, cpu) = (ContinuousClock.now, ProcessUse.cpuSeconds)
    await withCheckedContinuation { continuation in
      driver.done = continuation
      for _ in 0..<min(inFlight, loads) { driver.startOne() }
    }
    return (Measurement.seconds(ContinuousClock.now - start), ProcessUse.cpuSeconds - cpu)
  }

  private func startOne() {
    guard toStart > 0 else { return }
    toStart -= 1
    manager.load(BenchManager.parameters(page: toStart % 10))
  }

  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
    use(manager)
    landed()
  }

  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
    fatalError("a load of the measurement failed: \(error)")  // a failed load would flatter the number
  }

  private func landed() {
    toLand -= 1
    startOne()
    if toLand == 0 { done?.resume() }
  }
}
