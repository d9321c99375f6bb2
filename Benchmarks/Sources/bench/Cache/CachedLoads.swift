import APIKit
import Foundation

/// Loads of one manager, so many at a time, told apart by a parameter.
@MainActor final class CachedLoads: APIManagerDelegate {
  private let manager: ControlledManager
  private var (next, toStart, toLand, distinct, step) = (0, 0, 0, 1, 1)
  private var done: CheckedContinuation<Void, Never>?

  init(
    _ cache: ResponseCache?, policy: CachePolicy, baseURL: HTTPURL = "http://127.0.0.1:1/api",
    transport: any HTTPTransport
  ) {
    let service = ControlledService(baseURL: baseURL, transport: transport)
    service.cache.store = cache
    manager = ControlledManager(service, cachePolicy: policy)
    manager.delegate = self
  }

  /// Loads that each land with this body at once.
  convenience init(_ cache: ResponseCache?, policy: CachePolicy, body: [UInt8]) {
    self.init(cache, policy: policy, transport: InstantTransport(body: body))
  }

  func watch(_ watch: StoreWatch) {
    manager.validator = watch
    manager.addInterceptor(watch)
  }

  /// - Parameters:
  ///   - distinct: How many values the parameter has.
  ///   - step: From one value to the next.
  @discardableResult
  func run(_ count: Int, distinct: Int, step: Int = 1, inFlight: Int = 1) async -> (wall: Double, cpu: Double)
  {
    (toStart, toLand) = (count, count)
    (self.distinct, self.step) = (distinct, step)
    let clock = ContinuousClock()
    let (start, cpu) = (clock.now, ProcessUse.cpuSeconds)
    await withCheckedContinuation { continuation in
      done = continuation
      for _ in 0..<inFlight { startOne() }
    }
    return (Measurement.seconds(clock.now - start), ProcessUse.cpuSeconds - cpu)
  }

  private func startOne() {
    guard toStart > 0 else { return }
    toStart -= 1
    next = (next + step) % distinct
    manager.load(["city": "Suzhou", "page": next])
  }

  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
    toLand -= 1
    startOne()
    if toLand == 0 { done?.resume() }
  }

  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
    fatalError("a load of the measurement failed: \(error)")  // a failed load would flatter the number
  }
}

/// A folder that is removed with the last reference.
final class BenchFolder {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("apikit-bench-\(UUID())").path
  deinit { try? FileManager.default.removeItem(atPath: path) }
}
