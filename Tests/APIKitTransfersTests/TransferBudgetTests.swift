import APIKitTesting
import APIKitTransfers
@testable import TestSupport
import XCTest

@testable import APIKit

/// Retries that a transfer makes by itself protect a failing server as those of loads do.
@MainActor final class TransferBudgetTests: DownloadCase {
  func testADownloadThatBreaksOffDrawsOnTheBudgetOfItsHost() async throws {
    let server = try fileServer(content, breaksAfter: 0)
    defer { server.stop() }
    let manager = try manager(server, attempts: 200)
    let error = await failure { try await manager.file(to: .file(self.path("a"))) }
    XCTAssertEqual(error?.reason, .truncatedBody)
    XCTAssertTrue(error?.detail.contains("budget") == true, error?.detail ?? "")
    XCTAssertLessThan(server.requests.count, 100)
  }

  func testAnUploadInPartsDrawsOnTheBudgetOfItsHost() async throws {
    let stub = StubTransport(.failure(.connectionRefused))
    var service = TestService(
      HTTPClient(transport: stub), ServiceEnvironments("https://upload-budget.test/api"))
    service.retryPolicy = RetryPolicy(attempts: 200)
    service.retryPolicy.backoff = .constant(.zero)
    let manager = SendingManager(service)
    manager.uploadProtocol = .tus()
    var reasons: [APIError.Reason?] = []
    for _ in 0..<3 {
      reasons.append(await failure { _ = try await manager.response(uploading: .bytes([1, 2])) }?.reason)
    }
    // An upload gives up after ten retries by itself, and the budget has twenty.
    XCTAssertEqual(reasons, [.truncatedBody, .truncatedBody, .connectionRefused])
    XCTAssertLessThan(stub.requests.count, 30)
  }
}
