#if os(Linux)
  import APIKitTesting
  import Foundation
  @testable import TestSupport
  import XCTest

  @testable import APIKit
  @testable import APIKitReports

  /// Two processes that keep exchanges in one database, until they are killed.
  final class ExchangeStoreProcessTests: XCTestCase {
    private static let key = SecretKey(bytes: [UInt8](0..<32))
    private static let variable = "APIKIT_KEEP_EXCHANGES"

    /// Runs in the processes that the other test starts.
    func testKeepUntilKilled() async throws {
      guard let path = ProcessInfo.processInfo.environment[Self.variable] else {
        throw XCTSkip("another test runs it in processes of its own")
      }
      let store = try ExchangeStore(path: path, key: Self.key)
      store.isOn = true
      let transport = store.keeping(StubTransport(.json(#"{"items": []}"#), keepsRequests: false))
      let (parent, start) = (getppid(), ContinuousClock.now)
      var number = 0
      while getppid() == parent, ContinuousClock.now - start < .seconds(60) {
        number += 1
        _ = try await transport.send(HTTPRequest(url: try HTTPURL("https://homes.test/\(number)")))
        await store.flush()
      }
    }

    private func start(_ path: String) throws -> Process {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      process.arguments = ["APIKitReportsTests.ExchangeStoreProcessTests/testKeepUntilKilled"]
      process.environment = ProcessInfo.processInfo.environment.merging([Self.variable: path]) { $1 }
      (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
      try process.run()
      return process
    }

    func testTwoProcessesKeepSideBySideAndAKillLosesNothingThatWasWritten() async throws {
      let folder = temporaryPath()
      let path = folder + "/exchanges.sqlite"
      let store = try ExchangeStore(path: path, key: Self.key)
      var query = ExchangeQuery()
      query.limit = 100_000
      let processes = [try start(path), try start(path)]
      defer { for process in processes where process.isRunning { kill(process.processIdentifier, SIGKILL) } }
      /// Waits until the store has what is wanted. The writes are those of other processes, and can only be polled.
      func wait(_ isThere: ([KeptExchange]) -> Bool) async throws -> [KeptExchange] {
        let start = ContinuousClock.now
        while true {
          let found = try await store.find(query)
          if isThere(found) { return found }
          guard ContinuousClock.now - start < .seconds(30) else {
            XCTFail("the processes have kept \(launches(found)) exchanges")
            return found
          }
          try await Task.sleep(for: .milliseconds(5))
        }
      }
      func launches(_ found: [KeptExchange]) -> [Int] {
        Dictionary(grouping: found, by: \.launch).values.map(\.count)
      }
      let before = try await wait { launches($0).count == 2 && launches($0).allSatisfy { $0 >= 20 } }
      kill(processes[0].processIdentifier, SIGKILL)
      processes[0].waitUntilExit()
      _ = try await wait { $0.count >= before.count + 40 }
      kill(processes[1].processIdentifier, SIGKILL)
      processes[1].waitUntilExit()
      let after = try ExchangeStore(path: path, key: Self.key)
      let found = try await after.find(query)
      XCTAssertTrue(
        Set(before.map(\.id)).isSubset(of: found.map(\.id)), "a kill loses nothing that was written")
      XCTAssertEqual(Set(found.map(\.isOfThisLaunch)), [false])
      let archive = try await after.archive(of: found)
      XCTAssertEqual(archive.entries.count, found.count, "each row has its content")
      for (_, exchanges) in Dictionary(grouping: found, by: \.launch) {
        let paths = exchanges.map(\.path).reversed().map { $0 }
        XCTAssertEqual(paths, (1...paths.count).map { "/\($0)" }, "none is missing in between")
      }
      after.isOn = true
      _ = try await after.keeping(StubTransport(.status(204))).send(
        HTTPRequest(url: "https://homes.test/after"))
      let last = try await after.find()
      XCTAssertEqual(last.first?.path, "/after")
      XCTAssertNil(after.fault)
    }
  }
#endif
