import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSettings

/// Base URLs that a file or the arguments of the process name.
final class EnvironmentTableTests: XCTestCase {
  private let text = """
    {"environment": "staging", "services": {
      "Homes": {"release": "https://homes.test/api", "staging": "https://staging.homes.test/api"},
      "Rents": {"release": "https://rents.test"}}}
    """

  private func table(_ text: String) throws -> EnvironmentTable {
    try EnvironmentTable(json: Array(text.utf8))
  }

  private func mistake(_ body: () throws -> Void) -> String? {
    do { try body() } catch let error as APIError {
      XCTAssertEqual(error.reason, .misconfigured)
      return error.detail
    } catch { XCTFail("\(error)") }
    return nil
  }

  func testAFileNamesTheURLsOfEachServiceAndTheEnvironmentInUse() throws {
    let file = temporaryFolder().appendingPathComponent("new.json")
    try Data(text.utf8).write(to: file)
    let homes = try EnvironmentTable(contentsOf: file.path).environments(of: "Homes")
    XCTAssertEqual(homes.current, "staging")
    XCTAssertEqual(homes[.release], "https://homes.test/api")
    XCTAssertEqual(homes["staging"], "https://staging.homes.test/api")
    XCTAssertThrowsError(try EnvironmentTable(contentsOf: file.path + "x")) { error in
      XCTAssertEqual((error as? APIError)?.reason, .fileFailed)
    }
    try Data("[]".utf8).write(to: file)
    let detail = mistake { _ = try EnvironmentTable(contentsOf: file.path) }
    XCTAssertTrue(detail?.contains(file.lastPathComponent) == true, detail ?? "nothing was thrown")
  }

  func testArgumentsChangeEnvironmentAndURL() throws {
    let table = try table(text)
    for arguments in [
      ["app", "--environment", "release"], ["-v", "--environment=release"], ["-environment", "release"],
    ] {
      XCTAssertEqual(try table.applying(arguments).current, .release)
    }
    XCTAssertEqual(try table.applying(["app", "--verbose"]).current, "staging")
    let own = try table.applying([
      "--base-url", "Rents=http://127.0.0.1:1/?a=b", "--environment=release",
      "--base-url=Homes=http://127.0.0.1:2",
    ])
    XCTAssertEqual(try own.environments(of: "Rents")[.release], "http://127.0.0.1:1/?a=b")
    XCTAssertEqual(try own.environments(of: "Homes")[.release], "http://127.0.0.1:2")
    XCTAssertEqual(try own.environments(of: "Homes")["staging"], "https://staging.homes.test/api")
  }

  func testMistakesAreNamedWithWhatThereIs() throws {
    let table = try table(text)
    for (arguments, words) in [
      (["--environment", "stagin"], "no service has the environment stagin; there are release, staging"),
      (["--environment"], "--environment needs a value"),
      (["--base-url", "Homes"], "--base-url Homes: write SERVICE=URL"),
      (
        ["--base-url", "Hoses=http://a"], "--base-url Hoses: there is no such service; there are Homes, Rents"
      ),
    ] {
      XCTAssertEqual(mistake { _ = try table.applying(arguments) }, words)
    }
    XCTAssertEqual(
      mistake { _ = try table.applying(["--base-url", "Homes=nonsense"]) }?.hasPrefix(
        "--base-url Homes: the URL"), true)
    XCTAssertEqual(
      mistake { _ = try table.environments(of: "Hoses") }, "there is no service Hoses; there are Homes, Rents"
    )
    for (text, words) in [
      (#"{"service": {}}"#, "service is neither"),
      (#"{"services": {"Homes": "https://a.test"}}"#, "services.Homes"),
      (#"{"services": {"Homes": {"release": 7}}}"#, "services.Homes.release"),
      (#"{"services": {"Homes": {"release": "homes"}}}"#, "Homes in release"),
      (#"{"environment": "qa", "services": {"Homes": {"release": "https://a.test"}}}"#, "environment qa"),
      ("{}", "services"), ("{", "the document ends too early"),
    ] {
      do {
        _ = try self.table(text)
        XCTFail(text)
      } catch let error as APIError {
        XCTAssertTrue(error.detail.contains(words), "\(text): \(error.detail)")
        XCTAssertEqual(error.reason, .misconfigured, text)
      }
    }
  }

  @MainActor func testAServiceOfTheTableIsSwitchedAtRunTimeAsAnyOther() async throws {
    let stub = StubTransport(.json(someJSON))
    var service = TestService(stub)
    service.environments = try table(text).environments(of: service.name)
    _ = try await TestManager(service).response()
    service.environments.current = .release
    _ = try await TestManager(service).response()
    XCTAssertEqual(stub.requests.map(\.url.host), ["staging.homes.test", "homes.test"])
  }
}
