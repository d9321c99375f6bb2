import APIKitTesting
import DemoServer
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Uploads that outlive the process: in one request, of a form, by tus.
@MainActor final class QueuedUploadTests: TransferQueueCase {
  func testBytesFilesAndFormsArriveThoughTheProcessThatKeptThemIsGone() async throws {
    let server = try ScriptedServer.serving { _ in ScriptedServer.response(200) }
    defer { server.stop() }
    let service = try service(server)
    try Data("of the file".utf8).write(to: URL(fileURLWithPath: path("source")))
    var first: TransferQueue? = queue(service)
    queues = []
    var form = MultipartForm()
    form.append("note", text: "hello")
    for body in [HTTPBody.bytes([1, 2, 3]), .file(path: path("source")), try form.body()] {
      try await first?.enqueue(KeptUploads(service), uploading: body, ["id": 7])
    }
    first = nil
    let (second, delegate) = (queue(service) { $0.concurrency = 1 }, TransferRecorder())
    second.delegate = delegate
    let listed = try await second.transfers()
    XCTAssertEqual(listed.map(\.kind), [.upload(of: nil), .upload(of: path("source")), .upload(of: nil)])
    XCTAssertEqual(listed[1].progress.totalToSend, 11)
    second.start()
    await second.finish()
    XCTAssertEqual(server.requests.map(\.target), Array(repeating: "/api/plans?id=7", count: 3))
    XCTAssertEqual(server.requests.map(\.method), ["PUT", "PUT", "POST"])
    XCTAssertEqual(server.requests[0].body, [1, 2, 3])
    XCTAssertEqual(server.requests[1].body, Array("of the file".utf8))
    XCTAssertTrue(
      server.requests[2].headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
    XCTAssertEqual(delegate.story, ["1 uploaded 200", "2 uploaded 200", "3 uploaded 200"])
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: path("queue/spool")), [])
  }

  func testAnUploadThatIsRefusedLeavesNoCopyOfItsBody() async throws {
    let service = TestService(StubTransport())
    let queue = queue(service)
    let manager = KeptTusUploads(service, path("journals"))
    manager.partBytes = 0
    let error = await failure { try await queue.enqueue(manager, uploading: .bytes([1, 2, 3])) }
    XCTAssertEqual(error?.reason, .misconfigured)
    XCTAssertEqual(PrivateFile.names(in: path("queue/spool")), [])
  }

  func testAFileThatHasChangedSinceIsParkedByName() async throws {
    let server = try ScriptedServer.serving { _ in ScriptedServer.response(200) }
    defer { server.stop() }
    let service = try service(server)
    try Data("one".utf8).write(to: URL(fileURLWithPath: path("source")))
    let queue = queue(service)
    try await queue.enqueue(KeptUploads(service), uploading: .file(path: path("source")))
    try Data("two two".utf8).write(to: URL(fileURLWithPath: path("source")))
    queue.start()
    await queue.finish()
    let listed = try await queue.transfers()
    guard case .parked(let why)? = listed.first?.state else { return XCTFail("\(listed)") }
    XCTAssertTrue(why.contains("source"), why)
    XCTAssertEqual(server.requests.count, 0)
  }

  func testAnUploadByTusThatIsDroppedLeavesNoFile() async throws {
    let demo = try DemoServer()
    defer { demo.stop() }
    let content = [UInt8](repeating: 7, count: 300_000)
    var service = TestService(
      HTTPClient(transport: LosingTransport(after: 1)), ServiceEnvironments(try demo.url("/transfers")))
    service.retryPolicy = .never
    let queue = queue(service)
    let id = try await queue.enqueue(KeptTusUploads(service, path("journals")), uploading: .bytes(content))
    queue.start()
    try await turn { try await queue.transfers().first?.attempts == 1 }
    await queue.stop()
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: path("journals")).count, 2)
    try await queue.drop(id)
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: path("journals")), [])
  }

  func testAnUploadByTusThatIsCompleteIsNotSentAgainThoughTheProcessEndsBeforeTheQueueKnows() async throws {
    let demo = try DemoServer()
    defer { demo.stop() }
    try Data(repeating: 7, count: 300_000).write(to: URL(fileURLWithPath: path("source")))
    var service = TestService(
      HTTPClient(transport: DefaultTransport.shared), ServiceEnvironments(try demo.url("/transfers")))
    service.retryPolicy = .never
    let (queue, manager) = (queue(service), KeptTusUploads(service, path("journals")))
    let all: [HTTPMethod] = [.post, .patch, .patch, .patch]
    // What has ended is the transfer itself, or another one of the same file.
    for (isItself, methods) in [(true, [HTTPMethod.head]), (false, all)] {
      try await queue.enqueue(manager, uploading: .file(path: path("source")))
      let contents = try await queue.contents()
      let kept = try XCTUnwrap(contents.first?.content)
      // As the queue does it, up to its commit.
      var terms = TransferTerms(environment: ServiceEnvironment(kept.environment))
      (terms.key, terms.apiName, terms.user) = (isItself ? kept.key : "another", kept.apiName, "")
      terms.signIn = .exempt
      let work = try manager.makeWork(.file(path: path("source")), kept.parameters, terms: terms).work
      _ = try await work { _ in }.get()
      XCTAssertEqual(demo.requests.map(\.method), all)
      demo.forget()
      queue.start()
      try await turn { try await queue.transfers().isEmpty }
      await queue.stop()
      XCTAssertEqual(demo.requests.map(\.method), methods)
      XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: path("journals")), [])
      demo.forget()
    }
  }

  func testAnUploadByTusGoesOnInAnotherQueue() async throws {
    let demo = try DemoServer()
    defer { demo.stop() }
    let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try Data(content).write(to: URL(fileURLWithPath: path("source")))
    var service = TestService(
      HTTPClient(transport: LosingTransport(after: 1)), ServiceEnvironments(try demo.url("/transfers")))
    service.retryPolicy = .never
    let first = queue(service)
    try await first.enqueue(KeptTusUploads(service, path("journals")), uploading: .file(path: path("source")))
    first.start()
    try await turn { try await first.transfers().first?.attempts == 1 }
    await first.stop()
    var listed = try await first.transfers()
    XCTAssertEqual(listed.first?.progress.sent, 100_000, "what its journal says")
    demo.forget()
    service.client = HTTPClient(transport: DefaultTransport.shared)
    let second = queue(service)
    second.start()
    try await turn { try await second.transfers().isEmpty }
    XCTAssertEqual(demo.requests.map(\.method), [.head, .patch, .patch])
    listed = try await second.transfers()
    XCTAssertEqual(listed, [])
  }
}

/// Loses the connection of a PATCH, once so many have been sent.
private struct LosingTransport: AsyncHTTPTransport {
  let after: Int
  private let count = Counter()
  init(after: Int) { self.after = after }
  var capabilities: TransportCapabilities { DefaultTransport.shared.capabilities }

  func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    if exchange.request.method == .patch, count.next() >= after {
      throw APIError(.transport, .connectionLost)
    }
    return try await DefaultTransport.shared.send(exchange)
  }
}
