import APIKitTesting
import DemoServer
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Uploads by tus: what goes on where it broke off, where the server may put them, what ends them.
@MainActor final class TusUploadTests: UploadCase {
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
  func testAPartOfAnyNumberOfBytesBeginsAnywhere() async throws {
    let bodies: [HTTPBody] = [.bytes([1, 2, 3, 4, 5]), stream([[1, 2, 3], [4, 5]])]
    for body in bodies {
      let part = try await UploadReader(body).part(at: 2, atMost: .max)
      XCTAssertEqual(part.count, 3)
      XCTAssertTrue(part.isLast)
    }
  }

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

  /// Leaves the journal of an upload of which the server has a third; returns its path.
  private func leaveThird(of content: [UInt8], at demo: DemoServer) async throws -> String {
    let manager = tus(try demo.url("/transfers")) { $0.partBytes = 100_000 }
    manager.service.client = HTTPClient(transport: BreakingTransport(method: .patch, after: 1, Counter()))
    manager.policy = .never
    _ = await failure { try await manager.response(uploading: .bytes(content)) }
    demo.forget()
    return path("journals/" + (try XCTUnwrap(journals.first { $0.hasSuffix(".upload") })))
  }

  func testAJournalWithAChangedBitIsToldAndTheNextCallBeginsAnew() async throws {
    let demo = try DemoServer()
    defer { demo.stop() }
    let content = [UInt8](repeating: 7, count: 300_000)
    let journal = try await leaveThird(of: content, at: demo)
    let bytes = try XCTUnwrap(FileManager.default.contents(atPath: journal)).map { $0 }
    for bit in 0..<bytes.count * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      try PrivateFile.replace(journal, with: changed)
      XCTAssertNil(UploadJournal.progress(inJournal: journal), "bit \(bit)")
      do {
        let found = try UploadJournal(journal).read()
        XCTFail("bit \(bit) was read as \(String(describing: found))")
      } catch { XCTAssertEqual(error.reason, .fileFailed, "bit \(bit)") }
    }
    var changed = bytes
    changed[40] ^= 1
    try PrivateFile.replace(journal, with: changed)
    let manager = tus(try demo.url("/transfers")) { $0.partBytes = 100_000 }
    let error = await failure { try await manager.response(uploading: .bytes(content)) }
    XCTAssertEqual(error?.reason, .fileFailed)
    XCTAssertTrue(error?.detail.contains("damaged") == true, error?.detail ?? "")
    XCTAssertEqual(demo.requests.count, 0, "it may be complete at the server")
    let response = try await manager.response(uploading: .bytes(content))
    XCTAssertEqual(response.headers["X-Demo-Sum"], "\(Self.sum(content))")
    XCTAssertEqual(demo.requests.map(\.method), [.post, .patch, .patch, .patch])
    XCTAssertEqual(journals, [])
  }

  func testAJournalWithoutAChecksumIsReadAndGetsOne() async throws {
    let demo = try DemoServer()
    defer { demo.stop() }
    let content = [UInt8](repeating: 7, count: 300_000)
    let journal = try await leaveThird(of: content, at: demo)
    let state = try XCTUnwrap(try UploadJournal(journal).read())
    try PrivateFile.replace(journal, with: JSONEncoder().encode(state))
    do {
      let file = try UploadJournal(journal)
      XCTAssertEqual(try file.read(), state)
      try file.write(state)
      XCTAssertEqual(
        FileManager.default.contents(atPath: journal)?.prefix(6).map { $0 }, Array("APIK".utf8) + [10, 2])
    }
    try PrivateFile.replace(journal, with: JSONEncoder().encode(state))
    let manager = tus(try demo.url("/transfers")) { $0.partBytes = 100_000 }
    _ = try await manager.response(uploading: .bytes(content))
    XCTAssertEqual(demo.requests.map(\.method), [.head, .patch, .patch])
  }

  func testDraftsThatAKillHasLeftAreRemoved() async throws {
    let demo = try DemoServer()
    defer { demo.stop() }
    let content = [UInt8](repeating: 7, count: 300_000)
    let journal = try await leaveThird(of: content, at: demo)
    // Of this upload, in the names of this version and of earlier ones; of another one, long ago and just now.
    let (old, young) = (path("journals/b.upload.7.new"), path("journals/c.upload.new"))
    for draft in ["\(journal).new", "\(journal).7.new", old, young] {
      try PrivateFile.replace(draft, with: [1])
    }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: old)
    let manager = tus(try demo.url("/transfers")) { $0.partBytes = 100_000 }
    _ = try await manager.response(uploading: .bytes(content))
    XCTAssertEqual(journals, ["c.upload.new"], "which may be being written")
  }

  func testTheLastReportIsOfAllBytesAndToldOnce() async throws {
    let time = ManualTime()
    for reports in [[2, 5], [10, 10], [10], []] as [[Int64]] {
      let run = UploadRun(
        .bytes([UInt8](repeating: 1, count: 10)),
        { () -> TusOptions in
          var options = TusOptions()
          options.journalFolder = self.path("journals")
          return options
        }(), place: ["a"], policy: .never, time: time
      ) { request, _, report in
        var response = HTTPResponse(status: 201, headers: ["Location": "/1"], url: "https://a.test/files")
        if request.method != .post {
          for (index, sent) in reports.enumerated() {
            await report(TransferProgress(sent: sent, received: Int64(index)))
            time.advance(by: .milliseconds(200))
          }
          response = HTTPResponse(status: 204, headers: ["Upload-Offset": "10"], url: "https://a.test/1")
        }
        return .success(APIResponse(raw: .missing, http: response))
      }
      let told = Record<TransferProgress>()
      _ = try await run.perform { told.add($0) }.get()
      XCTAssertEqual(told.all.last?.sent, 10, "\(reports)")
      XCTAssertEqual(told.all.last?.totalToSend, 10, "\(reports)")
      XCTAssertEqual(told.all.filter { $0.sent == 10 }.count, 1, "\(reports)")
    }
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
    await waitUntil { !manager.isUploading && server.requests.count == 3 }
    XCTAssertEqual(server.requests.map(\.method), ["POST", "PATCH", "DELETE"])
    XCTAssertEqual(server.requests.last?.target, "/api/tus/1")
    XCTAssertEqual(journals, [])
  }

  func testCancellingDoesNotWaitForAServerThatDoesNotRespond() async throws {
    let latch = Latch()
    let server = try ScriptedServer(scripts: [
      [.readRequest, .write(ScriptedServer.response(201, ["Location": "/api/tus/1"], [])), .close],
      [.readRequest, .wait(latch), .close], [.readRequest, .wait(latch), .close],
    ])
    defer { server.stop() }
    let (manager, delegate) = (tus(try server.url("/api")), UploadDelegate())
    manager.delegate = delegate
    manager.upload(.bytes([UInt8](repeating: 1, count: 100)))
    await waitUntil { server.requests.count == 2 }
    manager.cancel()
    let start = ContinuousClock.now
    await waitUntil { !manager.isUploading }
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(1))
    XCTAssertEqual(delegate.story, ["cancelled by-caller"])
    await waitUntil { server.requests.count == 3 }
    XCTAssertEqual(server.requests.last?.method, "DELETE")
    latch.open()
  }

  func testCancellingDoesNotWaitForASourceThatTakesItsTime() async throws {
    let demo = try DemoServer()
    defer { demo.stop() }
    let (manager, delegate) = (tus(try demo.url("/transfers")), UploadDelegate())
    manager.delegate = delegate
    let (asked, gate) = (Counter(), StubGate())
    let body = HTTPBody.stream(
      HTTPBodyStream {
        {
          asked.increment()
          // Ignores the cancellation of its task.
          await Task { _ = await gate.arrive() }.value
          return nil
        }
      })
    for (deed, story) in [(manager.pause, "paused at 0"), (manager.cancel, "cancelled by-caller")] {
      let count = asked.value
      manager.upload(body)
      await waitUntil { asked.value > count }
      let start = ContinuousClock.now
      deed()
      await waitUntil { !manager.isUploading }
      XCTAssertLessThan(ContinuousClock.now - start, .seconds(1))
      XCTAssertEqual(delegate.story.last, story)
    }
    gate.open()
  }

  func testALocationOfAnotherOriginIsRefused() async throws {
    let server = try ScriptedServer.serving { _ in
      ScriptedServer.response(201, ["Location": "https://elsewhere.test/1"], [])
    }
    defer { server.stop() }
    let manager = tus(try server.url("/api"))
    let error = await failure { try await manager.response(uploading: .bytes([1])) }
    XCTAssertEqual(error?.reason, .malformedResponse)
    XCTAssertTrue(error?.detail.contains("declared origin") == true)
    XCTAssertEqual(server.requests.count, 1)
  }

  func testALocationOfTheSameOriginIsFollowedAsItIs() async throws {
    // Another path, a query, an escape that must stay: and none of the parameters of the creation.
    for location in ["/other/place?upload=a%20b&part=%2F", "?token=x", "tus/2"] {
      let server = try ScriptedServer.serving { request in
        request.method == "POST"
          ? ScriptedServer.response(201, ["Location": location], [])
          : ScriptedServer.response(204, ["Upload-Offset": "\(request.body.count)"], [])
      }
      defer { server.stop() }
      let manager = tus(try server.url("/api"))
      _ = try await manager.response(uploading: .bytes([1, 2, 3]), ["id": 7])
      let expected = ["/other/place?upload=a%20b&part=%2F", "/api/tus?token=x", "/api/tus/2"]
      XCTAssertEqual(server.requests.map(\.method), ["POST", "PATCH"])
      XCTAssertEqual(server.requests[0].target, "/api/tus?id=7")
      XCTAssertTrue(expected.contains(server.requests[1].target), server.requests[1].target)
      XCTAssertEqual(server.requests[1].target.hasSuffix(location), true)
    }
  }

  func testADeclaredOriginGetsTheBytesAndTheCredential() async throws {
    let store = try ScriptedServer.serving { request in
      ScriptedServer.response(204, ["Upload-Offset": "\(request.body.count)"], [])
    }
    defer { store.stop() }
    let place = try store.url("/store/1?key=v").string
    let server = try ScriptedServer.serving { _ in ScriptedServer.response(201, ["Location": place], []) }
    defer { server.stop() }
    let origin = try store.url("/").origin
    let manager = tus(try server.url("/api")) { $0.otherOrigins = [origin] }
    let authenticator = Authenticator()
    try authenticator.signIn(with: Credential(accessToken: "t"))
    manager.service.authenticator = authenticator
    _ = try await manager.response(uploading: .bytes([1, 2, 3]))
    XCTAssertEqual(server.requests.count, 1)
    XCTAssertEqual(store.requests.map(\.target), ["/store/1?key=v"])
    XCTAssertEqual(store.requests.first?.headers["Authorization"], "Bearer t")
    XCTAssertEqual(store.requests.first?.body, [1, 2, 3])
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
