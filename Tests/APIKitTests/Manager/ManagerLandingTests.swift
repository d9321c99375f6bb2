import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// One flight, from `load` to its landing.
@MainActor final class ManagerLandingTests: XCTestCase {
  private let stub = StubTransport()
  private let recorder = Recorder()

  private func makeManager(_ responses: StubResponse...) -> TestManager {
    for response in responses { stub.on("/api/list", response) }
    let manager = TestManager(stub)
    manager.delegate = recorder
    return manager
  }

  func testALoadLandsOnceWithItsRawData() async throws {
    let manager = makeManager(.json(someJSON))
    let takeoff = manager.load(["city": "Suzhou"])
    guard case .flying(let flight) = takeoff else { return XCTFail("\(takeoff)") }
    XCTAssertTrue(manager.isLoading)
    XCTAssertEqual(manager.flights, [flight])

    await recorder.waitForLandings()
    await landingsWorkedOff()
    XCTAssertEqual(recorder.events, ["delegate.success"])
    XCTAssertEqual(recorder.responses[0].raw["items"][0]["id"].int, 1)
    XCTAssertEqual(recorder.responses[0].provenance, .network)
    XCTAssertEqual(manager.rawData["total"].int, 1)
    XCTAssertFalse(manager.isLoading)
    XCTAssertEqual(stub.requests.map(\.url.string), ["https://homes.test/api/list?city=Suzhou"])
  }

  func testALoadWithoutParametersAsksItsSource() async throws {
    let manager = makeManager(.json(someJSON))
    recorder.given = ["page": 3]
    manager.parameterSource = recorder
    manager.load()
    await recorder.waitForLandings()
    XCTAssertEqual(stub.requests.first?.url.query, "page=3")
  }

  func testALoadWhoseTaskIsCancelledWhileItsResponseWaitsForTheMainActorIsNotDelivered() async throws {
    let transport = HandTransport()
    let manager = TestManager(TestService(HTTPClient(transport: transport), TestService.homes))
    (manager.delegate, manager.validator) = (recorder, recorder)
    let task = Task { try await manager.response() }
    await waitUntil { transport.starts.count == 1 }
    let complete = transport.starts[0].completion
    let arrived = DispatchSemaphore(value: 0)
    Site.detach {
      complete(.success(.json()))
      arrived.signal()
    }
    // The main actor is busy until then.
    Self.wait(for: arrived)
    task.cancel()
    let result = await task.result
    XCTAssertThrowsError(try result.get())
    XCTAssertEqual(recorder.events, ["validate.parameters", "delegate.cancel"])
    XCTAssertEqual(recorder.cancellations.map(\.reason), [.taskCancelled])
  }

  func testALoadThatIsCancelledWhileItsResponseWaitsForTheMainActorIsNotJudged() async throws {
    let transport = HandTransport()
    let manager = TestManager(TestService(HTTPClient(transport: transport), TestService.homes))
    (manager.delegate, manager.validator) = (recorder, recorder)
    manager.load()
    await waitUntil { transport.starts.count == 1 }
    let complete = transport.starts[0].completion
    let arrived = DispatchSemaphore(value: 0)
    Site.detach {
      complete(.success(.json()))
      arrived.signal()
    }
    // The main actor is busy until then.
    Self.wait(for: arrived)
    manager.cancel()
    await landingsWorkedOff()
    XCTAssertEqual(recorder.events, ["validate.parameters", "delegate.cancel"])
  }

  private nonisolated static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

  func testReadingTheResultBeforeALoadSaysThatNothingWasLoaded() async throws {
    struct Whole: Reformer {
      func reform(_ raw: RawData, from source: ReformSource) throws -> RawData { raw }
    }
    let error = try await errorThrown { () throws(APIError) in
      try TestManager(StubTransport()).fetchData(with: Whole())
    }
    XCTAssertEqual(error.reason, .reformFailed)
    XCTAssertEqual(error.localizedDescription, "Nothing has been loaded yet.")
  }

  func testAFailureLandsWithPlaceReasonAndContext() async throws {
    let manager = makeManager(.failure(.connectionRefused))
    let flight = manager.load().flightID
    await recorder.waitForLandings()
    let error = recorder.errors[0]
    XCTAssertEqual(error.stage, .transport)
    XCTAssertEqual(error.reason, .connectionRefused)
    XCTAssertEqual(error.context.manager, "TestManager")
    XCTAssertEqual(error.context.service, "Homes")
    XCTAssertEqual(error.context.apiName, "list")
    XCTAssertEqual(error.context.flightID, flight?.rawValue)
    XCTAssertEqual(error.context.location, "https://homes.test/api/list")
    XCTAssertTrue(error.description.hasPrefix("GET list (Homes) failed in transport: "), error.description)
    XCTAssertEqual(error.label, "transport.connection-refused")
    XCTAssertEqual(manager.lastError?.reason, .connectionRefused)
  }

  func testASuccessClearsTheErrorOfTheFlightBefore() async throws {
    stub.on("/api/list", .failure(.connectionLost), .json(someJSON))
    let manager = makeManager()
    manager.load()
    await recorder.waitForLandings(1)
    XCTAssertNotNil(manager.lastError)
    manager.load()
    await recorder.waitForLandings(2)
    XCTAssertNil(manager.lastError)
    XCTAssertEqual(manager.rawData["total"].int, 1)
  }

  func testTheFlightIsRetiredBeforeItLandsSoThatTheDelegateMayLoadAgain() async throws {
    let manager = makeManager(.json(someJSON))
    manager.takeoffPolicy = .ignoreNew
    var second: Takeoff?
    recorder.onSuccess = { _ in
      XCTAssertFalse(manager.isLoading)
      if second == nil { second = manager.load() }
    }
    manager.load()
    await recorder.waitForLandings(2)
    XCTAssertNotNil(second?.flightID)
    XCTAssertEqual(recorder.responses.count, 2)
  }

  func testTheDelegateMayLoadAgainFromAFailureToo() async throws {
    stub.on("/api/list", .status(500), .json(someJSON))
    let manager = makeManager()
    manager.takeoffPolicy = .ignoreNew
    recorder.onFailure = { _ in manager.load() }
    manager.load()
    await recorder.waitForLandings(2)
    XCTAssertEqual(recorder.events, ["delegate.failure", "delegate.success"])
  }

  func testACancelledFlightLandsAsCancelledAndNothingElse() async throws {
    let manager = makeManager(.json(someJSON))
    stub.hold()
    let flight = manager.load().flightID
    try await stub.waitForRequests(1)
    manager.cancel()
    XCTAssertEqual(recorder.events, ["delegate.cancel"])
    XCTAssertEqual(recorder.cancellations[0].flight, flight)
    XCTAssertEqual(recorder.cancellations[0].reason, .byCaller)
    XCTAssertFalse(manager.isLoading)
    stub.release()
    await landingsWorkedOff()
    XCTAssertEqual(recorder.landingCount, 1)
  }

  func testAFlightWhoseTransportIsStoppedLandsAsCancelled() async throws {
    let manager = makeManager(.failure(.transportStopped))
    manager.load()
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.cancellations.map(\.reason), [.transportStopped])
    XCTAssertEqual(recorder.errors.count, 0)
  }

  func testCancellingOneFlightLeavesTheOthers() async throws {
    let manager = makeManager(.json(someJSON))
    stub.hold()
    let first = manager.load().flightID!
    let second = manager.load().flightID!
    XCTAssertTrue(manager.cancel(first))
    XCTAssertFalse(manager.cancel(first))
    XCTAssertEqual(manager.flights, [second])
    stub.release()
    await recorder.waitForLandings(2)
    XCTAssertEqual(recorder.events, ["delegate.cancel", "delegate.success"])
  }

  func testProgressIsToldWhenAskedFor() async throws {
    let manager = makeManager(.json(someJSON))
    manager.reportsProgress = true
    manager.load()
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.progress.last?.received, Int64(someJSON.utf8.count))
  }

  func testIDsNeverCollide() async throws {
    let stub = StubTransport(.json(someJSON))
    let managers = (0..<50).map { _ in TestManager(stub) }
    var ids: Set<FlightID> = []
    for _ in 0..<20 { for manager in managers { ids.insert(manager.load().flightID!) } }
    XCTAssertEqual(ids.count, 1000)
  }

  func testEveryMoveOfAFlightIsObservable() async throws {
    let manager = makeManager(.json(someJSON))
    manager.takeoffPolicy = .queue
    let changes = manager.stateChanges()
    stub.hold()
    let first = manager.load().flightID!
    let second = manager.load().flightID!
    XCTAssertEqual(manager.state(of: first), .flying)
    XCTAssertEqual(manager.state(of: second), .waiting)
    stub.release()
    await recorder.waitForLandings(2)
    var seen: [FlightStateChange] = []
    for await change in changes {
      seen.append(change)
      if seen.count == 6 { break }
    }
    func moves(of id: FlightID) -> [FlightState] { seen.filter { $0.flight == id }.map(\.to) }
    XCTAssertEqual(moves(of: first), [.waiting, .flying, .succeeded])
    XCTAssertEqual(moves(of: second), [.waiting, .flying, .succeeded])
    XCTAssertNil(manager.state(of: first))
  }

  func testMovesThatNobodyReadsAreNotKeptWithoutEnd() async throws {
    var manager: TestManager? = makeManager(.json(someJSON))
    let changes = try XCTUnwrap(manager).stateChanges()
    for _ in 0..<100 { _ = try await manager?.response() }
    manager = nil
    var seen: [FlightState] = []
    for await change in changes { seen.append(change.to) }
    XCTAssertEqual(seen.count, 256)
    XCTAssertEqual(seen.suffix(3), [.waiting, .flying, .succeeded])
  }
}
