#if os(Linux)
  import Foundation
  import Synchronization
  import XCTest

  /// The soak itself: that it finds nothing in a short run, and finds every fault that is planted.
  final class SoakTests: XCTestCase {
    private static func soak(_ arguments: String...) throws -> (status: Int32, output: String) {
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
      let run = try Self.soak("16r", "--seed", "1", "--scene", "sides")
      XCTAssertEqual(run.status, 0, run.output)
      XCTAssertTrue(run.output.hasSuffix("soak: all of it held\n"), run.output)
      for word in ["succeeded", "cancelled", "released", "cut", "reset", "heap"] {
        XCTAssertTrue(run.output.contains(word), "\(word) in \(run.output)")
      }
    }

    func testAShortSoakOfUsersWhoTakeTurnsFindsNothing() throws {
      let run = try Self.soak("6r", "--seed", "1", "--scene", "turns")
      XCTAssertEqual(run.status, 0, run.output)
      XCTAssertTrue(run.output.hasSuffix("soak: all of it held\n"), run.output)
      for word in [
        "another sign-in", "deaths of servers", "sockets and streams", "transfers", "queued loads",
      ] {
        XCTAssertTrue(run.output.contains(word), "\(word) in \(run.output)")
      }
    }

    func testEveryPlantedFaultIsFound() throws {
      try find(
        [
          ("lost-landing", "did not land"), ("memory", "the heap grew by"),
          ("double-landing", "landed once too often"), ("other-user", "and landed with"),
          ("other-request", "and landed with"), ("descriptors", "descriptors are left open"),
          ("registry", "in the registry"),
        ], in: "sides")
    }

    func testEveryFaultThatIsPlantedAmongUsersWhoTakeTurnsIsFound() throws {
      try find(
        [
          ("read-twice", "was read twice"), ("read-under-other", "was read under"),
          ("late-landing", "though its user has signed out"), ("late-callback", "after the last didClose"),
          ("lost-item", "was never read"), ("wrong-byte", "is wrong"),
        ], in: "turns")
    }

    private func find(_ faults: [(plant: String, words: String)], in scene: String) throws {
      var plants = faults
      // The allocators of the sanitizers do not tell what is in use.
      if ProcessInfo.processInfo.environment["APIKIT_SANITIZER"] != nil {
        plants.removeAll { $0.0 == "memory" }
      }
      // A soak mostly waits.
      let runs = Mutex(
        [Result<(status: Int32, output: String), any Error>?](repeating: nil, count: plants.count))
      DispatchQueue.concurrentPerform(iterations: plants.count) { [plants] index in
        let plant = plants[index].0
        let run = Result {
          try Self.soak(
            plant == "memory" ? "16r" : scene == "sides" ? "3r" : "2r", "--scene", scene, "--plant", plant)
        }
        runs.withLock { $0[index] = run }
      }
      for ((plant, words), run) in zip(plants, runs.withLock { $0 }) {
        let run = try XCTUnwrap(run).get()
        XCTAssertEqual(run.status, 1, "\(plant): \(run.output)")
        let breaches = run.output.split(separator: "\n").filter { $0.hasPrefix("soak: BREACH: ") }
        XCTAssertFalse(breaches.isEmpty, plant)
        XCTAssertTrue(breaches.allSatisfy { $0.contains(words) }, "\(plant): \(run.output)")
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
