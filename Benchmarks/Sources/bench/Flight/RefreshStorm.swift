import APIKit
import DemoServer
import Foundation

/// A thousand loads whose token has just ended, over real sockets: refused, renewed once, sent again.
///
/// The refusals, the renewal and the replays follow each other whoever waits, so the server's times alone make
/// 2.25 requests where its token endpoint takes a quarter of the API's time, and 3 where it takes all of it:
/// no client can hold the bar then, and the row has none.
func refreshStorm(_ measurement: Measurement) async throws {
  let delay = Duration.seconds(1)
  let rows: [(String, Double, Bar)] = [
    ("refresh storm of 1,000 against one request", 0.25, .atMost(3)),
    ("the same with a renewal as slow as a request", 1, .none),
  ]
  for (name, share, bar) in rows where measurement.wants(name) {
    var best: (storm: Double, one: Double) = (.infinity, .infinity)
    for _ in 0..<min(measurement.rounds, 3) {
      let times = try await StormyBackend(delay: delay, renewal: delay * share).run(1000)
      if times.storm / times.one < best.storm / best.one || best.one == .infinity { best = times }
    }
    let waits = 2 * best.one + share * best.one
    measurement.record(
      name, best.storm / best.one, "x",
      bar: bar,
      note: String(
        format: "%.0f against %.0f ms; the waits alone are %.0f ms", best.storm * 1e3, best.one * 1e3,
        waits * 1e3))
  }
}

/// A server whose every response takes a while, and which takes one token.
private struct StormyBackend {
  let delay: Duration
  let renewal: Duration

  /// The seconds of so many loads with an ended token, and of one with a good one.
  func run(_ count: Int) async throws -> (storm: Double, one: Double) {
    var options = DemoServer.Options()
    options.maximumConnections = 4096
    let server = try DemoServer(options: options)
    defer { server.stop() }
    let (delay, renewal) = (delay, renewal)
    server.on(.get, "/api/list") { request in
      let isGood = request.headers["Authorization"] == "Bearer new"
      var response = DemoResponse.json("{}", status: isGood ? 200 : 401)
      response.delay = delay
      return response
    }
    server.on(.post, "/api/token") { _ in
      var response = DemoResponse.json(#"{"access_token": "new"}"#)
      response.delay = renewal
      return response
    }
    var configuration = TransportConfiguration()
    configuration.connections.perHost = count + 1
    let service = ControlledService(
      baseURL: try server.url("/api"), transport: try DefaultTransport.make(configuration))
    let tokens = await ControlledManager(service, "token", method: .post, signIn: .exempt)
    let authenticator = Authenticator { _ in
      Credential(accessToken: try await tokens.response().raw.access_token.require(), refreshToken: "r")
    }
    service.identity.authenticator = authenticator

    try authenticator.signIn(with: Credential(accessToken: "new", refreshToken: "r"))
    let one = await StormLandings.seconds(of: 1, service)
    try authenticator.signIn(with: Credential(accessToken: "old", refreshToken: "r"))
    server.forget()
    let storm = await StormLandings.seconds(of: count, service)
    let paths = server.requests.map(\.path)
    guard paths.count(where: { $0 == "/api/token" }) == 1, paths.count == 2 * count + 1 else {
      fatalError("\(paths.count) requests were sent: that was no storm")
    }
    return (storm, one)
  }
}

/// Starts loads together and waits until all have landed well.
@MainActor private final class StormLandings: APIManagerDelegate {
  private var toLand: Int
  private var done: CheckedContinuation<Void, Never>?

  private init(_ count: Int) { toLand = count }

  static func seconds(of count: Int, _ service: ControlledService) async -> Double {
    let manager = ControlledManager(service)
    manager.sharedState = SharedState()
    let landings = StormLandings(count)
    manager.delegate = landings
    let start = ContinuousClock.now
    await withCheckedContinuation { continuation in
      landings.done = continuation
      for number in 0..<count { manager.load(["n": number]) }
    }
    return Measurement.seconds(ContinuousClock.now - start)
  }

  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
    toLand -= 1
    if toLand == 0 { done?.resume() }
  }

  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
    fatalError("a load of the measurement failed: \(error)")  // a failed load would flatter the number
  }
}
