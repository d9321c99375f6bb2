import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitReports

@MainActor final class ExchangeArchiveTests: XCTestCase {
  private let stub = StubTransport()

  private func manager(_ archive: ExchangeArchive) -> TestManager {
    var service = TestService(stub)
    service.client = HTTPClient(transport: archive.archiving(stub))
    return TestManager(service)
  }

  func testEachAttemptAndEachHopIsAnEntryThatNamesItsAPI() async throws {
    stub.on("/api/list", .failure(.connectionLost), .redirect(to: "/moved"))
    stub.on("/moved", .json(someJSON, headers: ["Set-Cookie": "a=1", "set-cookie": "b=2"]))
    let exchanges = ExchangeArchive()
    let manager = manager(exchanges)
    manager.retryPolicy = RetryPolicy.standard
    let time = ManualTime()
    manager.time = time
    let load = Task { try await manager.response() }
    while time.sleeperCount == 0 { await Task.yield() }
    time.advance(by: .seconds(30))
    let flight = try await load.value.flightID
    let entries = exchanges.archive.entries
    XCTAssertEqual(entries.map { $0.response?.status }, [nil, 302, 200])
    XCTAssertEqual(entries[0].failure, "transport.connection-lost")
    XCTAssertEqual(Set(entries.map(\.apiName)), ["list"])
    XCTAssertEqual(Set(entries.map(\.service)), ["Homes"])
    XCTAssertEqual(Set(entries.map(\.flight)), [flight?.rawValue])
    XCTAssertEqual(entries[2].response?.headers.values("Set-Cookie").count, 2)
    XCTAssertNil(entries[2].response?.body.bytes, "bodies are opted into")
    XCTAssertEqual(entries[2].response?.body.size, Int64(someJSON.utf8.count))
  }

  func testTwoRequestsOfOneFlightAtTheSameTimeAreAnEntryEachInTheOrderInWhichTheyBegan() async throws {
    // As a hedged request and the one that it hedges; the second is the first to end.
    let stub = StubTransport()
    stub.on("/slow", .after(.milliseconds(200), .json("1")))
    stub.on("/fast", .json("2"))
    let exchanges = ExchangeArchive()
    let transport = exchanges.archiving(stub)
    let flight = FlightID.next()
    func exchange(_ path: String) throws -> HTTPExchange {
      var exchange = HTTPExchange(HTTPRequest(url: try HTTPURL("https://homes.test/\(path)")))
      exchange.flightID = flight
      return exchange
    }
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let running = try [exchange("slow"), exchange("fast")].map { exchange in
      transport.start(exchange) { _ in end.yield() }
    }
    for await _ in ended.prefix(2) {}
    let entries = exchanges.archive.entries
    XCTAssertEqual(entries.map { $0.request.url.suffix(5) }, ["/slow", "/fast"])
    XCTAssertEqual(entries.map(\.flight), [flight.rawValue, flight.rawValue])
    XCTAssertEqual(running.count, 2)
  }

  func testTheFileSaysWhatTheFormAsksFor() async throws {
    stub.on("/a", .bytes([0, 1, 2, 0xFF], contentType: "image/png"))
    stub.on("/b", .failure(.unknownHost))
    let exchanges = ExchangeArchive(keepsBodies: true)
    let transport = exchanges.archiving(stub)
    _ = try await transport.send(HTTPRequest(url: "https://homes.test/a?x=1%202&y"))
    _ = try? await transport.send(
      HTTPRequest(method: .post, url: "https://homes.test/b", body: .bytes([0x61])))
    let log = try RawData(parsing: exchanges.archive.harBytes()).log
    XCTAssertEqual(log.version.string, "1.2")
    let (first, second) = (log.entries[0], log.entries[1])
    XCTAssertEqual(first.response.content.text.string, "AAEC/w==")
    XCTAssertEqual(first.response.content.encoding.string, "base64")
    XCTAssertEqual(first.response.content.size.int, 4)
    XCTAssertEqual(first.request.queryString[0].value.string, "1 2")
    XCTAssertEqual(first.request.queryString[1].name.string, "y")
    XCTAssertEqual(second.response.status.int, 0)
    XCTAssertEqual(second["_error"].string, "transport.unknown-host")
    XCTAssertEqual(second.request.postData.text.string, "a")
    let read = try HTTPArchive(parsing: exchanges.archive.harBytes())
    let text = String(decoding: exchanges.archive.harBytes(), as: UTF8.self)
    XCTAssertTrue(
      String(decoding: read.harBytes(), as: UTF8.self) == text, "what is written is not read back")
  }

  func testTheTimesAddUpAndUnknownOnesAreMinusOne() throws {
    var metrics = TransportMetrics()
    metrics.queued = 100
    metrics.nameLookup = 1_300
    metrics.connect = 5_000
    metrics.tls = 20_000
    metrics.firstByte = 31_000
    metrics.total = 32_500
    let timings = HTTPArchive.Timings(metrics)
    XCTAssertEqual(timings.total, 32.5, accuracy: 0.0001)
    XCTAssertEqual(try XCTUnwrap(timings.connect), 18.7, accuracy: 0.0001, "TLS is part of connecting")
    XCTAssertEqual(try XCTUnwrap(timings.tls), 15, accuracy: 0.0001)
    metrics.isReused = true
    let reused = HTTPArchive.Timings(metrics)
    XCTAssertNil(reused.connect)
    XCTAssertEqual(reused.total, 32.5, accuracy: 0.0001)
    var unknown = TransportMetrics()
    unknown.total = 7_000
    let archive = HTTPArchive(entries: [
      .init(
        secondsSince1970: 0.5, request: .init(method: .get, url: "https://homes.test/", headers: [:]),
        response: .init(status: 204, headers: [:]), timings: HTTPArchive.Timings(unknown))
    ])
    let entry = try RawData(parsing: archive.harBytes()).log.entries[0]
    XCTAssertEqual(entry.time.double, 7)
    XCTAssertEqual(["blocked", "dns", "connect", "ssl"].map { entry.timings[$0].int }, [-1, -1, -1, -1])
    XCTAssertEqual(entry.startedDateTime.string, "1970-01-01T00:00:00.500Z")
  }

  func testALongBodyIsCutAndItsTrueSizeTold() async throws {
    let long = #"{"password": "canary", "text": ""# + String(repeating: "ä", count: 50_000) + #""}"#
    stub.on("/a", .json(long))
    let exchanges = ExchangeArchive(keepsBodies: true)
    _ = try await exchanges.archiving(stub).send(HTTPRequest(url: "https://homes.test/a"))
    let body = try XCTUnwrap(exchanges.archive.entries.first?.response?.body)
    XCTAssertEqual(body.size, Int64(long.utf8.count))
    XCTAssertLessThanOrEqual(try XCTUnwrap(body.bytes).count, ExchangeArchive.bodyLimit)
    XCTAssertNotNil(HTTPArchive.Content.text(try XCTUnwrap(body.bytes)), "the cut is not within a character")
    XCTAssertTrue(body.comment?.contains("of \(long.utf8.count) bytes") == true, body.comment ?? "none")
  }

  func testASecretAtTheCutIsMasked() async throws {
    let filler = String(repeating: "x", count: ExchangeArchive.bodyLimit - 40)
    stub.on("/a", .json("{\"a\": \"\(filler)\", \"password\": \"canary-canary-canary-canary\"}"))
    let exchanges = ExchangeArchive(keepsBodies: true)
    _ = try await exchanges.archiving(stub).send(HTTPRequest(url: "https://homes.test/a"))
    XCTAssertFalse(String(decoding: exchanges.archive.harBytes(), as: UTF8.self).contains("canary"))
  }

  func testFilesAndStreamsAreNotRead() async throws {
    stub.on("/a", .chunks([[0x61], [0x62]]))
    let exchanges = ExchangeArchive(keepsBodies: true)
    let path = try temporaryFile("canary".utf8)
    let request = HTTPRequest(method: .post, url: "https://homes.test/a", body: .file(path: path, offset: 0))
    let response = try await exchanges.archiving(stub).send(HTTPExchange(request, destination: .stream))
    guard case .stream(let stream) = response.body else { return XCTFail("no stream") }
    var bytes: [UInt8] = []
    for try await chunk in stream { bytes += chunk }
    XCTAssertEqual(bytes, [0x61, 0x62], "the application gets all of it")
    let entry = try XCTUnwrap(exchanges.archive.entries.first)
    XCTAssertNil(entry.request.body.bytes)
    XCTAssertNil(entry.response?.body.bytes)
  }

  func testTheOldestMakesRoomAndIsCounted() async throws {
    stub.on("/*", .status(204))
    let exchanges = ExchangeArchive(capacity: 3)
    let transport = exchanges.archiving(stub)
    for index in 0..<5 {
      _ = try await transport.send(HTTPRequest(url: try HTTPURL("https://homes.test/\(index)")))
    }
    XCTAssertEqual(exchanges.archive.entries.map { $0.request.url.last }, ["2", "3", "4"])
    XCTAssertEqual(exchanges.droppedCount, 2)
  }

  func testATimeThatNoExchangeTakesIsUnknown() throws {
    let entry =
      #"{"request":{"method":"GET","url":"https://a/"},"response":{"status":200},"timings":{"wait":1e300,"dns":1e308,"receive":5}}"#
    let archive = try HTTPArchive(parsing: Array(#"{"log":{"version":"1.2","entries":[\#(entry)]}}"#.utf8))
    let timings = try XCTUnwrap(archive.entries.first).timings
    XCTAssertEqual(timings.total, 5)
    XCTAssertNil(timings.dns)
  }

  func testASizeBelowNothingIsUnknown() throws {
    let entry =
      #"{"request":{"method":"GET","url":"https://a/"},"response":{"status":200,"content":{"size":-1}}}"#
    let text = entry.replacing(#""size":-1"#, with: #""size":-1,"text":"abc""#)
    let archive = try HTTPArchive(
      parsing: Array(#"{"log":{"version":"1.2","entries":[\#(entry),\#(text)]}}"#.utf8))
    XCTAssertEqual(archive.entries.map { $0.response?.body.size }, [nil, 3])
  }

  func testAnEntryOfAnArchiveThatLacksWhatItNeedsIsNamed() {
    do throws(APIError) {
      _ = try HTTPArchive(parsing: Array(#"{"log": {"entries": [{"request": {}}]}}"#.utf8))
      XCTFail("it was read")
    } catch {
      XCTAssertTrue(error.detail.contains("entry 0"), error.detail)
    }
  }
}
