import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The end of a load on the main actor: the manager's own rules, the cache, the delegate.
@MainActor final class DeliveringTests: XCTestCase {
  private let stub = StubTransport(.json("[1]"), .json("[2]"))
  private let recorder = Recorder()

  private func makeManager() -> TestManager {
    let manager = TestManager(stub)
    manager.service.store = ResponseCache()
    manager.cachePolicy = .fresh()
    manager.delegate = recorder
    return manager
  }

  func testARefusalByTheManagerIsFinalAndNoRemedyIsAskedAboutIt() async throws {
    let asked = Counter()
    let manager = makeManager()
    manager.service.retryPolicy = RetryPolicy(attempts: 3)
    manager.service.onError = { _ in
      asked.increment()
      return .replay
    }
    manager.onValidateResponse = { _ in throw ValidationError("an old form") }
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.label, "response.invalid-response")
    XCTAssertEqual(error.detail, "an old form")
    XCTAssertEqual(stub.requests.count, 1)
    XCTAssertEqual(asked.value, 0)
  }

  func testAResponseThatIsRefusedIsNotStored() async throws {
    let manager = makeManager()
    manager.onValidateResponse = { _ in throw ValidationError("no") }
    _ = try await errorThrown { () throws(APIError) in try await manager.response() }
    manager.onValidateResponse = { _ in }
    let second = try await manager.response()
    XCTAssertEqual(second.provenance, .network)
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testAResponseIsStoredBeforeTheDelegateIsTold() async throws {
    let manager = makeManager()
    recorder.onSuccess = { [recorder] _ in
      if recorder.landingCount == 1 { manager.load() }
    }
    manager.load()
    await recorder.waitForLandings(2)
    XCTAssertEqual(recorder.responses.map { $0.raw[0].int }, [1, 1])
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testALoadThatHasLandedIsNotLoadingAnyMoreWhenTheDelegateIsTold() async throws {
    let manager = makeManager()
    var wasLoading: [Bool] = []
    recorder.onSuccess = { wasLoading.append($0.isLoading) }
    recorder.onFailure = { wasLoading.append($0.isLoading) }
    manager.load()
    await recorder.waitForLandings()
    stub.on("/api/list", .status(500))
    manager.load(["page": 2])
    await recorder.waitForLandings(2)
    XCTAssertEqual(recorder.errors.count, 1)
    XCTAssertEqual(wasLoading, [false, false])
  }

  func testWhatWasStoredIsFreshAgainBehindALandingThatAllowsIt() async throws {
    let time = ManualTime()
    let fields: HTTPHeaders = ["Cache-Control": "max-age=60, stale-while-revalidate=600"]
    stub.on("/api/list", .json("[1]", headers: fields), .json("[2]", headers: fields))
    let manager = makeManager()
    manager.service.store = ResponseCache(time: time)
    manager.cachePolicy = .http
    manager.load()
    await recorder.waitForLandings()
    time.advance(by: .seconds(70))
    manager.load()
    await recorder.waitForLandings(2)
    try await stub.waitForRequests(2)
    XCTAssertEqual(recorder.responses.map { $0.raw[0].int }, [1, 1])
    await waitUntil { manager.flightStore.flights.isEmpty }
    await landingsWorkedOff()
    XCTAssertEqual(recorder.landingCount, 2, "what comes behind a landing lands nowhere")
  }
}
