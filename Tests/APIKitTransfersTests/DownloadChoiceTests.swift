import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// What an application decides while a file is downloaded, what is left of one that failed, and how often it is saved.
@MainActor final class DownloadChoiceTests: XCTestCase {
  private lazy var folder = temporaryFolder()

  private var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }
  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  private func manager(_ server: ScriptedServer) throws -> ChoosingManager {
    ChoosingManager(
      TestService(HTTPClient(transport: DefaultTransport.shared), ServiceEnvironments(try server.url("/api")))
    )
  }

  private nonisolated static func head(_ fields: String, _ status: String = "200 OK") -> [UInt8] {
    Array("HTTP/1.1 \(status)\r\n\(fields)\r\n".utf8)
  }

  // MARK: What is left

  func testADownloadThatFailsBeforeItsFirstByteLeavesNothing() async throws {
    for response in ["HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n", "nonsense\r\n\r\n", ""] {
      let server = try ScriptedServer(.readRequest, .text(response), .close)
      defer { server.stop() }
      _ = await failure { try await self.manager(server).file(to: .file(self.path("a"))) }
      XCTAssertEqual(names, [], response)
    }
  }

  func testBytesThatCannotBeGoneOnWithAreNotLeft() async throws {
    // Neither an ETag nor a date: the next call begins anew, whatever is there.
    let server = try ScriptedServer(
      .readRequest, .write(Self.head("Content-Length: 10\r\n") + [1, 2, 3]), .close)
    defer { server.stop() }
    let manager = try manager(server)
    let error = await failure { try await manager.file(to: .file(self.path("a"))) }
    XCTAssertEqual(error?.reason, .truncatedBody)
    XCTAssertEqual(names, [])
  }

  // MARK: The place

  func testTheApplicationChoosesThePlaceAtTheResponseAndAResumedDownloadKeepsIt() async throws {
    let server = try ScriptedServer(scripts: [
      [
        .readRequest,
        .write(Self.head("Content-Length: 4\r\nETag: \"a\"\r\nContent-Type: text/x-note\r\n") + [1, 2]),
        .close,
      ],
      [
        .readRequest,
        .write(
          Self.head(
            "Content-Length: 2\r\nETag: \"a\"\r\nContent-Range: bytes 2-3/4\r\n", "206 Partial Content")
            + [3, 4]), .close,
      ],
    ])
    defer { server.stop() }
    let manager = try manager(server)
    var heads: [String?] = []
    let chosen = path("chosen")
    manager.onDestination = { response in
      heads.append(response.headers["Content-Type"])
      XCTAssertEqual(response.bytes, [])
      return .file(chosen)
    }
    _ = await failure { try await manager.file(to: .file(self.path("asked"))) }
    XCTAssertEqual(names, ["asked.apikit-part", "asked.apikit-part.journal"])
    // Another manager, as after a relaunch, is not asked again.
    let file = try await self.manager(server).file(to: .file(path("asked")))
    XCTAssertEqual(file.path, chosen)
    XCTAssertEqual(heads, ["text/x-note"])
    XCTAssertEqual(names, ["chosen"])
    XCTAssertEqual(FileManager.default.contents(atPath: chosen).map(Array.init), [1, 2, 3, 4])
  }

  func testAChosenPlaceThatCannotBeTakenEndsTheDownloadBeforeItsBytes() async throws {
    let chosen = path("chosen")
    for overwrites in [false, true] {
      if overwrites {
        try FileManager.default.createDirectory(atPath: chosen, withIntermediateDirectories: true)
      } else {
        XCTAssertTrue(FileManager.default.createFile(atPath: chosen, contents: nil))
      }
      let server = try ScriptedServer(
        .readRequest, .write(Self.head("Content-Length: 4\r\nETag: \"a\"\r\n") + [1, 2, 3, 4]), .close)
      defer { server.stop() }
      let manager = try manager(server)
      manager.onDestination = { _ in .file(chosen, overwrites: overwrites) }
      let error = await failure { try await manager.file(to: .file(self.path("asked"))) }
      XCTAssertEqual(error?.label, "response.file-failed")
      XCTAssertEqual(names, ["chosen"], "nothing was received")
      try FileManager.default.removeItem(atPath: chosen)
    }
  }

  func testACancelWhileThePlaceIsChosenIsReadBeforeAnythingElse() async throws {
    let server = try ScriptedServer(
      .readRequest, .write(Self.head("Content-Length: 4\r\nETag: \"a\"\r\n") + [1, 2, 3, 4]), .waitForClose)
    defer { server.stop() }
    let manager = try manager(server)
    let delegate = ChoiceDelegate()
    manager.delegate = delegate
    manager.onDestination = { [weak manager] _ in
      manager?.cancel()
      return nil
    }
    let error = await failure { try await manager.file(to: .file(self.path("a"))) }
    XCTAssertEqual(error?.reason, .cancelled)
    XCTAssertEqual(delegate.story, ["cancelled by-caller"])
    XCTAssertEqual(names, [])
  }

  func testNothingIsReportedAfterACancelInACallback() async throws {
    let server = try ScriptedServer(
      .readRequest,
      .write(Self.head("Content-Length: 9000\r\nETag: \"a\"\r\n") + [UInt8](repeating: 1, count: 8000)),
      .waitForClose)
    defer { server.stop() }
    let manager = try manager(server)
    let delegate = ChoiceDelegate()
    manager.delegate = delegate
    delegate.onReport = { [weak manager] in manager?.cancel() }
    let error = await failure { try await manager.file(to: .file(self.path("a"))) }
    XCTAssertEqual(error?.reason, .cancelled)
    // One report, of however much has come by then.
    XCTAssertEqual(delegate.story.count, 3, "\(delegate.story)")
    XCTAssertEqual(delegate.story.last, "cancelled by-caller")
    XCTAssertEqual(names, [])
  }

  func testAPlaceThatTheApplicationRefusesEndsTheDownload() async throws {
    let server = try ScriptedServer.serving { _ in Self.head("Content-Length: 1\r\n") + [1] }
    defer { server.stop() }
    let manager = try manager(server)
    manager.onDestination = { _ in throw ValidationError("no pictures") }
    let error = await failure { try await manager.file(to: .file(self.path("a"))) }
    XCTAssertEqual(error?.reason, .invalidResponse)
    XCTAssertEqual(error?.detail, "no pictures")
    XCTAssertEqual(names, [])
  }

  // MARK: Links

  func testALinkWhoseTimeIsOverIsRenewedAndTheDownloadGoesOn() async throws {
    let server = try ScriptedServer.serving { request in
      switch (request.target.contains("sign=new"), request.headers["Range"]) {
      case (false, nil): Self.head("Content-Length: 4\r\nETag: \"a\"\r\n") + [1, 2]
      case (false, _): Self.head("Content-Length: 0\r\n", "403 Expired")
      case (true, "bytes=2-"):
        Self.head("Content-Length: 2\r\nETag: \"a\"\r\nContent-Range: bytes 2-3/4\r\n", "206 Part") + [3, 4]
      case (true, _): Self.head("Content-Length: 0\r\n", "500 No")
      }
    }
    defer { server.stop() }
    let manager = try manager(server)
    manager.idle = .milliseconds(200)
    var renewals = 0
    manager.onRenewal = { parameters, error in
      XCTAssertEqual(error.context.status, 403)
      renewals += 1
      return parameters.merging(["sign": "new"])
    }
    _ = await failure { try await manager.file(["id": 1, "sign": "old"], to: .file(self.path("a"))) }
    // The signature is no part of what tells the file from others.
    let file = try await manager.file(["id": 1, "sign": "older"], to: .file(path("a")))
    XCTAssertEqual(FileManager.default.contents(atPath: file.path).map(Array.init), [1, 2, 3, 4])
    XCTAssertEqual(renewals, 1)
    XCTAssertEqual(
      server.requests.map(\.target),
      ["/api/files?id=1&sign=old", "/api/files?id=1&sign=older", "/api/files?id=1&sign=new"])
  }

  func testALinkThatIsRefusedAfterItsRenewalFailsTheDownload() async throws {
    let server = try ScriptedServer.serving { _ in Self.head("Content-Length: 0\r\n", "403 Expired") }
    defer { server.stop() }
    let manager = try manager(server)
    manager.onRenewal = { parameters, _ in parameters }
    let error = await failure { try await manager.file(to: .file(self.path("a"))) }
    XCTAssertEqual(error?.context.status, 403)
    XCTAssertEqual(server.requests.count, 2)
    XCTAssertEqual(names, [])
  }

  func testADownloadEndsWhileARenewalThatIgnoresItsCancellationIsWaitedFor() async throws {
    let server = try ScriptedServer.serving { _ in Self.head("Content-Length: 0\r\n", "403 Expired") }
    defer { server.stop() }
    let (manager, delegate) = (try manager(server), ChoiceDelegate())
    manager.delegate = delegate
    var renewals = 0
    var waiter: CheckedContinuation<Void, Never>?
    manager.onRenewal = { _, _ in
      renewals += 1
      await withCheckedContinuation { waiter = $0 }
      return nil
    }
    defer { waiter?.resume() }
    manager.download(to: .file(path("a")))
    await waitUntil { renewals == 1 }
    manager.cancel()
    await waitUntil { !manager.isDownloading }
    XCTAssertEqual(delegate.story, ["cancelled \(CancellationReason.byCaller)"])
    XCTAssertEqual(names, [])
  }

  // MARK: Digests

  func testTheStrongerDigestOfTheServerIsCompared() async throws {
    // RFC 9530: the SHA-512 of "hello", and a SHA-256 that is none of it.
    let right =
      "m3HSJL1i83hdltRq0+o9czGb+8KJDKra4t/3JRlnPKcjI8PZm6XBHXx6zG4UuMXaDEZjR1wuXDre9G9zvN7AQw=="
    let wrong = Base64.encode(Crypto.sha256([1]))
    for (digest, isRight) in [(right, true), (Base64.encode([UInt8](repeating: 7, count: 64)), false)] {
      let server = try ScriptedServer.serving { _ in
        Self.head("Content-Length: 5\r\nRepr-Digest: sha-256=:\(wrong):, sha-512=:\(digest):\r\n")
          + Array("hello".utf8)
      }
      defer { server.stop() }
      let manager = try manager(server)
      if isRight {
        let file = try await manager.file(to: .file(path("a"), overwrites: true))
        XCTAssertNil(file.sha256)
      } else {
        let error = await failure { try await manager.file(to: .file(self.path("b"))) }
        XCTAssertEqual(error?.reason, .digestMismatch)
        XCTAssertTrue(error?.detail.contains("SHA-512") == true, error?.detail ?? "")
      }
    }
    XCTAssertEqual(names, ["a"])
  }

  // MARK: Checkpoints

  func testACheckpointIsMadeAfter8MiBOrASecond() async throws {
    let time = ManualTime()
    let pipe = ChunkPipe(mark: .max, onDrain: {}, onCancel: {})
    var headers = HTTPHeaders()
    headers.add("ETag", "\"a\"")
    let response = APIResponse(
      raw: .missing, http: HTTPResponse(status: 200, headers: headers, body: .stream(pipe.stream)))
    let run = DownloadRun(
      to: .file(path("a")), identity: "x", sha256: nil, policy: .never, time: time,
      manager: DownloadRun.Manager { (_, _) async throws(APIError) in response })
    let result = Task { await run.perform { _ in } }
    let mebibyte = [UInt8](repeating: 1, count: 1 << 20)
    var size = 0
    func give(_ bytes: [UInt8]) async {
      _ = bytes.withUnsafeBytes { try? pipe.write($0) }
      size += bytes.count
      let expected = size
      if bytes.count < 1 << 20 {
        // What is less than a piece is written when 100 ms have passed.
        await waitUntil { time.sleeperCount == 1 }
        time.advance(by: .milliseconds(100))
      }
      await waitUntil { self.sizeOfPart == expected }
    }
    for _ in 0..<7 { await give(mebibyte) }
    XCTAssertEqual(journalOffset, 0, "less than 8 MiB and no time have passed")
    await give(mebibyte)
    await waitUntil { self.journalOffset == 8 << 20 }
    await give([1])
    XCTAssertEqual(journalOffset, 8 << 20)
    await waitUntil { time.sleeperCount == 1 }
    time.advance(by: .seconds(1))
    // A checkpoint that is due while the one before is being made begins at a later look, one in 100 ms.
    func waitForCheckpoint(at offset: Int64) async {
      await waitUntil {
        if self.journalOffset == offset { return true }
        time.advance(by: .milliseconds(100))
        return false
      }
    }
    await waitForCheckpoint(at: 8 << 20 + 1)
    for _ in 0..<8 { await give(mebibyte) }
    await waitForCheckpoint(at: 16 << 20 + 1)
    pipe.finish(.success(()))
    let file = try await result.value.0.get()
    XCTAssertEqual(file.count, 16 << 20 + 1)
  }

  private var sizeOfPart: Int? {
    (try? FileManager.default.attributesOfItem(atPath: path("a.apikit-part")))?[.size] as? Int
  }

  private var journalOffset: Int64? {
    PartialFile.progress(inJournal: path("a.apikit-part.journal"))?.received
  }
}

private final class ChoosingManager: BaseDownloadManager, DownloadManager {
  var service: TestService
  let apiName = "files"
  let volatileParameters: Set = ["sign"]
  var onDestination: (HTTPResponse) throws -> DownloadTarget? = { _ in nil }
  var onRenewal: (Parameters, APIError) async -> Parameters? = { _, _ in nil }

  init(_ service: TestService) { self.service = service }

  var idle: Duration? {
    get { service.timeouts.idle }
    set { service.timeouts.idle = newValue }
  }

  func destination(for response: HTTPResponse) throws -> DownloadTarget? { try onDestination(response) }

  func renewedParameters(_ parameters: Parameters, after error: APIError) async throws -> Parameters? {
    await onRenewal(parameters, error)
  }
}

@MainActor private final class ChoiceDelegate: DownloadManagerDelegate {
  var story: [String] = []
  var onReport: () -> Void = {}

  func manager(_ manager: BaseDownloadManager, didSucceedWith file: DownloadedFile) {
    story.append("finished")
  }
  func manager(_ manager: BaseDownloadManager, didFailWith error: APIError) { story.append("failed") }
  func manager(_ manager: BaseDownloadManager, didBeginAt offset: Int64, of total: Int64?) {
    story.append("began \(offset)")
  }
  func manager(_ manager: BaseDownloadManager, didProgress progress: TransferProgress) {
    story.append("\(progress.received)")
    onReport()
  }
  func manager(_ manager: BaseDownloadManager, didPauseAt offset: Int64, of total: Int64?) {
    story.append("paused at \(offset)")
  }
  func manager(
    _ manager: BaseDownloadManager, didCancel flight: FlightID, because reason: CancellationReason
  ) {
    story.append("cancelled \(reason)")
  }
}
