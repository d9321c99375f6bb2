import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// Suspending exchanges, files made at the head, and reports of progress.
extension TransportConformanceTests {
  /// Takes the outcome of one exchange.
  private final class Outcome: Sendable {
    let stream: AsyncStream<Result<HTTPResponse, APIError>>
    private let continuation: AsyncStream<Result<HTTPResponse, APIError>>.Continuation
    let count = Counter()
    init() { (stream, continuation) = AsyncStream.makeStream() }
    func take(_ result: Result<HTTPResponse, APIError>) {
      count.increment()
      continuation.yield(result)
    }
    func wait() async throws -> HTTPResponse {
      for await result in stream { return try result.get() }
      throw APIError(.transport, .cancelled)
    }
  }

  private func suspendable(
    _ transport: any HTTPTransport, _ exchange: HTTPExchange, _ outcome: Outcome, line: UInt = #line
  ) throws -> any SuspendableOperation {
    let operation = transport.start(exchange) { outcome.take($0) }
    return try XCTUnwrap(operation as? any SuspendableOperation, line: line)
  }

  func testASuspendedExchangeReadsNothingAndItsLimitsDoNotCount() async throws {
    let transport = try transport()
    guard transport.capabilities.contains(.suspension) else {
      let server = try serving { _ in ScriptedServer.response(text: "ok") }
      let operation = transport.start(HTTPExchange(HTTPRequest(url: try server.url()))) { _ in }
      XCTAssertFalse(operation is any SuspendableOperation)
      return
    }
    let body = [UInt8](repeating: 7, count: 8 << 20)
    let (half, rest) = (Latch(), Latch())
    let server = try server(
      .readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n"),
      .write(Array(body.prefix(100_000))), .open(half), .wait(rest), .write(Array(body.dropFirst(100_000))),
      .waitForClose)
    var exchange = HTTPExchange(HTTPRequest(url: try server.url()))
    exchange.request.timeouts = HTTPTimeouts(idle: .milliseconds(250), total: .milliseconds(700))
    let outcome = Outcome()
    let operation = try suspendable(transport, exchange, outcome)
    half.wait()
    operation.suspend()
    operation.suspend()
    rest.open()
    try await Task.sleep(for: .milliseconds(900))
    XCTAssertEqual(outcome.count.value, 0, "neither limit has ended it")
    operation.resume()
    let response = try await outcome.wait()
    XCTAssertEqual(response.bytes, body)
    operation.suspend()
    operation.resume()
  }

  func testAnExchangeThatIsSuspendedBeforeItsTurnIsSentWhenItIsResumed() async throws {
    let transport = try transport { $0.connections.perHost = 1 }
    guard transport.capabilities.contains(.suspension) else { return }
    let gate = Latch()
    let server = try server(
      .readRequest, .wait(gate), .write(ScriptedServer.response(text: "first")),
      .serve { ScriptedServer.response(text: $0.target) })
    let (first, second, third) = (Outcome(), Outcome(), Outcome())
    _ = transport.start(HTTPExchange(HTTPRequest(url: try server.url("/1")))) { first.take($0) }
    var exchange = HTTPExchange(HTTPRequest(url: try server.url("/2")))
    exchange.request.timeouts.total = .seconds(2)
    let operation = try suspendable(transport, exchange, second)
    operation.suspend()
    _ = transport.start(HTTPExchange(HTTPRequest(url: try server.url("/3")))) { third.take($0) }
    // One that is cancelled while it is held ends at once, and never starts.
    let fourth = Outcome()
    let last = try suspendable(transport, exchange, fourth)
    last.suspend()
    last.cancel()
    let error = await failure { try await fourth.wait() }
    XCTAssertEqual(error?.reason, .cancelled)
    last.resume()
    gate.open()
    let (one, three) = (try await first.wait(), try await third.wait())
    XCTAssertEqual([one, three].map { String(decoding: $0.bytes, as: UTF8.self) }, ["first", "/3"])
    XCTAssertEqual(server.requests.map(\.target), ["/1", "/3"], "the suspended one lets others pass")
    operation.resume()
    let two = try await second.wait()
    XCTAssertEqual(String(decoding: two.bytes, as: UTF8.self), "/2")
  }

  func testAnUploadIsSuspended() async throws {
    let transport = try transport()
    guard transport.capabilities.isSuperset(of: [.suspension, .streamUpload]) else { return }
    let server = try serving { ScriptedServer.response(text: "\($0.body.count)") }
    let counter = Counter()
    let reached = Latch()
    let body = HTTPBodyStream(length: 40 << 16) {
      {
        let index = counter.next()
        if index == 4 { reached.open() }
        return index < 40 ? [UInt8](repeating: 1, count: 1 << 16) : nil
      }
    }
    let outcome = Outcome()
    let operation = try suspendable(
      transport, HTTPExchange(HTTPRequest(method: .put, url: try server.url(), body: .stream(body))), outcome)
    reached.wait()
    operation.suspend()
    try await Task.sleep(for: .milliseconds(100))
    operation.resume()
    let response = try await outcome.wait()
    XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "\(40 << 16)")
  }

  @MainActor func testAFlightIsSuspendedAndResumedByItsCaller() async throws {
    let half = Latch()
    let rest = Latch()
    let server = try server(
      .readRequest, .text("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n"),
      .open(half), .wait(rest), .text("{\"a\": 1}"), .waitForClose)
    let client = HTTPClient(transport: try transport())
    let manager = TestManager(TestService(client, ServiceEnvironments(try server.url())))
    let recorder = Recorder()
    manager.delegate = recorder
    let flight = try XCTUnwrap(manager.load().flightID)
    await waitUntil { half.isOpened }
    guard client.transport.capabilities.contains(.suspension) else {
      let error = await failure { try manager.suspend(flight) }
      XCTAssertEqual(error?.reason, .unsupportedCapability)
      XCTAssertEqual(error?.detail.contains("(suspension)"), true)
      XCTAssertEqual(manager.state(of: flight), .flying)
      return rest.open()
    }
    XCTAssertTrue(try manager.suspend(flight))
    XCTAssertFalse(try manager.suspend(flight), "once is enough")
    XCTAssertEqual(manager.state(of: flight), .suspended)
    rest.open()
    try await Task.sleep(for: .milliseconds(50))
    XCTAssertEqual(recorder.responses.count, 0)
    XCTAssertTrue(manager.resume(flight))
    XCTAssertFalse(manager.resume(flight))
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.responses.first?.raw["a"].int, 1)
    let record = try XCTUnwrap(manager.record(of: flight)?.description)
    XCTAssertTrue(record.contains("suspended: by its caller"), record)
    XCTAssertTrue(record.contains("resumed"), record)
  }

  func testAResponseBecomesAFileAtItsHead() async throws {
    let body = Self.pattern(200_000)
    let server = try serving { request in
      ScriptedServer.response(request.target == "/missing" ? 404 : 200, ["X-Size": "\(body.count)"], body)
    }
    let path = temporaryPath()
    let transport = try transport()
    func exchange(_ target: String, _ path: String?) throws -> HTTPExchange {
      var exchange = HTTPExchange(
        HTTPRequest(url: try server.url(target)), destination: .memory(maximumBytes: 300_000))
      exchange.fileAtHead = { status, headers in
        XCTAssertEqual(headers["X-Size"], "200000")
        XCTAssertEqual(status, 200, "only of good responses")
        return path
      }
      return exchange
    }
    guard
      await can(
        [.headInspection, .fileDownload], "headInspection", transport, try exchange("/", path))
    else { return }
    let file = try await transport.send(try exchange("/", path))
    guard case .file(path, 200_000) = file.body else { return XCTFail("\(file.body)") }
    XCTAssertEqual(FileManager.default.contents(atPath: path), Data(body))
    XCTAssertEqual(file.metrics.bytesDecoded, 200_000)
    let memory = try await transport.send(try exchange("/", nil))
    XCTAssertEqual(memory.bytes, body)
    let missing = try await transport.send(try exchange("/missing", path + "2"))
    XCTAssertEqual(missing.bytes, body)
    XCTAssertFalse(FileManager.default.fileExists(atPath: path + "2"))
    // What is too large for memory goes into a file, and a folder that is missing is an error.
    var small = try exchange("/", path)
    small.destination = .memory(maximumBytes: 10)
    let large = try await transport.send(small)
    guard case .file(path, 200_000) = large.body else { return XCTFail("\(large.body)") }
    let nowhere = try exchange("/", path + "/there/is/none")
    let error = await failure { try await transport.send(nowhere) }
    XCTAssertEqual(error?.reason, .fileFailed)
  }

  func testReportsOfProgressHaveDeltaRateAndTimeLeft() async throws {
    let body = Self.pattern(300_000)
    let server = try server(
      .readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n"),
      .drip(body, size: 50_000, every: .milliseconds(60)), .waitForClose)
    let reports = Record<TransferProgress>()
    var exchange = HTTPExchange(HTTPRequest(url: try server.url()))
    exchange.onProgress = { reports.add($0) }
    _ = try await transport().send(exchange)
    let all = reports.all
    XCTAssertGreaterThan(all.count, 1)
    XCTAssertEqual(all.reduce(0) { $0 + $1.delta }, 300_000)
    XCTAssertEqual(all.last?.fraction, 1)
    XCTAssertEqual(all.last?.total, 300_000)
    XCTAssertEqual(all.last?.timeLeft, .zero)
    let rate = try XCTUnwrap(all.last?.rate)
    XCTAssertGreaterThan(rate, 100_000)
    XCTAssertLessThan(rate, 20_000_000)
  }
}
