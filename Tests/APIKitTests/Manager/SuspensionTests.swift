import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Suspended flights, Foundation's progress, and notices.
@MainActor final class SuspensionTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))

  func testASuspendedFlightIsNotSentBeforeItIsResumed() async throws {
    var service = TestService(stub)
    service.networkGate = .wait(upTo: .seconds(10))
    service.network.force(.offline)
    let manager = TestManager(service)
    let recorder = Recorder()
    manager.delegate = recorder
    // It waits for the network until it is suspended.
    let flight = try XCTUnwrap(manager.load().flightID)
    XCTAssertTrue(try manager.suspend(flight))
    service.network.force(.wifi)
    XCTAssertEqual(manager.state(of: flight), .suspended)
    try await Task.sleep(for: .milliseconds(50))
    XCTAssertEqual(stub.requests.count, 0)
    XCTAssertTrue(manager.resume(flight))
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.responses.count, 1)
    XCTAssertFalse(manager.resume(flight), "it is over")
    XCTAssertFalse(try manager.suspend(flight))
  }

  func testASuspendedFlightThatWasNotSentHoldsNoSlot() async throws {
    var service = TestService(stub)
    service.hostLimits = HostLimits(attemptsPerHost: 1)
    service.networkGate = .wait(upTo: .seconds(10))
    service.network.force(.offline)
    let (manager, other) = (TestManager(service), TestManager(service))
    let shared = SharedState()
    (manager.sharedState, other.sharedState) = (shared, shared)
    let flight = try XCTUnwrap(manager.load().flightID)
    try manager.suspend(flight)
    service.network.force(.wifi)
    try await Task.sleep(for: .milliseconds(50))
    other.load()
    await waitUntil { !other.isLoading }
    XCTAssertEqual(stub.requests.count, 1)
    manager.resume(flight)
    await waitUntil { !manager.isLoading }
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testASuspendedFlightCanBeCancelledAtEveryPlace() async throws {
    let manager = TestManager(stub)
    let recorder = Recorder()
    manager.delegate = recorder
    let before = try XCTUnwrap(
      manager.load(["text": String(repeating: "x", count: 100_000)]).flightID)
    try manager.suspend(before)
    try await Task.sleep(for: .milliseconds(20))
    XCTAssertTrue(manager.cancel(before))
    stub.hold()
    let onTheWire = try XCTUnwrap(manager.load().flightID)
    try await stub.waitForRequests(1)
    try manager.suspend(onTheWire)
    stub.release()
    try await Task.sleep(for: .milliseconds(20))
    XCTAssertEqual(recorder.responses.count, 0, "the stub's response is kept back")
    XCTAssertTrue(manager.cancel(onTheWire))
    XCTAssertEqual(recorder.cancellations.map(\.flight), [before, onTheWire])
    XCTAssertFalse(manager.isLoading)
  }

  func testAManagerThatIsReleasedEndsItsSuspendedFlights() async throws {
    var manager: TestManager? = TestManager(stub)
    stub.hold()
    let flight = try XCTUnwrap(manager?.load().flightID)
    try await stub.waitForRequests(1)
    try manager?.suspend(flight)
    manager = nil
    XCTAssertEqual(FlightLog.shared.record(of: flight)?.landing, .cancelled("manager-released"))
    await waitUntil { self.stub.heldCount == 0 }
  }

  func testASuspendedFlightDoesNotOutliveItsManagerWhichAloneCanResumeIt() async throws {
    var manager: TestManager? = TestManager(stub)
    manager?.outlivesRelease = true
    stub.hold()
    let suspended = try XCTUnwrap(manager?.load().flightID)
    let other = try XCTUnwrap(manager?.load(["page": 2]).flightID)
    try await stub.waitForRequests(2)
    try manager?.suspend(suspended)
    manager = nil
    XCTAssertEqual(FlightLog.shared.record(of: suspended)?.landing, .cancelled("manager-released"))
    XCTAssertNil(FlightLog.shared.record(of: other)?.landing)
    stub.release()
    await waitUntil { FlightLog.shared.record(of: other)?.landing == .succeeded(.network) }
    await waitUntil { self.stub.heldCount == 0 }
  }

  func testAFlightThatWaitsForItsTakeoffIsSuspendedWhenItTakesOff() async throws {
    let manager = TestManager(stub)
    manager.takeoffPolicy = .queue
    stub.hold()
    manager.load(["id": 1])
    let second = try XCTUnwrap(manager.load(["id": 2]).flightID)
    try manager.suspend(second)
    XCTAssertEqual(manager.state(of: second), .waiting)
    stub.release()
    await waitUntil { manager.state(of: second) == .suspended }
    XCTAssertEqual(stub.requests.count, 1)
    manager.resume(second)
    await waitUntil { !manager.isLoading }
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testAFlightThatIsSuspendedAndResumedBeforeItsTakeoffWaitsOn() async throws {
    let manager = TestManager(stub)
    manager.takeoffPolicy = .queue
    stub.hold()
    manager.load(["id": 1])
    let second = try XCTUnwrap(manager.load(["id": 2]).flightID)
    try manager.suspend(second)
    XCTAssertTrue(manager.resume(second))
    XCTAssertEqual(manager.state(of: second), .waiting)
    stub.release()
    await waitUntil { !manager.isLoading }
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testAFlightThatSharesItsCallHoldsItsOwnLandingOnly() async throws {
    let shared = SharedState()
    let managers = (0..<2).map { _ in TestManager(stub) }
    let recorders = managers.map { manager in
      manager.joinsIdenticalFlights = true
      manager.sharedState = shared
      let recorder = Recorder()
      manager.delegate = recorder
      return recorder
    }
    stub.hold()
    let flights = managers.compactMap { $0.load().flightID }
    await waitUntil { shared.joins.waiterCount == 2 }
    try managers[0].suspend(flights[0])
    stub.release()
    await recorders[1].waitForLandings()
    XCTAssertEqual(recorders[0].responses.count, 0)
    managers[0].resume(flights[0])
    await recorders[0].waitForLandings()
    XCTAssertEqual(recorders[0].responses.count, 1)
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testACallersSuspensionOutlastsOneOfTheFlightItself() async throws {
    let manager = TestManager(stub)
    stub.on("/api/list", .status(503), .json(someJSON))
    let (asked, gate) = (Counter(), AsyncStream<Void>.makeStream())
    manager.service.onError = { _ in
      .suspend(for: "the test") {
        asked.increment()
        for await _ in gate.stream { break }
        return .replay
      }
    }
    let flight = try XCTUnwrap(manager.load().flightID)
    await waitUntil { asked.value == 1 && manager.state(of: flight) == .suspended }
    try manager.suspend(flight)
    gate.continuation.yield()
    try await Task.sleep(for: .milliseconds(50))
    XCTAssertEqual(manager.state(of: flight), .suspended)
    XCTAssertEqual(stub.requests.count, 1)
    manager.resume(flight)
    await waitUntil { !manager.isLoading }
    XCTAssertEqual(stub.requests.count, 2)
  }

  // MARK: Foundation's progress

  func testFoundationsProgressShowsAndDrivesTheFlight() async throws {
    let manager = TestManager(stub)
    let recorder = Recorder()
    manager.delegate = recorder
    manager.reportsProgress = true
    stub.hold()
    let flight = try XCTUnwrap(manager.load().flightID)
    let progress = try XCTUnwrap(manager.progress(of: flight))
    XCTAssertTrue(progress === manager.progress(of: flight))
    XCTAssertTrue(progress.isIndeterminate)
    XCTAssertTrue(progress.isPausable)
    try await stub.waitForRequests(1)
    progress.pause()
    await waitUntil { manager.state(of: flight) == .suspended }
    progress.resume()
    await waitUntil { manager.state(of: flight) == .flying }
    stub.release()
    await recorder.waitForLandings()
    XCTAssertEqual(progress.completedUnitCount, Int64(someJSON.utf8.count))
    XCTAssertEqual(progress.totalUnitCount, Int64(someJSON.utf8.count))
    XCTAssertEqual(progress.fractionCompleted, 1)
    XCTAssertNil(manager.progress(of: flight), "it is over")
    stub.hold()
    let other = try XCTUnwrap(manager.load().flightID)
    manager.progress(of: other)?.cancel()
    await waitUntil { recorder.cancellations.map(\.flight) == [other] }
  }

  func testAProgressThatCannotBePausedSaysSo() async throws {
    var all = TransportCapabilities.all
    all.remove(.suspension)
    let stub = StubTransport(.json(someJSON), capabilities: all)
    stub.hold()
    let manager = TestManager(stub)
    let flight = try XCTUnwrap(manager.load().flightID)
    let progress = try XCTUnwrap(manager.progress(of: flight))
    XCTAssertFalse(progress.isPausable)
    progress.pausingHandler?()
    await waitUntil { manager.record(of: flight)?.description.contains("(suspension)") == true }
    XCTAssertEqual(manager.state(of: flight), .flying)
    manager.cancel()
  }

  // MARK: Notices

  func testNoticesTellOfFlightsAndTransports() async throws {
    let notices = FlightNotices()
    XCTAssertFalse(notices.postsNotifications)
    var heard = FlightNotices.shared.notices().makeAsyncIterator()
    let manager = TestManager(stub)
    stub.hold()
    let flight = try XCTUnwrap(manager.load().flightID)
    try manager.suspend(flight)
    manager.resume(flight)
    stub.release()
    await waitUntil { !manager.isLoading }
    var kinds: [FlightNotice.Kind] = []
    while kinds.count < 4, let notice = await heard.next() {
      if notice.flight == flight { kinds.append(notice.kind) }
    }
    XCTAssertEqual(kinds, [.resumed, .suspended, .resumed, .completed])
  }

  func testNotificationsArePostedWhereThatIsSwitchedOn() async throws {
    let posted = Record<FlightNotice>()
    let center = NotificationCenter.default
    let observers = [
      Notification.Name.flightDidResume, .flightDidSuspend, .flightDidComplete, .transportDidInvalidate,
    ].map { name in
      center.addObserver(forName: name, object: nil, queue: nil) { notification in
        if let notice = notification.userInfo?["notice"] as? FlightNotice { posted.add(notice) }
      }
    }
    defer { for observer in observers { center.removeObserver(observer) } }
    let manager = TestManager(stub)
    let silent = try await manager.response().flightID
    FlightNotices.shared.postsNotifications = true
    defer { FlightNotices.shared.postsNotifications = false }
    let flight = try await manager.response().flightID
    XCTAssertEqual(posted.all.filter { $0.flight == flight }.map(\.kind), [.resumed, .completed])
    XCTAssertEqual(posted.all.filter { $0.flight == silent }, [])
    let transport = try URLSessionTransport(.ephemeral)
    let id = ObjectIdentifier(transport)
    transport.shutdown()
    transport.shutdown()
    XCTAssertEqual(posted.all.filter { $0.transport == id }.map(\.kind), [.sessionInvalidated])
  }

  #if os(Linux)
    func testAStoppedOrReleasedTransportIsToldOnce() async throws {
      var heard = FlightNotices.shared.notices().makeAsyncIterator()
      let transport = try CurlTransport(.ephemeral)
      let id = ObjectIdentifier(transport)
      await transport.finish()
      await transport.shutdown()
      var released: CurlTransport? = try CurlTransport(.ephemeral)
      let other = try ObjectIdentifier(XCTUnwrap(released))
      released = nil
      var told: [ObjectIdentifier] = []
      while told.last != other, let notice = await heard.next() {
        if let transport = notice.transport, [id, other].contains(transport) { told.append(transport) }
      }
      XCTAssertEqual(told, [id, other])
    }
  #endif

  /// Does something once when a notice of this name is posted.
  private func onNotice(
    _ name: Notification.Name, _ act: @escaping @MainActor (FlightID) -> Void
  ) -> any NSObjectProtocol {
    var isDone = false
    return NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
      let notice = notification.userInfo?["notice"] as? FlightNotice
      MainActor.assumeIsolated {
        guard !isDone, let flight = notice?.flight else { return }
        isDone = true
        act(flight)
      }
    }
  }

  func testAnObserverOfNoticesMaySuspendResumeAndCancelTheLoad() async throws {
    FlightNotices.shared.postsNotifications = true
    defer { FlightNotices.shared.postsNotifications = false }
    let manager = TestManager(stub)
    let recorder = Recorder()
    manager.delegate = recorder

    let suspending = onNotice(.flightDidResume) { XCTAssertTrue((try? manager.suspend($0)) == true) }
    let first = try XCTUnwrap(manager.load().flightID)
    NotificationCenter.default.removeObserver(suspending)
    XCTAssertEqual(manager.state(of: first), .suspended)
    XCTAssertTrue(manager.resume(first))
    await recorder.waitForLandings()

    let resuming = onNotice(.flightDidSuspend) { XCTAssertTrue(manager.resume($0)) }
    let second = try XCTUnwrap(manager.load().flightID)
    try manager.suspend(second)
    NotificationCenter.default.removeObserver(resuming)
    XCTAssertEqual(manager.state(of: second), .flying)
    await recorder.waitForLandings(2)
    XCTAssertEqual(recorder.responses.count, 2)

    let third = try XCTUnwrap(manager.load().flightID)
    try manager.suspend(third)
    let again = onNotice(.flightDidResume) { XCTAssertTrue((try? manager.suspend($0)) == true) }
    XCTAssertTrue(manager.resume(third))
    NotificationCenter.default.removeObserver(again)
    XCTAssertEqual(manager.state(of: third), .suspended)
    try await Task.sleep(for: .milliseconds(20))
    XCTAssertEqual(recorder.landingCount, 2)
    manager.cancel(third)

    stub.reset()
    let events = FlightEvents.shared.events()
    let cancelling = onNotice(.flightDidResume) { manager.cancel($0) }
    let last = try XCTUnwrap(manager.load().flightID)
    NotificationCenter.default.removeObserver(cancelling)
    XCTAssertEqual(recorder.cancellations.map(\.flight), [third, last])
    var told: [String] = []
    for await event in events where event.flight == last {
      if case .tookOff = event.event { told.append("tookOff") }
      guard case .landed = event.event else { continue }
      told.append("landed")
      break
    }
    XCTAssertEqual(told, ["tookOff", "landed"])
    XCTAssertEqual(stub.requests.count, 0)
  }
}
