import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitReports

/// Exchanges that are kept over launches.
final class ExchangeStoreTests: ExchangeStoreCase {
  func testAnotherLaunchFindsAndExportsWhatWasKept() async throws {
    stub.on(
      "/homes/7", .json(#"{"name": "House", "password": "canary"}"#, headers: ["Set-Cookie": "a=canary"]))
    stub.on("/b", .failure(.connectionLost))
    let first = try makeStore()
    try await send(
      first, "https://homes.test/homes/7?token=canary&page=1", .post, ["Authorization": "Bearer canary"],
      body: .bytes(Array("{\"pin\": \"canary\", \"city\": \"Suzhou\"}".utf8)))
    try await send(first, "https://other.test/b")
    await first.flush()
    XCTAssertEqual(first.counts, ExchangeStore.Counts(kept: 2))
    let second = try makeStore()
    let found = try await second.find()
    XCTAssertEqual(found.map(\.host), ["other.test", "homes.test"])
    XCTAssertEqual(found.map(\.path), ["/b", "/homes/7"])
    XCTAssertEqual(found.map(\.status), [nil, 200])
    XCTAssertEqual(found.map(\.failure), ["transport.connection-lost", nil])
    XCTAssertEqual(found.map(\.method), [.get, .post])
    XCTAssertEqual(found[1].bytesReceived, 39)
    XCTAssertTrue(found[0].isOfThisLaunch)
    let archive = try await second.archive(of: found)
    XCTAssertEqual(archive.entries.map { $0.response?.status }, [200, nil])
    XCTAssertEqual(archive.entries.map(\.launch), found.reversed().map(\.launch))
    let har = String(decoding: archive.harBytes(), as: UTF8.self)
    XCTAssertFalse(har.contains("canary"))
    XCTAssertTrue(har.contains("Suzhou"))
    let command = try XCTUnwrap(archive.entries[0].request.curlCommand)
    XCTAssertTrue(command.hasPrefix("curl -X POST") || command.hasPrefix("curl "), command)
    XCTAssertTrue(command.contains("Suzhou"), command)
    XCTAssertFalse(command.contains("Host:"), command)
    XCTAssertNil(second.fault)
  }

  func testASelectionBecomesAStubAndATapeInOneLine() async throws {
    stub.on("/homes", .json("[1]"), .json("[2]"))
    stub.on("/down", .failure(.connectionRefused))
    let store = try makeStore()
    for url in [
      "https://homes.test/homes?page=1", "https://homes.test/homes?page=2&token=canary",
      "https://homes.test/down",
    ] {
      try await send(store, url)
    }
    let replayed = StubTransport(replaying: try await store.archive(of: store.find()))
    func text(_ url: String) async throws -> String {
      String(decoding: try await replayed.send(HTTPRequest(url: try HTTPURL(url))).bytes, as: UTF8.self)
    }
    let second = try await text("https://any.test/homes?token=other&page=2")
    XCTAssertEqual(second, "[2]")
    let first = try await text("https://any.test/homes?page=1")
    XCTAssertEqual(first, "[1]")
    let other = try await text("https://any.test/homes?page=3")
    XCTAssertEqual(other, "[1]", "by its path alone, from the first on")
    do throws(APIError) {
      _ = try await replayed.send(HTTPRequest(url: "https://any.test/down"))
      XCTFail("it did not fail")
    } catch {
      XCTAssertEqual(error.reason, .connectionRefused)
    }
    let tape = TapeTransport(Tape(try await store.archive(of: store.find())))
    let response = try await tape.send(HTTPRequest(url: "https://homes.test/homes?page=1"))
    XCTAssertEqual(response.bytes, Array("[1]".utf8))
  }

  func testTheFileHasTheColumnsInTheOpenAndNothingOfWhatWasSaid() async throws {
    stub.on("/*", .text("VISIBLE-BODY"))
    let store = try makeStore()
    try await send(
      store, "https://homes.test/open-path?query=VISIBLE-QUERY", .get, ["X-Field": "VISIBLE-FIELD"])
    await store.flush()
    var bytes = Data()
    for ending in ["", "-wal"] { bytes += FileManager.default.contents(atPath: path + ending) ?? Data() }
    XCTAssertNotNil(bytes.range(of: Data("open-path".utf8)))
    XCTAssertNil(bytes.range(of: Data("VISIBLE".utf8)))
    let other = try makeStore(key: SecretKey(bytes: [UInt8](repeating: 7, count: 32)))
    let found = try await other.find()
    XCTAssertEqual(found.map(\.path), ["/open-path"])
    let archive = try await other.archive(of: found)
    XCTAssertEqual(archive.entries.count, 0, "another key opens nothing")
    var status = stat()
    XCTAssertEqual(stat(path, &status), 0)
    XCTAssertEqual(status.st_mode & 0o777, 0o600)
  }

  func testAKeyOfAnotherLengthIsRefused() {
    XCTAssertThrowsError(try ExchangeStore(path: path, key: SecretKey(bytes: [1]))) {
      XCTAssertEqual(($0 as? APIError)?.reason, .misconfigured)
    }
  }

  func testItIsFoundByEachColumnAndByItsText() async throws {
    stub.on("/api/a", .json(#"{"city": "Suzhou"}"#))
    stub.on("/api/b", .status(503), .text(String(repeating: "x", count: 5000)))
    stub.on("/c", .failure(.idleTimeout))
    let store = try makeStore()
    for url in [
      "https://homes.test/api/a", "https://homes.test/api/b", "https://homes.test/api/b",
      "https://other.test/c",
    ] {
      try await send(store, url)
    }
    func paths(_ change: (inout ExchangeQuery) -> Void) async throws -> [String] {
      try await store.find(query(change)).map(\.path)
    }
    var found = try await paths { $0.host = "Homes.test" }
    XCTAssertEqual(found, ["/api/b", "/api/b", "/api/a"])
    found = try await paths { $0.path = "/api/a" }
    XCTAssertEqual(found, ["/api/a"])
    found = try await paths { $0.path = "/api/*" }
    XCTAssertEqual(found.count, 3)
    found = try await paths { $0.status = 500...599 }
    XCTAssertEqual(found, ["/api/b"])
    found = try await paths { $0.hasFailed = true }
    XCTAssertEqual(found, ["/c"])
    found = try await paths { $0.hasFailed = false }
    XCTAssertEqual(found.count, 3)
    found = try await paths { $0.minimumBytesReceived = 4000 }
    XCTAssertEqual(found, ["/api/b"])
    found = try await paths { $0.longerThan = .seconds(3600) }
    XCTAssertEqual(found, [])
    found = try await paths { $0.time = 0...1 }
    XCTAssertEqual(found, [])
    found = try await paths { $0.limit = 2 }
    XCTAssertEqual(found, ["/c", "/api/b"])
    found = try await paths { $0.text = "SUZHOU" }
    XCTAssertEqual(found, ["/api/a"])
    found = try await paths { ($0.text, $0.openedAtMost) = ("suzhou", 3) }
    XCTAssertEqual(found, [], "only the newest are opened")
    found = try await paths { ($0.text, $0.host) = ("' OR 1=1 --", "' OR 1=1 --") }
    XCTAssertEqual(found, [])
  }

  @MainActor func testALoadIsFoundByItsFlightAndItsAPI() async throws {
    stub.on("/*", .json(someJSON))
    let store = try makeStore()
    var service = TestService(stub)
    service.client = HTTPClient(transport: store.keeping(stub))
    let flight = try await TestManager(service).response().flightID
    let found = try await store.find(
      query { ($0.flight, $0.service, $0.apiName) = (flight?.rawValue, "Homes", "list") })
    XCTAssertEqual(found.map(\.flight), [flight])
  }

  func testItIsBoundedInBytesAndInAge() async throws {
    stub.on("/*", .bytes((0..<4000).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
    var limits = ExchangeLimits()
    limits.maximumBytes = 80_000
    limits.maximumAge = .seconds(60)
    let time = ManualTime(wallClock: WallClock.now)
    let store = try makeStore(limits, time: time)
    for number in 0..<100 {
      try await send(store, "https://homes.test/\(number)")
      await store.flush()
    }
    let found = try await store.find()
    XCTAssertEqual(found.first?.path, "/99", "the newest stay")
    XCTAssertLessThan(found.count, 20)
    XCTAssertGreaterThan(found.count, 3)
    let size = try XCTUnwrap(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    XCTAssertLessThan(size, 500_000)
    time.advance(by: .seconds(90))
    let later = try await store.find()
    XCTAssertEqual(later, [])
  }

  func testOfALargeBodyInAFileTheBeginningIsKept() async throws {
    struct FileTransport: AsyncHTTPTransport {
      let path: String
      let capabilities = TransportCapabilities.all
      func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
        HTTPResponse(status: 200, headers: [:], body: .file(path: path, count: 1 << 30))
      }
    }
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let large = folder + "/large"
    _ = FileManager.default.createFile(atPath: large, contents: Data("begins here".utf8))
    XCTAssertEqual(truncate(large, 1 << 30), 0)
    let store = try makeStore()
    let request = HTTPRequest(method: .post, url: "https://homes.test/a", body: .file(path: large, offset: 7))
    _ = try await store.keeping(FileTransport(path: large)).send(request)
    let found = try await store.find()
    XCTAssertEqual(found.map(\.bytesReceived), [1 << 30])
    XCTAssertEqual(found.map(\.bytesSent), [1 << 30 - 7])
    let entry = try await store.archive(of: found).entries[0]
    XCTAssertEqual(entry.response?.body.bytes?.count, ExchangeArchive.bodyLimit)
    XCTAssertEqual(entry.response?.body.bytes?.prefix(11), Array("begins here".utf8)[...])
    XCTAssertEqual(entry.request.body.bytes?.prefix(4), Array("here".utf8)[...])
    XCTAssertEqual(entry.response?.body.comment, "the first 65536 of 1073741824 bytes")
    XCTAssertEqual(store.counts.kept, 1)
  }

  func testOfAStreamTheBeginningIsKeptWhenItEndsAndTheRestPassesBy() async throws {
    struct Streams: AsyncHTTPTransport {
      let capabilities = TransportCapabilities.all
      func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
        let path = exchange.request.url.path
        let left = Mutex(256)
        let stream = ResponseStream { () async throws(APIError) in
          let number = left.withLock { left in
            left -= 1
            return left
          }
          if path == "/broken", number < 250 { throw APIError(.transport, .connectionLost) }
          return number < 0 ? nil : [UInt8](repeating: UInt8(ascii: "a"), count: 256 << 10)
        }
        return HTTPResponse(status: 200, headers: ["Content-Type": "text/plain"], body: .stream(stream))
      }
    }
    let store = try makeStore()
    let transport = store.keeping(Streams())
    func body(_ path: String) async throws -> ResponseStream? {
      let response = try await transport.send(
        HTTPExchange(HTTPRequest(url: try HTTPURL("https://homes.test\(path)")), destination: .stream))
      if case .stream(let stream) = response.body { return stream } else { return nil }
    }
    var read = 0
    for try await chunk in try await unwrapped(body("/whole")) { read += chunk.count }
    XCTAssertEqual(read, 64 << 20, "all of it has passed by")
    XCTAssertLessThanOrEqual(store.state.withLock { $0.waitingBytes }, ExchangeArchive.bodyLimit)
    final class Sink: BodyWriter {
      let count = AtomicInt()
      func write(_ bytes: UnsafeRawBufferPointer) throws(APIError) -> Bool {
        count.add(bytes.count)
        return false
      }
      func whenReady(_ resume: @escaping @Sendable () -> Void) {}
    }
    let sink = Sink()
    try await unwrapped(body("/poured")).pour(into: sink)
    XCTAssertEqual(sink.count.load(), 64 << 20)
    do {
      for try await _ in try await unwrapped(body("/broken")) {}
      XCTFail("it did not break")
    } catch {
      XCTAssertEqual((error as? APIError)?.reason, .connectionLost)
    }
    _ = try await body("/released")
    let found = try await store.find()
    XCTAssertEqual(found.map(\.path), ["/released", "/broken", "/poured", "/whole"])
    XCTAssertEqual(found.map(\.failure), [nil, "transport.connection-lost", nil, nil])
    XCTAssertEqual(found.map(\.bytesReceived), [0, 6 * 256 << 10, 64 << 20, 64 << 20])
    let entries = try await store.archive(of: found).entries
    XCTAssertEqual(entries.map { $0.response?.body.bytes?.count ?? 0 }, [65_536, 65_536, 65_536, 0])
  }

  private func unwrapped<Value>(_ value: Value?) throws -> Value { try XCTUnwrap(value) }

  func testASearchEndsWhileExchangesKeepComing() async throws {
    stub.on("/*", .status(204))
    let store = try makeStore()
    let isOver = AtomicFlag()
    let traffic = Task.detached { [stub] in
      let transport = store.keeping(stub)
      while !isOver.load() { _ = try? await transport.send(HTTPRequest(url: "https://homes.test/")) }
    }
    try await send(store, "https://homes.test/own")
    let own = try await store.find(query { $0.path = "/own" })
    XCTAssertEqual(own.count, 1)
    isOver.store(true)
    await traffic.value
  }

  func testNothingIsKeptUnlessItIsOnAndEraseRemovesAll() async throws {
    stub.on("/*", .status(204))
    let store = try makeStore()
    store.isOn = false
    try await send(store, "https://homes.test/off")
    store.isOn = true
    try await send(store, "https://homes.test/secret-path")
    let found = try await store.find()
    XCTAssertEqual(found.map(\.path), ["/secret-path"])
    try await store.erase()
    let rest = try await store.find()
    XCTAssertEqual(rest, [])
    var bytes = Data()
    for ending in ["", "-wal"] { bytes += FileManager.default.contents(atPath: path + ending) ?? Data() }
    XCTAssertNil(bytes.range(of: Data("secret-path".utf8)))
  }
}
