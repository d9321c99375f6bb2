import APIGenerator
import XCTest

/// The managers of the demo, which were generated from the document of its server and committed.
final class DemoOutputTests: XCTestCase {
  func testTheManagersOfTheDemoAreThoseOfTheDocument() {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let outcome = CommandLineTool.run(["--check", "--into", "Sources/DemoCLI/API"], in: package.path)
    XCTAssertEqual(
      outcome.status, 0,
      "\(outcome.text)\(outcome.errors)swift run apikit-generate --into Sources/DemoCLI/API writes them anew")
    XCTAssertEqual(outcome.text, "")
  }
}
