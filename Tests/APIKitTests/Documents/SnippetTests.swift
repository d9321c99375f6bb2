import Foundation
import TestServers
import XCTest

/// Every piece of Swift in README.md and Docs/ compiles against the package as it is.
final class SnippetTests: XCTestCase {
  func testEverySnippetOfTheDocumentsCompiles() throws {
    let compiler = try SwiftCompiler()
    var snippets = try Self.pages().flatMap { try Snippet.all(in: $0.text, page: $0.name) }
    XCTAssertGreaterThan(snippets.count, 100)
    #if !os(Linux)
      snippets.removeAll { $0.source.contains("CurlTransport") }  // It is on Linux alone.
    #endif
    let results = try SwiftCompiler.errors(snippets.count) { [snippets] in
      try compiler.errors(in: snippets[$0].source)
    }
    for (snippet, errors) in zip(snippets, results) where !errors.isEmpty {
      XCTFail("the snippet at \(snippet.page):\(snippet.line) does not compile: \(errors)")
    }
  }

  func testASnippetThatDoesNotCompileIsReportedAtItsLineOfThePage() throws {
    let text = "# Title\n\n```swift\nlet one = 1\nlet url: HTTPURL = one\n```\n"
    let snippet = try XCTUnwrap(Snippet.all(in: text, page: "Docs/Page.md").first)
    let errors = try SwiftCompiler().errors(in: snippet.source)
    XCTAssertEqual(errors.count, 1, "\(errors)")
    XCTAssertTrue(errors.first?.contains("Docs/Page.md:5:") == true, "\(errors)")
  }

  func testOnlySwiftIsTakenAndEachBlockStandsAlone() throws {
    let text = "```swift\nlet a = 1\n```\n```bash\nls\n```\n```\nplain\n```\n```swift\nlet a = 2\n```\n"
    let snippets = try Snippet.all(in: text, page: "P")
    XCTAssertEqual(snippets.map(\.line), [2, 11])
    XCTAssertTrue(snippets.allSatisfy { $0.source.hasPrefix("import APIKit\n") })
    XCTAssertFalse(snippets[1].source.contains("let a = 1"))
  }

  func testBlocksOfOneFileAreJoined() throws {
    let text =
      "```swift file=A\nlet a = 1\n```\n```swift file=B\nlet b = 1\n```\n```swift file=A\nlet c = a\n```\n"
    let snippets = try Snippet.all(in: text, page: "P")
    XCTAssertEqual(snippets.count, 2)
    XCTAssertEqual(try SwiftCompiler().errors(in: snippets[0].source), [])
    XCTAssertTrue(snippets[0].source.contains("let c = a"))
  }

  func testThePreambleStandsBeforeTheBlocksBehindIt() throws {
    let text =
      "```swift\nlet a = 1\n```\n<!-- snippet: preamble\nlet city = 1\n-->\n```swift\nlet b = city\n```\n"
    let snippets = try Snippet.all(in: text, page: "P")
    XCTAssertFalse(snippets[0].source.contains("city"))
    XCTAssertEqual(try SwiftCompiler().errors(in: snippets[1].source), [])
  }

  func testABlockWithItsOwnImportsGetsNoOthers() throws {
    let snippet = try XCTUnwrap(Snippet.all(in: "```swift\nimport APIKit\n```", page: "P").first)
    XCTAssertFalse(snippet.source.contains("Reformers"))
  }

  func testABlockIsSkippedForAReasonOnly() throws {
    let skipped =
      "<!-- snippet: skip because it is a manifest -->\n```swift\nnonsense(\n```\n```swift\nlet a = 1\n```\n"
    XCTAssertEqual(try Snippet.all(in: skipped, page: "P").map(\.line), [6])
    XCTAssertThrowsError(try Snippet.all(in: "<!-- snippet: skip because -->\n", page: "P")) { error in
      XCTAssertEqual((error as? Snippet.Mistake)?.line, 1)
    }
  }

  func testMistakesInAPageAreNamedWithTheirLine() {
    for (text, line) in [
      "a\n```swift\nlet a = 1\n": 2, "<!-- snippet: hide -->": 1, "\n```swift name=A\n```": 2,
    ] {
      XCTAssertThrowsError(try Snippet.all(in: text, page: "P"), text) { error in
        XCTAssertEqual((error as? Snippet.Mistake)?.line, line, text)
      }
    }
  }

  func testABlockThatOnlyAppleSystemsCompileIsTheOneInTheFileThatItNames() throws {
    let pattern =
      /<!-- snippet: skip because [^\n]*; (\w+) has it -->\n```swift\n(.*?)```/.dotMatchesNewlines()
    let tests = PackageFolder.url.appendingPathComponent("Tests")
    let files = FileManager.default.enumerator(atPath: tests.path)?.compactMap { $0 as? String } ?? []
    var count = 0
    for page in try Self.pages() {
      for match in page.text.matches(of: pattern) {
        let name = try XCTUnwrap(files.first { $0.hasSuffix("/\(match.1).swift") }, "no file is \(match.1)")
        let file = try String(contentsOf: tests.appendingPathComponent(name), encoding: .utf8)
        XCTAssertTrue(
          Self.plain(file).contains(Self.plain(String(match.2))), "\(page.name): \(name) lacks \(match.2)")
        count += 1
      }
    }
    XCTAssertGreaterThan(count, 6)
  }

  /// The lines without indentation, imports, conditions, and what a file of tests hides or leaves to its own entry.
  private static func plain(_ code: String) -> String {
    code.replacing(/@main\s|\b(fileprivate|private)\s/, with: "").split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("#") && !$0.hasPrefix("import ") }.joined(separator: "\n")
  }

  private static func pages() throws -> [(name: String, text: String)] {
    let package = PackageFolder.url
    let docs = FileManager.default.enumerator(atPath: package.appendingPathComponent("Docs").path)?
      .compactMap { $0 as? String }.filter { $0.hasSuffix(".md") }.sorted().map { "Docs/\($0)" }
    return try (["README.md"] + (docs ?? [])).compactMap { name in
      let file = package.appendingPathComponent(name)
      guard FileManager.default.fileExists(atPath: file.path) else { return nil }
      return (name, try String(contentsOf: file, encoding: .utf8))
    }
  }
}
