@testable import APIKitGroups
import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Members of a group whose loads their caller has suspended.
@MainActor final class SuspendedMemberTests: XCTestCase {
  func testASuspendedMemberHoldsItsGroupUntilItEnds() async throws {
    for (deadline, deed) in [(nil, "resume"), (nil, "cancel"), (Duration.milliseconds(100), "wait")]
      as [(Duration?, String)]
    {
      let stub = StubTransport(.status(500))
      stub.hold()
      let (manager, recorder) = (TestManager(stub), Recorder())
      manager.delegate = recorder
      let group = ManagerGroup(.failFast, deadline: deadline)
      group.add(manager.loading())
      let task = Task { await failure { try await group.landing() } }
      try await stub.waitForRequests(1)
      try manager.suspend(manager.flights[0])
      stub.release()
      try await Task.sleep(for: .milliseconds(30))
      XCTAssertEqual(recorder.landingCount, 0, deed)
      let start = ContinuousClock.now
      if deed == "resume" { manager.resume(manager.flights[0]) }
      if deed == "cancel" { task.cancel() }
      let error = await task.value
      XCTAssertLessThan(ContinuousClock.now - start, .seconds(1), deed)
      let reasons: [String: APIError.Reason] = [
        "resume": .unacceptableStatus, "cancel": .cancelled, "wait": .deadlineExceeded,
      ]
      XCTAssertEqual(error?.reason, reasons[deed], deed)
      await waitUntil { !manager.isLoading }
      XCTAssertEqual(recorder.landingCount, 1, deed)
    }
  }
}
