import APIKit
import Foundation
import TestServers
import XCTest

/// `DemoCLI login` as a shell sees it, against an authorization server that is not ours: the program prints an
/// address, the browser's part is played here, and the redirect comes back to the program on loopback.
final class LoginTests: XCTestCase {
  /// The built program, beside the test bundle.
  private var program: URL {
    #if os(macOS)
      let folder = Bundle(for: LoginTests.self).bundleURL.deletingLastPathComponent()
    #else
      let folder = Bundle.main.bundleURL
    #endif
    return folder.appendingPathComponent("DemoCLI")
  }

  /// Runs `login`, plays the browser, and gives the status and what was printed.
  private func login(_ arguments: [String]) async throws -> (status: Int32, output: String, page: String) {
    let process = Process()
    let (output, errors) = (Pipe(), Pipe())
    process.executableURL = program
    process.arguments = ["login", "--client", "app", "--wait", "20", "--json"] + arguments
    (process.standardOutput, process.standardError) = (output, errors)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    defer { if process.isRunning { process.terminate() } }
    let address = try XCTUnwrap(address(in: errors.fileHandleForReading), "no address was printed")
    let browser = HTTPClient(transport: DefaultTransport.shared)
    let page = try await browser.send(HTTPExchange(HTTPRequest(url: try HTTPURL(address))))
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: text, as: UTF8.self),
      String(decoding: page.bytes, as: UTF8.self)
    )
  }

  /// The line that is an address, read until it is whole; nil when the program ends without one.
  private func address(in errors: FileHandle) -> String? {
    var text = ""
    while true {
      let data = errors.availableData
      guard !data.isEmpty else { return nil }
      text += String(decoding: data, as: UTF8.self)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      if let line = lines.first(where: { $0.hasPrefix("http") }) { return String(line) }
    }
  }

  func testAUserSignsInFromTheCommandLineByTheServersNameAlone() async throws {
    let server = try needing { try AuthorizationServer.shared() }
    let run = try await login(
      ["--issuer", server.baseURL.absoluteString, "--scope", "read", "--me-url", server.url("/api/me")])
    XCTAssertEqual(run.status, 0, run.output)
    let said = try RawData(parsing: run.output)
    XCTAssertEqual(said.user.string, "ann")
    XCTAssertEqual(said.scopes[0].string, "read")
    XCTAssertEqual(said.isRenewable.bool, true)
    XCTAssertTrue(run.page.contains("You are signed in."), run.page)
  }

  func testAUserWhoSaysNoEndsTheCommandWithTheReason() async throws {
    let server = try needing { try AuthorizationServer.shared() }
    let run = try await login(
      ["--authorize-url", server.url("/authorize"), "--token-url", server.url("/token"), "--scope", "deny"])
    XCTAssertEqual(run.status, 1)
    XCTAssertEqual(run.output, "")
    XCTAssertTrue(run.page.contains("You are not signed in."), run.page)
  }
}
