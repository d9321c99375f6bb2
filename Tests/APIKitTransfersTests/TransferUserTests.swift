import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Whose downloads and uploads are: fixed when they begin, compared until they end, and part of what is left of them.
@MainActor final class TransferUserTests: UploadCase {
  private let content = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
  private let authenticator = Authenticator()

  private func signIn(_ user: String, token: String? = nil) throws {
    try authenticator.signIn(
      with: Credential(accessToken: token ?? "token of \(user)", notes: ["user": user]))
  }

  private func downloads(_ server: ScriptedServer, attempts: Int = 1) throws -> OwnDownloads {
    var service = TestService(
      HTTPClient(transport: DefaultTransport.shared), ServiceEnvironments(try server.url("/api")))
    service.retryPolicy = RetryPolicy(attempts: attempts)
    service.retryPolicy.backoff = .constant(.zero)
    service.authenticator = authenticator
    return OwnDownloads(service)
  }

  private func tus(_ server: ScriptedServer) throws -> SendingManager {
    let manager = manager(try server.url("/api"), attempts: 3)
    manager.service.authenticator = authenticator
    manager.apiName = "tus"
    var options = TusOptions()
    options.journalFolder = path("journals")
    options.partBytes = 500
    manager.uploadProtocol = .tus(options)
    return manager
  }

  /// The head of the file, from a byte on.
  private nonisolated static func head(_ first: Int, _ count: Int, etag: String = "\"a\"") -> String {
    let range = first > 0 ? "Content-Range: bytes \(first)-\(count - 1)/\(count)\r\n" : ""
    return "HTTP/1.1 \(first > 0 ? "206 Partial" : "200 OK")\r\n\(range)"
      + "Content-Length: \(count - first)\r\nETag: \(etag)\r\n\r\n"
  }

  /// A file whose bodies break off after 300 bytes.
  private func breaking() throws -> ScriptedServer {
    let content = content
    return try ScriptedServer(
      .readRequest,
      .response { request in
        let first = request.headers["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
        return Array(Self.head(first, 1000).utf8) + content[first..<min(1000, first + 300)]
      }, .close)
  }

  func testADownloadIsNotGoneOnWithAsAnotherUser() async throws {
    try signIn("ann")
    let latch = Latch()
    let server = try ScriptedServer(scripts: [
      [.readRequest, .write(Array(Self.head(0, 1000).utf8) + content[..<300]), .wait(latch), .close],
      [.readRequest, .write(Array(Self.head(300, 1000).utf8) + content[300...]), .close],
    ])
    defer { server.stop() }
    let manager = try downloads(server, attempts: 3)
    let delegate = BeginningDelegate { [authenticator] in
      try? authenticator.signOut()
      try? self.signIn("bob")
      latch.open()
    }
    manager.delegate = delegate
    let error = await failure { try await manager.file(to: .file(self.path("a"))) }
    XCTAssertEqual(error?.reason, .signedOut)
    XCTAssertEqual(server.requests.map { $0.headers["Authorization"] }, ["Bearer token of ann"])
    XCTAssertFalse(FileManager.default.fileExists(atPath: path("a")))
  }

  func testAFileIsNotHandedOverAfterItsUserHasLeft() async throws {
    try signIn("ann")
    let latch = Latch()
    let server = try ScriptedServer(
      .readRequest, .text(Self.head(0, 1000)), .wait(latch), .write(content), .close)
    defer { server.stop() }
    let manager = try downloads(server)
    let delegate = BeginningDelegate { [authenticator] in
      try? authenticator.signOut()
      latch.open()
    }
    manager.delegate = delegate
    let error = await failure { try await manager.file(to: .file(self.path("a"))) }
    XCTAssertEqual(error?.reason, .signedOut)
    XCTAssertFalse(FileManager.default.fileExists(atPath: path("a")))
  }

  func testAPartialFileIsGoneOnWithForItsUserOnly() async throws {
    let server = try breaking()
    defer { server.stop() }
    for (user, token, range) in [
      ("ann", "one", nil), ("ann", "two", "bytes=300-"), ("bob", "three", nil), ("ann", "two", nil),
    ] as [(String, String, String?)] {
      try signIn(user, token: token)
      _ = await failure { try await self.downloads(server).file(to: .file(self.path("a"))) }
      XCTAssertEqual(server.requests.last?.headers["Range"], range, "\(user) \(token)")
    }
    // One whose credential names nobody: only the same credential is the same user.
    for (token, range) in [("x", nil), ("x", "bytes=300-"), ("y", nil)] as [(String, String?)] {
      try authenticator.signIn(with: Credential(accessToken: token))
      _ = await failure { try await self.downloads(server).file(to: .file(self.path("b"))) }
      XCTAssertEqual(server.requests.last?.headers["Range"], range, token)
    }
  }

  func testACompleteFileThatWasLeftIsConfirmedByTheServer() async throws {
    let content = content
    let new = [UInt8](repeating: 7, count: 500)
    for (status, expected) in [(206, content), (200, new), (403, nil)] as [(Int, [UInt8]?)] {
      let server = try ScriptedServer.serving { request in
        switch status {
        case 206: Array(Self.head(999, 1000).utf8) + content[999...]
        case 200: Array(Self.head(0, 500, etag: "\"b\"").utf8) + new
        default: ScriptedServer.response(status)
        }
      }
      defer { server.stop() }
      let manager = try downloads(server)
      let target = path("\(status)")
      try Data(content).write(to: URL(fileURLWithPath: target + PartialFile.ending))
      try PartialFile(for: target, identity: try manager.identity([:], TransferTerms())).checkpoint(
        DownloadState(offset: 1000, total: 1000, etag: "\"a\""))
      var error: APIError?
      do throws(APIError) { _ = try await manager.file(to: .file(target)) } catch let failure {
        error = failure
      }
      XCTAssertEqual(error?.context.status, expected == nil ? status : nil)
      XCTAssertEqual(server.requests.map { $0.headers["Range"] }, ["bytes=999-"])
      XCTAssertEqual(server.requests.first?.headers["If-Range"], "\"a\"")
      XCTAssertEqual(FileManager.default.contents(atPath: target).map(Array.init), expected)
    }
  }

  /// A tus server, which fails with 500 what has this token in its request.
  private func tusServer(refusing token: String? = nil) throws -> ScriptedServer {
    let count = Counter()
    return try .serving { request in
      switch request.method {
      case "POST": return ScriptedServer.response(201, ["Location": "/api/tus/\(count.next())"])
      case "HEAD": return ScriptedServer.response(200, ["Upload-Offset": "500"])
      default:
        if let token, request.headers["Authorization"] == "Bearer \(token)" {
          return ScriptedServer.response(500)
        }
        let offset = Int(request.headers["Upload-Offset"] ?? "") ?? 0
        return ScriptedServer.response(204, ["Upload-Offset": "\(offset + request.body.count)"])
      }
    }
  }

  func testAnUploadInPartsIsThatOfOneUser() async throws {
    try signIn("ann")
    let server = try tusServer()
    defer { server.stop() }
    let (authenticator, count) = (authenticator, Counter())
    // The third chunk is read once the first part has been sent, and belongs to the second.
    let body = HTTPBody.stream(
      HTTPBodyStream {
        {
          let number = count.next()
          if number == 2 {
            try authenticator.signOut()
            try authenticator.signIn(with: Credential(accessToken: "token of bob", notes: ["user": "bob"]))
          }
          return number < 4 ? [UInt8](repeating: 1, count: 500) : nil
        }
      })
    let error = await failure { try await self.tus(server).response(uploading: body) }
    XCTAssertEqual(error?.reason, .signedOut)
    XCTAssertEqual(server.requests.map(\.method), ["POST", "PATCH"])
    XCTAssertEqual(Set(server.requests.map { $0.headers["Authorization"] }), ["Bearer token of ann"])
  }

  func testTheJournalOfAnUploadIsOfItsUserOnly() async throws {
    try signIn("ann")
    let server = try tusServer(refusing: "token of ann")
    defer { server.stop() }
    let first = try tus(server)
    first.policy = .never
    _ = await failure { try await first.response(uploading: .bytes(self.content)) }
    XCTAssertEqual(server.requests.map(\.method), ["POST", "PATCH"])
    // Another user of the same content has another upload.
    try signIn("bob")
    _ = try await tus(server).response(uploading: .bytes(content))
    XCTAssertEqual(server.requests[2...].map(\.method), ["POST", "PATCH", "PATCH"])
    // The same user goes on, with another credential too.
    try signIn("ann", token: "new")
    _ = try await tus(server).response(uploading: .bytes(content))
    XCTAssertEqual(server.requests[5...].map(\.method), ["HEAD", "PATCH"])
    XCTAssertEqual(server.requests[5].target, "/api/tus/0")
  }

  func testATransferThatWaitsForASignInKeepsTheFirstUserWhoSignsIn() async throws {
    let server = try breaking()
    defer { server.stop() }
    let manager = try downloads(server, attempts: 3)
    manager.signIn = .required
    var isFirst = true
    let delegate = BeginningDelegate { [authenticator] in
      guard isFirst else { return }
      isFirst = false
      try? authenticator.signOut()
      try? self.signIn("bob")
    }
    manager.delegate = delegate
    let task = Task { await failure { try await manager.file(to: .file(self.path("a"))) } }
    await waitUntil { self.authenticator.waiterCount == 1 }
    try signIn("ann")
    let error = await task.value
    XCTAssertEqual(error?.reason, .signedOut)
    XCTAssertEqual(Set(server.requests.map { $0.headers["Authorization"] }), ["Bearer token of ann"])
  }

  func testASignOutEndsTheWaitForAnotherAttemptAtOnce() async throws {
    try signIn("ann")
    // Without progress: only such a failure is waited behind.
    let server = try ScriptedServer(.readRequest, .text(Self.head(0, 1000)), .close)
    let refusing = try tusServer(refusing: "token of ann")
    defer {
      server.stop()
      refusing.stop()
    }
    let manager = try downloads(server, attempts: 3)
    manager.service.retryPolicy.backoff = .constant(.seconds(40))
    let upload = try tus(refusing)
    upload.policy = RetryPolicy(attempts: 3)
    upload.policy?.backoff = .constant(.seconds(40))
    let start = ContinuousClock.now
    let download = Task { await failure { try await manager.file(to: .file(self.path("a"))) } }
    let sent = Task { await failure { try await upload.response(uploading: .bytes(self.content)) } }
    await waitUntil { server.requests.count == 1 && refusing.requests.count == 2 }
    try await Task.sleep(for: .milliseconds(200))
    try authenticator.signOut()
    let errors = [await download.value, await sent.value]
    XCTAssertEqual(errors.map { $0?.reason }, [.signedOut, .signedOut])
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(10))
    XCTAssertEqual(server.requests.count, 1)
    XCTAssertEqual(refusing.requests.count, 2)
  }
}

@MainActor private final class OwnDownloads: BaseDownloadManager, DownloadManager {
  var service: TestService
  let apiName = "files"
  var signIn = SignInRule.asAvailable
  init(_ service: TestService) { self.service = service }
}

@MainActor private final class BeginningDelegate: DownloadManagerDelegate {
  private let onBegin: () -> Void
  init(_ onBegin: @escaping () -> Void) { self.onBegin = onBegin }
  func manager(_ manager: BaseDownloadManager, didSucceedWith file: DownloadedFile) {}
  func manager(_ manager: BaseDownloadManager, didFailWith error: APIError) {}
  func manager(_ manager: BaseDownloadManager, didBeginAt offset: Int64, of total: Int64?) { onBegin() }
}
