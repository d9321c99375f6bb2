import Foundation
import TestServers
import XCTest

/// The guides print each protocol that an application adopts, and have the words that people search for.
final class GuideTests: XCTestCase {
  func testAPrintedProtocolHasTheMembersOfTheSources() throws {
    let declared = try Self.declaredProtocols()
    var printed: [String: String] = [:]
    for (page, text) in try Self.guides() {
      for block in text.components(separatedBy: "```swift\n").dropFirst() {
        let code = block.components(separatedBy: "\n```")[0]
        for (name, members) in Self.protocols(in: code) {
          guard let expected = declared[name] else { continue }
          XCTAssertEqual(members, expected, "\(page): \(name)")
          XCTAssertNil(printed.updateValue(page, forKey: name), "\(page) prints \(name) again")
        }
      }
    }
    let missing = Set(declared.keys).subtracting(printed.keys)
    XCTAssertEqual(missing, Self.notAdopted, "print them once in a guide")
  }

  func testAGuideHasEachWordThatPeopleSearchFor() throws {
    let words = [
      "retry", "timeout", "resume", "logging", "middleware", "interceptor", "offline", "queue", "cache",
      "ETag",
      "multipart", "upload", "progress", "WebSocket", "SSE", "OAuth", "refresh token", "pinning", "proxy",
      "cookie",
      "redirect", "mock", "stub", "test", "SwiftUI", "Combine", "async", "background", "pagination",
      "debounce",
      "throttle", "cancel", "header", "query", "JSON", "snake case", "error", "signature", "HAR", "metrics",
    ]
    let prose = try Self.guides().map { $0.text.components(separatedBy: "```").enumerated() }
      .map { $0.filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined() }
    for word in words {
      XCTAssertTrue(
        prose.contains {
          $0.range(of: "\\b\(word)", options: [.regularExpression, .caseInsensitive]) != nil
        },
        "no guide has the word \(word)")
    }
  }

  /// The framework implements these itself; an application only calls them.
  private static let notAdopted: Set = [
    "CancellableOperation", "SuspendableOperation", "RegisteredConnection",
  ]

  private static func guides() throws -> [(page: String, text: String)] {
    let folder = PackageFolder.url.appendingPathComponent("Docs")
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "md" }
      .map { ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8)) }
  }

  private static func declaredProtocols() throws -> [String: String] {
    var found: [String: String] = [:]
    for file in PackageFolder.sources() {
      let text = try String(contentsOf: file, encoding: .utf8)
      guard text.contains("public protocol ") else { continue }
      for (name, members) in protocols(in: text, prefix: "public ") { found[name] = members }
    }
    return found
  }

  /// The declarations of protocols at the top of a source, without comments and layout.
  private static func protocols(in code: String, prefix: String = "") -> [String: String] {
    var found: [String: String] = [:]
    var name: String?
    var members: [String] = []
    for line in code.split(separator: "\n", omittingEmptySubsequences: false) {
      if let open = name {
        if line == "}" {
          found[open] = members.joined(separator: " ").replacing("( ", with: "(").replacing(" )", with: ")")
          name = nil
        } else {
          let member = line.trimmingCharacters(in: .whitespaces)
          if !member.isEmpty, !member.hasPrefix("//") { members.append(member) }
        }
      } else if let match = line.firstMatch(of: /^(?:@MainActor )?(?:public )?protocol (\w+)[^{]*\{$/),
        line.contains("\(prefix)protocol ")
      {
        (name, members) = (String(match.1), [String(line.replacing("public ", with: ""))])
      }
    }
    return found
  }
}
