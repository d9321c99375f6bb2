import Foundation
import TestServers
import XCTest

/// Every public type that an application sets something with has a written form, or its reason not to have one.
final class SettingsTableTests: XCTestCase {
  /// How the types of settings are called.
  private static let endings = [
    "Configuration", "Policy", "Options", "Limits", "Traits", "Rule", "Rules", "Timeouts", "Settings",
    "Paging", "Encoding", "Expectation",
  ]
  /// The types without a form, with the reason.
  private static let without = [
    "WireOptions": "stated in code: a client, decoders and a cipher, which are objects and closures",
    "CacheOptions": "stated in code: a store and a partition, which are an object and a closure",
    "PercentEncoding": "no setting: functions of the framework",
    "ParameterEncoding": "stated in code: it holds an encoder",
    "ResponseExpectation": "stated in code: it holds a decoder",
    "FaultRule": "stated in code, of a console for development",
    "HTTPRequestOptions": "made for each attempt, of LoadOptions, which have a form",
  ]

  func testEverySettingHasAWrittenFormOrAReason() throws {
    let sources = try Sources()
    let settings = sources.publicTypes.filter { name in
      Self.endings.contains { name.hasSuffix($0) }
    }
    XCTAssertGreaterThan(settings.count, 30)
    XCTAssertTrue(
      settings.isSuperset(of: ["RetryPolicy", "CookieJar.Limits", "RawData.Limits"]), "\(settings)")
    XCTAssertEqual(
      settings.subtracting(sources.written).sorted(), Self.without.keys.sorted(),
      "give it a form (Sources/APIKitSettings/VersionedForm.swift), or a reason here")
  }

  func testEveryFormOfASettingIsKeptAsAGoldenOneAndNamedInTheGuide() throws {
    let sources = try Sources()
    let golden = Set(GoldenForm.all.map(\.name))
    let guide = try String(
      contentsOf: PackageFolder.url.appendingPathComponent("Docs/Storage.md"), encoding: .utf8)
    let list =
      guide.components(separatedBy: "## Settings and parameters").last?.components(separatedBy: "\n## ").first
      ?? ""
    let settings = sources.publicTypes.intersection(sources.written).filter { name in
      Self.endings.contains { name.hasSuffix($0) }
    }
    for name in settings {
      // The cases of a setting stand within the form of that setting.
      let isPart = name.split(separator: ".").dropLast().first.map { golden.contains(String($0)) } ?? false
      guard !isPart else { continue }
      XCTAssertTrue(golden.contains(name), "\(name) has no golden form")
      XCTAssertTrue(
        list.contains("``\(name.replacing(".", with: "/"))``"), "Docs/Storage.md does not name \(name)")
    }
  }

  /// What the sources of the framework declare.
  private struct Sources {
    /// With the types that they are in: `CookieJar.Limits`.
    private(set) var publicTypes: Set<String> = []
    /// The types whose declaration or extension says that they are written.
    private(set) var written: Set<String> = []

    init() throws {
      let declaration =
        #/^( *)(public )?(?:final |nonisolated )*(struct|enum|class|actor|extension) ([\w.]+)(.*)/#
      for file in PackageFolder.sources() {
        /// The types that a line is in, by their indentation.
        var outer: [String] = []
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
          guard let match = line.firstMatch(of: declaration) else { continue }
          let depth = match.1.count / 2
          guard depth <= outer.count else { continue }
          outer.removeSubrange(depth...)
          outer.append(String(match.4))
          let name = outer.joined(separator: ".")
          if match.2 != nil, match.3 != "extension" { publicTypes.insert(name) }
          let adopted = match.5.prefix { $0 != "{" }.split { !$0.isLetter }
          if adopted.contains(where: { ["VersionedCodable", "CaseCodable", "Codable"].contains($0) }) {
            written.insert(name)
          }
        }
      }
    }
  }
}
