import APIKit
import Foundation
import TestServers
@testable import TestSupport
import XCTest

/// Type-checks small sources against the modules these tests were built with.
struct SwiftCompiler: Sendable {
  private let command: [String]
  private let flags: [String]
  /// The flags for a package manifest; nil where the package manager's module is not beside the compiler.
  private let manifestFlags: [String]?

  /// Finds swiftc on PATH, and the modules beside the running test program.
  ///
  /// Where one is missing the test is skipped with the reason; under `CI=true` it fails.
  init() throws {
    #if os(macOS)
      #if arch(arm64)
        let architecture = "arm64"
      #else
        let architecture = "x86_64"
      #endif
      let swiftc = try Self.output(of: ["/usr/bin/xcrun", "--find", "swiftc"]).text
      let platform = try Self.output(of: ["/usr/bin/xcrun", "--sdk", "macosx", "--show-sdk-platform-path"])
        .text
      // XCTest is no part of the SDK, but of the platform.
      command = [
        "/usr/bin/xcrun", "swiftc", "-target", "\(architecture)-apple-macosx15.0",
        "-F", "\(platform)/Developer/Library/Frameworks", "-I", "\(platform)/Developer/usr/lib",
      ]
    #elseif os(Linux)
      let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      let paths = folders.map { "\($0)/swiftc" }
      guard let swiftc = paths.first(where: FileManager.default.isExecutableFile(atPath:)) else {
        throw missingTool("swiftc is not on PATH")
      }
      command = [swiftc]
    #else
      throw XCTSkip("there is no compiler on this platform")
    #endif
    #if os(Linux) || os(macOS)
      let toolchain = URL(fileURLWithPath: swiftc).resolvingSymlinksInPath().appendingPathComponent("../..")
      let manifests = toolchain.appendingPathComponent("lib/swift/pm/ManifestAPI").standardizedFileURL.path
      let isThere = FileManager.default.fileExists(atPath: manifests)
      manifestFlags =
        isThere
        ? ["-typecheck", "-swift-version", "6", "-package-description-version", "6.2", "-I", manifests] : nil
      let build = Bundle(for: SwiftCompilerTests.self).bundleURL.resolvingSymlinksInPath()
      let products = build.pathExtension == "xctest" ? build.deletingLastPathComponent() : build
      let modules = products.appendingPathComponent("Modules").path
      guard FileManager.default.fileExists(atPath: "\(modules)/APIKit.swiftmodule") else {
        throw missingTool("there is no APIKit.swiftmodule in \(modules)")
      }
      flags = [
        "-typecheck", "-swift-version", "6", "-I", modules,
        // A cache of its own: the build's may be known by another path, and the compiler minds.
        "-module-cache-path", products.appendingPathComponent("SnippetModuleCache").path,
        "-Xcc", "-fmodule-map-file=\(products.path)/CAPIKit.build/module.modulemap",
        "-Xcc", "-I", "-Xcc", PackageFolder.url.appendingPathComponent("Sources/CAPIKit/include").path,
      ]
    #endif
  }

  /// The errors in one file, in the compiler's words, a line each; empty when it compiles.
  ///
  /// The file is a script: statements may stand at its top, `await` included. One that imports
  /// `PackageDescription` is checked as a manifest. About 0.1 s.
  func errors(in source: String) throws -> [String] {
    if source.contains("import PackageDescription") { return try errors(inManifest: source) }
    return try run(flags, on: ["snippet.swift": source])
  }

  /// The errors and the warnings in one file, as ``errors(in:)`` returns the errors.
  func diagnostics(in source: String) throws -> [String] {
    try run(flags, on: ["snippet.swift": source], kinds: ["error: ", "warning: "])
  }

  /// The errors of each of several checks in their order, on all cores.
  static func errors(_ count: Int, in check: @Sendable (Int) throws -> [String]) throws -> [[String]] {
    let results = Mutex([Result<[String], any Error>?](repeating: nil, count: count))
    DispatchQueue.concurrentPerform(iterations: count) { index in
      let result = Result { try check(index) }
      results.withLock { $0[index] = result }
    }
    return try results.withLock { $0 }.map { try $0?.get() ?? [] }
  }

  /// The errors in the files of one module, by file name; its tests are taken for a part of it.
  func errors(in files: [String: String], module: String) throws -> [String] {
    try run(flags + ["-module-name", module], on: files)
  }

  private func errors(inManifest source: String) throws -> [String] {
    guard let manifestFlags else { throw missingTool("there is no PackageDescription beside swiftc") }
    return try run(manifestFlags, on: ["Package.swift": source])
  }

  private func run(
    _ flags: [String], on files: [String: String], kinds: [String] = ["error: "]
  ) throws -> [String] {
    let (words, status) = try withFolder(of: files) { _, arguments in
      try Self.output(of: command + flags + arguments)
    }
    let errors = words.split(separator: "\n").map(String.init).filter { line in
      // The excerpts below a diagnostic repeat it behind a bar.
      kinds.contains { line.contains($0) } && !line.contains("|")
    }
    guard status == 0 || !errors.isEmpty else { return ["swiftc ended with \(status): \(words)"] }
    return errors
  }

  /// Compiles the files as one optimized program, without the modules of the tests, and runs it. Returns its output and its
  /// status.
  func output(ofOptimized files: [String: String]) throws -> (text: String, status: Int32) {
    try withFolder(of: files) { folder, arguments in
      let program = folder.appendingPathComponent("program").path
      let flags = [
        "-O", "-wmo", "-swift-version", "6", "-package-name", "optimized", "-module-name", "Optimized", "-o",
        program,
      ]
      let (words, status) = try Self.output(of: command + flags + arguments)
      return status == 0 ? try Self.output(of: [program]) : (words, status)
    }
  }

  /// Writes the files to a temporary folder, and passes it to `work` with the arguments that name them.
  private func withFolder<Result>(
    of files: [String: String], _ work: (URL, [String]) throws -> Result
  ) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apikit-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    var arguments = files.values.contains { $0.contains("@main") } ? ["-parse-as-library"] : []
    for (name, source) in files.sorted(by: { $0.key < $1.key }) {
      let file = folder.appendingPathComponent(name)
      try source.write(to: file, atomically: false, encoding: .utf8)
      arguments.append(file.path)
    }
    return try work(folder, arguments)
  }

  /// What a program writes, both of its streams in one, and its status.
  private static func output(of command: [String]) throws -> (text: String, status: Int32) {
    #if os(Linux) || os(macOS)
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: command[0])
      process.arguments = Array(command.dropFirst())
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let words = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return (words.trimmingCharacters(in: .newlines), process.terminationStatus)
    #else
      throw XCTSkip("there is no compiler on this platform")
    #endif
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

  func testAManifestIsCheckedAgainstThePackageManager() throws {
    let good =
      "import PackageDescription\nlet package = Package(name: \"Homes\", targets: [.target(name: \"A\")])\n"
    XCTAssertEqual(try SwiftCompiler().errors(in: good), [])
    let wrong = good.replacingOccurrences(of: ".target(name:", with: ".target(title:")
    XCTAssertEqual(try SwiftCompiler().errors(in: wrong).isEmpty, false)
  }

  func testTheFilesOfAModuleAreCheckedTogether() throws {
    let files = ["A.swift": "func a() -> Int { 1 }", "main.swift": "let one: Int = a()\n"]
    XCTAssertEqual(try SwiftCompiler().errors(in: files, module: "Two"), [])
    let alone = try SwiftCompiler().errors(in: ["main.swift": files["main.swift"] ?? ""], module: "Two")
    XCTAssertEqual(alone.count, 1, "\(alone)")
  }

  func testAMissingModuleIsAnErrorToo() throws {
    XCTAssertEqual(try SwiftCompiler().errors(in: "import Nowhere").count, 1)
  }
}
