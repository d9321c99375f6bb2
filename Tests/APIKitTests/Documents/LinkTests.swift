import Foundation
import TestServers
import XCTest

/// The links of the documents lead somewhere; `Scripts/docs` checks those of the reference.
final class LinkTests: XCTestCase {
  func testEveryRelativeLinkLeadsToAFileAndItsHeading() throws {
    var count = 0
    for page in try Self.pages() {
      let text = try String(contentsOf: page, encoding: .utf8)
      for match in Self.prose(of: text).matches(of: /\]\(([^)\s]+)\)/) {
        let target = String(match.1)
        guard !target.hasPrefix("http"), !target.hasPrefix("doc:") else { continue }
        let parts = target.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
        let file =
          parts[0].isEmpty ? page : page.deletingLastPathComponent().appendingPathComponent(parts[0])
        count += 1
        XCTAssertTrue(
          FileManager.default.fileExists(atPath: file.path), "\(page.lastPathComponent): \(target)")
        if parts.count == 2, let linked = try? String(contentsOf: file, encoding: .utf8) {
          XCTAssertTrue(Self.anchors(of: linked).contains(parts[1]), "\(page.lastPathComponent): \(target)")
        }
      }
    }
    XCTAssertGreaterThan(count, 10)
  }

  func testEveryGuideIsOnTheLandingPageOfTheReference() throws {
    let landing = try String(
      contentsOf: Self.docs.appendingPathComponent("APIKit.docc/APIKit.md"), encoding: .utf8)
    let folders: Set = ["Docs", "Contributing"]
    for page in try Self.pages() where folders.contains(page.deletingLastPathComponent().lastPathComponent) {
      let name = page.deletingPathExtension().lastPathComponent
      XCTAssertTrue(landing.contains("- <doc:Guide-\(name)>\n"), name)
    }
  }

  private static let docs = PackageFolder.url.appendingPathComponent("Docs")

  /// The documents a host shows: those at the top of the package, the guides, their translations, and the pages for
  /// contributors.
  private static func pages() throws -> [URL] {
    let folders = ["Contributing", "zh"].map { docs.appendingPathComponent($0) }
      .filter { FileManager.default.fileExists(atPath: $0.path) }
    return try ([PackageFolder.url, docs] + folders).flatMap { folder in
      try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "md" }
    }
  }

  /// The text without its blocks of code.
  private static func prose(of text: String) -> String {
    text.components(separatedBy: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
      .joined(separator: "\n")
  }

  /// The anchors that a host gives the headings: lower case, punctuation dropped, hyphens for spaces.
  private static func anchors(of text: String) -> Set<String> {
    Set(
      prose(of: text).split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
        let title = line.drop { $0 == "#" }.dropFirst().lowercased()
        let kept = title.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
        return kept.replacingOccurrences(of: " ", with: "-")
      })
  }
}
