import APIKitTesting
import DemoServer
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Uploads in one request: what is sent, what lands, what the delegate hears.
@MainActor final class UploadManagerTests: UploadCase {
  func testAOneShotStreamThatWasLostSaysThatTheServerMayHaveActed() async throws {
    let first = ScriptedServer.Step.response { _ in ScriptedServer.response(204) }
    // On a new connection; on a kept one; with a length and without.
    for isKept in [false, true] {
      for length in [nil, 6] as [Int64?] {
        for ending in [ScriptedServer.Step.reset, .close] {
          let script: [ScriptedServer.Step] =
            (isKept ? [.readRequest, first] : []) + [.readRequest, ending]
          let server = try ScriptedServer(scripts: [script, [.readRequest, first, .waitForClose]])
          defer { server.stop() }
          let manager = manager(try server.url("/api"), attempts: 3)
          if isKept { _ = try await manager.response(uploading: stream([[1]])) }
          let opened = Counter()
          let body = stream([[1, 2, 3], [4, 5, 6]], length: length, opened: opened)
          let error = await failure { try await manager.response(uploading: body) }
          let what = "kept \(isKept), length \(String(describing: length)), \(ending)"
          XCTAssertEqual(error?.reason, .connectionLost, what)
          XCTAssertTrue(
            error?.detail.contains("the server may have acted") == true, "\(what): \(error?.detail ?? "")")
          XCTAssertEqual(opened.value, 1, what)
          XCTAssertEqual(server.requests.count, isKept ? 2 : 1, what)
        }
      }
    }
  }

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

  func testEachResendCarriesTheWholeBody() async throws {
    let file = folder.appendingPathComponent("file")
    try Data([1, 2, 3]).write(to: file)
    for body in [
      HTTPBody.bytes([1, 2, 3]), .file(path: file.path), stream([[1, 2], [3]], isReplayable: true),
    ] {
      for first in [307, 308, 401, 503, 0] {
        let count = Counter()
        let again: @Sendable (ScriptedServer.Received) -> [UInt8] = { _ in
          count.next() == 0 && first > 0
            ? ScriptedServer.response(first, ["Location": "/api/again"], text: "")
            : ScriptedServer.response(text: "ok")
        }
        // Zero stands for a connection that is closed without a word.
        let server =
          first == 0
          ? try ScriptedServer(scripts: [[.readRequest, .close], [.readRequest, .response(again), .close]])
          : try ScriptedServer.serving(again)
        defer { server.stop() }
        let manager = manager(try server.url("/api"), attempts: 2)
        let authenticator = Authenticator(renewal: { _ in Credential(accessToken: "new") })
        try authenticator.signIn(with: Credential(accessToken: "old", refreshToken: "r"))
        manager.service.authenticator = authenticator
        _ = try await manager.response(uploading: body)
        XCTAssertEqual(server.requests.map(\.body), [[1, 2, 3], [1, 2, 3]], "after \(first)")
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

  func testAFileThatChangesBetweenItsAttemptsIsNotSentAgain() async throws {
    let file = path("file")
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: file))
    let server = try ScriptedServer.serving { _ in
      try? Data([4, 5, 6]).write(to: URL(fileURLWithPath: file))
      return ScriptedServer.response(503, [:], text: "")
    }
    defer { server.stop() }
    let manager = manager(try server.url("/api"), attempts: 3)
    let error = await failure { try await manager.response(uploading: .file(path: file)) }
    XCTAssertEqual(error?.reason, .unreadableBody)
    XCTAssertTrue(error?.detail.contains("not what it was") == true, error?.detail ?? "")
    XCTAssertEqual(server.requests.map(\.body), [[1, 2, 3]])
  }

  func testAFileThatChangesWhileItIsSentFailsByName() async throws {
    for (index, change)
      in ([{ $0 + [4] }, { Array($0.reversed()) }, { $0 }, { _ in nil }]
      as [@Sendable ([UInt8]) -> [UInt8]?]).enumerated()
    {
      let file = path("file\(index)")
      try Data([1, 2, 3]).write(to: URL(fileURLWithPath: file))
      let server = try ScriptedServer.serving { request in
        if let bytes = change(request.body) {
          // Another file has the name, even where it has the same bytes.
          try? Data(bytes).write(to: URL(fileURLWithPath: file), options: .atomic)
        } else {
          unlink(file)
        }
        return ScriptedServer.response(text: "ok")
      }
      defer { server.stop() }
      let manager = manager(try server.url("/api"))
      if index == 3 {
        // What was removed was sent as it was.
        _ = try await manager.response(uploading: .file(path: file))
      } else {
        let error = await failure { try await manager.response(uploading: .file(path: file)) }
        XCTAssertEqual(error?.reason, .unreadableBody)
        XCTAssertTrue(error?.detail.contains("was changed while it was sent") == true, error?.detail ?? "")
      }
      XCTAssertEqual(server.requests.count, 1)
    }
  }

  func testOneBodyAtATimeAndPausingEndsIt() async throws {
    let server = try ScriptedServer(.readHead, .waitForClose)
    defer { server.stop() }
    let manager = manager(try server.url("/api"))
    let delegate = UploadDelegate()
    manager.delegate = delegate
    XCTAssertNil(manager.upload(endless).refusal)
    XCTAssertEqual(manager.upload(.bytes([1])).refusal?.reason, .alreadyLoading)
    await waitUntil { server.requests.count == 1 }
    manager.pause()
    await waitUntil { !manager.isUploading }
    XCTAssertEqual(delegate.story.map { String($0.prefix(6)) }, ["paused"])
    let isIdle = await Task.detached { server.waitUntilIdle() }.value
    XCTAssertTrue(isIdle)
  }

  func testAFormGoesByPostAndBytesByPut() async throws {
    let answer = ScriptedServer.Step.text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let server = try ScriptedServer(scripts: [[.readRequest, answer, .readRequest, answer, .waitForClose]])
    defer { server.stop() }
    let manager = manager(try server.url("/api"))
    var form = MultipartForm()
    form.append("title", text: "a plan")
    _ = try await manager.response(uploading: .form(form))
    _ = try await manager.response(uploading: .bytes([1, 2]))
    XCTAssertEqual(server.requests.map(\.method), ["POST", "PUT"])
    XCTAssertTrue(
      server.requests[0].headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
  }

  func testACancelIsToldWithTheIDOfItsUpload() async throws {
    let server = try ScriptedServer(.readHead, .waitForClose)
    defer { server.stop() }
    let manager = manager(try server.url("/api"))
    let delegate = UploadDelegate()
    manager.delegate = delegate
    let flight = try XCTUnwrap(manager.upload(endless).flightID)
    await waitUntil { server.requests.count == 1 }
    manager.cancel()
    await waitUntil { !manager.isUploading }
    XCTAssertEqual(delegate.story, ["cancelled by-caller"])
    XCTAssertEqual(delegate.cancelled, [flight])
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

    func testABodyThatWasSentIsNotSentAgainForA417() async throws {
      for head in ["303 There\r\nLocation: /api/there", "417 No"] {
        let server = try ScriptedServer(
          scripts: [
            [
              .readHead, .text("HTTP/1.1 100 Continue\r\n\r\n"), .pause(.milliseconds(50)),
              .text("HTTP/1.1 \(head)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), .close,
            ],
            [.serve { ScriptedServer.response($0.method == "GET" ? 417 : 200) }],
          ])
        defer { server.stop() }
        let manager = manager(try server.url("/api"))
        manager.expectsContinue = true
        let opened = Counter()
        let body = stream([[1, 2]], length: 2, isReplayable: true, opened: opened)
        let error = await failure { try await manager.response(uploading: body) }
        XCTAssertEqual(error?.context.status, 417)
        XCTAssertEqual(opened.value, 1)
        XCTAssertEqual(server.requests.count { $0.method == "PUT" }, 1, head)
      }
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
}
