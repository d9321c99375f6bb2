import XCTest

@testable import APIKit

/// The rules of freshness, by responses of the demo's server.
@MainActor final class HTTPFreshnessOverDemoServerTests: HTTPFreshnessTests {
  override nonisolated var responsesComeFromDemoServer: Bool { true }

  func testTheServerResponded() async throws { try await assertTheServerResponded() }
}

/// The rules of storing, by responses of the demo's server.
@MainActor final class HTTPStorageOverDemoServerTests: HTTPStorageTests {
  override nonisolated var responsesComeFromDemoServer: Bool { true }

  func testTheServerResponded() async throws { try await assertTheServerResponded() }
}

/// The rules of directives, by responses of the demo's server.
@MainActor final class HTTPDirectiveOverDemoServerTests: HTTPDirectiveTests {
  override nonisolated var responsesComeFromDemoServer: Bool { true }

  func testTheServerResponded() async throws { try await assertTheServerResponded() }
}

/// The rules of validation, by responses of the demo's server.
@MainActor final class HTTPValidationOverDemoServerTests: HTTPValidationTests {
  override nonisolated var responsesComeFromDemoServer: Bool { true }

  func testTheServerResponded() async throws { try await assertTheServerResponded() }
}

/// The rules of stale responses, by responses of the demo's server.
@MainActor final class HTTPStaleOverDemoServerTests: HTTPStaleTests {
  override nonisolated var responsesComeFromDemoServer: Bool { true }

  func testTheServerResponded() async throws { try await assertTheServerResponded() }
}
