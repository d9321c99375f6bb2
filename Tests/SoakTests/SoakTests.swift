import APIKit

#if os(Linux)
  import Foundation
  import XCTest

  /// The soak itself: that it finds nothing in a short run, and finds every fault that is planted.
  final class SoakTests: XCTestCase {
    private typealias Outcome = Result<(status: Int32, output: String), any Error>

    /// All runs of these tests, begun with the first that is asked for: a soak mostly waits.
    private static let runs: [String: Outcome] = {
      let all = quiet + (sides + turns).map { "\($0.run) --plant \($0.plant)" }
      let outcomes = Mutex([String: Outcome]())
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 6
      for arguments in all {
        queue.addOperation {
          let outcome = Result { try soak(arguments.split(separator: " ").map(String.init)) }
          outcomes.withLock { $0[arguments] = outcome }
        }
      }
      queue.waitUntilAllOperationsAreFinished()
      return outcomes.withLock { $0 }
    }()

    private static let quiet = ["16r --seed 1 --scene sides", "4r --seed 1 --scene turns"]

    private typealias Fault = (run: String, plant: String, words: String)

    private static let sides: [Fault] = [
      ("3r --scene sides", "lost-landing", "did not land"),
      ("3r --scene sides", "double-landing", "landed once too often"),
      ("3r --scene sides", "other-user", "and landed with"),
      ("3r --scene sides", "other-request", "and landed with"),
      ("3r --scene sides", "descriptors", "descriptors are left open"),
      ("3r --scene sides", "registry", "in the registry"),
      ("16r --scene sides", "memory", "the heap grew by"),
    ]
    private static let turns: [Fault] = [
      ("2r --scene turns", "read-twice", "was read twice"),
      ("2r --scene turns", "read-under-other", "was read under"),
      ("2r --scene turns", "late-landing", "though its user has signed out"),
      ("2r --scene turns", "late-callback", "after the last didClose"),
      ("2r --scene turns", "lost-item", "was never read"),
      ("2r --scene turns", "wrong-byte", "is wrong"),
    ]

    private static func soak(_ arguments: [String]) throws -> (status: Int32, output: String) {
      let process = Process()
      let output = Pipe()
      process.executableURL = Bundle.main.bundleURL.appendingPathComponent("soak")
      process.arguments = arguments
      // Under the address sanitizer it looks for leaks as well.
      process.environment = ProcessInfo.processInfo.environment
      if let options = process.environment?["ASAN_OPTIONS"] {
        process.environment?["ASAN_OPTIONS"] = options + ":detect_leaks=1"
      }
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let text = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }

    func testAShortSoakFindsNothing() throws {
      try findNothing(
        "16r --seed 1 --scene sides", ["succeeded", "cancelled", "released", "cut", "reset", "heap"])
    }

    func testAShortSoakOfUsersWhoTakeTurnsFindsNothing() throws {
      try findNothing(
        "4r --seed 1 --scene turns",
        ["another sign-in", "deaths of servers", "sockets and streams", "transfers", "queued loads"])
    }

    private func findNothing(_ arguments: String, _ words: [String]) throws {
      let run = try XCTUnwrap(Self.runs[arguments]).get()
      XCTAssertEqual(run.status, 0, run.output)
      XCTAssertTrue(run.output.hasSuffix("soak: all of it held\n"), run.output)
      for word in words { XCTAssertTrue(run.output.contains(word), "\(word) in \(run.output)") }
    }

    func testEveryPlantedFaultIsFound() throws { try find(Self.sides) }

    func testEveryFaultThatIsPlantedAmongUsersWhoTakeTurnsIsFound() throws { try find(Self.turns) }

    private func find(_ faults: [Fault]) throws {
      for fault in faults {
        // The allocators of the sanitizers do not tell what is in use.
        if fault.plant == "memory", ProcessInfo.processInfo.environment["APIKIT_SANITIZER"] != nil {
          continue
        }
        let run = try XCTUnwrap(Self.runs["\(fault.run) --plant \(fault.plant)"]).get()
        XCTAssertEqual(run.status, 1, "\(fault.plant): \(run.output)")
        let breaches = run.output.split(separator: "\n").filter { $0.hasPrefix("soak: BREACH: ") }
        XCTAssertFalse(breaches.isEmpty, fault.plant)
        XCTAssertTrue(breaches.allSatisfy { $0.contains(fault.words) }, "\(fault.plant): \(run.output)")
      }
    }

    func testWrongUsageIsToldApart() throws {
      for arguments in [["0"], ["0r"], ["--plant", "nothing"], ["--seed"], ["--help"]] {
        let process = Process()
        process.executableURL = Bundle.main.bundleURL.appendingPathComponent("soak")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 2, "\(arguments)")
      }
    }
  }
#endif
