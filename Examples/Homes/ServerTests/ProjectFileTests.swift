import Foundation
import XCTest

/// `Homes.xcodeproj` and `Info.plist`, which are written by hand.
final class ProjectFileTests: XCTestCase {
  private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  private func propertyList(_ path: String) throws -> [String: Any] {
    let data = try Data(contentsOf: folder.appendingPathComponent(path))
    return try XCTUnwrap(PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
  }

  func testEachObjectOfTheProjectIsReferredToAndEachReferenceHasItsObject() throws {
    let project = try propertyList("Homes.xcodeproj/project.pbxproj")
    let objects = try XCTUnwrap(project["objects"] as? [String: [String: Any]])
    var named: Set<String> = []
    func note(_ value: Any) {
      switch value {
      case let text as String where text.hasPrefix("A9E1") && text.count == 24: named.insert(text)
      case let list as [Any]: list.forEach(note)
      case let table as [String: Any]: table.values.forEach(note)
      default: break
      }
    }
    note(objects)
    note(try XCTUnwrap(project["rootObject"]))
    XCTAssertEqual(named.symmetricDifference(objects.keys), [])
    XCTAssertFalse(objects.isEmpty)
  }

  func testTheGroupsOfTheProjectAreFoldersAndThePackageIsThis() throws {
    let project = try propertyList("Homes.xcodeproj/project.pbxproj")
    let objects = try XCTUnwrap(project["objects"] as? [String: [String: Any]]).values
    func paths(_ kind: String, _ name: String) -> Set<String> {
      Set(objects.filter { $0["isa"] as? String == kind }.compactMap { $0[name] as? String })
    }
    let groups = paths("PBXFileSystemSynchronizedRootGroup", "path")
    XCTAssertEqual(groups, ["App", "Model", "Tests"])
    let package = try XCTUnwrap(paths("XCLocalSwiftPackageReference", "relativePath").first)
    for path in groups.union(["\(package)/Package.swift", "Info.plist", "README.md"]) {
      let file = folder.appendingPathComponent(path).path
      XCTAssertTrue(FileManager.default.fileExists(atPath: file), path)
    }
  }

  func testTheSchemeBuildsAndTestsTheTargetsOfTheProject() throws {
    let project = try propertyList("Homes.xcodeproj/project.pbxproj")
    let objects = try XCTUnwrap(project["objects"] as? [String: [String: Any]])
    let scheme = try String(
      contentsOf: folder.appendingPathComponent("Homes.xcodeproj/xcshareddata/xcschemes/Homes.xcscheme"),
      encoding: .utf8)
    for (id, target) in objects where target["isa"] as? String == "PBXNativeTarget" {
      let name = try XCTUnwrap(target["name"] as? String)
      XCTAssertTrue(scheme.contains("BlueprintIdentifier = \"\(id)\""), name)
      XCTAssertTrue(scheme.contains("BlueprintName = \"\(name)\""), name)
    }
  }

  func testTheServerOfTheApplicationAloneMayBeAskedWithoutTLS() throws {
    let security = try XCTUnwrap(try propertyList("Info.plist")["NSAppTransportSecurity"] as? [String: Any])
    XCTAssertEqual(Set(security.keys), ["NSExceptionDomains"])
    let hosts = try XCTUnwrap(security["NSExceptionDomains"] as? [String: Any])
    let app = try String(contentsOf: folder.appendingPathComponent("App/HomesApp.swift"), encoding: .utf8)
    XCTAssertEqual(hosts.count, 1)
    for host in hosts.keys { XCTAssertTrue(app.contains("\"http://\(host):"), host) }
  }
}
