import APIKitTesting
import DemoServer
import Foundation
import Synchronization
import XCTest

@testable import APIKit

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
