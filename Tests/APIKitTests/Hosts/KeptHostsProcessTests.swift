#if os(Linux) || os(macOS)  // elsewhere there are no child processes
  import APIKitTesting
  import Foundation
  @testable import TestSupport
  import XCTest

  @testable import APIKit

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// The daily list of a pool in one folder of several processes: this test program, run again with
  /// ``KeptHostsChildTests`` alone.
  final class KeptHostsProcessTests: XCTestCase {
    private lazy var folder = temporaryFolder().path

    /// - Parameters:
    ///   - number: Which list the process has.
    ///   - day: The day of its clock, counted from 2026; nil for one that writes its list again and again.
    private func start(_ number: Int, day: Int? = nil) throws -> Process {
      let child = Process()
      child.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
      #if os(Linux)
        child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      #endif
      child.arguments = ["\(String(reflecting: KeptHostsChildTests.self))/testBeTheOtherProcess"]
      child.environment = ProcessInfo.processInfo.environment.merging([
        KeptHostsChildTests.folder: folder, KeptHostsChildTests.number: String(number),
        KeptHostsChildTests.day: day.map(String.init) ?? "",
      ]) { $1 }
      child.standardOutput = FileHandle.nullDevice
      child.standardError = FileHandle.nullDevice
      try child.run()
      addTeardownBlock { if child.isRunning { kill(child.processIdentifier, SIGKILL) } }
      return child
    }

    private func files(_ ending: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(ending) }
    }

    func testTwoProcessesOfWhichOneIsKilledWhileItWritesLeaveAWholeList() throws {
      let kept = try KeptHosts(folder: folder, key: KeptHostsChildTests.key)
      let lists = (0..<2).map(KeptHostsChildTests.list)
      var children = try (0..<2).map { try start($0) }
      let end = Date(timeIntervalSinceNow: 60)
      func seen() -> Int? {
        guard let found = kept.list(of: "named.test") else { return nil }
        guard let index = lists.firstIndex(of: found) else {
          XCTFail("a list was half written")
          return nil
        }
        return index
      }
      var all: Set<Int> = []
      while all.count < 2, Date() < end { if let index = seen() { all.insert(index) } }
      XCTAssertEqual(all, [0, 1], "both write")
      let kills = 10
      for round in 0..<kills {
        let dying = children[round % 2]
        kill(dying.processIdentifier, SIGKILL)
        dying.waitUntilExit()
        for _ in 0..<20 { XCTAssertNotNil(seen(), "round \(round)") }
        // The other one goes on writing, beside what the dead one has left.
        while seen() != 1 - round % 2, Date() < end {}
        XCTAssertEqual(seen(), 1 - round % 2, "round \(round)")
        children[round % 2] = try start(round % 2)
        all = []
        while all.count < 2, Date() < end { if let index = seen() { all.insert(index) } }
      }
      for child in children {
        kill(child.processIdentifier, SIGKILL)
        child.waitUntilExit()
      }
      XCTAssertEqual(try files(".hosts").count, 1)
      XCTAssertLessThanOrEqual(try files(".new").count, kills + 2, "at most what was being written at a kill")
      let bytes = try XCTUnwrap(FileManager.default.contents(atPath: folder + "/" + files(".hosts")[0]))
      XCTAssertNil(bytes.range(of: Data("10.0.".utf8)), "it is sealed")
    }

    func testEachDayIsAskedForByOneProcessAlsoWhenAClockIsSetBack() throws {
      for (day, questions) in [(100, 1), (100, 1), (70, 2), (70, 2), (100, 3), (101, 4), (101, 4)] {
        let child = try start(0, day: day)
        child.waitUntilExit()
        XCTAssertEqual(child.terminationStatus, 0)
        XCTAssertEqual(try files(".asked").count, questions, "day \(day)")
      }
    }
  }

  /// Not a test of its own: the process of ``KeptHostsProcessTests``.
  @MainActor final class KeptHostsChildTests: XCTestCase {
    nonisolated static let folder = "APIKIT_HOSTS_FOLDER"
    nonisolated static let number = "APIKIT_HOSTS_NUMBER"
    nonisolated static let day = "APIKIT_HOSTS_DAY"
    nonisolated static let key = SecretKey(bytes: [UInt8](repeating: 7, count: 32))

    /// Lists of different lengths, so that one half written over another would be neither.
    nonisolated static func list(_ number: Int) -> KeptHosts.List {
      KeptHosts.List(day: number, addresses: (0..<(number == 0 ? 3 : 60)).map { "10.0.\(number).\($0)" })
    }

    func testBeTheOtherProcess() async throws {
      let environment = ProcessInfo.processInfo.environment
      guard let folder = environment[Self.folder], let number = Int(environment[Self.number] ?? "") else {
        throw XCTSkip("runs as the child of KeptHostsProcessTests")
      }
      let list = Self.list(number)
      guard let day = Int(environment[Self.day] ?? "") else {
        let kept = try KeptHosts(folder: folder, key: Self.key)
        let end = Date(timeIntervalSinceNow: 60)
        while Date() < end { kept.keep(list, of: "named.test") }
        return
      }
      let time = ManualTime(wallClock: 1_767_225_600 + Double(day) * 86_400 + 3600)
      let pool = HostPool.still(
        [],
        source: try .daily(in: folder, key: Self.key) {
          _ = FileManager.default.createFile(atPath: folder + "/\(UUID()).asked", contents: nil)
          return list.addresses
        })
      let manager = TestManager(StubTransport(.json(someJSON)))
      manager.service.environments = ServiceEnvironments("https://named.test/api")
      manager.service.hosts = pool
      manager.time = time
      _ = try await manager.response()
      await waitUntil { pool.need(time) == .nothing }
      XCTAssertEqual(pool.status(time.now).map(\.host.description), list.addresses)
      // Without the work of a process's end: a sanitizer looks for leaks there, and would speak over the verdict.
      _exit(testRun?.failureCount == 0 ? 0 : 3)
    }
  }
#endif
