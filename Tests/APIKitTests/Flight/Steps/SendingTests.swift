import APIKitTesting
import XCTest

@testable import APIKit

/// Redirects as a manager's flight meets them: what it signs and who is signed in stay with its origin.
@MainActor final class SendingTests: XCTestCase {
  func testSignatureAndSignInNeverLeaveTheOriginOfTheFlight() async throws {
    let stub = StubTransport(.json(someJSON))
    stub.on("/api/list", .redirect(to: "/api/moved"))
    stub.on("/api/moved", .redirect(to: "https://elsewhere.test/landing", status: 307))
    let manager = TestManager(stub)
    manager.service.signer = CountingSigner()
    manager.service.extraHeaders = ["X-Harmless": "yes", "Authorization": "Bearer secret"]
    _ = try await manager.response()
    let sent = stub.requests
    XCTAssertEqual(sent.map(\.url.host), ["homes.test", "homes.test", "elsewhere.test"])
    let secret = CountingSigner().headerNames.union(["Authorization"])
    for request in sent.dropLast() {
      for name in secret {
        XCTAssertTrue(request.headers.contains(name), "\(name) belongs to \(request.url)")
      }
    }
    for name in secret { XCTAssertFalse(sent[2].headers.contains(name), "\(name) went elsewhere") }
    XCTAssertEqual(sent[2].headers["X-Harmless"], "yes")
    XCTAssertNotEqual(sent[0].headers["X-Nonce"], sent[1].headers["X-Nonce"], "each hop is signed anew")
  }
}
