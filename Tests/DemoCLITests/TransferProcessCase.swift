#if os(Linux)
  import DemoServer
  import Foundation
  @testable import TestSupport
  import XCTest

  @testable import APIKit

  /// Runs the program as a process, with a folder and a server of its own.
  class TransferProcessCase: XCTestCase {
    lazy var folder = temporaryFolder()
    var server: DemoServer?

    override func setUpWithError() throws { server = try DemoServer() }

    override func tearDown() {
      server?.stop()
      server = nil
    }

    var program: String { Bundle.main.bundleURL.appendingPathComponent("DemoCLI").path }
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
    func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: path(name)) }

    /// The bytes of a file of the demo's server.
    static func content(_ count: Int) -> Data {
      Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    }

    /// Has the server give a file, from the offset that is asked for.
    ///
    /// - Parameter change: Makes of a response what the test is about; called with the offset.
    func serve(
      _ content: Data, at path: String,
      _ change: @escaping @Sendable (_ first: Int, _ response: inout DemoResponse) -> Void
    ) {
      server?.on(.get, path) { request in
        let first = request.headers["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
        var response = DemoResponse(headers: ["ETag": "\"a\""], body: Array(content[first...]))
        if first > 0 {
          response.status = 206
          response.headers.add("Content-Range", "bytes \(first)-\(content.count - 1)/\(content.count)")
        }
        change(first, &response)
        return response
      }
    }

    /// Serves a file of which half comes, and the rest after a minute; one that asks for the rest gets it at once.
    func serveHalves(_ content: Data, at path: String) {
      serve(content, at: path) { first, response in
        if first == 0 { response.stall = .seconds(60) }
      }
    }

    /// Waits until so many bytes of the file are on the disk, and ends the process by a signal.
    func end(_ process: Process, by signal: Int32, after count: Int) throws {
      let limit = Date(timeIntervalSinceNow: 20)
      while bytes("file.apikit-part")?.count != count {
        guard Date() < limit else {
          throw URLError(.timedOut, userInfo: ["what": "\(count) bytes did not come"])
        }
        usleep(5000)  // The file is of another process, whose writes can only be polled.
      }
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
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
