import Foundation
import TestServers
import XCTest

@testable import APIKit

/// Docs/Apple.md says in one table what differs from Linux; the transports say it themselves.
final class PlatformTableTests: XCTestCase {
  /// The capabilities that the sources declare, by their names.
  private func capabilities() throws -> [String: TransportCapabilities] {
    let file = "Sources/APIKit/Transport/Options/TransportCapabilities.swift"
    let text = try String(contentsOf: PackageFolder.url.appendingPathComponent(file), encoding: .utf8)
    let declared = text.matches(of: /static let (\w+) = Self\(rawValue: 1 << (\d+)\)/).map { match in
      (String(match.1), TransportCapabilities(rawValue: 1 << (UInt64(match.2) ?? 0)))
    }
    return Dictionary(uniqueKeysWithValues: declared)
  }

  /// The first three cells of each row of the table.
  private func rows() throws -> [(name: String, linux: String, apple: String)] {
    let guide = try String(
      contentsOf: PackageFolder.url.appendingPathComponent("Docs/Apple.md"), encoding: .utf8)
    let part = try XCTUnwrap(guide.components(separatedBy: "## What differs from Linux\n").last)
    return part.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      return (cells[0], cells[1], cells[2])
    }
  }

  func testTheTableHasARowForEachCapabilityThatDiffersAndSaysWhoHasIt() throws {
    let capabilities = try capabilities()
    XCTAssertGreaterThan(capabilities.count, 30)
    let rows = try rows().filter { $0.name.wholeMatch(of: /`[a-z]\w+`/) != nil }
      .map { (name: String($0.name.dropFirst().dropLast()), linux: $0.linux, apple: $0.apple) }
    for row in rows {
      let capability = try XCTUnwrap(capabilities[row.name], "\(row.name) is no capability")
      let isThere = URLSessionTransport.onApple.contains(capability)
      XCTAssertEqual(row.apple, isThere ? "yes" : "refused", row.name)
    }
    #if os(Linux)
      // What depends on the libraries that libcurl was built with counts as there.
      let curl = try CurlTransport().capabilities.union([.http2, .brotli, .zstd])
      for row in rows {
        let isThere = curl.contains(try XCTUnwrap(capabilities[row.name]))
        XCTAssertEqual(row.linux, isThere ? "yes" : "refused", row.name)
      }
      let differing = capabilities.filter {
        curl.contains($0.value) != URLSessionTransport.onApple.contains($0.value)
      }
      XCTAssertEqual(
        rows.map(\.name).sorted(), differing.keys.sorted(), "Docs/Apple.md, \"What differs from Linux\"")
    #else
      XCTAssertEqual(URLSessionTransport.capabilities, URLSessionTransport.onApple)
    #endif
  }
}
