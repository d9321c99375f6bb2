import Foundation
import XCTest

/// Type-checks small sources against the modules these tests were built with.
struct SwiftCompiler {
  private let command: [String]
  private let flags: [String]

  /// Finds swiftc on PATH, and the modules beside the running test program.
  ///
  /// Where one is missing the test is skipped with the reason; under `CI=true` it fails.
  init() throws {
    #if os(macOS)
      command = ["/usr/bin/xcrun", "swiftc", "-target", "arm64-apple-macosx15.0"]
    #else
      let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      let paths = folders.map { "\($0)/swiftc" }
      guard let swiftc = paths.first(where: FileManager.default.isExecutableFile(atPath:)) else {
        throw Self.lack("swiftc is not on PATH")
      }
      command = [swiftc]
    #endif
    let build = Bundle(for: SwiftCompilerTests.self).bundleURL.resolvingSymlinksInPath()
    let products = build.pathExtension == "xctest" ? build.deletingLastPathComponent() : build
    let modules = products.appendingPathComponent("Modules").path
    guard FileManager.default.fileExists(atPath: "\(modules)/APIKit.swiftmodule") else {
      throw Self.lack("there is no APIKit.swiftmodule in \(modules)")
    }
    flags = [
      "-typecheck", "-swift-version", "6", "-I", modules,
      // A cache of its own: the build's may be known by another path, and the compiler minds.
      "-module-cache-path", products.appendingPathComponent("SnippetModuleCache").path,
      "-Xcc", "-fmodule-map-file=\(products.path)/CAPIKit.build/module.modulemap",
      "-Xcc", "-I", "-Xcc", Self.package.appendingPathComponent("Sources/CAPIKit/include").path,
    ]
  }

  /// The root of the package.
  static let package = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..")
    .standardizedFileURL

  /// The errors in one file, in the compiler's words, a line each; empty when it compiles.
  ///
  /// The file is a script: statements may stand at its top, `await` included. About 0.1 s.
  func errors(in source: String) throws -> [String] {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "apikit-\(UUID().uuidString).swift")
    try source.write(to: file, atomically: false, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    let output = Pipe()
    let arguments = command + flags + (source.contains("@main") ? ["-parse-as-library"] : []) + [file.path]
    process.executableURL = URL(fileURLWithPath: arguments[0])
    process.arguments = Array(arguments.dropFirst())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let words = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let errors = words.split(separator: "\n").map(String.init).filter { line in
      // The excerpts below a diagnostic repeat it behind a bar.
      line.contains("error: ") && !line.contains("|")
    }
    guard process.terminationStatus == 0 || !errors.isEmpty else {
      return ["swiftc ended with \(process.terminationStatus): \(words)"]
    }
    return errors
  }

  private static func lack(_ reason: String) -> any Error {
    ProcessInfo.processInfo.environment["CI"] == "true" ? Lack(description: reason) : XCTSkip(reason)
  }

  private struct Lack: Error, CustomStringConvertible {
    let description: String
  }
}

/// The compiler as these tests call it can tell right from wrong; what uses it leans on that.
final class SwiftCompilerTests: XCTestCase {
  func testASourceThatUsesTheModulesCompiles() throws {
    let source = """
      import APIKit
      let url = try HTTPURL("https://example.com")
      func wait() async {}
      await wait()
      """
    XCTAssertEqual(try SwiftCompiler().errors(in: source), [])
  }

  func testAWrongTypeIsAnErrorAtItsLine() throws {
    let errors = try SwiftCompiler().errors(in: "import APIKit\nlet url: HTTPURL = 7\n")
    XCTAssertEqual(errors.count, 1, "\(errors)")
    XCTAssertTrue(errors.first?.contains(".swift:2:") == true, "\(errors)")
  }

  func testAMissingModuleIsAnErrorToo() throws {
    XCTAssertEqual(try SwiftCompiler().errors(in: "import Nowhere").count, 1)
  }
}
