import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitReports

final class RecordSinkTests: XCTestCase {
  private lazy var folder = temporaryFolder().path
  private var file: String { folder + "/loads.jsonl" }

  private func land(_ sink: RecordSink, _ count: Int = 1, api: String = "list") {
    for _ in 0..<count {
      let recorder = FlightRecorder(flight: .next(), manager: RecordSinkTests.self, time: ManualTime())
      recorder.describe(
        service: "Homes", method: .get, apiName: api, parameters: ["city": "Suzhou\n", "password": "canary"])
      recorder.record(.landed(.succeeded(.network)))
      sink.landed(.make(), recorder)
    }
  }

  @MainActor func testALandingIsWrittenAsOneLineOfJSONWithoutSecrets() async throws {
    let sink = RecordSink.jsonLines(to: file)
    sink.isOn = true
    let manager = TestManager(StubTransport(.json(someJSON)))
    _ = try await manager.response(["city": "Suz\nhou", "password": "canary"])
    sink.isOn = false
    await sink.flush()
    _ = try await manager.response()
    await sink.flush()
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let lines = text.split(separator: "\n")
    let own = try lines.map { try RawData(parsing: String($0)) }.filter { $0.service.string == "Homes" }
    XCTAssertEqual(own.count, 1)
    XCTAssertEqual(own.first?.api.string, "list")
    XCTAssertEqual(own.first?.parameters.city.string, "Suz\nhou")
    XCTAssertEqual(own.first?.parameters.password.string, "•••")
    XCTAssertEqual(own.first?.attempts.int, 1)
    XCTAssertEqual(own.first?.landing.string, "success from the network")
    XCTAssertFalse(text.contains("canary"))
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    XCTAssertEqual(mode, 0o600)
  }

  func testAPieceThatAProcessHasLeftDoesNotSpoilTheNextLine() async throws {
    try Data("{}\n{\"start\": \"20".utf8).write(to: URL(fileURLWithPath: file))
    let sink = RecordSink.jsonLines(to: file)
    land(sink, 2)
    await sink.flush()
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    XCTAssertEqual(try lines.suffix(2).map { try RawData(parsing: String($0)).api.string }, ["list", "list"])
    XCTAssertEqual(lines.first, "{}")
  }

  func testAFileMakesRoomForItselfAndTheOldestGoes() async throws {
    let sink = RecordSink.jsonLines(to: file, maximumBytes: 1000, files: 3)
    land(sink, 20)
    await sink.flush()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    XCTAssertEqual(names, ["loads.jsonl", "loads.jsonl.1", "loads.jsonl.2"])
    for name in names {
      let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
      XCTAssertLessThanOrEqual(data.count, 1000)
      for line in data.split(separator: 0x0A) { _ = try RawData(parsing: Array(line)) }
    }
    XCTAssertEqual(sink.counts, RecordSink.Counts(written: 20))
  }

  func testThereMayBeAnyNumberOfFiles() async throws {
    let sink = RecordSink.jsonLines(to: file, maximumBytes: 1, files: .max)
    land(sink, 5)
    await sink.flush()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    XCTAssertEqual(names, ["loads.jsonl"] + (1...4).map { "loads.jsonl.\($0)" })
  }

  func testAFileThatCannotBeMovedKeepsItsBoundAndThoseBesideIt() async throws {
    let sink = RecordSink.jsonLines(to: file, maximumBytes: 1000, files: 3)
    let (first, second) = (file + ".1", file + ".2")
    try Data("kept".utf8).write(to: URL(fileURLWithPath: first))
    try FileManager.default.createDirectory(atPath: second + "/x", withIntermediateDirectories: true)
    land(sink, 20)
    await sink.flush()
    XCTAssertLessThanOrEqual(try Data(contentsOf: URL(fileURLWithPath: file)).count, 1000)
    XCTAssertEqual(try String(contentsOfFile: first, encoding: .utf8), "kept")
    XCTAssertEqual(sink.counts.written + sink.counts.failed, 20)
    XCTAssertGreaterThan(sink.counts.failed, 0)
    try FileManager.default.removeItem(atPath: second)
    let written = sink.counts.written
    land(sink)
    await sink.flush()
    XCTAssertEqual(sink.counts.written, written + 1)
    XCTAssertEqual(try String(contentsOfFile: second, encoding: .utf8), "kept")
  }

  func testASinkThatBlocksForEverHoldsNoLandingUpAndItsDropsAreCounted() throws {
    let gate = DispatchSemaphore(value: 0)
    let entered = DispatchSemaphore(value: 0)
    let sink = RecordSink(capacity: 10) { _ in
      entered.signal()
      gate.wait()
    }
    land(sink)
    XCTAssertEqual(entered.wait(timeout: .now() + 10), .success)
    let time = ContinuousClock().measure { land(sink, 100) }
    XCTAssertLessThan(time, .seconds(1))
    XCTAssertEqual(sink.counts.dropped, 90)
    for _ in 0..<11 { gate.signal() }
    for _ in 0..<10 { XCTAssertEqual(entered.wait(timeout: .now() + 10), .success) }
  }

  func testAFullDiskIsCountedAndTheSinkGoesOn() async throws {
    #if os(Linux)
      let full = RecordSink.jsonLines(to: "/dev/full")
      land(full, 3)
      await full.flush()
      XCTAssertEqual(full.counts, RecordSink.Counts(failed: 3))
    #endif
    let sink = RecordSink.jsonLines(to: folder + "/later/loads.jsonl")
    land(sink)
    await sink.flush()
    XCTAssertEqual(sink.counts, RecordSink.Counts(failed: 1))
    try FileManager.default.createDirectory(atPath: folder + "/later", withIntermediateDirectories: true)
    land(sink)
    await sink.flush()
    XCTAssertEqual(sink.counts, RecordSink.Counts(written: 1, failed: 1))
  }

  func testAFileThatWasMovedAwayIsMadeAnew() async throws {
    let sink = RecordSink.jsonLines(to: file)
    land(sink)
    await sink.flush()
    try FileManager.default.moveItem(atPath: file, toPath: file + ".old")
    land(sink)
    await sink.flush()
    try FileManager.default.removeItem(atPath: file)
    land(sink)
    await sink.flush()
    for name in [file, file + ".old"] {
      let lines = try String(contentsOfFile: name, encoding: .utf8).split(separator: "\n")
      XCTAssertEqual(lines.count, 1, name)
    }
    XCTAssertEqual(sink.counts, RecordSink.Counts(written: 3))
  }

  @MainActor func testWhatFollowsLoadsIsToldOfEachTakeoffAndItsLandingAtOnce() async throws {
    let told = Mutex<[String]>([])
    let follower = RecordSink.Follower(
      begin: { flight, api in
        if api.service == "Homes" { told.withLock { $0.append("\(flight) \(api.name)") } }
      },
      end: { load in
        if load.api.service == "Homes" { told.withLock { $0.append("\(load.flight) \(load.outcome)") } }
      })
    let sink = RecordSink("followed", follower: follower) { _ in }
    sink.isOn = true
    defer { sink.isOn = false }
    XCTAssertTrue(FlightEvents.shared.wants(.takeoffs))
    let stub = StubTransport(.json(someJSON))
    let manager = TestManager(stub)
    let good = try await manager.response().flightID
    stub.hold()
    let cut = manager.load().flightID
    XCTAssertEqual(told.withLock { $0.last }, "\(cut!) list", "told before the load returns")
    manager.cancel()
    XCTAssertEqual(told.withLock { $0.last }, "\(cut!) cancelled")
    stub.release()
    // One that is cancelled before its takeoff has neither a beginning nor an end.
    manager.takeoffPolicy = .debounce(.seconds(60))
    manager.load()
    manager.cancel()
    XCTAssertEqual(
      told.withLock { $0 },
      ["\(good!) list", "\(good!) succeeded", "\(cut!) list", "\(cut!) cancelled"])
    sink.isOn = false
    XCTAssertFalse(FlightEvents.shared.wants(.takeoffs))
  }

  func testAFunctionThatThrowsDoesNotEndTheSink() async {
    let seen = Mutex(0)
    let sink = RecordSink { _ in
      let number = seen.withLock { seen in
        seen += 1
        return seen
      }
      if number == 1 { throw CancellationError() }
    }
    land(sink, 2)
    await sink.flush()
    XCTAssertEqual(sink.counts, RecordSink.Counts(written: 1, failed: 1))
  }

  func testAFlushReturnsWhenItsTaskIsCancelled() async {
    let (gate, writing, ended) = (DispatchSemaphore(value: 0), Counter(), Counter())
    let sink = RecordSink { _ in
      writing.increment()
      gate.wait()
    }
    land(sink)
    await waitUntil { writing.value == 1 }
    let flush = Task {
      await sink.flush()
      ended.increment()
    }
    for _ in 0..<10 { await Task.yield() }
    XCTAssertEqual(ended.value, 0)
    flush.cancel()
    await waitUntil { ended.value == 1 }
    gate.signal()
    await sink.flush()
    XCTAssertEqual(sink.counts.written, 1)
  }
}
