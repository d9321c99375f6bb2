import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Loads that others wait for share no call with those that wait.
@MainActor final class LoadCircleTests: SignInCase {
  func testALoadOfARenewalDoesNotJoinTheCallThatWaitsForTheRenewal() async throws {
    acceptOnly("new")
    let inner = TestManager(stub)
    let authenticator = try authenticator { _ in
      _ = try await inner.response()
      return Credential(accessToken: "new")
    }
    let outer = makeManager(authenticator)
    inner.service.authenticator = authenticator
    inner.sharedState = outer.sharedState
    (inner.joinsIdenticalFlights, outer.joinsIdenticalFlights) = (true, true)
    let error = try await errorThrown { () throws(APIError) in try await outer.response() }
    XCTAssertEqual(error.reason, .refreshFailed)
    XCTAssertEqual((error.underlying as? APIError)?.reason, .signInCycle)
  }

  func testALoadOfAnErrorHookIsInNoBatchWithLoadsOfOthers() async throws {
    let (time, shared) = (ManualTime(), SharedState())
    stub.on("/api/first", .status(401))
    stub.on("/api/homes", .status(401))
    stub.on("/api/home", .json(#"{"id": 1}"#))
    func makeManager(_ apiName: String) -> TestManager {
      var service = TestService(stub)
      service.onBatchPlan = { call in
        guard call.apiName == "home" else { return nil }
        var plan = BatchPlan.byID("id", list: "homes", as: "ids", items: "items")
        plan.window = .seconds(1)
        return plan
      }
      let manager = TestManager(service)
      (manager.apiName, manager.sharedState, manager.time) = (apiName, shared, time)
      return manager
    }
    let (first, gathering, inner) = (makeManager("first"), makeManager("home"), makeManager("home"))
    let recorder = Recorder()
    (first.delegate, gathering.delegate, inner.delegate) = (recorder, recorder, recorder)
    first.service.onError = { _ in
      _ = try? await inner.response(["id": 2])
      return .letThrough
    }
    gathering.load(["id": 1])
    await waitUntil { shared.batches.waitingCount == 1 }
    first.load()
    await waitUntil { shared.batches.waitingCount == 2 }
    await waitUntil {
      time.advance(by: .seconds(1))
      return recorder.landingCount == 3
    }
    XCTAssertEqual(recorder.responses.count, 2)
    XCTAssertEqual(recorder.errors.map(\.context.apiName), ["first"])
    XCTAssertEqual(stub.requests.map(\.url.path).sorted(), ["/api/first", "/api/home", "/api/home"])
  }
}
