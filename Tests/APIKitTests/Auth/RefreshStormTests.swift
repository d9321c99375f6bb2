import APIKitTesting
import DemoServer
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// A thousand loads whose token has just ended, over real sockets, against a thousand loads whose token is good.
///
/// The refusals, one renewal and the replays follow each other, whoever waits. On top of twice the calls they may cost the
/// refusals themselves; `Scripts/bench` holds the time, this test the requests and, whatever else the machine does, the
/// processor time.
@MainActor final class RefreshStormTests: XCTestCase {
  private static let count = 1000
  private nonisolated static let latency: Duration = .seconds(1)
  private nonisolated static let renewalLatency: Duration = .milliseconds(250)

  func testAThousandRefusedAtOnceAreRenewedOnceAndSentAgainOnce() async throws {
    let server = try makeServer()
    defer { server.stop() }
    var configuration = TransportConfiguration()
    configuration.connections.perHost = Self.count + 1
    let client = HTTPClient(transport: try DefaultTransport.make(configuration))
    let tokens = try manager(server, client, "token")
    tokens.method = .post
    tokens.signIn = .exempt
    let authenticator = Authenticator { _ in
      let response = try await tokens.response()
      return Credential(accessToken: try response.raw.access_token.require(), refreshToken: "r")
    }
    let manager = try manager(server, client, "list")
    manager.service.authenticator = authenticator

    try authenticator.signIn(with: Credential(accessToken: "new", refreshToken: "r"))
    let plain = try await time(manager, Self.count)
    try authenticator.signIn(with: Credential(accessToken: "old", refreshToken: "r"))
    server.forget()
    let storm = try await time(manager, Self.count)

    let requests = server.requests
    XCTAssertEqual(requests.count { $0.path == "/api/token" }, 1, "one renewal for all")
    let lists = requests.filter { $0.path == "/api/list" }
    XCTAssertEqual(
      lists.count { $0.headers["Authorization"] == "Bearer new" }, Self.count, "and sent again once")
    let waits = Self.latency * 2 + Self.renewalLatency
    XCTAssertGreaterThanOrEqual(storm.elapsed, waits, "the server was not as slow as it should be")
    // Under a sanitizer everything costs several times as much: the first refusal comes before the last load is sent.
    if ProcessInfo.processInfo.environment["APIKIT_SANITIZER"] == nil {
      XCTAssertEqual(
        lists.count { $0.headers["Authorization"] == "Bearer old" }, Self.count, "all were refused")
      XCTAssertLessThanOrEqual(storm.used, plain.used * 3)
    }
    print("refresh storm of \(Self.count): \(storm), without a refusal: \(plain)")
  }

  private func makeServer() throws -> DemoServer {
    var options = DemoServer.Options()
    options.maximumConnections = 4096
    let server = try DemoServer(options: options)
    server.on(.get, "/api/list") { request in
      let isGood = request.headers["Authorization"] == "Bearer new"
      var response = DemoResponse.json(isGood ? #"{"ok": true}"# : "{}", status: isGood ? 200 : 401)
      response.delay = Self.latency
      return response
    }
    server.on(.post, "/api/token") { _ in
      var response = DemoResponse.json(#"{"access_token": "new"}"#)
      response.delay = Self.renewalLatency
      return response
    }
    return server
  }

  private func manager(_ server: DemoServer, _ client: HTTPClient, _ path: String) throws -> TestManager {
    let manager = TestManager(StubTransport())
    manager.service.client = client
    manager.service.environments = ServiceEnvironments(try server.url("/api"))
    manager.apiName = path
    manager.sharedState = SharedState()
    return manager
  }

  /// How long so many loads take together, from the first takeoff to the last landing, all of them good, and how much
  /// processor time of this process, the server's included.
  private func time(_ manager: TestManager, _ count: Int) async throws -> (elapsed: Duration, used: Duration)
  {
    let recorder = Recorder()
    manager.delegate = recorder
    let (start, before) = (ContinuousClock.now, Duration.ofProcessor)
    for number in 0..<count { manager.load(["n": number]) }
    await recorder.waitForLandings(count)
    let times = (ContinuousClock.now - start, Duration.ofProcessor - before)
    XCTAssertEqual(recorder.responses.count, count, "\(recorder.errors.first.map { "\($0)" } ?? "")")
    return times
  }
}
