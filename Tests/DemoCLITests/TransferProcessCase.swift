#if os(Linux)
  import DemoServer
  import Foundation
  import XCTest

  @testable import APIKit

  /// Runs the program as a process, with a folder and a server of its own.
  class TransferProcessCase: XCTestCase {
    var folder = URL(fileURLWithPath: "/")
    var server: DemoServer?

    override func setUpWithError() throws {
      folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      server = try DemoServer()
    }

    override func tearDown() {
      server?.stop()
      server = nil
      try? FileManager.default.removeItem(at: folder)
    }

    var program: String { Bundle.main.bundleURL.appendingPathComponent("DemoCLI").path }
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
    func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: path(name)) }

    /// The bytes of a file of the demo's server.
    static func content(_ count: Int) -> Data {
      Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    }

    func start(_ command: [String]) throws -> (Process, Pipe, Pipe) {
      let (process, output, errors) = (Process(), Pipe(), Pipe())
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = command
      process.environment = ProcessInfo.processInfo.environment.merging([
        "XDG_CACHE_HOME": folder.path, "XDG_STATE_HOME": path("state"),
      ]) { $1 }
      (process.standardOutput, process.standardError) = (output, errors)
      process.standardInput = FileHandle.nullDevice
      try process.run()
      return (process, output, errors)
    }

    func run(_ command: [String]) throws -> (status: Int32, output: String, errors: String) {
      let (process, output, errors) = try start(command)
      let text = output.fileHandleForReading.readDataToEndOfFile()
      let complaints = errors.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (
        process.terminationStatus, String(decoding: text, as: UTF8.self),
        String(decoding: complaints, as: UTF8.self)
      )
    }
  }
#endif
