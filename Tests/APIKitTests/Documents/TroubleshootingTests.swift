import Foundation
import TestServers
import XCTest

/// The texts that Docs/Troubleshooting.md lists are those that the compiler and the framework print.
final class TroubleshootingTests: XCTestCase {
  private static let page = "Docs/Troubleshooting.md"

  /// One heading of the page with its text, and the code below it that does not compile.
  private struct Entry {
    var line: Int
    var text: String
    var wrong: String?

    /// The parts of the text that are always the same.
    var parts: [String] { text.components(separatedBy: "…").filter { $0.contains { $0.isLetter } } }
  }

  func testTheCompilerSaysWhatThePageLists() throws {
    let (preamble, sections) = try Self.read()
    let entries = try XCTUnwrap(sections["Compiler messages"])
    XCTAssertGreaterThan(entries.count, 10)
    let compiler = try SwiftCompiler()
    let results = try SwiftCompiler.errors(entries.count) { index in
      try compiler.diagnostics(in: preamble + (entries[index].wrong ?? ""))
    }
    for (entry, said) in zip(entries, results) {
      XCTAssertNotNil(entry.wrong, "\(Self.page):\(entry.line) has no code that does not compile")
      XCTAssertTrue(
        said.contains { line in entry.parts.allSatisfy { line.contains($0) } },
        "\(Self.page):\(entry.line): the compiler says \(said)")
    }
  }

  func testTheFrameworkHasTheTextsThatThePageLists() throws {
    let sections = try Self.read().sections
    let entries = try ["Errors of a load", "Messages of the process"].flatMap {
      try XCTUnwrap(sections[$0], $0)
    }
    XCTAssertGreaterThan(entries.count, 25)
    let sources = try Self.sources()
    for entry in entries {
      for part in entry.parts {
        XCTAssertTrue(
          sources.contains { Self.has($0, part) },
          "\(Self.page):\(entry.line): no source has \(part.debugDescription)")
      }
    }
  }

  func testATextThatNoSourceHasIsNoticed() throws {
    XCTAssertFalse(Self.has("an error", "rn"))
    XCTAssertTrue(Self.has("an error, of course", "error, of"))
    XCTAssertFalse(try Self.sources().contains { Self.has($0, "no text of any error") })
  }

  /// Whether a source has the words, and not only as a part of longer ones.
  private static func has(_ source: String, _ part: String) -> Bool {
    let words = part.trimmingCharacters(in: .whitespaces)
    return source.ranges(of: words).contains { range in
      let before = range.lowerBound > source.startIndex ? source[source.index(before: range.lowerBound)] : " "
      let after = range.upperBound < source.endIndex ? source[range.upperBound] : " "
      return !before.isLetter && !after.isLetter
    }
  }

  /// The text of all sources, each with its literals of several lines joined.
  private static func sources() throws -> [String] {
    let folder = PackageFolder.url.appendingPathComponent("Sources")
    let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return try names.filter { $0.hasPrefix("APIKit") && $0.hasSuffix(".swift") }.map { name in
      try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        .replacing(/"\s*\+ "/, with: "")
    }
  }

  private static func read() throws -> (preamble: String, sections: [String: [Entry]]) {
    let text = try String(contentsOf: PackageFolder.url.appendingPathComponent(page), encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var sections: [String: [Entry]] = [:]
    var preamble = "", section = ""
    for (index, line) in lines.enumerated() {
      if line.hasPrefix("<!-- snippet: preamble") {
        preamble = lines[(index + 1)...].prefix { $0 != "-->" }.joined(separator: "\n") + "\n"
      } else if line.hasPrefix("## ") {
        section = String(line.dropFirst(3))
      } else if line.hasPrefix("### `"), line.hasSuffix("`") {
        sections[section, default: []].append(
          Entry(line: index + 1, text: String(line.dropFirst(5).dropLast())))
      } else if line == "<!-- snippet: skip because it does not compile -->",
        let last = sections[section]?.indices.last
      {
        sections[section]?[last].wrong = lines[(index + 2)...].prefix { $0 != "```" }.joined(separator: "\n")
      }
    }
    return (preamble, sections)
  }
}
