import APIKit
import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

final class StubTransportTests: XCTestCase {
  private static func request(_ method: HTTPMethod = .get, _ path: String = "/rents") throws -> HTTPRequest {
    HTTPRequest(method: method, url: try HTTPURL("https://stub.test" + path))
  }

  func testResponsesComeInOrderAndTheLastOneStays() async throws {
    let stub = StubTransport()
    stub.on(.get, "/rents", .status(503), .json("[1]"))
    let statuses = [
      try await stub.send(Self.request()).status, try await stub.send(Self.request()).status,
      try await stub.send(Self.request()).status,
    ]
    XCTAssertEqual(statuses, [503, 200, 200])
    XCTAssertEqual(stub.requests.count, 3)
  }

  func testTheLatestRuleWins() async throws {
    let stub = StubTransport(.text("all"))
    stub.on("/rents*", .text("prefix"))
    stub.when({ $0.url.query == "a=1" }, .text("picked"))
    let all = try await stub.send(Self.request(.get, "/other")).bytes
    let prefix = try await stub.send(Self.request(.post, "/rents/7")).bytes
    let picked = try await stub.send(Self.request(.get, "/rents?a=1")).bytes
    XCTAssertEqual(
      [all, prefix, picked].map { String(decoding: $0, as: UTF8.self) }, ["all", "prefix", "picked"])
  }

  func testTheConditionOfARuleMayUseTheStub() async throws {
    let stub = StubTransport(.text("later"))
    stub.when({ [weak stub] _ in stub?.requests.count == 1 }, .text("first"))
    var texts: [String] = []
    for _ in 0..<2 {
      texts.append(String(decoding: try await stub.send(Self.request()).bytes, as: UTF8.self))
    }
    XCTAssertEqual(texts, ["first", "later"])
  }

  func testAnUnscriptedRequestFailsAndIsNamed() async throws {
    let stub = StubTransport()
    let error = await failure { try await stub.send(Self.request(.delete, "/rents/7?key=secret")) }
    XCTAssertEqual(error?.reason, .misconfigured)
    XCTAssertTrue(error?.detail.contains("DELETE https://stub.test/rents/7") == true, "\(error as Any)")
    XCTAssertFalse(error?.detail.contains("secret") == true)
  }

  func testTheErrorOfAnUnscriptedRequestListsTheRulesAndTheOneWithoutTheBaseURLsPath() async throws {
    let stub = StubTransport()
    stub.on(.get, "/homes", .json("{}"))
    stub.on("/rents*", .json("{}"))
    stub.when({ _ in false }, .json("{}"))
    let error = await failure { try await stub.send(Self.request(.get, "/api/v1/homes")) }
    XCTAssertEqual(
      error?.detail,
      "the stub has no response for GET https://stub.test/api/v1/homes; its rules are GET /homes, /rents*, when(…). A rule "
        + "states the whole path, with that of the base URL: /api/v1/homes in place of GET /homes")
    for number in 0..<20 { stub.on("/many/\(number)", .json("{}")) }
    let other = await failure { try await stub.send(Self.request(.get, "/none")) }
    XCTAssertTrue(other?.detail.hasSuffix("/many/8 and others") == true, other?.detail ?? "")
  }

  func testTheErrorOfAnUnscriptedRequestSaysWhyARuleThatLooksRightDoesNotMatch() async throws {
    for (pattern, responses, words) in [
      (
        "homes", [StubResponse.json("{}")],
        "; its rules are GET homes. The path of a rule begins with a slash: /homes in "
      ),
      (
        "/homes?a=1", [.json("{}")],
        "GET /homes?a=1. A rule states the path alone: GET /homes?a=1 has a query, for which"
      ),
      ("/homes", [], "; its rules are GET /homes (without a response)"),
    ] {
      let stub = StubTransport()
      for response in responses { stub.on(.get, pattern, response) }
      if responses.isEmpty { stub.on(.get, pattern) }
      let error = await failure { try await stub.send(Self.request(.get, "/homes")) }
      XCTAssertTrue(error?.detail.contains(words) == true, error?.detail ?? "")
    }
  }

  func testAHeldRequestWaitsUntilItIsReleased() async throws {
    let stub = StubTransport(.text("done"))
    stub.hold()
    let request = try Self.request()
    async let response = stub.send(request)
    let seen = try await stub.waitForRequests(1)
    XCTAssertEqual(seen.count, 1)
    stub.release(1)
    let bytes = try await response.bytes
    XCTAssertEqual(bytes, Array("done".utf8))
  }

  func testAWaitForArrivalsEndsAtItsLimitAndWithItsTask() async throws {
    let gate = StubGate()
    do {
      try await gate.waitForArrivals(2, within: .milliseconds(20))
      XCTFail("nothing arrived")
    } catch {
      XCTAssertEqual(error.reason, .totalTimeout)
      XCTAssertEqual(error.detail, "0 of 2 requests came to the gate in 0.02 seconds")
    }
    // Nor does one hang whose limit has passed before it waits.
    for _ in 0..<500 {
      let isThere: Void? = try? await gate.waitForArrivals(2, within: .zero)
      XCTAssertNil(isThere)
    }
    let waiting = Task { try await gate.waitForArrivals(1, within: .seconds(600)) }
    waiting.cancel()
    let result = await waiting.result
    XCTAssertThrowsError(try result.get())
    // After a wait that timed out, the gate still counts requests and lets them pass.
    let held = Task { await gate.arrive() }
    try await gate.waitForArrivals(1)
    XCTAssertEqual(gate.waiting, 1)
    gate.open()
    let mayPass = await held.value
    XCTAssertTrue(mayPass)
    let late = await gate.arrive()
    XCTAssertTrue(late)
    try await gate.waitForArrivals(2, within: .zero)
  }

  func testAGateHoldsOneResponseAndCountsArrivals() async throws {
    let gate = StubGate()
    let stub = StubTransport(.held(by: gate, .text("late")))
    let request = try Self.request()
    async let response = stub.send(request)
    try await gate.waitForArrivals(1)
    XCTAssertEqual(gate.waiting, 1)
    gate.open()
    let status = try await response.status
    XCTAssertEqual(status, 200)
  }

  func testAGateThatLetsAllPassTwiceStaysOpen() async throws {
    let gate = StubGate()
    let stub = StubTransport(.held(by: gate, .text("in time")))
    gate.pass(.max)
    gate.pass(.max)
    let response = try await stub.send(try Self.request())
    XCTAssertEqual(response.status, 200)
  }

  func testCancellingAHeldSilentOrDelayedRequestFailsAsCancelled() async throws {
    let gate = StubGate()
    for response in [StubResponse.held(by: gate, .status(200)), .silence, .after(.seconds(60), .status(200))]
    {
      let stub = StubTransport(response)
      let request = try Self.request()
      let task = Task { await failure { try await stub.send(request) } }
      try await stub.waitForRequests(1)
      task.cancel()
      let error = await task.value
      XCTAssertEqual(error?.reason, .cancelled)
    }
    XCTAssertEqual(gate.waiting, 0)
  }

  func testAWaitForEverEndsWithItsTask() async throws {
    let stub = StubTransport(.after(.seconds(Int64.max), .status(200)))
    var request = try Self.request()
    request.timeouts = HTTPTimeouts(idle: .zero, total: .zero)
    let task = Task { [request] in await failure { try await stub.send(request) } }
    try await stub.waitForRequests(1)
    try await Task.sleep(for: .milliseconds(20))
    task.cancel()
    let error = await task.value
    XCTAssertEqual(error?.reason, .cancelled)
  }

  func testAWaitBeyondALimitEndsWithThatLimit() async throws {
    let stub = StubTransport(.after(.seconds(60), .status(200)))
    var slow = try Self.request()
    slow.timeouts = HTTPTimeouts(idle: .milliseconds(5))
    let idle = await failure { [slow] in try await stub.send(slow) }
    XCTAssertEqual(idle?.reason, .idleTimeout)
    slow.timeouts = HTTPTimeouts(idle: .zero, total: .milliseconds(5))
    let total = await failure { [slow] in try await stub.send(slow) }
    XCTAssertEqual(total?.reason, .totalTimeout)
  }

  func testACutBodyFailsAndKeepsWhatCame() async throws {
    let whole = HTTPResponse(status: 200, body: .bytes(Array("0123456789".utf8)))
    let stub = StubTransport(.truncated(after: 4, of: whole))
    let error = await failure { try await stub.send(Self.request()) }
    XCTAssertEqual(error?.reason, .truncatedBody)
    XCTAssertEqual(error?.evidence?.body, Array("0123".utf8))

    let streamed = try await stub.send(HTTPExchange(Self.request(), destination: .stream))
    guard case .stream(let stream) = streamed.body else { return XCTFail("not a stream") }
    let collected = await failure { try await stream.collect(maximumBytes: 100) }
    XCTAssertEqual(collected?.reason, .truncatedBody)
  }

  func testAResponseIsComputedFromTheRequestAndItsStreamedBody() async throws {
    let stub = StubTransport(
      .computed { request in
        guard case .bytes(let body) = request.body else { return .status(400) }
        return .bytes(body.reversed())
      })
    var post = try Self.request(.post)
    let chunks: [[UInt8]] = [[1, 2], [], [3]]
    post.body = .stream(
      HTTPBodyStream {
        let source = Counter()
        return {
          let index = source.next()
          return index < chunks.count ? chunks[index] : nil
        }
      })
    let response = try await stub.send(post)
    XCTAssertEqual(response.bytes, [3, 2, 1])
  }

  func testAMissingCapabilityIsNamed() async throws {
    let stub = StubTransport(.status(200), capabilities: [])
    var exchange = HTTPExchange(try Self.request(), destination: .stream)
    let error = await failure { [exchange] in try await stub.send(exchange) }
    XCTAssertEqual(error?.reason, .unsupportedCapability)
    XCTAssertTrue(error?.detail.contains("streamDownload") == true)
    exchange.destination = .memory()
    let plain = try await stub.send(exchange)
    XCTAssertEqual(plain.status, 200, "the default limits ask for nothing")
  }

  func testWaitingForRequestsThatDoNotComeFails() async throws {
    let stub = StubTransport(.status(200))
    let error = await failure { try await stub.waitForRequests(1, within: .milliseconds(5)) }
    XCTAssertEqual(error?.reason, .totalTimeout)
  }

  func testAStubThatKeepsNoRequestsDoesNotWaitForThem() async throws {
    let stub = StubTransport(.status(200), keepsRequests: false)
    _ = try await stub.send(Self.request())
    let error = await failure { try await stub.waitForRequests(1, within: .seconds(600)) }
    XCTAssertEqual(error?.reason, .misconfigured)
    XCTAssertTrue(error?.detail.contains("keepsRequests") == true, "\(error as Any)")
  }

  func testNumbersBelowZeroAreZero() async throws {
    let stub = StubTransport(.truncated(after: -1, of: HTTPResponse(status: 200, body: .bytes([1, 2]))))
    stub.hold()
    stub.release(-1)
    stub.release(1)
    let error = await failure { try await stub.send(Self.request()) }
    XCTAssertEqual(error?.reason, .truncatedBody)
    XCTAssertEqual(error?.evidence?.body, [])
  }

  /// RFC 9110, 9.3.2 and 15.3.5: no transport waits for it.
  func testAResponseWithoutABodyIsNotCutOff() async throws {
    for (method, status) in [(HTTPMethod.head, 200), (.get, 204), (.get, 304)] {
      let stub = StubTransport(.truncated(after: 1, of: HTTPResponse(status: status, body: .bytes([1, 2]))))
      let response = try await stub.send(HTTPRequest(method: method, url: "https://homes.test/a"))
      XCTAssertEqual(response.status, status)
    }
  }

  @MainActor func testARequestAtAGateEndsAtItsLimitsAndAtTheDeadlineOfItsLoad() async throws {
    let gate = StubGate()
    let (stub, held) = (StubTransport(.held(by: gate, .json("{}"))), StubTransport(.json("{}")))
    held.hold()
    for stub in [stub, held] {
      var request = HTTPRequest(url: "https://homes.test/a")
      request.timeouts.total = .milliseconds(5)
      let late = await failure { try await stub.send(request) }
      XCTAssertEqual(late?.reason, .totalTimeout)
      let manager = TestManager(TestService(stub))
      manager.retryPolicy.deadline = .milliseconds(20)
      let error = try await errorThrown { () throws(APIError) in try await manager.response() }
      XCTAssertEqual(error.reason, .deadlineExceeded)
    }
    XCTAssertEqual(gate.waiting, 0)
    gate.open()
    let response = try await stub.send(Self.request())
    XCTAssertEqual(response.status, 200)
  }

  func testAFileIsReadFromItsOffsetAndRefusedFromOutside() async throws {
    let path = try temporaryFile([1, 2, 3])
    let stub = StubTransport(.text(""))
    func send(from offset: Int64) async throws(APIError) {
      _ = try await stub.send(
        HTTPRequest(
          method: .put, url: "https://homes.test/a", body: .file(path: path, offset: offset)))
    }
    try await send(from: 2)
    guard case .bytes(let sent)? = stub.requests.first?.body else { return XCTFail("no bytes") }
    XCTAssertEqual(sent, [3])
    for offset: Int64 in [4, -1] {
      let error = await failure { try await send(from: offset) }
      XCTAssertEqual(error?.reason, .unreadableBody)
    }
  }
}
