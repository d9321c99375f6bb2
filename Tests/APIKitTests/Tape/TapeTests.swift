import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitReports
@testable import APIKitTesting

final class TapeTests: TapeCase {
  func testWhatWasRecordedIsPlayedBackWithoutTheServer() async throws {
    let server = StubTransport()
    server.on("/homes", .json(#"{"items": [1]}"#, headers: ["X-Total": "1", "Link": "</b>", "link": "</c>"]))
    server.on("/gone", .failure(.connectionRefused))
    let recorder = try recorder(over: server)
    let live = try await recorder.send(get("https://homes.test/homes?b=2&a=1"))
    _ = await failure(of: get("https://homes.test/gone"), over: recorder)
    try recorder.save()

    let tape = try TapeTransport(file: file)
    XCTAssertEqual(tape.unused, ["GET /homes", "GET /gone"])
    let replayed = try await tape.send(get("https://homes.test/homes?a=1&b=2"))
    XCTAssertEqual(replayed.bytes, live.bytes)
    XCTAssertEqual(replayed.headers, live.headers, "repeated fields are kept apart")
    let error = await failure(of: get("https://homes.test/gone"), over: tape)
    XCTAssertEqual(error.label, "transport.connection-refused")
    XCTAssertEqual(tape.unused, [])
    XCTAssertEqual(server.requests.count, 2)
  }

  func testTheNthRequestGetsTheNthResponseAndTheLastIsRepeated() async throws {
    let server = StubTransport(.json("1"), .json("2"), .json("3"))
    let recorder = try recorder(over: server)
    for _ in 0..<3 { _ = try await recorder.send(get("https://homes.test/n")) }
    let tape = TapeTransport(recorder.tape)
    var texts: [String] = []
    for _ in 0..<5 { texts.append(try await tape.send(get("https://homes.test/n")).text) }
    XCTAssertEqual(texts, ["1", "2", "3", "3", "3"])
  }

  func testAThousandIdenticalLoadsAreTheSameEachTime() async throws {
    let recorder = try recorder(over: StubTransport(.json(someJSON)))
    _ = try await recorder.send(get("https://homes.test/homes"))
    let tape = TapeTransport(recorder.tape)
    let request = get("https://homes.test/homes")
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<1000 { group.addTask { try await tape.send(request).text } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    XCTAssertEqual(texts, [someJSON])
  }

  func testABodyMatchesByWhatItMeans() async throws {
    let recorder = try recorder(over: StubTransport(.json("1"), .json("2"), .json("3")))
    _ = try await recorder.send(
      post("https://homes.test/a", #"{"city": "Suzhou", "beds": 2, "timestamp": 1}"#))
    var form = HTTPRequest(
      method: .post, url: "https://homes.test/form",
      headers: ["Content-Type": "application/x-www-form-urlencoded"],
      body: .bytes(Array("a=1&b=2+3&nonce=x".utf8)))
    _ = try await recorder.send(form)
    var parts = HTTPRequest(
      method: .post, url: "https://homes.test/parts",
      headers: ["Content-Type": "multipart/form-data; boundary=one"],
      body: .bytes(Array("--one\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--one--".utf8)))
    _ = try await recorder.send(parts)

    let tape = TapeTransport(recorder.tape)
    let json = try await tape.send(
      post("https://homes.test/a", "{\"timestamp\":99,\n\"beds\":2.0, \"city\":\"Suzhou\"}"))
    XCTAssertEqual(json.text, "1")
    form.body = .bytes(Array("nonce=y&b=2%203&a=1".utf8))
    let formResponse = try await tape.send(form)
    XCTAssertEqual(formResponse.text, "2")
    parts.headers["Content-Type"] = "multipart/form-data; boundary=two"
    parts.body = .bytes(Array("--two\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--two--".utf8))
    let partsResponse = try await tape.send(parts)
    XCTAssertEqual(partsResponse.text, "3")
    let other = await failure(of: post("https://homes.test/a", #"{"city": "Wuxi", "beds": 2}"#), over: tape)
    XCTAssertTrue(other.detail.contains(#"the body is {"beds":2,"city":"Wuxi"}, recorded"#), other.detail)
  }

  func testAMissNamesTheNearestEntryAndEachDifference() async throws {
    let recorder = try recorder(over: StubTransport(.json("1")))
    _ = try await recorder.send(get("https://homes.test/other"))
    _ = try await recorder.send(get("https://homes.test/homes?city=Suzhou&page=1"))
    let tape = TapeTransport(recorder.tape)
    let error = await failure(
      of: get("https://homes.test/homes?city=Suzhou&page=2", ["Authorization": "Bearer x"]), over: tape)
    XCTAssertEqual(error.reason, .misconfigured)
    XCTAssertEqual(
      error.detail,
      "the tape has no GET /homes; the nearest is entry 1, GET /homes: page=2 is not in the recorded query; "
        + "the recorded query has page=1; the header field is Authorization: Bearer apikit-secret-0, recorded "
        + "Authorization: (none)")
    XCTAssertEqual(tape.misses, [error.detail])
    let empty = await failure(of: get("https://homes.test/a"), over: TapeTransport(Tape()))
    XCTAssertEqual(empty.detail, "the tape has no GET /a: it is empty")
  }

  func testHostsOfThisMachineAreOneAndOthersAreNot() async throws {
    let recorder = try recorder(over: StubTransport(.json("1"), .json("2")))
    _ = try await recorder.send(get("http://127.0.0.1:4711/a"))
    _ = try await recorder.send(get("https://homes.test/b"))
    let tape = TapeTransport(recorder.tape)
    let local = try await tape.send(get("http://localhost:1/a"))
    XCTAssertEqual(local.text, "1")
    let error = await failure(of: get("https://other.test/b"), over: tape)
    XCTAssertTrue(error.detail.contains("the host is other.test, recorded homes.test"), error.detail)
  }

  func testMissingEntriesAreAddedAndTheOthersAreNotAskedAgain() async throws {
    let server = StubTransport(.json("1"), .json("2"))
    let first = try recorder(over: server)
    _ = try await first.send(get("https://homes.test/a"))
    try first.save()
    let second = try recorder(over: server, adding: true)
    _ = try await second.send(get("https://homes.test/a"))
    _ = try await second.send(get("https://homes.test/b"))
    try second.save()
    XCTAssertEqual(server.requests.map(\.url.path), ["/a", "/b"])
    XCTAssertEqual(try Tape(contentsOf: file).archive.entries.count, 2)
  }

  func testNothingIsRecordedWhileCIIsSet() throws {
    do throws(APIError) {
      _ = try TapeTransport(
        file: file, mode: .record(over: StubTransport()), rules: TapeRules(), pace: .instant,
        time: SystemTime(),
        isCI: true)
      XCTFail("it records")
    } catch {
      XCTAssertEqual(error.reason, .misconfigured)
      XCTAssertTrue(error.detail.contains("CI"), error.detail)
    }
    XCTAssertEqual([nil, "", "false", "0"].map(TapeTransport.isCI), [false, false, false, false])
    XCTAssertEqual(["true", "1"].map(TapeTransport.isCI), [true, true])
  }

  func testARecordedWaitIsKeptToAsThePaceSays() async throws {
    var archive = HTTPArchive(entries: [
      HTTPArchive.Entry(
        secondsSince1970: 0,
        request: HTTPArchive.Request(method: .get, url: "https://homes.test/slow", headers: [:]),
        response: HTTPArchive.Response(status: 200, headers: [:], body: HTTPArchive.Content(Array("1".utf8))))
    ])
    archive.entries[0].timings.wait = 2000
    let time = ManualTime()
    for (pace, seconds) in [(TapeTransport.Pace.recorded, 2), (.scaled(3), 6)] {
      let tape = TapeTransport(Tape(archive), pace: pace, time: time)
      let request = get("https://homes.test/slow")
      let load = Task { try await tape.send(request) }
      await time.advanceOnceAsleep(by: .seconds(seconds) - .milliseconds(1))
      XCTAssertEqual(time.sleeperCount, 1, "it did not wait as long")
      time.advance(by: .milliseconds(1))
      let response = try await load.value
      XCTAssertEqual(response.text, "1")
    }
    for factor in [Double.nan, .infinity, -1] {
      let tape = TapeTransport(Tape(archive), pace: .scaled(factor), time: time)
      let response = try await tape.send(get("https://homes.test/slow"))
      XCTAssertEqual(response.text, "1")
    }
    // Beyond a limit in time it fails at it, as on a real wire.
    let tape = TapeTransport(Tape(archive), pace: .recorded, time: time)
    var request = get("https://homes.test/slow")
    request.timeouts.total = .seconds(1)
    let limited = request
    let load = Task { try await tape.send(limited) }
    await time.advanceOnceAsleep(by: .seconds(1))
    do {
      _ = try await load.value
      XCTFail("it succeeded")
    } catch {
      XCTAssertEqual((error as? APIError)?.label, "transport.total-timeout")
    }
  }

  @MainActor func testALoadOfAManagerRunsOverATapeWithRedirectsAndCookies() async throws {
    let server = StubTransport()
    server.on("/api/list", .redirect(to: "/api/moved"))
    server.on(
      "/api/moved", .json(#"{"items": [1]}"#, headers: ["Set-Cookie": "sid=canary-cookie; Path=/"]))
    let recorder = try recorder(over: server)
    func load(over transport: any HTTPTransport) async throws -> (APIResponse, CookieJar) {
      let jar = CookieJar()
      var service = TestService(StubTransport())
      service.client = HTTPClient(transport: transport, cookies: jar)
      return (try await TestManager(service).response(["city": "Suzhou"]), jar)
    }
    let (live, _) = try await load(over: recorder)
    let tape = TapeTransport(recorder.tape)
    let (replayed, jar) = try await load(over: tape)
    XCTAssertEqual(replayed.bytes, live.bytes)
    XCTAssertEqual(replayed.http.redirects.count, 1)
    XCTAssertEqual(jar.header(for: "https://homes.test/api/list"), "sid=apikit-secret-1")
    XCTAssertEqual(tape.unused, [])
  }

  // MARK: Faults

  @MainActor func testAFaultHitsTheAPIAndTheCountThatItIsFor() async throws {
    let recorder = try recorder(over: StubTransport(.json(#"{"items": []}"#)))
    _ = try await recorder.send(get("https://homes.test/api/homes/1"))
    _ = try await recorder.send(get("https://homes.test/api/list"))
    let tape = TapeTransport(recorder.tape)
    tape.faults = [TapeFault(.failure(.connectionLost), of: .api("homes/{id}"), skipping: 1, times: 1)]
    var service = TestService(StubTransport())
    service.client = HTTPClient(transport: tape)
    let detail = TestManager(service)
    detail.apiName = "homes/{id}"
    let list = TestManager(service)
    _ = try await list.response()
    _ = try await detail.response(["id": 1])
    let error = try await errorThrown { () throws(APIError) in try await detail.response(["id": 1]) }
    XCTAssertEqual(error.label, "transport.connection-lost")
    _ = try await detail.response(["id": 1])
  }

  func testAFaultByChanceIsTheSameForTheSameSeedAndKeepsToItsWindow() async throws {
    let recorder = try recorder(over: StubTransport(.json("1")))
    _ = try await recorder.send(get("https://homes.test/a"))
    func failures(seed: UInt64) async throws -> [Bool] {
      let tape = TapeTransport(recorder.tape)
      tape.faults = [TapeFault(.dropped, chance: 0.3, seed: seed)]
      var failures: [Bool] = []
      for _ in 0..<200 { failures.append((try? await tape.send(get("https://homes.test/a"))) == nil) }
      return failures
    }
    let first = try await failures(seed: 7)
    let again = try await failures(seed: 7)
    let other = try await failures(seed: 8)
    XCTAssertEqual(first, again)
    XCTAssertNotEqual(first, other)
    XCTAssertTrue((30...90).contains(first.count { $0 }), "\(first.count { $0 }) of 200")

    let time = ManualTime()
    let tape = TapeTransport(recorder.tape, time: time)
    tape.faults = [TapeFault(.status(503), window: .seconds(1)..<(.seconds(2)))]
    var statuses: [Int] = []
    for _ in 0..<3 {
      statuses.append(try await tape.send(get("https://homes.test/a")).status)
      time.advance(by: .seconds(1))
    }
    XCTAssertEqual(statuses, [200, 503, 200])
  }

  func testACutBodyFailsAsOnTheWire() async throws {
    let recorder = try recorder(over: StubTransport(.json(#"{"items": []}"#)))
    _ = try await recorder.send(get("https://homes.test/a"))
    let tape = TapeTransport(recorder.tape)
    tape.faults = [TapeFault(.truncated(after: 3))]
    let error = await failure(of: get("https://homes.test/a"), over: tape)
    XCTAssertEqual(error.label, "transport.truncated-body")
    XCTAssertEqual(error.evidence?.body.count, 3)
  }

  @MainActor func testWhatIsRecordedIsSentWithTheOptionsOfItsTransport() async throws {
    let server = StubTransport(.json("[]"), loadOptions: LoadOptions(connectTo: "127.0.0.1:8443"))
    var service = TestService(StubTransport())
    service.client = HTTPClient(transport: try recorder(over: server))
    _ = try await TestManager(service).response()
    XCTAssertEqual(server.requests.map(\.options.connectTo), ["127.0.0.1:8443"])
  }

  func testALoginThatAServerAsksForIsAskedForWhileRecordingAndOnTheTape() async throws {
    let server = StubTransport(
      .status(401, headers: ["WWW-Authenticate": "Basic realm=\"Hangar\""]), .json("[1]"))
    let asked = Record<String>()
    var exchange = HTTPExchange(get("https://homes.test/mine"))
    exchange.challenges = ChallengeHandler { challenge in
      asked.add(challenge.space.realm)
      return .use(.login(HTTPLogin(user: "ann", password: "landing")))
    }
    let recorder = try recorder(over: server)
    let recorded = try await recorder.send(exchange)
    let played = try await TapeTransport(recorder.tape).send(exchange)
    XCTAssertEqual([recorded.status, played.status], [200, 200])
    XCTAssertEqual(server.requests.map { $0.options.login?.user }, [nil, "ann"])
    XCTAssertEqual(asked.all, ["Hangar", "Hangar"])
  }
}
