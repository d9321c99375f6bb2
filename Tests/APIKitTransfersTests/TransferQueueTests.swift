import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Downloads that outlive the process: kept, carried out by whoever runs the queue, gone on with, told about.
@MainActor final class TransferQueueTests: TransferQueueCase {
  /// A server of one file whose first body breaks off after half of it.
  private func halving(_ content: [UInt8]) throws -> ScriptedServer {
    try ScriptedServer(
      .readRequest,
      .response { request in
        let first = request.headers["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
        let head =
          first == 0
          ? "HTTP/1.1 200 OK\r\n"
          : "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes \(first)-\(content.count - 1)/\(content.count)\r\n"
        let end = first == 0 ? content.count / 2 : content.count
        return Array("\(head)Content-Length: \(content.count - first)\r\nETag: \"a\"\r\n\r\n".utf8)
          + content[first..<end]
      }, .close)
  }

  func testAnotherQueueGoesOnWithTheDownloadThatOneHasBegun() async throws {
    let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let server = try halving(content)
    defer { server.stop() }
    let service = try service(server)
    let first = queue(service)
    let id = try await first.enqueue(KeptDownloads(service), ["id": 7], to: .file(path("a")))
    var listed = try await first.transfers()
    XCTAssertEqual(listed.map(\.id), [id])
    XCTAssertEqual(listed.map(\.state), [.waiting])
    XCTAssertEqual(listed.first?.kind, .download(to: .file(path("a"))))
    XCTAssertEqual(listed.first?.parameters, ["id": 7])
    XCTAssertEqual(server.requests.count, 0, "it was not started")
    first.start()
    // The first attempt breaks off at half of the file.
    try await turn { try await first.transfers().first?.attempts == 1 }
    await first.stop()
    let (second, delegate) = (queue(service), TransferRecorder())
    listed = try await second.transfers()
    XCTAssertEqual(listed.first?.progress.received, 100_000, "what its journal says")
    XCTAssertEqual(listed.first?.progress.totalToReceive, 200_000)
    let manager = KeptDownloads(service)
    manager.delegate = delegate
    second.attach(manager)
    second.start()
    try await turn { delegate.story.last == "finished \(path("a"))" }
    XCTAssertEqual(server.requests.map { $0.headers["Range"] }, [nil, "bytes=100000-"])
    XCTAssertTrue(bytes("a") == content)
    listed = try await second.transfers()
    XCTAssertEqual(listed, [])
  }

  func testADigestOfTheWrongShapeIsNotKept() async throws {
    let server = try ScriptedServer.serving { _ in ScriptedServer.response(200, [:], [1, 2]) }
    defer { server.stop() }
    let service = try service(server)
    let queue = queue(service)
    let error = await failure {
      try await queue.enqueue(KeptDownloads(service), to: .file(self.path("a")), sha256: "ab")
    }
    XCTAssertEqual(error?.reason, .invalidParameters)
    let listed = try await queue.transfers()
    XCTAssertEqual(listed, [])
  }

  /// Lets a download end in a launch whose queue has no manager attached.
  private func endUntold(_ service: TestService) async throws {
    let queue = queue(service)
    try await queue.enqueue(KeptDownloads(service), to: .file(path("a")))
    queue.start()
    try await turn { try await queue.transfers().isEmpty }
    await queue.stop()
  }

  func testALandingReachesTheManagerThatIsAttachedAfterARelaunch() async throws {
    let server = try ScriptedServer.serving { _ in ScriptedServer.response(200, ["ETag": "\"a\""], [1, 2]) }
    defer { server.stop() }
    let service = try service(server)
    try await endUntold(service)
    let (second, delegate) = (queue(service), TransferRecorder())
    let manager = KeptDownloads(service)
    manager.delegate = delegate
    second.attach(manager)
    try await turn { !delegate.story.isEmpty }
    XCTAssertEqual(delegate.story, ["finished \(path("a"))"])
    second.attach(manager)
    await landingsWorkedOff()
    XCTAssertEqual(delegate.story.count, 1, "once")
  }

  func testALandingThatIsDamagedOnTheDiskIsToldAsSuch() async throws {
    let server = try ScriptedServer.serving { _ in ScriptedServer.response(200, ["ETag": "\"a\""], [1, 2]) }
    defer { server.stop() }
    let service = try service(server)
    try await endUntold(service)
    let database = try SQLiteDatabase(path: path("queue/queue.sqlite"), patience: 1000)
    try database.execute("UPDATE landings SET payload = x'00'")
    let (second, delegate) = (queue(service), TransferRecorder())
    let manager = KeptDownloads(service)
    manager.delegate = delegate
    second.attach(manager)
    try await turn { !delegate.story.isEmpty }
    XCTAssertEqual(delegate.story, ["failed outbox-unusable"])
  }

  func testTwoDownloadsToOnePlaceGoOneAfterTheOther() async throws {
    let server = try ScriptedServer.serving { request in
      ScriptedServer.response(200, ["ETag": "\"a\""], Array(request.target.utf8))
    }
    defer { server.stop() }
    let service = try service(server)
    let queue = queue(service)
    for id in [1, 2] {
      try await queue.enqueue(KeptDownloads(service), ["id": id], to: .file(path("a"), overwrites: true))
    }
    queue.start()
    try await turn { try await queue.transfers().isEmpty }
    XCTAssertEqual(bytes("a"), Array("/api/files?id=2".utf8))
  }

  func testWhatFailsForGoodIsParkedAndGoesOnWhenItIsRetried() async throws {
    let count = Counter()
    let server = try ScriptedServer.serving { _ in
      count.next() == 0
        ? ScriptedServer.response(403, [:], []) : ScriptedServer.response(200, ["ETag": "\"a\""], [1])
    }
    defer { server.stop() }
    let service = try service(server)
    let (queue, delegate) = (queue(service), TransferRecorder())
    queue.delegate = delegate
    let id = try await queue.enqueue(KeptDownloads(service), to: .file(path("a")))
    queue.start()
    await queue.finish()
    XCTAssertEqual(delegate.story, ["\(id) failed unacceptable-status"])
    let listed = try await queue.transfers()
    guard case .parked(let why)? = listed.first?.state else { return XCTFail("\(listed)") }
    XCTAssertTrue(why.contains("403"), why)
    try await queue.retry(id)
    await queue.finish()
    XCTAssertEqual(bytes("a"), [1])
    XCTAssertEqual(delegate.story.last, "\(id) downloaded 1")
  }

  func testATransferThatIsGivenUpLeavesNoPartialFile() async throws {
    let server = try ScriptedServer(
      .readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\nETag: \"a\"\r\n\r\n123"), .waitForClose)
    defer { server.stop() }
    let service = try service(server)
    let queue = queue(service)
    let id = try await queue.enqueue(KeptDownloads(service), to: .file(path("a")))
    queue.start()
    try await turn { self.bytes("a.apikit-part")?.count == 3 }
    try await queue.drop(id)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("a") }
    XCTAssertEqual(left, [])
    let listed = try await queue.transfers()
    XCTAssertEqual(listed, [])
  }

  func testAnUnknownTypeParksAndOneThatIsNotRegisteredIsRefused() async throws {
    let server = try ScriptedServer.serving { _ in [] }
    defer { server.stop() }
    let service = try service(server)
    let empty = queue(service, knows: false)
    let error = await failure { try await empty.enqueue(KeptDownloads(service), to: .file(self.path("a"))) }
    XCTAssertEqual(error?.reason, .misconfigured)
    XCTAssertTrue(error?.detail.contains("register(KeptDownloads.self)") == true, error?.detail ?? "")
    try await queue(service).enqueue(KeptDownloads(service), to: .file(path("a")))
    empty.start()
    await empty.finish()
    let listed = try await empty.transfers()
    guard case .parked(let why)? = listed.first?.state else { return XCTFail("\(listed)") }
    XCTAssertTrue(why.contains("does not know the manager type KeptDownloads"), why)
  }

  // MARK: Users and environments

  func testATransferIsOfItsEnvironmentAndUserAndGoesWithWhoSignsOut() async throws {
    let server = try ScriptedServer(
      .readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\nETag: \"a\"\r\n\r\n123"), .waitForClose)
    defer { server.stop() }
    var service = try service(server)
    service.environments = ServiceEnvironments([
      .release: "https://homes.test/", "staging": try server.url("/staging"),
    ])
    service.environments.current = "staging"
    let authenticator = Authenticator()
    service.authenticator = authenticator
    try authenticator.signIn(with: Credential(accessToken: "token of ann", notes: ["user": "ann"]))
    let (queue, delegate) = (queue(service), TransferRecorder())
    queue.delegate = delegate
    try await queue.enqueue(KeptDownloads(service), to: .file(path("a")))
    service.environments.current = .release
    queue.start()
    try await turn { self.bytes("a.apikit-part")?.count == 3 }
    XCTAssertEqual(server.requests.map(\.target), ["/staging/files"])
    XCTAssertEqual(server.requests.first?.headers["Authorization"], "Bearer token of ann")
    try authenticator.signOut()
    try await turn { try await queue.transfers().isEmpty }
    try await turn { delegate.story.last == "1 failed cancelled" }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("a") }
    XCTAssertEqual(left, [], "the partial file is the user's, too")
  }

  // MARK: Contents

  func testTheContentOfATransferIsReadAsItWasWritten() {
    let kinds: [KeptTransfer.TransferKind] = [
      .download(to: .file("/a/ä", overwrites: true), sha256: "00"), .download(to: .folder("/b"), sha256: nil),
      .upload(path: "/c", offset: 9, fingerprint: "f"), .spooledUpload(contentType: "text/plain"),
    ]
    for kind in kinds {
      var kept = KeptTransfer(kind)
      (kept.key, kept.service, kept.environment, kept.apiName) = ("k", "Homes", "staging", "files/{id}")
      (kept.parameters, kept.journal, kept.count) = (["id": 7], "/j", 12)
      let bytes = kept.enveloped
      XCTAssertEqual(KeptTransfer(enveloped: bytes), kept)
      for count in 0..<bytes.count { XCTAssertNil(KeptTransfer(enveloped: Array(bytes[..<count]))) }
      for index in bytes.indices {
        var damaged = bytes
        damaged[index] ^= 0xFF
        _ = KeptTransfer(enveloped: damaged)
      }
    }
  }
}
