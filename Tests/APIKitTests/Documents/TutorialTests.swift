import Foundation
import XCTest

/// Every step of every tutorial compiles: each file it shows, together with the files of the steps before it.
final class TutorialTests: XCTestCase {
  func testEveryStepCompilesWithTheStepsBeforeIt() throws {
    let compiler = try SwiftCompiler()
    for tutorial in try Self.tutorials() {
      var files: [String: String] = [:]
      for step in try Self.steps(of: tutorial) {
        let source = try String(contentsOf: Self.resources.appendingPathComponent(step.file), encoding: .utf8)
        let errors: [String]
        if step.name == "Package.swift" {
          errors = try compiler.errors(in: source)
        } else {
          files[step.name] = source
          errors = try compiler.errors(in: files, module: Self.module)
        }
        XCTAssertEqual(errors, [], "\(tutorial.lastPathComponent): after the step with \(step.file)")
      }
      XCTAssertGreaterThan(files.count, 1)
    }
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
  private static let catalog = SwiftCompiler.package.appendingPathComponent("Docs/APIKit.docc")
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
