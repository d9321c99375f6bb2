import Foundation
import TestServers
import XCTest

/// Every step of every tutorial compiles: each file it shows, together with the files of the steps before it.
final class TutorialTests: XCTestCase {
  func testEveryStepCompilesWithTheStepsBeforeIt() throws {
    let compiler = try SwiftCompiler()
    // The manifest alone, or all files so far.
    var checks: [(step: String, manifest: String?, files: [String: String])] = []
    for tutorial in try Self.tutorials() {
      var files: [String: String] = [:]
      for step in try Self.steps(of: tutorial) {
        let source = try String(contentsOf: Self.resources.appendingPathComponent(step.file), encoding: .utf8)
        let isManifest = step.name == "Package.swift"
        if !isManifest { files[step.name] = source }
        let place = "\(tutorial.lastPathComponent): after the step with \(step.file)"
        checks.append((place, isManifest ? source : nil, files))
      }
      XCTAssertGreaterThan(files.count, 1)
    }
    let results = try SwiftCompiler.errors(checks.count) { [checks] index in
      let check = checks[index]
      return try check.manifest.map { try compiler.errors(in: $0) }
        ?? compiler.errors(in: check.files, module: Self.module)
    }
    for (check, errors) in zip(checks, results) { XCTAssertEqual(errors, [], check.step) }
  }

  func testEveryFileOfTheResourcesIsShownByAStep() throws {
    var shown: Set<String> = []
    for tutorial in try Self.tutorials() { shown.formUnion(try Self.steps(of: tutorial).map(\.file)) }
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.resources.path)
    XCTAssertEqual(Set(files.filter { $0.hasSuffix(".swift") }).subtracting(shown), [])
  }

  private struct Step {
    /// The file as the reader calls it, and the file with its contents.
    let name: String
    let file: String
  }

  /// The name the manifest gives the target: the tests import it.
  private static let module = "HomeList"
  private static let catalog = PackageFolder.url.appendingPathComponent("Docs/APIKit.docc")
  private static let resources = catalog.appendingPathComponent("Resources")

  private static func tutorials() throws -> [URL] {
    let folder = catalog.appendingPathComponent("Tutorials")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return files.filter {
      $0.pathExtension == "tutorial" && $0.lastPathComponent != "APIKitTutorials.tutorial"
    }
  }

  /// What the `@Code` directives show, in order.
  private static func steps(of tutorial: URL) throws -> [Step] {
    let text = try String(contentsOf: tutorial, encoding: .utf8)
    let code = /@Code\(name: "([^"]+)", file: "([^"]+)"\)/
    return text.matches(of: code).map { Step(name: String($0.1), file: String($0.2)) }
  }
}
