import APIKit
import Foundation

let pathGroup = BenchGroup(name: "path", summary: "a load from takeoff to landing") { measurement in
  try await frameworkShare(measurement)
  try await wholePath(measurement)
}

/// The whole path over a real wire, against the same job on the system's parts, and against libcurl alone.
private func wholePath(_ measurement: Measurement) async throws {
  let jobs = try WireJobs()
  let (loads, few, width) = (12_800, 1_280, 64)
  var best = (ours: Double.infinity, system: Double.infinity, bare: Double.infinity)
  for _ in 0..<measurement.rounds {
    best.ours = min(best.ours, await jobs.managers(loads, inFlight: width).wall / Double(loads))
    best.system = min(best.system, try await jobs.urlSession(few, inFlight: width) / Double(few))
    best.bare = min(best.bare, try jobs.bareCurl(loads, inFlight: width) / Double(loads))
  }
  func rates(_ other: Double) -> String {
    String(format: "%.0f against %.0f a second", 1 / best.ours, 1 / other)
  }
  measurement.record(
    "manager to delegate, 64 in flight, against URLSession and JSONSerialization", best.system / best.ours,
    "x", bar: .atLeast(10), note: rates(best.system))
  measurement.record(
    "manager to delegate, 64 in flight, against bare libcurl's fetch", best.bare / best.ours, "x",
    bar: .atLeast(0.4), note: rates(best.bare))
}

/// What a load costs beside transport and parsing: parameters, policy, assembly, HMAC signature, the steps
/// of the flight, landing on a delegate. The transport answers at once with an empty body, so that neither a
/// wire nor a parser is in the number.
private func frameworkShare(_ measurement: Measurement) async throws {
  let service = BenchService(client: HTTPClient(transport: InstantTransport()))
  var best = Double.infinity
  for _ in 0..<measurement.rounds {
    let seconds = await LoadDriver.run(service: service, loads: 20_000, inFlight: 64) { _ in }
    best = min(best, seconds.cpu / 20_000 * 1e6)
  }
  measurement.record("the framework's own CPU per load, signed", best, "µs", bar: .atMost(12))
}

/// Answers every request at once, with nothing.
private struct InstantTransport: HTTPTransport {
  var capabilities: TransportCapabilities { [] }
  func send(_ exchange: HTTPExchange) async throws(APIError) -> HTTPResponse { HTTPResponse(status: 200) }
}

/// The backend of the measurements: common parameters, header fields and a signature, as a real one has.
struct BenchService: APIService {
  let name = "Bench"
  let environments: ServiceEnvironments
  let client: HTTPClient
  let signer: (any RequestSigner)? = HMACSigner(key: SigningKey("bench-key"), keyID: "bench")

  init(baseURL: HTTPURL = "http://127.0.0.1:1/api", client: HTTPClient) {
    environments = ServiceEnvironments(baseURL)
    self.client = client
  }

  func commonParameters(for call: APICall) -> Parameters { ["app": "bench", "os": "linux"] }
  func headers(for call: APICall) -> HTTPHeaders { ["Accept": "application/json"] }
}

/// The one endpoint of the measurements.
final class BenchManager: BaseAPIManager, APIManager {
  let service: BenchService
  let apiName: String

  init(service: BenchService, apiName: String) {
    self.service = service
    self.apiName = apiName
    super.init()
  }
}

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
    service: BenchService, apiName: String = "list", loads: Int, inFlight: Int,
    use: @escaping @MainActor @Sendable (BaseAPIManager) -> Void
  ) async -> (wall: Double, cpu: Double) {
    let manager = BenchManager(service: service, apiName: apiName)
    let driver = LoadDriver(manager, loads: loads, use: use)
    manager.delegate = driver
    let clock = ContinuousClock()
    let (start, cpu) = (clock.now, ProcessCPU.seconds)
    await withCheckedContinuation { continuation in
      driver.done = continuation
      for _ in 0..<min(inFlight, loads) { driver.startOne() }
    }
    return (Measurement.seconds(clock.now - start), ProcessCPU.seconds - cpu)
  }

  private func startOne() {
    guard toStart > 0 else { return }
    toStart -= 1
    manager.load(["city": "Suzhou", "page": .integer(toStart % 10), "beds": 3])
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

/// The CPU time of this process.
enum ProcessCPU {
  /// In seconds, over all threads.
  static var seconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
