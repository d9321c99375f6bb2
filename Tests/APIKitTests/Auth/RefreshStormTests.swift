import DemoServer
import XCTest

@testable import APIKit

/// A thousand loads whose token has just ended, over real sockets.
@MainActor final class RefreshStormTests: XCTestCase {
  private static let count = 1000
  private static let latency: Duration = .milliseconds(250)

  func testAThousandRefusedAtOnceLandWithinThreeTimesOneRequest() async throws {
    var options = DemoServer.Options()
    options.maximumConnections = 4096
    let server = try DemoServer(options: options)
    defer { server.stop() }
    let latency = Self.latency
    server.on(.get, "/api/list") { request in
      let isGood = request.headers["Authorization"] == "Bearer new"
      var response = DemoResponse.json(isGood ? #"{"ok": true}"# : "{}", status: isGood ? 200 : 401)
      response.delay = latency
      return response
    }
    server.on(.post, "/api/token") { _ in
      var response = DemoResponse.json(#"{"access_token": "new"}"#)
      response.delay = latency
      return response
    }
    let tokens = try manager(server, "token")
    tokens.method = .post
    tokens.signIn = .exempt
    let authenticator = Authenticator { _ in
      let answer = try await tokens.response()
      return Credential(accessToken: try answer.raw.access_token.require(), refreshToken: "r")
    }

    let manager = try manager(server, "list")
    manager.service.authenticator = authenticator
    try authenticator.signIn(with: Credential(accessToken: "new", refreshToken: "r"))
    _ = try await time(manager)
    let plain = try await time(manager)

    try authenticator.signIn(with: Credential(accessToken: "old", refreshToken: "r"))
    server.forget()
    let storm = try await time(manager)
    let paths = server.requests.map(\.path)
    XCTAssertEqual(paths.count { $0 == "/api/token" }, 1, "one renewal for all")
    let sent = paths.count { $0 == "/api/list" }
    // Whoever takes off while the renewal is under way waits for it, and is sent once.
    XCTAssertTrue(
      (Self.count * 5 / 4...Self.count * 2).contains(sent), "\(sent) were sent: no storm was there")
    XCTAssertLessThan(storm, plain * 3, "\(Self.count) loads take \(plain) without a refusal")
    print("refresh storm of \(Self.count): \(storm); the same loads without a refusal: \(plain)")
  }

  private func manager(_ server: DemoServer, _ path: String) throws -> TestManager {
    let manager = TestManager(StubTransport())
    manager.service.client = HTTPClient(transport: DefaultTransport.shared)
    manager.service.environments = ServiceEnvironments(try server.url("/api"))
    manager.apiName = path
    manager.airspace = Airspace()
    return manager
  }

  /// How long so many loads take together, all of them good.
  private func time(_ manager: TestManager) async throws -> Duration {
    let recorder = Recorder()
    manager.delegate = recorder
    let start = ContinuousClock.now
    for number in 0..<Self.count { manager.load(["n": .integer(number)]) }
    await recorder.waitForLandings(Self.count)
    XCTAssertEqual(recorder.responses.count, Self.count, "\(recorder.errors.first.map { "\($0)" } ?? "")")
    return ContinuousClock.now - start
  }
}
