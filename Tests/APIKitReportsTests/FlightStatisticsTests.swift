import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitReports

@MainActor final class FlightStatisticsTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))

  func testALoadIsCountedWithWhatItWas() async throws {
    let statistics = FlightStatistics()
    statistics.isOn = true
    defer { statistics.isOn = false }
    let manager = TestManager(stub)
    manager.apiName = "homes/{id}"
    _ = try await manager.response(["id": "h-17", "city": "Suzhou"])
    let load = try XCTUnwrap(own(statistics).last)
    XCTAssertEqual(load.api.description, "GET homes/{id} (Homes)")
    XCTAssertEqual(load.host, "homes.test")
    XCTAssertEqual(load.status, 200)
    XCTAssertEqual(load.outcome, .succeeded)
    XCTAssertEqual(load.origin, .network)
    XCTAssertEqual(load.attempts.count, 1)
    XCTAssertEqual(load.bytesReceived, Int64(someJSON.utf8.count))
    XCTAssertEqual(load.bytesDecoded, Int64(someJSON.utf8.count))
    XCTAssertFalse("\(load)".contains("h-17"), "the filled path is kept")
    XCTAssertFalse("\(load)".contains("Suzhou"), "a parameter is kept")
  }

  func testAnAttemptMadeAgainAndAFailureAreCountedWithTheirReason() async throws {
    let statistics = FlightStatistics()
    statistics.isOn = true
    defer { statistics.isOn = false }
    stub.reset()
    stub.on("/api/list", .failure(.connectionLost), .status(503))
    let manager = TestManager(stub)
    let time = ManualTime()
    manager.time = time
    manager.retryPolicy = RetryPolicy(attempts: 2)
    let load = Task { try? await manager.response() }
    await time.advanceOnceAsleep(by: .seconds(60), sleepers: 1)
    _ = await load.value
    let landed = try XCTUnwrap(own(statistics).first)
    XCTAssertEqual(landed.outcome, .failed)
    XCTAssertEqual(landed.reason, "response.unacceptable-status")
    XCTAssertEqual(landed.status, 503)
    XCTAssertEqual(landed.attempts.count, 2)
  }

  func testWhatIsOffOrRefusedIsNotCounted() async throws {
    let statistics = FlightStatistics()
    let manager = TestManager(stub)
    _ = try await manager.response()
    statistics.isOn = true
    defer { statistics.isOn = false }
    manager.onValidateParameters = { _ in throw ValidationError("no") }
    _ = manager.load()
    await landingsWorkedOff()
    XCTAssertEqual(own(statistics).count, 0)
    XCTAssertEqual(StatisticsReport([]).description, "no loads have landed")
  }

  func testACancelledLoadIsApartFromSuccessAndFailure() async throws {
    let statistics = FlightStatistics()
    statistics.isOn = true
    defer { statistics.isOn = false }
    let manager = TestManager(stub)
    _ = try await manager.response()
    stub.hold()
    manager.load()
    try await stub.waitForRequests(2)
    manager.cancel()
    stub.release()
    let summary = StatisticsReport(own(statistics)).summary
    XCTAssertEqual([summary.total, summary.succeeded, summary.failed, summary.cancelled], [2, 1, 0, 1])
    XCTAssertEqual(summary.successRate, 1)
    XCTAssertEqual(summary.durations.count, 1)
  }

  func testALoadThatJoinedIsApartFromTheOneThatAsked() async throws {
    let statistics = FlightStatistics()
    statistics.isOn = true
    defer { statistics.isOn = false }
    let manager = TestManager(stub)
    manager.joinsIdenticalFlights = true
    manager.sharedState = SharedState()
    let recorder = Recorder()
    manager.delegate = recorder
    stub.hold()
    manager.load()
    manager.load()
    try await stub.waitForRequests(1)
    while manager.sharedState.joins.waiterCount < 2 { await Task.yield() }
    stub.release()
    await recorder.waitForLandings(2)
    let origins = StatisticsReport(own(statistics)).summary.origins
    XCTAssertEqual(origins, [.network: 1, .joined: 1])
  }

  func testPercentilesAreThoseOfTheNearestRank() {
    let loads = (1...100).reversed().map { LandedLoad.make(duration: .milliseconds($0)) }
    let summary = LoadSummary(loads)
    XCTAssertEqual(summary.median, .milliseconds(50))
    XCTAssertEqual(summary.p95, .milliseconds(95))
    XCTAssertEqual(summary.p99, .milliseconds(99))
    XCTAssertEqual(summary.mean, .microseconds(50_500))
    XCTAssertEqual(summary.percentile(1), .milliseconds(100))
    XCTAssertEqual(LoadSummary(loads.prefix(1)).p99, .milliseconds(100))
    XCTAssertEqual(
      [-1, .nan, 2, .infinity].map { summary.percentile($0) },
      [.milliseconds(1), .milliseconds(1), .milliseconds(100), .milliseconds(100)])
    XCTAssertEqual(LoadSummary([1, 2].map { LandedLoad.make(duration: .seconds($0)) }).median, .seconds(1))
  }

  func testWithoutLoadsThereIsNoneAndNotZero() {
    let summary = LoadSummary([])
    XCTAssertNil(summary.successRate)
    XCTAssertNil(summary.mean)
    XCTAssertNil(summary.p95)
    XCTAssertEqual(
      summary.description,
      "0 loads, success rate none, 0 failed, 0 cancelled, mean none, median none, p95 none, p99 none")
    // Cancelled loads have no success rate either.
    XCTAssertNil(LoadSummary([.make(outcome: .cancelled)]).successRate)
  }

  func testSlowIsStrictlyLongerAndTheSlowestComesFirst() {
    let report = StatisticsReport([100, 300, 200, 201].map { .make(duration: .milliseconds($0)) })
    XCTAssertEqual(
      report.slow(longerThan: .milliseconds(200)).map(\.duration), [.milliseconds(300), .milliseconds(201)])
  }

  func testOnlyTheLastLoadsAreKeptAndTheOlderOnesStayInTheHistogram() {
    let statistics = FlightStatistics(capacity: 10)
    for index in 1...1000 { statistics.add(.make(duration: .milliseconds(index))) }
    let report = statistics.report
    XCTAssertEqual(report.loads.map(\.duration), (991...1000).map { .milliseconds($0) })
    XCTAssertEqual(report.totalSinceStart, 1000)
    XCTAssertEqual(report.durationsSinceStart.count, 1000)
    XCTAssertEqual(report.durationsSinceStart.sum, .milliseconds(500_500))
    // 500 is the upper end of its range; so is 1,000.
    XCTAssertEqual(report.durationsSinceStart.percentile(0.5), .milliseconds(500))
    XCTAssertEqual(report.durationsSinceStart.percentile(1), .seconds(1))
    statistics.reset()
    XCTAssertEqual(statistics.report.totalSinceStart, 0)
  }

  func testADurationOnTheEdgeOfARangeBelongsBelowIt() {
    var histogram = DurationHistogram()
    histogram.add(.milliseconds(1))
    XCTAssertEqual(histogram.count(upTo: 1_000), 1)
    histogram.add(.milliseconds(1) + .nanoseconds(1))
    XCTAssertEqual(histogram.count(upTo: 1_000), 1)
    XCTAssertEqual(histogram.count(upTo: 1_500), 2)
    histogram.add(.seconds(1_000_000_000))
    XCTAssertEqual(histogram.count, 3)
    XCTAssertNil(histogram.percentile(1), "longer than the last range")
  }

  func testBeyondTwoHundredAPIsTheRestIsOne() {
    let statistics = FlightStatistics(capacity: 2000)
    for index in 0..<1000 { statistics.add(.make(name: "homes/\(index)")) }
    let report = statistics.report
    XCTAssertEqual(report.totals.count, FlightStatistics.mostAPIs + 1)
    XCTAssertEqual(report.totals.last?.api, FlightStatistics.other)
    XCTAssertEqual(report.totals.last?.durations.count, 800)
    XCTAssertEqual(report.byAPI.count, FlightStatistics.mostAPIs + 1)
    XCTAssertEqual(report.byAPI.last?.summary.total, 800)
    XCTAssertEqual(report.totalSinceStart, 1000)
  }

  func testLoadsAreGroupedByAPIServiceAndHost() {
    let report = StatisticsReport([
      .make(name: "list"), .make(name: "list", host: "b.test"), .make(service: "Maps", name: "tile"),
    ])
    XCTAssertEqual(report.byAPI.map(\.name), ["GET list (Homes)", "GET tile (Maps)"])
    XCTAssertEqual(report.byAPI.map(\.summary.total), [2, 1])
    XCTAssertEqual(report.byService.map(\.name), ["Homes", "Maps"])
    XCTAssertEqual(report.byHost.map(\.name), ["homes.test", "b.test"])
  }

  func testAClockThatIsSetBackMakesNoNegativeDuration() async throws {
    let statistics = FlightStatistics()
    statistics.isOn = true
    defer { statistics.isOn = false }
    let manager = TestManager(stub)
    let time = ManualTime()
    manager.time = time
    stub.hold()
    let load = Task { try await manager.response() }
    try await stub.waitForRequests(1)
    time.advance(by: .seconds(2))
    time.wallClock -= 86_400
    stub.release()
    _ = try await load.value
    XCTAssertEqual(own(statistics).map(\.duration), [.seconds(2)])
    XCTAssertEqual(own(statistics).map(\.secondsSince1970), [1_767_225_600])
  }

  func testASnapshotOfAThousandLoadsIsQuick() {
    let statistics = FlightStatistics()
    for index in 0..<1000 {
      statistics.add(.make(name: "api-\(index % 50)", duration: .microseconds(index * 7919 % 100_000)))
    }
    // A loose bound for debug builds; the benchmark holds the real one.
    let time = ContinuousClock().measure { XCTAssertEqual(statistics.report.byAPI.count, 50) }
    XCTAssertLessThan(time, .milliseconds(500))
  }

  /// Tests run side by side with nothing else in the process, but a late landing of an earlier one may come in.
  private func own(_ statistics: FlightStatistics) -> [LandedLoad] {
    statistics.report.loads.filter { $0.api.service == "Homes" }
  }
}
