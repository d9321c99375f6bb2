import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitReports

/// Loads and their requests as spans, and how they get to a collector.
@MainActor final class SpanTests: XCTestCase {
  private let stub = StubTransport()
  private let collector = StubTransport(.json("{}"))
  private let time = ManualTime()

  private func queue(onFailure: @escaping @Sendable (APIError) -> Void = { _ in }) -> SpanQueue {
    var request = HTTPRequest(method: .post, url: "https://collector.test/v1/traces", headers: ["X-Key": "k"])
    request.headers["Content-Type"] = "application/json"
    return SpanQueue(
      request,
      SpanDocument(service: "Homes app", resource: ["deployment.environment.name": "test"], spans: []),
      over: collector, time: time, onFailure: onFailure)
  }

  private func manager(_ policy: TracePolicy = .sent) -> TestManager {
    var service = TestService(stub)
    service.trace = policy
    return TestManager(service)
  }

  /// The spans of a load, as they are sent.
  private func spans(of record: FlightRecord) throws -> [RawData] {
    let document = SpanDocument(service: "Homes app", resource: [:], spans: Span.spans(of: record))
    return Array(try RawData(parsing: document.bytes).resourceSpans[0].scopeSpans[0].spans.elements)
  }

  private func attributes(_ span: RawData) -> [String: String] {
    var values: [String: String] = [:]
    for pair in span.attributes.elements {
      values[pair["key"].string ?? ""] =
        pair["value"].stringValue.string ?? pair["value"].intValue.string ?? "none"
    }
    return values
  }

  private func landed(_ manager: TestManager, _ parameters: Parameters = [:]) async throws -> FlightRecord {
    let record: FlightRecord?
    do throws(APIError) {
      record = try await manager.response(parameters).record
    } catch {
      record = error.record
    }
    return try XCTUnwrap(record)
  }

  func testALoadHasAChildForEachRequestWithTheIdThatWasOnTheWire() async throws {
    stub.on("/api/list", .failure(.connectionLost), .redirect(to: "/moved"))
    stub.on("/moved", .json(someJSON))
    let manager = manager()
    manager.retryPolicy = RetryPolicy(attempts: 2)
    manager.retryPolicy.backoff = .constant(.zero)
    let caller = try XCTUnwrap(
      TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "a=1"))
    let record = try await TraceContext.$current.withValue(caller) {
      try await landed(manager, ["token": "canary"])
    }
    let spans = try spans(of: record)
    XCTAssertEqual(spans.count, 4)
    XCTAssertEqual(Set(spans.map { $0.traceId.string }), [caller.traceID])
    XCTAssertEqual(Set(spans.map { $0.traceState.string }), ["a=1"])
    XCTAssertEqual(spans[0].parentSpanId.string, caller.parentID)
    XCTAssertEqual(spans[0]["kind"].int, 1)
    XCTAssertEqual(spans[0].name.string, "load list")
    XCTAssertEqual(
      spans.dropFirst().map { $0.parentSpanId.string }, Array(repeating: spans[0].spanId.string, count: 3))
    let sent = stub.requests.compactMap {
      $0.headers["traceparent"].flatMap { TraceContext(traceparent: $0)?.parentID }
    }
    XCTAssertEqual(spans.dropFirst().map { $0.spanId.string }, sent)
    XCTAssertEqual(spans.dropFirst().map { $0["kind"].int }, [3, 3, 3])
    XCTAssertEqual(spans.dropFirst().map { $0.name.string }, ["GET list", "GET list", "GET"])
    XCTAssertEqual(spans.map { $0["status"]["code"].int }, [nil, 2, nil, nil])
    let (first, second, third) = (attributes(spans[1]), attributes(spans[2]), attributes(spans[3]))
    XCTAssertEqual(first["error.type"], "transport.connection-lost")
    XCTAssertNil(first["http.response.status_code"])
    XCTAssertNil(first["http.request.resend_count"])
    XCTAssertEqual(second["http.response.status_code"], "302")
    XCTAssertEqual(second["http.request.resend_count"], "1")
    XCTAssertEqual(third["http.request.resend_count"], "2")
    XCTAssertEqual(third["url.full"], "https://homes.test/moved")
    XCTAssertEqual(second["url.full"], "https://homes.test/api/list")
    XCTAssertEqual(second["url.template"], "list")
    XCTAssertEqual(second["server.address"], "homes.test")
    XCTAssertEqual(second["server.port"], "443")
    XCTAssertEqual(second["http.request.method"], "GET")
    XCTAssertTrue(spans[0].events.elements.contains { $0.name.string == "retry" })
    let document = SpanDocument(service: "a", resource: [:], spans: Span.spans(of: record))
    XCTAssertFalse(String(decoding: document.bytes, as: UTF8.self).contains("canary"))
    // The record says the same.
    XCTAssertEqual(record.trace?.parentID, spans[0].spanId.string)
    XCTAssertEqual(record.requests.last?.span, sent.last)
  }

  func testWithoutATraceOnTheWireTheIdsAreMadeUp() async throws {
    stub.on("/*", .status(503))
    let record = try await landed(manager(.none))
    let spans = try spans(of: record)
    XCTAssertEqual(spans.count, 2)
    XCTAssertEqual(spans[0].traceId.string?.count, 32)
    XCTAssertEqual(spans[1].spanId.string?.count, 16)
    XCTAssertEqual(spans[1].parentSpanId.string, spans[0].spanId.string)
    XCTAssertFalse(spans[0].parentSpanId.exists)
    XCTAssertEqual(attributes(spans[1])["error.type"], "503")
    XCTAssertEqual(attributes(spans[1])["server.address"], "homes.test")
    XCTAssertEqual(attributes(spans[0])["error.type"], "response.unacceptable-status")
    XCTAssertEqual(spans.map { $0["status"]["code"].int }, [2, 2])
  }

  func testTheTimesOfARequestLieWithinThoseOfItsLoad() async throws {
    var metrics = TransportMetrics()
    (metrics.total, metrics.remoteAddress, metrics.remotePort) = (30_000, "192.0.2.7", 8443)
    (metrics.version, metrics.bytesReceived, metrics.resends) = (.http2, 7, 1)
    let record = FlightRecord(
      flight: FlightID(rawValue: 7), manager: "Manager", service: "Homes",
      method: HTTPMethod(rawValue: "PURGE"),
      apiName: "homes/{id}", parameters: [:], secondsSince1970: 1_700_000_000.25,
      entries: [
        .init(at: .zero, event: .attempt(1, host: "homes.test")),
        .init(at: .milliseconds(50), event: .responded(status: 204, metrics: metrics)),
        .init(at: .milliseconds(60), event: .attempt(2, host: "homes.test")),
        .init(at: .milliseconds(80), event: .landed(.cancelled("by-caller"))),
        .init(at: .milliseconds(90), event: .attemptFailed(label: "transport.cancelled", detail: "")),
      ])
    let spans = try spans(of: record)
    XCTAssertEqual(spans.count, 3, "what ends after the landing is no part of the load")
    XCTAssertEqual(spans[0].startTimeUnixNano.string, "1700000000250000000")
    XCTAssertEqual(spans[0].endTimeUnixNano.string, "1700000000330000000")
    XCTAssertEqual(spans[1].startTimeUnixNano.string, "1700000000270000000")
    XCTAssertEqual(spans[1].endTimeUnixNano.string, "1700000000300000000")
    XCTAssertEqual(spans[1].name.string, "HTTP homes/{id}")
    let first = attributes(spans[1])
    XCTAssertEqual(first["http.request.method"], "_OTHER")
    XCTAssertEqual(first["http.request.method_original"], "PURGE")
    XCTAssertEqual(first["network.protocol.version"], "2")
    XCTAssertEqual(first["network.peer.address"], "192.0.2.7")
    XCTAssertEqual(first["server.port"], "8443")
    XCTAssertEqual(first["http.response.body.size"], "7")
    XCTAssertEqual(attributes(spans[2])["http.request.resend_count"], "2", "libcurl's own repetition counts")
    XCTAssertEqual(attributes(spans[2])["error.type"], "cancelled")
    XCTAssertEqual(attributes(spans[0])["apikit.cancelled"], "by-caller")
    XCTAssertFalse(spans[0]["status"].exists, "a cancelled load is no failure")
  }

  func testALoadOfManyEventsIsBounded() async throws {
    var entries = (0..<100).map { FlightRecord.Entry(at: .milliseconds($0), event: .note("a", "b")) }
    entries.append(.init(at: .seconds(1), event: .landed(.succeeded(.network))))
    let record = FlightRecord(
      flight: FlightID(rawValue: 7), manager: "", service: "", method: .get, apiName: "", parameters: [:],
      secondsSince1970: 0, entries: entries)
    let span = try spans(of: record)[0]
    XCTAssertEqual(span.events.count, 64)
    XCTAssertEqual(span.droppedEventsCount.int, 36)
  }

  // MARK: The way to the collector

  private func record(_ number: UInt64 = 1, sampled: Bool = true) -> FlightRecord {
    FlightRecord(
      flight: FlightID(rawValue: number), manager: "M", service: "Homes", method: .get, apiName: "list",
      parameters: [:], secondsSince1970: 0,
      entries: [
        .init(at: .zero, event: .traced(TraceContext(isSampled: sampled), parent: nil)),
        .init(at: .milliseconds(1), event: .landed(.succeeded(.network))),
      ])
  }

  private func spanCount(_ request: HTTPRequest) throws -> Int {
    guard case .bytes(let bytes) = request.body else { return 0 }
    return try RawData(parsing: bytes).resourceSpans[0].scopeSpans[0].spans.count
  }

  func testAnExporterSendsWhatLandsAndItsOwnRequestIsNoLoad() async throws {
    stub.on("/*", .json(someJSON))
    let exporter = SpanExporter(queue())
    exporter.isOn = true
    defer { exporter.isOn = false }
    _ = try await manager().response()
    await exporter.flush()
    let request = try XCTUnwrap(collector.requests.first)
    XCTAssertEqual(collector.requests.count, 1)
    XCTAssertEqual(request.headers["Content-Type"], "application/json")
    XCTAssertEqual(request.headers["X-Key"], "k")
    XCTAssertNil(request.headers["traceparent"])
    guard case .bytes(let bytes) = request.body else { return XCTFail("no body") }
    let resource = attributes(try RawData(parsing: bytes).resourceSpans[0].resource)
    XCTAssertEqual(resource["service.name"], "Homes app")
    XCTAssertEqual(resource["deployment.environment.name"], "test")
    XCTAssertGreaterThanOrEqual(exporter.counts.exported, 1)
    await exporter.flush()
    XCTAssertEqual(collector.requests.count, 1, "nothing waits")
  }

  func testLoadsWaitForOthersAndAFullBatchDoesNot() async throws {
    let queue = queue()
    queue.append(record())
    while time.sleeperCount == 0 { await Task.yield() }
    XCTAssertEqual(collector.requests.count, 0)
    time.advance(by: SpanQueue.delay)
    try await collector.waitForRequests(1)
    await queue.flush()
    collector.hold()
    for number in 0..<SpanQueue.batch { queue.append(record(UInt64(number))) }
    try await collector.waitForRequests(2)
    XCTAssertEqual(try spanCount(collector.requests[1]), SpanQueue.batch)
    // While it is sent, so many wait and no more.
    for number in 0..<(SpanQueue.capacity + 10) { queue.append(record(UInt64(number))) }
    XCTAssertEqual(queue.counts.dropped, 10)
    collector.release()
    await queue.flush()
    XCTAssertEqual(queue.counts.exported, 1 + SpanQueue.batch + SpanQueue.capacity)
  }

  func testATraceThatItsCallerDoesNotRecordIsNotExported() async {
    let queue = queue()
    queue.append(record(sampled: false))
    await queue.flush()
    XCTAssertEqual(collector.requests.count, 0)
  }

  func testABatchIsSentAgainWhereTheProtocolSaysSoAndFailuresAreCountedAndTold() async throws {
    let told = Record<APIError>()
    let collector = StubTransport(
      .status(503, headers: ["Retry-After": "7"]), .failure(.connectionRefused), .json("{}"), .status(400),
      .json(#"{"partialSuccess": {"rejectedSpans": "1", "errorMessage": "too old"}}"#), .status(503))
    let queue = SpanQueue(
      HTTPRequest(method: .post, url: "https://collector.test/"),
      SpanDocument(service: "a", resource: [:], spans: []),
      over: collector, time: time, onFailure: { told.add($0) })
    queue.append(record())
    while time.sleeperCount == 0 { await Task.yield() }
    time.advance(by: SpanQueue.delay)
    for count in 1...2 {
      try await collector.waitForRequests(count)
      while time.sleeperCount == 0 { await Task.yield() }
      time.advance(by: .seconds(60))
    }
    try await collector.waitForRequests(3)
    await queue.flush()
    XCTAssertEqual(queue.counts, SpanExporter.Counts(exported: 1))
    queue.append(record())
    await queue.flush()
    XCTAssertEqual(queue.counts, SpanExporter.Counts(exported: 1, failed: 1))
    queue.append(record())
    await queue.flush()
    XCTAssertEqual(queue.counts, SpanExporter.Counts(exported: 2, failed: 1, refusedSpans: 1))
    queue.append(record())
    let done = Record<Void>()
    let flush = Task {
      await queue.flush()
      done.add(())
    }
    while done.all.isEmpty {
      if time.sleeperCount > 0 { time.advance(by: .seconds(60)) }
      await Task.yield()
    }
    await flush.value
    XCTAssertEqual(queue.counts, SpanExporter.Counts(exported: 2, failed: 2, refusedSpans: 1))
    XCTAssertEqual(collector.requests.count, 5 + SpanQueue.attempts)
    XCTAssertEqual(told.all.map(\.reason), [.unacceptableStatus, .invalidResponse, .unacceptableStatus])
    XCTAssertTrue(told.all[0].detail.contains("400; 1 loads were not exported"), told.all[0].detail)
    XCTAssertEqual(told.all[1].quote, "too old")
  }

  func testACollectorThatRefusesMoreThanItGotIsNotBelieved() async throws {
    func refusing(_ number: Int) -> StubResponse {
      .json("{\"partialSuccess\": {\"rejectedSpans\": \"\(number)\"}}")
    }
    collector.on("/v1/traces", refusing(.max), refusing(.max), refusing(-5))
    let queue = queue()
    for number in 1...3 {
      queue.append(record(UInt64(number)))
      await queue.flush()
    }
    XCTAssertEqual(queue.counts.exported, 3)
    XCTAssertEqual(queue.counts.refusedSpans, 2)
  }

  func testAFlushReturnsWhenItsTaskIsCancelled() async throws {
    stub.on("/*", .json(someJSON))
    collector.hold()
    let (exporter, ended) = (SpanExporter(queue()), Counter())
    exporter.isOn = true
    defer { exporter.isOn = false }
    _ = try await manager().response()
    let flush = Task {
      await exporter.flush()
      ended.increment()
    }
    try await collector.waitForRequests(1)
    XCTAssertEqual(ended.value, 0)
    flush.cancel()
    await waitUntil { ended.value == 1 }
    collector.release()
    await exporter.flush()
    XCTAssertGreaterThanOrEqual(exporter.counts.exported, 1)
  }
}
