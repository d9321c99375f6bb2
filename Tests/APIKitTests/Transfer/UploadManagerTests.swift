import APIKitTesting
import DemoServer
import Foundation
import Synchronization
import XCTest

@testable import APIKit

/// Uploads against servers on loopback: what is sent, what lands, what the delegate hears.
@MainActor final class UploadManagerTests: XCTestCase {
  private var folder = URL(fileURLWithPath: "/")

  override func setUp() async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  override func tearDown() async throws { try FileManager.default.removeItem(at: folder) }

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  private func manager(_ url: HTTPURL, attempts: Int = 1) -> SendingManager {
    var service = TestService(HTTPClient(transport: DefaultTransport.shared), ServiceEnvironments(url))
    service.retryPolicy = RetryPolicy(attempts: attempts)
    service.retryPolicy.backoff = .constant(.zero)
    return SendingManager(service)
  }

  /// A stream of these chunks that can be read once; counts how often it is opened.
  private func stream(
    _ chunks: [[UInt8]], length: Int64? = nil, isReplayable: Bool = false, opened: Counter = Counter()
  ) -> HTTPBody {
    .stream(
      HTTPBodyStream(length: length, isReplayable: isReplayable) {
        opened.increment()
        let rest = Mutex(chunks[...])
        return { rest.withLock { $0.popFirst() } }
      })
  }

  // MARK: Plain

  func testBytesFilesAndStreamsAreSentWithProgress() async throws {
    let content = (0..<500_000).map { UInt8(truncatingIfNeeded: $0) }
    try Data(content).write(to: folder.appendingPathComponent("file"))
    let bodies: [HTTPBody] = [
      .bytes(content), .file(path: path("file")), stream([content, content]),
      stream([content], length: 500_000),
    ]
    for body in bodies {
      let server = try ScriptedServer.serving { request in
        ScriptedServer.response(text: "\(request.body.count)")
      }
      defer { server.stop() }
      let manager = manager(try server.url("/api"))
      let delegate = UploadDelegate()
      manager.delegate = delegate
      let response = try await manager.response(uploading: body, ["id": 7])
      XCTAssertEqual(response.bytes, Array("\(server.requests[0].body.count)".utf8))
      XCTAssertEqual(server.requests.map(\.method), ["PUT"])
      XCTAssertEqual(server.requests.map(\.target), ["/api/files?id=7"])
      XCTAssertTrue(server.requests[0].body.starts(with: content))
      XCTAssertEqual(delegate.story.last, "finished 200")
      XCTAssertEqual(delegate.progress.last?.sent, Int64(server.requests[0].body.count))
      XCTAssertFalse(manager.isUploading)
    }
  }

  func testEachAttemptBeginsAnewAndAStreamThatCannotFailsByName() async throws {
    func server() throws -> ScriptedServer {
      let count = Counter()
      return try .serving { _ in
        count.next() == 0 ? ScriptedServer.response(503, [:], text: "") : ScriptedServer.response(text: "ok")
      }
    }
    for (body, isSentAgain) in [
      (stream([[1, 2]], isReplayable: true), true), (stream([[1, 2]]), false),
      (HTTPBody.bytes([1, 2]), true),
    ] {
      let server = try server()
      defer { server.stop() }
      let manager = manager(try server.url("/api"), attempts: 2)
      if isSentAgain {
        _ = try await manager.response(uploading: body)
        XCTAssertEqual(server.requests.map(\.body), [[1, 2], [1, 2]])
      } else {
        let error = await failure { try await manager.response(uploading: body) }
        XCTAssertEqual(error?.context.status, 503)
        XCTAssertEqual(error?.context.manager, "SendingManager")
        XCTAssertEqual(server.requests.count, 1)
      }
    }
  }

  func testAResponseWhileSendingLandsAndTooLargeIsNotRepeated() async throws {
    for body in [HTTPBody.bytes([UInt8](repeating: 1, count: 20_000_000)), endless] {
      let server = try ScriptedServer(
        .readHead, .text("HTTP/1.1 413 No\r\nContent-Length: 9\r\n\r\ntoo large"), .waitForClose)
      defer { server.stop() }
      let manager = manager(try server.url("/api"), attempts: 3)
      let error = await failure { try await manager.response(uploading: body) }
      XCTAssertEqual(error?.context.status, 413)
      XCTAssertEqual(error?.response?.bytes, Array("too large".utf8))
      XCTAssertEqual(server.connectionCount, 1)
    }
  }

  /// A stream that gives one chunk and then waits until its task is cancelled.
  private var endless: HTTPBody {
    .stream(
      HTTPBodyStream {
        let first = Mutex<[UInt8]?>([1])
        return {
          if let chunk = first.withLock({ $0.take() }) { return chunk }
          try await Task.sleep(for: .seconds(60))
          return nil
        }
      })
  }

  func testOneBodyAtATimeAndPausingEndsIt() async throws {
    let server = try ScriptedServer(.readHead, .waitForClose)
    defer { server.stop() }
    let manager = manager(try server.url("/api"))
    let delegate = UploadDelegate()
    manager.delegate = delegate
    XCTAssertNil(manager.upload(endless))
    XCTAssertEqual(manager.upload(.bytes([1]))?.reason, .alreadyLoading)
    await waitUntil { server.requests.count == 1 }
    manager.pause()
    await waitUntil { !manager.isUploading }
    XCTAssertEqual(delegate.story.map { String($0.prefix(7)) }, ["stopped"])
    let isIdle = await Task.detached { server.waitUntilIdle() }.value
    XCTAssertTrue(isIdle)
  }

  // MARK: Expect: 100-continue

  #if os(Linux)
    func testAStreamIsOpenedOnlyOnceTheServerSaysToGoOn() async throws {
      let (asked, goOn) = (Latch(), Latch())
      let server = try ScriptedServer(
        .readHead, .open(asked), .wait(goOn), .text("HTTP/1.1 100 Continue\r\n\r\n"),
        .pause(.milliseconds(50)),
        .text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), .waitForClose)
      defer { server.stop() }
      let manager = manager(try server.url("/api"))
      manager.expectsContinue = true
      let opened = Counter()
      let body = stream([[1, 2]], length: 2, opened: opened)
      async let response = manager.response(uploading: body)
      let wasAsked = await Task.detached { asked.wait() }.value
      XCTAssertTrue(wasAsked)
      XCTAssertEqual(server.requests.first?.headers["Expect"], "100-continue")
      XCTAssertEqual(opened.value, 0)
      goOn.open()
      let landed = try await response
      XCTAssertEqual(landed.status, 200)
      XCTAssertEqual(opened.value, 1)
    }

    func testAResponseInPlaceOfTheWordLandsAndTheStreamStaysClosed() async throws {
      let server = try ScriptedServer(
        .readHead, .text("HTTP/1.1 413 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), .close)
      defer { server.stop() }
      let manager = manager(try server.url("/api"), attempts: 3)
      manager.expectsContinue = true
      let opened = Counter()
      let body = stream([[1, 2]], length: 2, isReplayable: true, opened: opened)
      let error = await failure { try await manager.response(uploading: body) }
      XCTAssertEqual(error?.context.status, 413)
      XCTAssertEqual(opened.value, 0)
      XCTAssertEqual(server.requests.count, 1)
    }

    func testAServerThatSaysNothingGetsTheBodyAfterASecond() async throws {
      let opened = Latch()
      let server = try ScriptedServer(
        .readHead, .wait(opened), .text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), .waitForClose)
      defer { server.stop() }
      let manager = manager(try server.url("/api"))
      manager.expectsContinue = true
      let start = ContinuousClock.now
      let response = try await manager.response(
        uploading: .stream(
          HTTPBodyStream(length: 1) {
            opened.open()
            let rest = Mutex<[UInt8]?>([1])
            return { rest.withLock { $0.take() } }
          }))
      XCTAssertEqual(response.status, 200)
      XCTAssertGreaterThan(ContinuousClock.now - start, .milliseconds(900))
    }

    func testAServerThatCannotSayItIsAskedOnceWithoutIt() async throws {
      let server = try ScriptedServer(scripts: [
        [.readHead, .text("HTTP/1.1 417 No\r\nContent-Length: 4\r\nConnection: close\r\n\r\nwhat"), .close],
        [.readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), .close],
      ])
      defer { server.stop() }
      let manager = manager(try server.url("/api"))
      manager.expectsContinue = true
      let response = try await manager.response(uploading: stream([[1, 2]], length: 2))
      XCTAssertEqual(response.bytes, Array("ok".utf8))
      XCTAssertEqual(server.requests.map { $0.headers["Expect"] }, ["100-continue", nil])
      XCTAssertEqual(server.requests.last?.body, [1, 2])
    }
  #endif

  func testATransportThatCannotAskIsRefusedByName() async throws {
    var service = TestService(
      StubTransport(.status(200), capabilities: [.streamUpload, .progress, .totalTimeout]))
    service.timeouts = HTTPTimeouts()
    let manager = SendingManager(service)
    manager.expectsContinue = true
    let error = await failure { try await manager.response(uploading: .bytes([1])) }
    XCTAssertEqual(error?.reason, .unsupportedCapability)
    XCTAssertTrue(error?.detail.contains("expectContinue") == true, error?.detail ?? "")
  }

  // MARK: tus

  private func tus(_ url: HTTPURL, change: (inout TusOptions) -> Void = { _ in }) -> SendingManager {
    let manager = manager(url, attempts: 3)
    var options = TusOptions()
    options.journalFolder = path("journals")
    change(&options)
    manager.uploadProtocol = .tus(options)
    manager.apiName = "tus"
    return manager
  }

  private var journals: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path("journals"))) ?? []).sorted()
  }

  func testEveryBodyArrivesByTus() async throws {
    let server = try DemoServer()
    defer { server.stop() }
    let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try Data(content).write(to: folder.appendingPathComponent("file"))
    let thirds = [Array(content[..<100_000]), Array(content[100_000..<200_000]), Array(content[200_000...])]
    let bodies: [HTTPBody] = [
      .bytes(content), .file(path: path("file")), stream(thirds), stream(thirds, length: 300_000),
      .bytes([]), stream([]),
    ]
    for (index, body) in bodies.enumerated() {
      let manager = tus(try server.url("/transfers")) { $0.partBytes = 120_000 }
      let delegate = UploadDelegate()
      manager.delegate = delegate
      let response = try await manager.response(uploading: body)
      XCTAssertEqual(
        response.headers["Upload-Offset"] ?? (index < 4 ? nil : "0"), index < 4 ? "300000" : "0", "\(index)")
      if index < 4 {
        XCTAssertEqual(response.headers["X-Demo-Sum"], "\(Self.sum(content))", "\(index)")
        XCTAssertEqual(delegate.progress.last?.sent, 300_000)
      }
      XCTAssertEqual(journals, [])
    }
  }

  /// The sum of the demo server.
  private static func sum(_ bytes: [UInt8]) -> Int {
    Int(bytes.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 16_777_619 } >> 1)
  }

  func testAnUploadThatBrokeOffGoesOnInAnotherManager() async throws {
    let demo = try DemoServer()
    defer { demo.stop() }
    let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let broken = Counter()
    let first = tus(try demo.url("/transfers")) { $0.partBytes = 100_000 }
    first.service.client = HTTPClient(transport: BreakingTransport(method: .patch, after: 1, broken))
    first.policy = .never
    let error = await failure { try await first.response(uploading: .bytes(content)) }
    XCTAssertEqual(error?.reason, .connectionLost)
    XCTAssertEqual(journals.count, 2, "the journal and its lock")
    demo.forget()
    let second = tus(try demo.url("/transfers")) { $0.partBytes = 100_000 }
    let response = try await second.response(uploading: .bytes(content))
    XCTAssertEqual(response.headers["X-Demo-Sum"], "\(Self.sum(content))")
    XCTAssertEqual(demo.requests.map(\.method), [.head, .patch, .patch])
    XCTAssertEqual(demo.requests[1].headers["Upload-Offset"], "100000")
    XCTAssertEqual(journals, [])
  }

  func testABreakIsMendedWhereThePolicyWantsItAndAOneShotStreamIsNotReadTwice() async throws {
    let demo = try DemoServer()
    defer { demo.stop() }
    let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let opened = Counter()
    let manager = tus(try demo.url("/transfers")) { $0.partBytes = 100_000 }
    manager.service.client = HTTPClient(transport: BreakingTransport(method: .patch, after: 1, Counter()))
    let response = try await manager.response(
      uploading: stream([content], length: 300_000, opened: opened))
    XCTAssertEqual(response.headers["X-Demo-Sum"], "\(Self.sum(content))")
    XCTAssertEqual(opened.value, 1)
    XCTAssertEqual(demo.requests.map(\.method), [.post, .patch, .head, .patch, .patch])
  }

  func testCancellingTellsTheServerToForget() async throws {
    let server = try ScriptedServer.serving { request in
      switch request.method {
      case "POST": ScriptedServer.response(201, ["Location": "/api/tus/1"], [])
      case "DELETE": ScriptedServer.response(204)
      default: []
      }
    }
    defer { server.stop() }
    let manager = tus(try server.url("/api"))
    manager.upload(.bytes([UInt8](repeating: 1, count: 100)))
    await waitUntil { server.requests.count == 2 }
    manager.cancel()
    await waitUntil { !manager.isUploading }
    XCTAssertEqual(server.requests.map(\.method), ["POST", "PATCH", "DELETE"])
    XCTAssertEqual(server.requests.last?.target, "/api/tus/1")
    XCTAssertEqual(journals, [])
  }

  func testALocationOfAnotherOriginIsRefused() async throws {
    let server = try ScriptedServer.serving { _ in
      ScriptedServer.response(201, ["Location": "https://elsewhere.test/1"], [])
    }
    defer { server.stop() }
    let manager = tus(try server.url("/api"))
    let error = await failure { try await manager.response(uploading: .bytes([1])) }
    XCTAssertEqual(error?.reason, .malformedResponse)
    XCTAssertTrue(error?.detail.contains("own origin") == true)
  }

  func testAFileThatChangesWhileItIsSentFailsByName() async throws {
    let file = path("file")
    try Data([UInt8](repeating: 1, count: 100)).write(to: URL(fileURLWithPath: file))
    let server = try ScriptedServer.serving { request in
      if request.method == "POST" { return ScriptedServer.response(201, ["Location": "/api/tus/1"], []) }
      try? Data([UInt8](repeating: 2, count: 100)).write(to: URL(fileURLWithPath: file))
      return ScriptedServer.response(204, ["Upload-Offset": "\(request.body.count)"], [])
    }
    defer { server.stop() }
    let manager = tus(try server.url("/api")) { $0.partBytes = 40 }
    let error = await failure { try await manager.response(uploading: .file(path: file)) }
    XCTAssertEqual(error?.reason, .unreadableBody)
    XCTAssertTrue(error?.detail.contains("changed") == true, error?.detail ?? "")
  }
}

@MainActor private final class SendingManager: BaseUploadManager, UploadManager {
  var service: TestService
  var apiName = "files"
  var uploadProtocol = UploadProtocol.plain
  var expectsContinue = false
  let expectation = ResponseExpectation(format: .bytes)
  var policy: RetryPolicy?

  init(_ service: TestService) { self.service = service }

  var retryPolicy: RetryPolicy { policy ?? service.retryPolicy }
}

/// Breaks the connection once: after so many requests of a method, the next is sent and its response lost.
private struct BreakingTransport: AsyncHTTPTransport {
  let method: HTTPMethod
  let after: Int
  let count: Counter
  init(method: HTTPMethod, after: Int, _ count: Counter) {
    self.method = method
    self.after = after
    self.count = count
  }
  var capabilities: TransportCapabilities { DefaultTransport.shared.capabilities }

  func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    if exchange.request.method == method, count.next() == after {
      throw APIError(.transport, .connectionLost)
    }
    return try await DefaultTransport.shared.send(exchange)
  }
}

@MainActor private final class UploadDelegate: UploadManagerDelegate {
  var story: [String] = []
  var progress: [TransferProgress] = []

  func manager(_ manager: BaseUploadManager, didFinish response: APIResponse) {
    story.append("finished \(response.status)")
  }
  func manager(_ manager: BaseUploadManager, didFail error: APIError) {
    story.append("failed \(error.reason)")
  }
  func manager(_ manager: BaseUploadManager, didReport progress: TransferProgress) {
    self.progress.append(progress)
  }
  func manager(_ manager: BaseUploadManager, didStopAt sent: Int64) { story.append("stopped at \(sent)") }
}
