import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Stored responses that a manager's rules refuse, beside conditional requests and what is asked behind a landing.
@MainActor final class CacheRefusalTests: HTTPCacheCase {
  private static let window = "max-age=60, stale-while-revalidate=600"

  private func refuseOne() {
    manager.onValidateResponse = { if $0.raw[0].int == 1 { throw ValidationError("one is bad") } }
  }

  func testAStaleResponseThatIsRefusedHasTheServerAskedOnce() async throws {
    try begin()
    stub.on("/api/list", .json("[1]", headers: ["Cache-Control": Self.window]), .json("[2]"))
    _ = try await manager.response([:])
    time.advance(by: .seconds(70))
    refuseOne()
    let response = try await manager.response([:])
    XCTAssertEqual(response.raw[0].int, 2)
    for _ in 0..<50 { await landingsWorkedOff() }
    XCTAssertEqual(stub.requests.count, 2, "nothing is asked behind a landing from the network")
  }

  func testAConfirmedResponseThatIsRefusedIsAskedForAnew() async throws {
    try begin()
    stub.on(
      "/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60", "ETag": "\"a\""]), .json("[2]"))
    stub.when({ $0.headers["If-None-Match"] != nil }, .status(304))
    _ = try await manager.response([:])
    time.advance(by: .seconds(70))
    refuseOne()
    let response = try await manager.response([:])
    XCTAssertEqual(response.raw[0].int, 2)
    XCTAssertEqual(response.provenance, .network)
    XCTAssertEqual(stub.requests.map { $0.headers["If-None-Match"] }, [nil, "\"a\"", nil])
  }

  func testAPreviewThatIsRefusedWhileTheServerIsAskedAboutItIsAskedForAnew() async throws {
    try begin()
    let gate = StubGate()
    stub.on("/api/list", .json("[1]", headers: ["ETag": "\"a\""]), .json("[2]"))
    stub.when({ $0.headers["If-None-Match"] != nil }, .held(by: gate, .status(304)))
    manager.cachePolicy = .cacheThenNetwork
    _ = try await manager.response([:])
    refuseOne()
    let viewer = PreviewViewer()
    manager.delegate = viewer
    manager.load([:])
    try await gate.waitForArrivals(1)
    for _ in 0..<3 { await landingsWorkedOff() }
    gate.open()
    await viewer.waitForLanding()
    XCTAssertEqual(viewer.previews.count, 0)
    XCTAssertEqual(viewer.errors.map(\.label), [])
    XCTAssertEqual(viewer.landings.map { $0.raw[0].int }, [2])
    XCTAssertEqual(stub.requests.map { $0.headers["If-None-Match"] }, [nil, "\"a\"", nil])
  }

  /// The load has landed, so that there is nothing to tell its delegate of.
  func testWhatIsAskedBehindALandingTellsNoProgress() async throws {
    try begin()
    let fields: HTTPHeaders = ["Cache-Control": Self.window]
    stub.on("/api/list", .json("[1]", headers: fields), .json("[2]", headers: fields))
    _ = try await manager.response([:])
    time.advance(by: .seconds(70))
    let recorder = Recorder()
    manager.delegate = recorder
    manager.reportsProgress = true
    manager.load([:])
    await recorder.waitForLandings()
    await untilStored(2)
    await landingsWorkedOff()
    XCTAssertEqual(cache.statistics.memory.stores, 2)
    XCTAssertEqual(recorder.progress.count, 0)
  }

  func testWhatIsAskedBehindALandingHasNoFallback() async throws {
    try begin()
    let asked = Counter()
    manager.service.onFallback = { _ in
      asked.increment()
      return nil
    }
    stub.on("/api/list", .json("[1]", headers: ["Cache-Control": Self.window]))
    _ = try await manager.response([:])
    time.advance(by: .seconds(70))
    manager.networkGate = .refuse
    manager.service.network.force(.offline)
    // A second one begins only when the first has ended.
    var refreshes = 0
    for _ in 0..<2000 where refreshes < 2 {
      let response = try await manager.response([:])
      XCTAssertEqual(response.raw[0].int, 1)
      if response.record?.description.contains("there is no network") == true { refreshes += 1 }
      try? await Task.sleep(for: .milliseconds(1))
    }
    XCTAssertEqual(refreshes, 2)
    XCTAssertEqual(asked.value, 0)
  }
}
