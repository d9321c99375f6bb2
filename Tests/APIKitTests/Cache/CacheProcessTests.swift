#if os(Linux) || os(macOS)  // elsewhere there are no child processes
  import Foundation
  import XCTest

  @testable import APIKit
  @testable import TestSupport

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// A cache shared with another process: one that is killed in the middle of writing, one that writes at the
  /// same time, one whose disk is full and one that may not write. The other process is this test program run
  /// again with ``CacheChildTests`` alone.
  final class CacheProcessTests: XCTestCase {
    private func start(_ mode: String, _ folder: String) throws -> Process {
      let child = Process()
      child.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
      #if os(Linux)
        child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      #endif
      child.arguments = ["\(String(reflecting: CacheChildTests.self))/testBeTheOtherProcess"]
      child.environment = ProcessInfo.processInfo.environment.merging(
        ["APIKIT_CACHE_CHILD": mode, "APIKIT_CACHE_FOLDER": folder]) { $1 }
      child.standardOutput = FileHandle.nullDevice
      child.standardError = FileHandle.nullDevice
      try child.run()
      addTeardownBlock { if child.isRunning { kill(child.processIdentifier, SIGKILL) } }
      return child
    }

    private func wait(for child: Process, seconds: Double = 60) async throws {
      let end = Date(timeIntervalSinceNow: seconds)
      while child.isRunning, Date() < end { try await Task.sleep(for: .milliseconds(5)) }
      XCTAssertFalse(child.isRunning, "the other process does not end")
    }

    /// Waits until the other process has written something.
    private func waitForWrites(_ folder: String) async throws {
      let cache = ResponseCache(disk: CacheChildTests.disk(folder))
      for _ in 0..<4000 where cache.statistics.disk.count == 0 { try await Task.sleep(for: .milliseconds(5)) }
      XCTAssertGreaterThan(cache.statistics.disk.count, 0, "the other process writes nothing")
    }

    /// How many of the responses are there; fails when one is not what was stored.
    private func intact(_ folder: String) -> Int {
      let cache = ResponseCache(disk: CacheChildTests.disk(folder))
      return (0..<CacheChildTests.count).count { number in
        guard let entry = cache.onDisk(number) else { return false }
        XCTAssertTrue(CacheChildTests.isRight(entry, number), "response \(number) is wrong")
        return true
      }
    }

    func testAProcessKilledInTheMiddleOfWritingLeavesOnlyWholeResponses() async throws {
      let folder = temporaryFolder().path
      for round in 0..<6 {
        let child = try start("write", folder)
        if round == 0 { try await waitForWrites(folder) }
        try await Task.sleep(for: .milliseconds(150 + 37 * round))
        kill(child.processIdentifier, SIGKILL)
        try await wait(for: child)
        XCTAssertEqual(child.terminationReason, .uncaughtSignal)
        XCTAssertGreaterThan(intact(folder), 0)
      }
      // And it can be written again.
      let cache = ResponseCache(disk: CacheChildTests.disk(folder))
      cache.put(CacheFixture.entry(100_000))
      await cache.flush()
      XCTAssertNotNil(ResponseCache(disk: CacheChildTests.disk(folder)).onDisk(100_000))
    }

    func testTwoProcessesMayUseOneFolder() async throws {
      let folder = temporaryFolder().path
      let child = try start("write", folder)
      try await waitForWrites(folder)
      let cache = ResponseCache(disk: CacheChildTests.disk(folder))
      for round in 0..<10 {
        for number in 0..<CacheChildTests.count where number % 7 == round % 7 {
          cache.put(CacheFixture.entry(number, bytes: CacheChildTests.bytes(number, round)))
          if let entry = cache.onDisk(number + 1) {
            XCTAssertTrue(CacheChildTests.isRight(entry, number + 1), "response \(number + 1) is wrong")
          }
        }
        await cache.flush()
        XCTAssertLessThanOrEqual(cache.statistics.disk.bytes, CacheChildTests.disk(folder).maximumBytes)
      }
      kill(child.processIdentifier, SIGKILL)
      try await wait(for: child)
      XCTAssertGreaterThan(intact(folder), 0)
      let totals = cache.statistics.disk
      let database = try SQLiteDatabase(path: folder + "/responses.sqlite", patience: 1000)
      XCTAssertEqual(Int(try database.number("SELECT sum(size) FROM entries")), totals.bytes)
      XCTAssertEqual(try database.prepare("PRAGMA integrity_check").firstText(), "ok")
    }

    func testAFileThatMayNotGrowGivesMissesAndNoWrongResponse() async throws {
      let folder = temporaryFolder().path
      let child = try start("full", folder)
      try await wait(for: child)
      XCTAssertEqual(child.terminationStatus, 0, "faults were met, and reported")
      XCTAssertGreaterThan(intact(folder), 0)
      XCTAssertEqual(CacheFixture.bodyFiles(folder).filter { $0.hasSuffix(".partial") }, [])
    }

    /// Whoever removed its files would take them from those who have them open.
    func testADamagedDatabaseThatCannotBeEmptiedKeepsItsFile() async throws {
      let folder = temporaryFolder().path
      let path = folder + "/responses.sqlite"
      let damage = Data(repeating: 0x58, count: 20_000)
      try damage.write(to: URL(fileURLWithPath: path))
      let open = try XCTUnwrap(FileHandle(forReadingAtPath: path))
      defer { try? open.close() }
      func number() throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
      }
      let before = try number()
      let child = try start("tiny", folder)
      try await wait(for: child)
      XCTAssertEqual(child.terminationStatus, 0, "the fault was reported, and memory used")
      XCTAssertEqual(try number(), before)
      // Where there is room, it is made anew in the same file.
      let cache = ResponseCache(disk: CacheChildTests.disk(folder))
      cache.put(CacheFixture.entry(1))
      await cache.flush()
      XCTAssertNotNil(ResponseCache(disk: CacheChildTests.disk(folder)).onDisk(1))
      XCTAssertEqual(try number(), before)
    }

    func testAFolderThatMayNotBeWrittenLeavesTheCacheInMemory() async throws {
      let folder = temporaryFolder().path
      let cache = ResponseCache(disk: CacheChildTests.disk(folder))
      cache.put(CacheFixture.entry(1))
      await cache.flush()
      chmod(folder, 0o555)
      addTeardownBlock { chmod(folder, 0o755) }
      let child = try start("read-only", folder)
      try await wait(for: child)
      XCTAssertEqual(child.terminationStatus, 0, "the fault was reported, and memory used")
    }
  }

  extension SQLiteStatement {
    fileprivate func firstText() throws(SQLiteFailure) -> String? { try step() ? text(0) : nil }
  }

  /// Not a test of its own: what the other process of ``CacheProcessTests`` does.
  final class CacheChildTests: XCTestCase {
    static let count = 60

    static func disk(_ folder: String) -> DiskCacheConfiguration {
      var disk = DiskCacheConfiguration(folder: folder, maximumBytes: 1_000_000, bodyFileThreshold: 4096)
      disk.orphanAge = 0.5
      return disk
    }

    /// Lengths change from round to round, so that old and new responses differ.
    static func bytes(_ number: Int, _ round: Int) -> Int {
      number % 3 == 0 ? 20_000 + round % 5 * 3000 : 300 + round % 5 * 100
    }

    static func isRight(_ entry: CacheEntry, _ number: Int) -> Bool {
      (0..<5).contains { entry.http.bytes == CacheFixture.body(number, bytes(number, $0)) }
    }

    func testBeTheOtherProcess() async throws {
      let environment = ProcessInfo.processInfo.environment
      guard let mode = environment["APIKIT_CACHE_CHILD"], let folder = environment["APIKIT_CACHE_FOLDER"]
      else {
        throw XCTSkip("runs as the child of CacheProcessTests")
      }
      switch mode {
      case "full", "tiny":
        // Writing beyond the limit is an error then, and no signal.
        signal(SIGXFSZ, SIG_IGN)
        let bytes: rlim_t = mode == "full" ? 120_000 : 1000
        var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
        #if os(Linux)
          setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
          setrlimit(RLIMIT_FSIZE, &limit)
        #endif
      case "read-only":
        // The superuser may write everywhere.
        if geteuid() == 0 { seteuid(65534) }
      default: break
      }
      let cache = ResponseCache(disk: Self.disk(folder))
      let log = FaultLog(cache)
      let end = Date(timeIntervalSinceNow: 20)
      var round = 0
      while Date() < end, mode == "write" || round < 3 {
        for number in 0..<Self.count {
          cache.put(CacheFixture.entry(number, bytes: Self.bytes(number, round)), in: .all)
          if number % 10 == 9 { await cache.flush() }
        }
        round += 1
      }
      guard mode != "write" else { return }
      let isInMemory = (0..<Self.count).allSatisfy { cache.memory.find(CacheFixture.query($0)) != nil }
      // Without the work of a process's end: a sanitizer looks for leaks there, and would speak over the verdict.
      _exit(isInMemory && log.kinds.contains(.unusable) ? 0 : 3)
    }
  }
#endif
