import XCTest

@testable import APIKit

/// The rules of freshness, by answers of the demo's server.
@MainActor final class HTTPFreshnessOverDemoServerTests: HTTPFreshnessTests {
  override nonisolated var answersComeFromDemoServer: Bool { true }

  func testTheServerAnswered() async throws { try await assertTheServerResponded() }
}

/// The rules of storing, by answers of the demo's server.
@MainActor final class HTTPStorageOverDemoServerTests: HTTPStorageTests {
  override nonisolated var answersComeFromDemoServer: Bool { true }

  func testTheServerAnswered() async throws { try await assertTheServerResponded() }
}

/// The rules of directives, by answers of the demo's server.
@MainActor final class HTTPDirectiveOverDemoServerTests: HTTPDirectiveTests {
  override nonisolated var answersComeFromDemoServer: Bool { true }

  func testTheServerAnswered() async throws { try await assertTheServerResponded() }
}

/// The rules of validation, by answers of the demo's server.
@MainActor final class HTTPValidationOverDemoServerTests: HTTPValidationTests {
  override nonisolated var answersComeFromDemoServer: Bool { true }

  func testTheServerAnswered() async throws { try await assertTheServerResponded() }
}

/// The rules of stale answers, by answers of the demo's server.
@MainActor final class HTTPStaleOverDemoServerTests: HTTPStaleTests {
  override nonisolated var answersComeFromDemoServer: Bool { true }

  func testTheServerAnswered() async throws { try await assertTheServerResponded() }
}
