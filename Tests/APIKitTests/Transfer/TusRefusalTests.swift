import APIKitTesting
import Foundation
import Synchronization
import XCTest

@testable import APIKit

/// Uploads by tus against servers that refuse a part: the whole manager, and not the machine alone.
@MainActor final class TusRefusalTests: UploadCase {
  private let content = (0..<100).map { UInt8($0) }

  private func tus(
    _ server: ScriptedServer, attempts: Int = 1, change: (inout TusOptions) -> Void = { _ in }
  ) throws -> SendingManager {
    let manager = manager(try server.url("/api"), attempts: attempts)
    manager.apiName = "tus"
    var options = TusOptions()
    options.journalFolder = path("journals")
    change(&options)
    manager.uploadProtocol = .tus(options)
    return manager
  }

  private var journals: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path("journals"))) ?? []).sorted()
  }

  /// A server that creates an upload, and responds to the other requests in this order; to those after them, with the last.
  private func server(
    _ responses: [(Int, HTTPHeaders)], onRequest: @escaping @Sendable () -> Void = {}
  ) throws -> ScriptedServer {
    let count = Counter()
    return try .serving { request in
      onRequest()
      if request.method == "POST" { return ScriptedServer.response(201, ["Location": "/api/tus/1"]) }
      let (status, headers) = responses[min(count.next(), responses.count - 1)]
      return ScriptedServer.response(status, headers)
    }
  }

  private func sent(_ server: ScriptedServer) -> [String] {
    server.requests.map { request in
      request.method + (request.headers["Upload-Offset"].map { " \($0)" } ?? "")
        + (request.method == "PATCH" ? "+\(request.body.count)" : "")
    }
  }

  func testALockedUploadIsWaitedForAndGoesOn() async throws {
    let times = Times()
    let server = try server(
      [
        (204, ["Upload-Offset": "40"]), (423, [:]), (423, [:]), (200, ["Upload-Offset": "40"]),
        (204, ["Upload-Offset": "80"]), (204, ["Upload-Offset": "100"]),
      ], onRequest: { times.note() })
    defer { server.stop() }
    // A policy that never tries again: it is the server that asks for it.
    let manager = try tus(server) { $0.partBytes = 40 }
    manager.service.retryPolicy.backoff = .constant(.milliseconds(40))
    let delegate = UploadDelegate()
    manager.delegate = delegate
    let response = try await manager.response(uploading: .bytes(content))
    XCTAssertEqual(response.status, 204)
    XCTAssertEqual(
      sent(server), ["POST", "PATCH 0+40", "PATCH 40+40", "HEAD", "HEAD", "PATCH 40+40", "PATCH 80+20"])
    XCTAssertEqual(server.requests[5].body, Array(content[40..<80]))
    let waits = times.between
    XCTAssertGreaterThanOrEqual(waits[2], .milliseconds(40), "after the locked part")
    XCTAssertGreaterThanOrEqual(waits[3], .milliseconds(40), "while it is locked")
    XCTAssertEqual(delegate.story, ["finished 204"])
    XCTAssertEqual(journals, [])
  }

  func testALockedUploadIsWaitedForAsLongAsTheServerAsks() async throws {
    let times = Times()
    let server = try server(
      [(423, ["Retry-After": "1"]), (200, ["Upload-Offset": "0"]), (204, ["Upload-Offset": "100"])],
      onRequest: { times.note() })
    defer { server.stop() }
    let manager = try tus(server)
    manager.service.retryPolicy.backoff = .constant(.milliseconds(1))
    _ = try await manager.response(uploading: .bytes(content))
    XCTAssertEqual(sent(server), ["POST", "PATCH 0+100", "HEAD", "PATCH 0+100"])
    XCTAssertGreaterThanOrEqual(times.between[1], .seconds(1))
  }

  func testALockThatLastsLongerThanThePolicyWaitsEndsTheUpload() async throws {
    let server = try server([(423, ["Retry-After": "3600"])])
    defer { server.stop() }
    let manager = try tus(server)
    manager.service.retryPolicy.longestWait = .seconds(60)
    let error = await failure { try await manager.response(uploading: .bytes(self.content)) }
    XCTAssertEqual(error?.context.status, 423)
    XCTAssertEqual(sent(server), ["POST", "PATCH 0+100"])
    XCTAssertFalse(journals.isEmpty, "the next call goes on with it")
  }

  func testAnUploadThatStaysLockedEndsAndCanGoOnLater() async throws {
    let server = try server([(423, [:])])
    defer { server.stop() }
    let manager = try tus(server)
    let error = await failure { try await manager.response(uploading: .bytes(self.content)) }
    XCTAssertEqual(error?.reason, .truncatedBody)
    XCTAssertTrue(error?.detail.contains("after 10 attempts") == true, error?.detail ?? "")
    XCTAssertEqual(sent(server), ["POST", "PATCH 0+100"] + Array(repeating: "HEAD", count: 10))
    XCTAssertFalse(journals.isEmpty, "the next call goes on with it")
  }

  func testAfterAConflictWhatTheServerHasCounts() async throws {
    let server = try server([
      (409, [:]), (200, ["Upload-Offset": "30", "Upload-Length": "100"]), (204, ["Upload-Offset": "100"]),
    ])
    defer { server.stop() }
    _ = try await tus(server).response(uploading: .bytes(content))
    XCTAssertEqual(sent(server), ["POST", "PATCH 0+100", "HEAD", "PATCH 30+70"])
    XCTAssertEqual(server.requests[3].body, Array(content[30...]))
    XCTAssertEqual(journals, [])
  }

  func testAPartThatArrivedDamagedIsSentAgainWithItsDigest() async throws {
    let server = try server([(460, [:]), (200, ["Upload-Offset": "0"]), (204, ["Upload-Offset": "100"])])
    defer { server.stop() }
    _ = try await tus(server) { $0.sendsChecksums = true }.response(uploading: .bytes(content))
    XCTAssertEqual(sent(server), ["POST", "PATCH 0+100", "HEAD", "PATCH 0+100"])
    let digest = "sha1 " + Base64.encode(try XCTUnwrap(Crypto.sha1(content)))
    XCTAssertEqual(server.requests[1].headers["Upload-Checksum"], digest)
    XCTAssertEqual(server.requests[3].headers["Upload-Checksum"], digest)
  }

  func testAServerOfAnotherVersionIsNamedAndNotAskedAgain() async throws {
    let server = try server([(412, ["Tus-Version": "0.2.2"])])
    defer { server.stop() }
    let manager = try tus(server, attempts: 3)
    let error = await failure { try await manager.response(uploading: .bytes(self.content)) }
    XCTAssertEqual(error?.reason, .unacceptableStatus)
    XCTAssertTrue(error?.detail.contains("it knows 0.2.2") == true, error?.detail ?? "")
    XCTAssertEqual(sent(server), ["POST", "PATCH 0+100"])
    XCTAssertFalse(journals.isEmpty)
  }

  func testAnUploadThatVanishesBeforeItsLastByteStartsOver() async throws {
    let server = try server([
      (204, ["Upload-Offset": "40"]), (404, [:]), (204, ["Upload-Offset": "40"]),
      (204, ["Upload-Offset": "80"]), (204, ["Upload-Offset": "100"]),
    ])
    defer { server.stop() }
    _ = try await tus(server) { $0.partBytes = 40 }.response(uploading: .bytes(content))
    XCTAssertEqual(
      sent(server),
      ["POST", "PATCH 0+40", "PATCH 40+40", "POST", "PATCH 0+40", "PATCH 40+40", "PATCH 80+20"])
    XCTAssertEqual(server.requests[4].body, Array(content[..<40]))
  }

  func testAnUploadThatVanishesAfterItsLastByteIsNotMadeTwice() async throws {
    // The server says so at once; or the response to the last part is lost, and the question after it is refused.
    let created = ScriptedServer.Step.response { _ in ScriptedServer.response(201, ["Location": "/api/tus/1"])
    }
    let gone = ScriptedServer.Step.serve { _ in ScriptedServer.response(404) }
    let servers = [
      (try ScriptedServer(.readRequest, created, gone), ["POST", "PATCH 0+100"]),
      (
        try ScriptedServer(scripts: [[.readRequest, created, .readRequest, .reset], [gone]]),
        ["POST", "PATCH 0+100", "HEAD"]
      ),
    ]
    for (server, expected) in servers {
      defer { server.stop() }
      let manager = try tus(server, attempts: 3)
      let error = await failure { try await manager.response(uploading: .bytes(self.content)) }
      XCTAssertEqual(error?.reason, .uploadVanished)
      XCTAssertTrue(error?.detail.contains("after its last byte was sent") == true, error?.detail ?? "")
      XCTAssertEqual(sent(server), expected, "nothing was created again")
      XCTAssertEqual(journals, [])
    }
  }
}

/// When requests came.
private final class Times: Sendable {
  private let times = Mutex<[ContinuousClock.Instant]>([])

  func note() { times.withLock { $0.append(.now) } }
  var between: [Duration] { times.withLock { times in zip(times.dropFirst(), times).map { $0 - $1 } } }
}
