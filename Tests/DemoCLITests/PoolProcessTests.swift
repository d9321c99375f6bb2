#if os(Linux)  // elsewhere no transport connects to a given address
  import APIKit
  import Foundation
  @testable import TestSupport
  import XCTest

  /// The program with a pool of three servers, each a process of its own.
  final class PoolProcessTests: XCTestCase {
    private lazy var folder = temporaryFolder()
    private var program: URL { Bundle.main.bundleURL.appendingPathComponent("DemoCLI") }

    /// Starts the program; its results go to a file, so that a pipe that nobody reads holds nothing up.
    private func start(_ words: [String], into file: String) throws -> (process: Process, errors: FileHandle)
    {
      let path = folder.appendingPathComponent(file)
      _ = FileManager.default.createFile(atPath: path.path, contents: nil)
      let (process, errors) = (Process(), Pipe())
      process.executableURL = program
      process.arguments = words
      process.standardOutput = try FileHandle(forWritingTo: path)
      process.standardError = errors
      process.standardInput = FileHandle.nullDevice
      try process.run()
      addTeardownBlock { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
      return (process, errors.fileHandleForReading)
    }

    private func text(_ file: String) throws -> String {
      try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
    }

    /// Three servers and their addresses.
    private func servers() throws -> [(process: Process, address: String)] {
      try (0..<3).map { number in
        let (process, errors) = try start(["serve", "--signed"], into: "server\(number)")
        // What it serves is said once it serves it, and its URL before.
        XCTAssertFalse(errors.availableData.isEmpty)
        let url = try text("server\(number)").trimmingCharacters(in: .whitespacesAndNewlines)
        return (
          process, url.replacingOccurrences(of: "http://", with: "").replacingOccurrences(of: "/", with: "")
        )
      }
    }

    func testAServerThatIsKilledWhileListLoadsAllPagesCostsNoHome() throws {
      let servers = try servers()
      let (one, _) = try start(
        ["list", "--all", "--json", "--no-cache", "--base-url", "http://\(servers[2].address)"], into: "whole"
      )
      one.waitUntilExit()
      XCTAssertEqual(one.terminationStatus, 0)

      let (list, errors) = try start(
        [
          "list", "--all", "--json", "--no-cache", "--verbose", "--explain", "--base-url",
          "http://homes.demo.test", "--addresses", servers.map(\.address).joined(separator: ","),
        ], into: "listed")
      var (told, isKilled) = ("", false)
      while true {
        let data = errors.availableData
        guard !data.isEmpty else { break }
        told += String(decoding: data, as: UTF8.self)
        guard !isKilled, told.components(separatedBy: "curl ").count > 6,
          let dying = servers.first(where: { told.contains(":\($0.address)") })
        else { continue }
        isKilled = true
        // Held meanwhile, so that it cannot end before.
        kill(list.processIdentifier, SIGSTOP)
        kill(dying.process.processIdentifier, SIGKILL)
        dying.process.waitUntilExit()
        kill(list.processIdentifier, SIGCONT)
      }
      list.waitUntilExit()
      XCTAssertEqual(list.terminationStatus, 0, String(told.suffix(2000)))
      XCTAssertTrue(isKilled)
      XCTAssertEqual(try text("listed"), try text("whole"))
      XCTAssertGreaterThan(try RawData(parsing: Array(text("listed").utf8)).homes.count, 4000)
      XCTAssertTrue(told.contains(" failed (transport.connection-"), "it was noticed")
      XCTAssertFalse(told.contains("landed: failure"))
      let used = servers.filter { told.contains(":\($0.address)") }
      XCTAssertGreaterThan(used.count, 1, "another one took over")
    }

    func testHostsMeasuresTheServersThatItIsGiven() throws {
      let servers = try servers()
      kill(servers[1].process.processIdentifier, SIGKILL)
      servers[1].process.waitUntilExit()
      let words = [
        "hosts", "--base-url", "http://homes.demo.test", "--addresses",
        servers.map(\.address).joined(separator: ","),
      ]
      for (options, file) in [(["--json"], "rows"), ([], "table")] {
        let (hosts, _) = try start(words + options, into: file)
        hosts.waitUntilExit()
        XCTAssertEqual(hosts.terminationStatus, 0)
      }
      let rows = Array(try RawData(parsing: Array(text("rows").utf8)).servers.elements)
      XCTAssertEqual(rows.compactMap(\.server.string), servers.map(\.address))
      XCTAssertEqual(rows.map { $0.connectMicroseconds.int != nil }, [true, false, true])
      let table = try text("table")
      XCTAssertTrue(table.contains("failed 1 times"), table)
      XCTAssertFalse(table.contains("Requests"), table)
    }
  }
#endif
