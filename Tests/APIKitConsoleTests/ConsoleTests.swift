import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitConsole

/// The live page's events, replays without secrets, and rules that slow requests down or have them fail.
@MainActor final class ConsoleTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let token = "0123456789abcdef"

  // A page is greeted with the latest loads, and those of other tests are none of these.
  override func setUp() async throws { (FlightLog.shared.capacity, FlightLog.shared.capacity) = (0, 256) }

  private func manager(_ console: WebConsole) -> TestManager {
    var service = TestService(stub)
    service.client = HTTPClient(transport: console.watching(stub))
    return TestManager(service)
  }

  private func open(_ console: WebConsole) throws -> RawClient {
    let client = RawClient(port: try port(of: console))
    client.send("GET /\(token)/events HTTP/1.1\r\nHost: \(try host(of: console))\r\n\r\n")
    _ = client.read(until: "retry: 1000")
    return client
  }

  private func port(of console: WebConsole) throws -> UInt16 {
    UInt16(try XCTUnwrap(URL(string: console.url)?.port))
  }

  private func host(of console: WebConsole) throws -> String { "127.0.0.1:\(try port(of: console))" }

  private func post(_ console: WebConsole, _ path: String, _ body: String) throws -> String {
    let client = RawClient(port: try port(of: console))
    client.send(
      "POST /\(token)/\(path) HTTP/1.1\r\nHost: \(try host(of: console))\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    )
    return client.readToEnd()
  }

  func testAPageIsToldOfEventsAndAReplayShowsNoSecret() async throws {
    let console = try WebConsole(port: 0, maximumConnections: 4, token: token)
    defer { console.stop() }
    let page = try open(console)
    await waitUntil { FlightEvents.shared.wants(.events) }
    let manager = manager(console)
    manager.headers = ["X-Api-Key": "canary", "X-Plain": "1"]
    _ = try await manager.response(["password": "canary", "city": "Suzhou"])
    let told = page.read(until: #""end":"succeeded""#)
    XCTAssertTrue(told.contains("attempt 1 to homes.test"), told)
    XCTAssertTrue(told.contains("city=Suzhou"), told)
    XCTAssertFalse(told.contains("canary"), told)
    let number = try XCTUnwrap(told.firstMatch(of: /"number":(\d+)/)?.1)
    XCTAssertTrue(try post(console, "replay", String(number)).hasPrefix("HTTP/1.1 202"))
    let replayed = page.read(until: #""kind":"replayed""#)
    XCTAssertTrue(replayed.contains(#""status":200"#), replayed)
    XCTAssertFalse(replayed.contains("canary"), replayed)
    XCTAssertEqual(stub.requests.count, 2)
    XCTAssertEqual(stub.requests.first?.headers["X-Api-Key"], "canary")
    XCTAssertNil(stub.requests.last?.headers["X-Api-Key"], "a secret that was kept is not sent")
    XCTAssertEqual(stub.requests.last?.headers["X-Plain"], "1")
    XCTAssertEqual(stub.requests.first?.url, stub.requests.last?.url)
    XCTAssertTrue(try post(console, "replay", "999999").hasPrefix("HTTP/1.1 409"))
    XCTAssertTrue(try post(console, "replay", "x").hasPrefix("HTTP/1.1 400"))
    console.stop()
    XCTAssertFalse(FlightEvents.shared.wants(.events), "a console that has stopped hears nothing")
  }

  func testAReplayGoesWithThePresentCredentialAndCookiesOfItsUserAndNotForAnother() async throws {
    let console = try WebConsole(port: 0, maximumConnections: 4, token: token)
    defer { console.stop() }
    let page = try open(console)
    await waitUntil { FlightEvents.shared.wants(.events) }
    let (authenticator, jar) = (Authenticator(), CookieJar())
    func signIn(_ user: String, _ token: String) throws {
      try authenticator.signIn(with: Credential(accessToken: token, notes: ["user": user]))
    }
    func setCookie(_ value: String) {
      jar.store(["Set-Cookie": "name=\(value); Max-Age=1000"], from: "https://homes.test")
    }
    let manager = manager(console)
    manager.service.client = HTTPClient(transport: console.watching(stub), cookies: jar)
    manager.service.authenticator = authenticator
    try signIn("anna", "canary-1")
    setCookie("canary-1")
    _ = try await manager.response()
    let number = try XCTUnwrap(page.read(until: #""end":"succeeded""#).firstMatch(of: /"number":(\d+)/)?.1)
    XCTAssertEqual(stub.requests.last?.headers["Cookie"], "name=canary-1")
    try signIn("anna", "canary-2")
    setCookie("canary-2")
    XCTAssertTrue(try post(console, "replay", String(number)).hasPrefix("HTTP/1.1 202"))
    let replayed = page.read(until: #""kind":"replayed""#)
    XCTAssertFalse(replayed.contains("canary"), replayed)
    XCTAssertEqual(stub.requests.last?.headers["Authorization"], "Bearer canary-2")
    XCTAssertEqual(stub.requests.last?.headers["Cookie"], "name=canary-2")
    XCTAssertEqual(stub.requests.count, 2)
    try signIn("bert", "canary-3")
    let refused = try post(console, "replay", String(number))
    XCTAssertTrue(refused.hasPrefix("HTTP/1.1 409"), refused)
    XCTAssertTrue(refused.contains("it belongs to a user who is not the present one"), refused)
    XCTAssertFalse(refused.contains("canary"), refused)
    XCTAssertEqual(stub.requests.count, 2, "nothing is sent for another user")
  }

  func testAFeedThatIsTurnedOnAndOffAtOnceHearsNothingOnceItIsOff() async {
    for _ in 0..<20_000 {
      let feed = ConsoleFeed()
      async let first: Void = Task.detached { feed.isOn = true }.value
      async let second: Void = Task.detached { feed.isOn = false }.value
      _ = await (first, second)
      feed.isOn = false
      guard !FlightEvents.shared.wants(.events) else { return XCTFail("it is told of events") }
    }
  }

  func testARequestOfNoLoadIsShownAndNotSentAgain() async throws {
    let console = try WebConsole(port: 0, maximumConnections: 4, token: token)
    defer { console.stop() }
    let page = try open(console)
    await waitUntil { FlightEvents.shared.wants(.events) }
    _ = try await console.watching(stub).send(HTTPRequest(url: "https://homes.test/plain?token=canary"))
    let shown = page.read(until: #""mayReplay":false"#)
    XCTAssertTrue(shown.contains("plain"), shown)
    XCTAssertFalse(shown.contains("canary"), shown)
    XCTAssertTrue(try post(console, "replay", "1").hasPrefix("HTTP/1.1 409"))
  }

  func testRulesSlowRequestsDownLoseThemOrRespondInTheirPlace() async throws {
    let console = try WebConsole(port: 0, maximumConnections: 4, token: token)
    defer { console.stop() }
    let manager = manager(console)
    console.rules = [FaultRule("homes.test/api/*", status: 503), FaultRule("*", loss: 2)]
    XCTAssertEqual(console.rules.count, 1, "what cannot be used is left out")
    let refused = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(refused.context.status, 503)
    console.rules = [FaultRule("homes.test/*", loss: 1)]
    let lost = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(lost.reason, .connectionLost)
    XCTAssertTrue(lost.detail.contains("by the rule"), lost.detail)
    XCTAssertEqual(stub.requests.count, 0, "nothing was sent")
    console.rules = [FaultRule("homes.test/*", latencyMilliseconds: 60_000)]
    let flight = manager.load().flightID
    manager.cancel()
    XCTAssertNotNil(flight)
    console.rules = [FaultRule("other.test/*", status: 503), FaultRule("*/list", latencyMilliseconds: 1)]
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.count, 1)
    console.stop()
    XCTAssertEqual(console.rules, [])
  }

  func testARuleRespondsIntoEachDestination() async throws {
    let console = try WebConsole(port: 0, maximumConnections: 4, token: token)
    defer { console.stop() }
    let transport = console.watching(stub)
    let path = temporaryPath()
    func respond(_ status: Int, _ destination: HTTPExchange.Destination) async throws -> HTTPResponse.Body {
      console.rules = [FaultRule("homes.test/*", status: status)]
      let request = HTTPRequest(url: "https://homes.test/a")
      return try await transport.send(HTTPExchange(request, destination: destination)).body
    }
    guard case .stream(let stream) = try await respond(200, .stream) else { return XCTFail("no stream") }
    for try await _ in stream { XCTFail("it has no body") }
    guard case .bytes([]) = try await respond(503, .file(path: path)) else { return XCTFail("a file") }
    XCTAssertFalse(FileManager.default.fileExists(atPath: path))
    guard case .file(path, count: 0) = try await respond(200, .file(path: path)) else {
      return XCTFail("no file")
    }
    XCTAssertEqual(FileManager.default.contents(atPath: path), Data())
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testALatencyEndsAtTheTimeoutsOfTheRequestAndAtTheDeadlineOfTheLoad() async throws {
    let console = try WebConsole(port: 0, maximumConnections: 4, token: token)
    defer { console.stop() }
    let manager = manager(console)
    console.rules = [FaultRule("homes.test/*", latencyMilliseconds: 60_000)]
    let start = ContinuousClock.now
    func reason(_ change: (TestManager) -> Void) async throws -> APIError.Reason {
      (manager.timeouts, manager.retryPolicy) = (HTTPTimeouts(), .never)
      change(manager)
      return try await errorThrown { () throws(APIError) in try await manager.response() }.reason
    }
    let idle = try await reason { $0.timeouts.idle = .milliseconds(20) }
    XCTAssertEqual(idle, .idleTimeout)
    let total = try await reason { $0.timeouts.total = .milliseconds(20) }
    XCTAssertEqual(total, .totalTimeout)
    _ = try await reason { $0.retryPolicy = RetryPolicy(attempts: 3, deadline: .milliseconds(50)) }
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(20))
    XCTAssertEqual(stub.requests.count, 0)
    console.rules = [FaultRule("homes.test/*", latencyMilliseconds: 20)]
    (manager.timeouts, manager.retryPolicy) = (HTTPTimeouts(total: .seconds(60)), .never)
    _ = try await manager.response()
    let left = try XCTUnwrap(stub.requests.last?.timeouts.filled(from: .standard).total)
    XCTAssertEqual(left, .seconds(60) - .milliseconds(20), "what the rule took is not given twice")
  }

  func testRulesOfThePageAreChecked() async throws {
    let console = try WebConsole(port: 0, maximumConnections: 4, token: token)
    defer { console.stop() }
    let good = #"[{"pattern":"a/*","latencyMilliseconds":5,"loss":0.5,"status":null}]"#
    XCTAssertTrue(try post(console, "rules", good).hasPrefix("HTTP/1.1 200"))
    XCTAssertEqual(console.rules, [FaultRule("a/*", latencyMilliseconds: 5, loss: 0.5)])
    for bad in [
      "", "{}", "[{}]", #"[{"pattern":"","latencyMilliseconds":5,"loss":0}]"#,
      #"[{"pattern":"a","latencyMilliseconds":-1,"loss":0}]"#,
      #"[{"pattern":"a","latencyMilliseconds":0,"loss":7}]"#,
      #"[{"pattern":"a","latencyMilliseconds":0,"loss":0,"status":99}]"#,
    ] {
      XCTAssertTrue(try post(console, "rules", bad).hasPrefix("HTTP/1.1 400"), bad)
    }
    XCTAssertEqual(console.rules.count, 1)
  }

  func testAPageIsGreetedWithBoundedRecords() async throws {
    for _ in 1...3 {
      let recorder = FlightRecorder(flight: .next(), manager: TestManager.self, time: SystemTime())
      recorder.describe(service: "Homes", method: .get, apiName: "long", parameters: [:])
      for number in 1...2000 {
        recorder.record(.note("note \(number)", String(repeating: "x", count: 200)))
      }
      FlightLog.shared.add(recorder)
    }
    let last = try await TestManager(stub).response().flightID
    let greeting = ConsoleFeed.greeting
    XCTAssertLessThanOrEqual(greeting.utf8.count, ConsoleFeed.maximumGreeting + 100)
    XCTAssertTrue(greeting.contains("note 7"), "the beginning of a long record is told")
    XCTAssertTrue(greeting.contains("\"flight\":\(try XCTUnwrap(last))"), "the newest comes first")
  }

  func testAPatternMatchesHostAndPath() {
    func matches(_ text: String, _ pattern: String) -> Bool {
      FaultRule.matches(Array(text.utf8), Array(pattern.utf8))
    }
    XCTAssertTrue(matches("a.b/c", "a.b/c"))
    XCTAssertTrue(matches("a.b/c/d", "a.b/*"))
    XCTAssertTrue(matches("a.b/c/d", "*/d"))
    XCTAssertTrue(matches("a.b/c/d", "*c*"))
    XCTAssertTrue(matches("a", "***"))
    XCTAssertFalse(matches("a.b/c", "a.b"))
    XCTAssertFalse(matches("a.b/c", "c*"))
    XCTAssertFalse(matches("", "a"))
    func applies(_ pattern: String, _ url: HTTPURL) -> Bool { FaultRule(pattern).applies(to: url) }
    XCTAssertTrue(applies("Homes.Test/a", "https://homes.test/a?b=c"))
    XCTAssertFalse(applies("homes.test/A", "https://homes.test/a"), "a path has its case")
    XCTAssertTrue(applies("127.0.0.1:8080/*", "http://127.0.0.1:8080/a"))
    XCTAssertTrue(applies("127.0.0.1/*", "http://127.0.0.1:8080/a"), "without a port for any")
    XCTAssertFalse(applies("127.0.0.1:8081/*", "http://127.0.0.1:8080/a"))
    XCTAssertTrue(applies("homes.test:443/*", "https://homes.test/a"))
    for pattern in ["[::1]:8080/*", "[::1]/*", "*"] { XCTAssertTrue(applies(pattern, "http://[::1]:8080/a")) }
    // What could never match is said.
    XCTAssertNotNil(FaultRule("https://homes.test/*").objection)
    XCTAssertNotNil(FaultRule("homes.test/*?page=2").objection)
    XCTAssertNotNil(FaultRule("homes.test").objection)
    XCTAssertNil(FaultRule("*.test").objection)
    XCTAssertTrue(applies("homes.test/Gr\u{F6}\u{DF}e a/*", "https://homes.test/Gr%C3%B6%C3%9Fe%20a/1"))
    // Many stars end soon.
    XCTAssertFalse(matches(String(repeating: "a", count: 5000), String(repeating: "a*", count: 200) + "b"))
  }

  /// Starts a request that notes its status or error when it ends.
  private func start(
    over transport: any HTTPTransport, _ ends: Record<String>
  ) throws -> any SuspendableOperation {
    let operation = transport.start(HTTPExchange(HTTPRequest(url: "https://homes.test/"))) { result in
      switch result {
      case .success(let response): ends.add("\(response.status)")
      case .failure(let error): ends.add(error.label)
      }
    }
    return try XCTUnwrap(operation as? any SuspendableOperation)
  }

  func testWhatARuleAnswersComesWhenTheRequestIsResumed() async throws {
    let console = try WebConsole(port: 0, maximumConnections: 4, token: token)
    defer { console.stop() }
    let transport = console.watching(stub)
    console.rules = [FaultRule("*", latencyMilliseconds: 30, status: 503)]
    let ends = Record<String>()
    func start() throws -> any SuspendableOperation { try self.start(over: transport, ends) }
    let (resumed, cancelled) = (try start(), try start())
    resumed.suspend()
    cancelled.suspend()
    try await Task.sleep(for: .milliseconds(90))
    XCTAssertEqual(ends.all, [])
    cancelled.cancel()
    await waitUntil { ends.all == ["transport.cancelled"] }
    resumed.resume()
    await waitUntil { ends.all == ["transport.cancelled", "503"] }
    resumed.resume()
    cancelled.resume()
    XCTAssertEqual(ends.all.count, 2)
  }

  func testARequestUnderARuleCanBeSuspendedAndCancelled() async throws {
    let console = try WebConsole(port: 0, maximumConnections: 4, token: token)
    defer { console.stop() }
    let transport = console.watching(stub)
    let ends = Record<String>()
    func start() throws -> any SuspendableOperation { try self.start(over: transport, ends) }
    for latency in [0, 40] {
      // Before the request, and while it is under way.
      for waits in [false, true] {
        console.rules = [FaultRule("*", latencyMilliseconds: latency)]
        let count = ends.all.count
        stub.hold()
        let resumed = try start()
        let cancelled = try start()
        if waits { await waitUntil { self.stub.heldCount == 2 } }
        resumed.suspend()
        cancelled.suspend()
        stub.release()
        try await Task.sleep(for: .milliseconds(latency + 40))
        XCTAssertEqual(ends.all.count, count, "the stub's responses are kept back")
        cancelled.cancel()
        await waitUntil { ends.all.count == count + 1 }
        resumed.resume()
        await waitUntil { ends.all.count == count + 2 }
        XCTAssertEqual(ends.all.suffix(2), ["transport.cancelled", "200"])
      }
    }
  }

  func testALatencyIsATimeInWhichTheProcessRuns() async throws {
    let (time, state, ends) = (PausedTime(), ConsoleState(ConsoleFeed()), Counter())
    state.rules = [FaultRule("*", latencyMilliseconds: 10_000)]
    let transport = WatchedTransport(base: stub, console: state, time: time)
    _ = transport.start(HTTPExchange(HTTPRequest(url: "https://homes.test/"))) { _ in ends.increment() }
    await waitUntil { time.base.sleeperCount == 1 }
    time.pause(for: .seconds(300))
    await waitUntil { time.base.sleeperCount == 1 || ends.value == 1 }
    XCTAssertEqual(stub.requests.count, 0)
    time.base.advance(by: .seconds(10))
    await waitUntil { ends.value == 1 }
    XCTAssertEqual(stub.requests.count, 1)
  }
}
