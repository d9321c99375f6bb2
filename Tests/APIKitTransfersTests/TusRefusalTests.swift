import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

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

  func testACreationThatBrokeOffIsRepeatedWithItsIdempotencyKey() async throws {
    let count = Counter()
    let server = try ScriptedServer.serving { request in
      guard request.method == "POST" else {
        let offset = (Int(request.headers["Upload-Offset"] ?? "0") ?? 0) + request.body.count
        return ScriptedServer.response(204, ["Upload-Offset": "\(offset)"])
      }
      return count.next() == 0
        ? ScriptedServer.response(503) : ScriptedServer.response(201, ["Location": "/api/tus/1"])
    }
    defer { server.stop() }
    let manager = try tus(server, attempts: 2)
    manager.service.retryPolicy.idempotencyKeyField = "Idempotency-Key"
    _ = try await manager.response(uploading: .bytes(content))
    XCTAssertEqual(server.requests.map(\.method), ["POST", "POST", "PATCH"])
    let keys = server.requests.map { $0.headers["Idempotency-Key"] }
    XCTAssertNotNil(keys[0])
    XCTAssertEqual(keys, [keys[0], keys[0], nil])
  }

  func testALocationThatIsTheEndpointItselfIsNoUpload() async throws {
    for location in ["", "#part", "?", "/api/tus", "tus"] {
      let server = try ScriptedServer.serving { request in
        ScriptedServer.response(request.method == "POST" ? 201 : 500, ["Location": location])
      }
      defer { server.stop() }
      let manager = try tus(server)
      let error = await failure { try await manager.response(uploading: .bytes(content)) }
      XCTAssertEqual(error?.reason, .malformedResponse, location)
      XCTAssertEqual(
        server.requests.map(\.method), ["POST"], "\(location): nothing more goes to the endpoint")
      XCTAssertEqual(journals, [], location)
    }
  }

  func testAnUploadThatWasNeverCreatedLeavesNoFile() async throws {
    let server = try ScriptedServer.serving { _ in ScriptedServer.response(503) }
    defer { server.stop() }
    let manager = try tus(server)
    let error = await failure { try await manager.response(uploading: .bytes(content)) }
    XCTAssertEqual(error?.context.status, 503)
    XCTAssertEqual(journals, [])
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
      XCTAssertTrue(error?.detail.contains("its last byte may have been sent") == true, error?.detail ?? "")
      XCTAssertEqual(sent(server), expected, "nothing was created again")
      XCTAssertEqual(journals, [])
    }
  }

  func testEveryPartOfAFileHasItsChecksum() async throws {
    try Data(content).write(to: URL(fileURLWithPath: path("file")))
    for (part, parts) in [(40, ["PATCH 0+40", "PATCH 40+40", "PATCH 80+20"]), (nil, ["PATCH 0+100"])]
      as [(
        Int64?, [String]
      )]
    {
      let server = try server(
        (part == nil ? [100] : [40, 80, 100]).map { (204, ["Upload-Offset": "\($0)"]) })
      defer { server.stop() }
      let manager = try tus(server) {
        $0.partBytes = part
        $0.sendsChecksums = true
      }
      _ = try await manager.response(uploading: .file(path: path("file")))
      XCTAssertEqual(sent(server), ["POST"] + parts)
      for request in server.requests.dropFirst() {
        let digest = "sha1 " + Base64.encode(try XCTUnwrap(Crypto.sha1(request.body)))
        XCTAssertEqual(request.headers["Upload-Checksum"], digest)
      }
    }
  }

  func testAnOffsetBeyondWhatWasSentIsRefused() async throws {
    let server = try server([(204, ["Upload-Offset": "100"])])
    defer { server.stop() }
    let manager = try tus(server) { $0.partBytes = 20 }
    let error = await failure { try await manager.response(uploading: .bytes(self.content)) }
    XCTAssertEqual(error?.reason, .malformedResponse)
    XCTAssertTrue(error?.detail.contains("only 20 were sent") == true, error?.detail ?? "")
    XCTAssertEqual(sent(server), ["POST", "PATCH 0+20"])
  }

  func testALockWhoseOffsetMovesDoesNotHaveTheRestSentAgainAndAgain() async throws {
    // Each request is refused, and a byte more is there each time.
    let count = Counter()
    let server = try ScriptedServer.serving { request in
      switch request.method {
      case "POST": ScriptedServer.response(201, ["Location": "/api/tus/1"])
      case "HEAD": ScriptedServer.response(200, ["Upload-Offset": "\(count.next() + 1)"])
      default: ScriptedServer.response(423)
      }
    }
    defer { server.stop() }
    let error = await failure { try await self.tus(server).response(uploading: .bytes(self.content)) }
    XCTAssertEqual(error?.reason, .truncatedBody)
    XCTAssertEqual(sent(server).filter { $0.hasPrefix("PATCH") }, ["PATCH 0+100"])
    XCTAssertEqual(sent(server).filter { $0 == "HEAD" }.count, 10)
    XCTAssertFalse(journals.isEmpty, "the next call goes on with it")
  }

  func testMetadataNamesThatTusForbidsAndPartsOfNothingAreRefusedBeforeTheUpload() async throws {
    let server = try server([(204, ["Upload-Offset": "100"])])
    defer { server.stop() }
    for bytes: Int64 in [0, -1, .min] {
      let manager = try tus(server) { $0.partBytes = bytes }
      let error = await failure { try await manager.response(uploading: .bytes(self.content)) }
      XCTAssertEqual(error?.reason, .misconfigured, "\(bytes)")
    }
    for name in ["a,b", "a b", "", "a\r\nX: y", "\u{E9}"] {
      let manager = try tus(server) { $0.metadata = [name: "c"] }
      let error = await failure { try await manager.response(uploading: .bytes(self.content)) }
      XCTAssertEqual(error?.reason, .misconfigured, name)
    }
    XCTAssertEqual(sent(server), [])
    _ = try await tus(server) { $0.metadata = ["file-name": "c"] }.response(uploading: .bytes(content))
    XCTAssertEqual(server.requests.first?.headers["Upload-Metadata"], "file-name Yw==")
  }

  func testAnUploadWhoseTimeIsOverAndThatMayBeCompleteIsToldAndNotSentAgain() async throws {
    let created = ScriptedServer.Step.response { _ in
      ScriptedServer.response(
        201, ["Location": "/api/tus/1", "Upload-Expires": "Sat, 22 Nov 2025 10:00:00 GMT"])
    }
    let gone = ScriptedServer.Step.serve { _ in ScriptedServer.response(404) }
    let server = try ScriptedServer(scripts: [[.readRequest, created, .readRequest, .reset], [gone]])
    defer { server.stop() }
    // The response to the last part is lost, and not asked for.
    let lost = await failure { try await self.tus(server).response(uploading: .bytes(self.content)) }
    XCTAssertEqual(lost?.reason, .connectionLost)
    let error = await failure { try await self.tus(server).response(uploading: .bytes(self.content)) }
    XCTAssertEqual(error?.reason, .uploadVanished)
    XCTAssertEqual(sent(server), ["POST", "PATCH 0+100", "HEAD"])
  }

  func testACreationGoesAgainByWhatHasLeftAndNotByTheReason() async throws {
    for (reason, progress, isCreated) in [
      (.connectionRefused, .sent, false), (.connectTimeout, nil, false), (.connectionLost, .unsent, true),
    ] as [(APIError.Reason, RequestProgress?, Bool)] {
      let server = try server([(204, ["Upload-Offset": "100"])])
      defer { server.stop() }
      let manager = try tus(server, attempts: 3)
      var error = APIError(.transport, reason)
      error.requestProgress = progress
      manager.service.client = HTTPClient(transport: FailingOnce(error))
      var failed: APIError?
      do throws(APIError) { _ = try await manager.response(uploading: .bytes(content)) } catch {
        failed = error
      }
      XCTAssertEqual(failed?.reason, isCreated ? nil : reason)
      XCTAssertEqual(sent(server), isCreated ? ["POST", "PATCH 0+100"] : [], "\(reason)")
    }
  }

  func testACreationThatARedirectHasTurnedIntoAGetIsNotSentAgain() async throws {
    for status in [408, 423, 429, 503] {
      let server = try ScriptedServer.serving { request in
        request.method == "POST"
          ? ScriptedServer.response(303, ["Location": "/api/made"]) : ScriptedServer.response(status)
      }
      defer { server.stop() }
      let manager = try tus(server, attempts: 3)
      let error = await failure { try await manager.response(uploading: .bytes(self.content)) }
      XCTAssertEqual(error?.context.status, status)
      XCTAssertEqual(sent(server), ["POST", "GET"], "\(status)")
    }
  }

  func testALocationAtAnOriginThatARedirectLeadsToIsRefusedUnlessItIsDeclared() async throws {
    for isDeclared in [false, true] {
      let other = try server([(204, ["Upload-Offset": "100"])])
      defer { other.stop() }
      let place = try other.url("/api/tus").string
      let server = try ScriptedServer.serving { _ in ScriptedServer.response(307, ["Location": place]) }
      defer { server.stop() }
      let manager = try tus(server) { if isDeclared { $0.otherOrigins = [place] } }
      let authenticator = Authenticator(store: MemoryCredentialStore())
      manager.service.authenticator = authenticator
      try authenticator.signIn(with: Credential(accessToken: "secret", refreshToken: "r"))
      if isDeclared {
        _ = try await manager.response(uploading: .bytes(content))
        XCTAssertEqual(sent(other), ["POST", "PATCH 0+100"])
      } else {
        let error = await failure { try await manager.response(uploading: .bytes(self.content)) }
        XCTAssertEqual(error?.reason, .malformedResponse)
        XCTAssertEqual(sent(other), ["POST"])
        XCTAssertEqual(other.requests.compactMap { $0.headers["Authorization"] }, [])
      }
    }
  }

  func testACreationThatWasSentIsNotSentAgain() async throws {
    let server = try ScriptedServer(scripts: [[.readRequest, .reset], [.readRequest, .reset]])
    defer { server.stop() }
    let error = await failure {
      try await self.tus(server, attempts: 3) { $0.sendsWithCreation = true }.response(
        uploading: .bytes(self.content))
    }
    XCTAssertEqual(error?.reason, .connectionLost)
    XCTAssertEqual(sent(server), ["POST"])
  }
}

/// When requests came.
private final class Times: Sendable {
  private let times = Mutex<[ContinuousClock.Instant]>([])

  func note() { times.withLock { $0.append(.now) } }
  var between: [Duration] { times.withLock { times in zip(times.dropFirst(), times).map { $0 - $1 } } }
}

/// Fails once, and sends from then on.
private struct FailingOnce: AsyncHTTPTransport {
  private let error: APIError
  private let count = Counter()
  init(_ error: APIError) { self.error = error }
  var capabilities: TransportCapabilities { DefaultTransport.shared.capabilities }

  func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    if count.next() == 0 { throw error }
    return try await DefaultTransport.shared.send(exchange)
  }
}
