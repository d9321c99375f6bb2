import APIKit
import Foundation

/// What a lone load costs beside its two hops: on the main actor before its request leaves, and as the first of a process.
func loneLoad(_ measurement: Measurement) async throws {
  let names = (
    takeoff: "the main actor's time from a takeoff until the transport has the request, signed",
    first: "the first load of a process, its transport made, against URLSession's"
  )
  if measurement.wants(names.takeoff) {
    var best = Double.infinity
    for _ in 0..<measurement.rounds { best = min(best, try await takeoffSeconds(of: 5_000)) }
    measurement.record(names.takeoff, best * 1e6, "µs", bar: .atMost(6.5))
  }
  guard measurement.wants(names.first) else { return }
  let server = try WireServer.shared.get().baseURL
  var (ours, theirs) = (FirstLoad.slowest, FirstLoad.slowest)
  for _ in 0..<measurement.rounds {
    ours = min(ours, try ChildProcess.run("first-load", [server]))
    theirs = min(theirs, try ChildProcess.run("first-urlsession", [server]))
  }
  measurement.record(
    names.first, theirs.first / ours.first, "x", bar: .atLeast(2),
    note: String(
      format: "ours %.1f ms, the second %.2f ms, the hundredth %.2f ms; theirs %.1f, %.2f, %.2f",
      ours.first * 1e3, ours.second * 1e3, ours.hundredth * 1e3,
      theirs.first * 1e3, theirs.second * 1e3, theirs.hundredth * 1e3))
}

/// The mean time of so many takeoffs, one at a time.
@MainActor private func takeoffSeconds(of count: Int) async throws -> Double {
  let transport = StampedTransport()
  let manager = BenchManager(BenchService(transport: transport))
  for number in 0..<count {
    transport.begin = ContinuousClock.now
    _ = try await manager.response(BenchManager.parameters(page: number % 10))
  }
  return Measurement.seconds(transport.total) / Double(count)
}

/// Adds up how long its requests took to reach it. Used on the main actor alone, where takeoffs run.
private final class StampedTransport: HTTPTransport, @unchecked Sendable {
  private let instant = InstantTransport()
  var begin = ContinuousClock.now
  var total = Duration.zero

  var capabilities: TransportCapabilities { instant.capabilities }

  func start(_ exchange: HTTPExchange, completion: @escaping Completion) -> any CancellableOperation {
    total += ContinuousClock.now - begin
    return instant.start(exchange, completion: completion)
  }
}

/// The seconds of the first loads of a process.
struct FirstLoad: Codable, Comparable {
  var first: Double
  var second: Double
  var hundredth: Double

  static let slowest = FirstLoad(first: .infinity, second: .infinity, hundredth: .infinity)
  static func < (a: FirstLoad, b: FirstLoad) -> Bool { a.first < b.first }
}

/// A hundred loads, one at a time, from the making of the transport on; the argument is the server.
func firstLoad(_ arguments: [String]) async throws -> FirstLoad {
  try await firstLoads(arguments) { server in
    let service = BenchService(
      baseURL: try HTTPURL(server), transport: try CurlTransport(), signer: BenchService.hmac)
    return { _ = await LoadDriver.run(service: service, loads: 1, inFlight: 1) { _ in } }
  }
}

/// The same by URLSession; the argument is the server.
func firstURLSession(_ arguments: [String]) async throws -> FirstLoad {
  try await firstLoads(arguments) { server in
    let jobs = try WireJobs(server)
    return { _ = try await jobs.urlSession(1, inFlight: 1, WireJobs.serialized) }
  }
}

private func firstLoads(
  _ arguments: [String], load: (String) async throws -> () async throws -> Void
) async throws -> FirstLoad {
  guard let server = arguments.first else { throw BenchFailure("a server is needed") }
  var times: [Double] = []
  var last = ContinuousClock.now
  let load = try await load(server)
  for _ in 0..<100 {
    try await load()
    times.append(Measurement.seconds(ContinuousClock.now - last))
    last = .now
  }
  return FirstLoad(first: times[0], second: times[1], hundredth: times[99])
}
