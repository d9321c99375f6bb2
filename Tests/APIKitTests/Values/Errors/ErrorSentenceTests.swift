import APIKitTesting
import Foundation
@testable import TestSupport
import TestServers
import XCTest

@testable import APIKit

/// What an application shows its user of an error.
final class ErrorSentenceTests: XCTestCase {
  func testEveryReasonOfTheFrameworkHasASentenceForPeople() throws {
    var count = 0
    for file in PackageFolder.sources() {
      let text = try String(contentsOf: file, encoding: .utf8)
      guard text.contains("extension APIError.Reason") else { continue }
      for match in text.matches(of: /static let \w+ = Self\(\s*"([a-z0-9-]+)",\s*"([^"]+)"/) {
        count += 1
        let reason = APIError.Reason(String(match.1), "\u{1}the technical text")
        XCTAssertFalse(
          reason.sentence.contains("\u{1}"), "\(file.lastPathComponent): \(match.1) has no sentence")
        XCTAssertTrue(
          reason.sentence.first?.isUppercase == true && reason.sentence.hasSuffix("."), reason.sentence)
      }
    }
    XCTAssertGreaterThan(count, 90, "they were found")
  }

  func testTheLocalizedDescriptionIsASentenceAndNotTheSystems() {
    let error: any Error = APIError(.transport, .idleTimeout, "no bytes for 30 s")
    XCTAssertEqual(
      error.localizedDescription, "The server took too long. Check your connection, or try again later.")
    XCTAssertEqual((error as? any LocalizedError)?.failureReason, "no bytes for 30 s")
    XCTAssertEqual(
      APIError(.response, .init("sold-out", "the home was sold")).localizedDescription, "The home was sold.")
  }

  @MainActor func testAStatusHasItsOwnSentence() async throws {
    for (status, sentence) in [
      (401, "You need to sign in."), (404, "What you asked for does not exist."),
      (503, "The server is not available for a while. Try again later."),
      (599, "The server has a problem. Try again later."), (418, "The server did not accept the request."),
    ] {
      let manager = TestManager(StubTransport(.json("{}", status: status)))
      let error = try await errorThrown { () throws(APIError) in try await manager.response() }
      XCTAssertEqual(error.localizedDescription, sentence)
    }
  }

  @MainActor func testTheWordsOfTheBackendAndOfTheApplicationAreTakenWhereThereAreAny() async throws {
    let manager = TestManager(StubTransport(.json(#"{"code": 7}"#)))
    manager.service.findBusinessError = { _ in BusinessError(code: "7", message: "The home was sold.") }
    let sold = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(sold.localizedDescription, "The home was sold.")
    manager.service.findBusinessError = { _ in BusinessError(code: "7", message: "") }
    let wordless = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(wordless.localizedDescription, "The server reported a problem.")
    manager.onValidateParameters = { _ in throw ValidationError("Choose a city first.") }
    let refused = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(refused.localizedDescription, "Choose a city first.")
  }
}
