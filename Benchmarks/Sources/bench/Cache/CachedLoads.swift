import APIKit
import Foundation

/// A backend whose answers are kept.
struct CachedService: APIService {
  let name = "Cached"
  let environments: ServiceEnvironments
  let client: HTTPClient
  let cache: ResponseCache?
}

final class CachedManager: BaseAPIManager, APIManager {
  let service: CachedService
  let apiName = "list"
  let cachePolicy: CachePolicy

  init(_ service: CachedService, _ policy: CachePolicy) {
    self.service = service
    cachePolicy = policy
    super.init()
  }
}

/// Answers at once with one body.
struct PageTransport: HTTPTransport {
  let body: [UInt8]
  var capabilities: TransportCapabilities { [] }
  func send(_ exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: .bytes(body))
  }
}

/// Loads of one manager, so many at a time, told apart by a parameter.
@MainActor final class CachedLoads: APIManagerDelegate {
  private let manager: CachedManager
  private var (next, toStart, toLand, distinct, step) = (0, 0, 0, 1, 1)
  private var done: CheckedContinuation<Void, Never>?

  init(
    _ cache: ResponseCache?, policy: CachePolicy, body: [UInt8] = [], client: HTTPClient? = nil,
    baseURL: HTTPURL = "http://127.0.0.1:1/api"
  ) {
    manager = CachedManager(
      CachedService(
        environments: ServiceEnvironments(baseURL),
        client: client ?? HTTPClient(transport: PageTransport(body: body)), cache: cache), policy)
    manager.delegate = self
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
    let (start, cpu) = (clock.now, ProcessCPU.seconds)
    await withCheckedContinuation { continuation in
      done = continuation
      for _ in 0..<inFlight { startOne() }
    }
    return (Measurement.seconds(clock.now - start), ProcessCPU.seconds - cpu)
  }

  private func startOne() {
    guard toStart > 0 else { return }
    toStart -= 1
    next = (next + step) % distinct
    manager.load(["city": "Suzhou", "page": .integer(next)])
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

enum Memory {
  /// What the process has in memory, in bytes.
  static var residentBytes: Int {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
    return (pages.map { Int($0[1]) ?? 0 } ?? 0) * 4096
  }
}
