import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// What those who listen to loads are told.
@MainActor final class FlightEventsTests: FlightEventsCase {
  // MARK: What is told

  func testALoadTellsItsStepsInTheOrderInWhichTheyHappen() async throws {
    let manager = manager()
    let flight = try await manager.response().flightID
    let lines = await lines(of: flight)
    XCTAssertEqual(
      lines,
      [
        "took off (concurrent)", "attempt 1 to homes.test", "responded 200",
        "landed: success from the network",
      ])
    let events = listener.events.filter { $0.flight == flight }
    XCTAssertEqual(events.map(\.attempt), [0, 1, 1, 1])
    XCTAssertEqual(events.map(\.at), events.map(\.at).sorted())
    let api = LandedLoad.API(service: listener.service, method: .get, name: "list")
    XCTAssertEqual(Set(events.map(\.api)), [api])
    let first = try XCTUnwrap(events.first)
    XCTAssertEqual(first.secondsSince1970, Date().timeIntervalSince1970, accuracy: 60)
    XCTAssertTrue(first.description.contains("GET list"), first.description)
    XCTAssertEqual(first.record.flight, flight)
  }

  func testARetryTellsWhyAndForWhatTheLoadWaits() async throws {
    stub.reset()
    stub.on("/api/list", .failure(.connectionLost), .json(someJSON))
    let manager = manager { service in
      service.retryPolicy = .standard
      service.retryPolicy.backoff = .constant(.milliseconds(1))
    }
    let flight = try await manager.response().flightID
    let told = await lines(of: flight).filter { $0 != "broken" }
    XCTAssertEqual(told.count, 8, "\(told)")
    XCTAssertTrue(told[2].hasPrefix("failed (transport.connection-lost)"), told[2])
    XCTAssertTrue(told[3].hasPrefix("retry in 1 ms: connection-lost"), told[3])
    XCTAssertEqual(told[4], "waits for the next attempt, 1 ms")
    XCTAssertEqual(told[5], "attempt 2 to homes.test")
    let retried = listener.events.filter { $0.flight == flight && $0.attempt == 2 }
    XCTAssertEqual(retried.count, 3)
  }

  func testARedirectIsToldWithItsTarget() async throws {
    stub.on("/api/list", .redirect(to: "https://other.test/there"))
    stub.on("/there", .json(someJSON))
    let flight = try await manager().response().flightID
    let lines = await lines(of: flight)
    XCTAssertEqual(lines[2], "redirected 302 to https://other.test:443")
    XCTAssertEqual(lines[3], "responded 200")
  }

  func testALoadThatIsCancelledTellsItsLandingAndNothingAfterIt() async throws {
    stub.hold()
    let manager = manager()
    let flight = manager.load().flightID
    try await stub.waitForRequests(1)
    manager.cancel()
    stub.release()
    let lines = await lines(of: flight)
    XCTAssertEqual(lines.last, "landed: cancelled (by-caller)")
    // A further load has come back: whatever the request that was cut still says would be there.
    _ = await self.lines(of: try await manager.response().flightID)
    XCTAssertEqual(listener.events.last { $0.flight == flight }?.event.isLanding, true)
  }

  func testAFailureTellsItsLabel() async throws {
    stub.on("/api/list", .json("{}", status: 404))
    let manager = manager()
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    let lines = await lines(of: error.context.flightID.map { FlightID(rawValue: $0) })
    XCTAssertTrue(lines.last?.hasPrefix("landed: failure (response.unacceptable-status)") == true, "\(lines)")
  }

  func testARefusedLoadTellsWhyAndDoesNotTakeOff() async throws {
    let manager = manager()
    manager.onValidateParameters = { _ in throw ValidationError("no city") }
    let refused = manager.load()
    XCTAssertNil(refused.flightID)
    let listener = listener
    await waitUntil { !listener.events.isEmpty }
    guard case .refused(_, let detail)? = listener.events.last?.event else {
      return XCTFail("\(listener.events)")
    }
    XCTAssertEqual(detail, "no city")
    XCTAssertEqual(listener.events.map(\.api.name), ["list"])
  }

  func testTheOptionsOfALoadAreToldFirst() async throws {
    let manager = manager { $0.loadOptions = LoadOptions(timeouts: HTTPTimeouts(total: .seconds(20))) }
    let flight = try await manager.response().flightID
    let lines = await lines(of: flight)
    XCTAssertEqual(lines.first, "options")
  }

  func testLoadsThatJoinAreToldWithTheLoadWhoseCallTheyShare() async throws {
    stub.hold()
    let manager = manager()
    manager.joinsIdenticalFlights = true
    let (leader, follower) = (manager.load().flightID, manager.load().flightID)
    try await stub.waitForRequests(1)
    stub.release()
    let (first, second) = (await lines(of: leader), await lines(of: follower))
    XCTAssertTrue(first.contains("attempt 1 to homes.test"), "\(first)")
    XCTAssertEqual(
      second,
      [
        "took off (concurrent)", "joined the wire call of flight \(leader!)",
        "waits for the call of flight \(leader!)", "landed: success from the network",
      ])
  }

  func testALoadThatHasJoinedHearsOfItsCallAfterItsLeaderHasLeft() async throws {
    stub.hold()
    let manager = manager { $0.retryPolicy = RetryPolicy(attempts: 3) }
    manager.joinsIdenticalFlights = true
    stub.on("/api/list", .failure(.connectionLost), .json(someJSON))
    let flights = (0..<3).map { _ in manager.load().flightID }
    try await stub.waitForRequests(1)
    // The first two leave, one after the other.
    for flight in flights.prefix(2) {
      manager.cancel(try XCTUnwrap(flight))
      _ = await lines(of: flight)
    }
    stub.release()
    let lines = await lines(of: flights[2])
    XCTAssertEqual(
      lines.filter { $0.hasPrefix("responded") || $0.hasPrefix("attempt 2") }.count, 2, "\(lines)")
    XCTAssertEqual(lines.last, "landed: success from the network")
    let record = try XCTUnwrap(FlightLog.shared.record(of: flights[2]!))
    XCTAssertTrue(record.events.contains { if case .responded = $0 { true } else { false } }, "\(record)")
    for flight in flights.prefix(2) {
      let last = listener.events.last { $0.flight == flight }
      XCTAssertTrue(
        last?.event.isLanding == true, "nothing is told after a landing: \(String(describing: last))")
    }
  }

  func testALoadOfABatchHearsOfItsCallAfterThoseBeforeItHaveLeft() async throws {
    stub.hold()
    stub.on("/api/homes", .json(#"{"items": [{"id": 3}]}"#))
    let manager = manager {
      $0.onBatchPlan = { call in
        guard call.apiName == "list" else { return nil }
        var plan = BatchPlan.byID("id", list: "homes", as: "ids", items: "items")
        plan.maximumCount = 4
        return plan
      }
    }
    let flights = try (1...4).map { try XCTUnwrap(manager.load(["id": $0]).flightID) }
    // The first leaves before the call is made or after it, the next two one after the other.
    try await stub.waitForRequests(1)
    for flight in flights.dropLast(2) {
      manager.cancel(flight)
      _ = await lines(of: flight)
    }
    manager.cancel(flights[3])
    stub.release()
    let lines = await lines(of: flights[2])
    XCTAssertEqual(lines.filter { $0.hasPrefix("responded") }.count, 1, "\(lines)")
    XCTAssertEqual(
      lines.filter { $0.contains("leads the call of flight") }.count, 1, "by the one before: \(lines)")
    XCTAssertEqual(lines.last, "landed: success from the network")
    for flight in flights where flight != flights[2] {
      let last = listener.events.last { $0.flight == flight }
      XCTAssertTrue(last?.event.isLanding == true, "\(String(describing: last))")
    }
  }

  func testAStoredResponseTakesOffAndLandsWithoutAnAttempt() async throws {
    stub.on("/api/list", .json(someJSON, headers: ["Cache-Control": "max-age=60"]))
    let manager = manager { $0.store = ResponseCache() }
    manager.cachePolicy = .http
    _ = try await manager.response()
    let flight = try await manager.response().flightID
    let lines = await lines(of: flight)
    XCTAssertEqual(lines.first, "took off (concurrent)")
    XCTAssertTrue(lines.last?.hasPrefix("landed: success from memory") == true, "\(lines)")
    XCTAssertFalse(lines.contains { $0.hasPrefix("attempt") }, "\(lines)")
  }

  // MARK: Waits

  func testAWaitIsToldWhenItBegins() async throws {
    stub.hold()
    let manager = manager { $0.hostLimits = HostLimits(attemptsPerHost: 1) }
    let first = manager.load().flightID
    let second = manager.load().flightID
    let listener = listener
    await waitUntil { listener.waits(of: second) == [.slot(host: "homes.test:443")] }
    stub.release()
    let firstLines = await lines(of: first)
    let secondLines = await lines(of: second)
    XCTAssertFalse(firstLines.contains { $0.hasPrefix("waits") }, "\(firstLines)")
    XCTAssertTrue(secondLines.contains("attempt 1 to homes.test"), "\(secondLines)")

    stub.hold()
    manager.takeoffPolicy = .queue
    manager.service.hostLimits = nil
    let flying = manager.load().flightID
    let queued = manager.load().flightID
    await waitUntil { listener.waits(of: queued) == [.takeoff(policy: "queue")] }
    stub.release()
    _ = (await lines(of: flying), await lines(of: queued))

    manager.takeoffPolicy = .concurrent
    manager.service.network.force(.offline)
    manager.networkGate = .wait(upTo: .seconds(30))
    let gated = manager.load().flightID
    await waitUntil { listener.waits(of: gated) == [.network] }
    manager.service.network.force(.wired)
    _ = await lines(of: gated)

    stub.hold()
    let held = try XCTUnwrap(manager.load().flightID)
    try manager.suspend(held)
    await waitUntil { listener.waits(of: held) == [.caller] }
    manager.resume(held)
    stub.release()
    let heldLines = await lines(of: held)
    XCTAssertTrue(heldLines.contains("resumed"), "\(heldLines)")
  }

  func testALoadTellsThatItWaitsForTheRateAndForASignIn() async throws {
    let authenticator = Authenticator()
    let manager = manager { service in
      service.requestRate = RequestRate(1, per: .milliseconds(50))
      service.authenticator = authenticator
    }
    _ = try await manager.response()
    let paced = try await manager.response().flightID
    _ = await lines(of: paced)
    guard case .rate? = listener.waits(of: paced).first else {
      return XCTFail("\(listener.waits(of: paced))")
    }
    manager.signIn = .required
    manager.ownRequestRate = .unlimited
    let listener = listener
    let waiting = manager.load().flightID
    await waitUntil { listener.waits(of: waiting) == [.signIn] }
    try authenticator.signIn(with: Credential(accessToken: "token"))
    _ = await lines(of: waiting)
  }

  func testALoadTellsThatItWaitsForItsBatchAnErrorHookAndTheServersOfAPool() async throws {
    stub.on("/api/homes", .json(#"{"items": [{"id": 1}, {"id": 2}]}"#))
    let batching = manager {
      $0.onBatchPlan = { call in
        call.apiName == "home" ? BatchPlan.byID("id", list: "homes", as: "ids", items: "items") : nil
      }
    }
    batching.apiName = "home"
    let (first, second) = (batching.load(["id": 1]).flightID, batching.load(["id": 2]).flightID)
    _ = (await lines(of: first), await lines(of: second))
    XCTAssertEqual([listener.waits(of: first), listener.waits(of: second)], [[.batch], [.batch]])
    let told = listener.events.filter { $0.flight == second }
    // Who leads is who came first into the batch, each in a task of its own.
    XCTAssertTrue(
      told.contains {
        if case .batched(2, let leader) = $0.event { [first, second].contains(leader) } else { false }
      }, "\(told)")

    stub.on("/api/list", .json("{}", status: 500))
    let hooked = manager {
      $0.onError = { _ in .suspend(for: "captcha") { .letThrough } }
    }
    let error = try await errorThrown { () throws(APIError) in try await hooked.response() }
    let failed = error.context.flightID.map { FlightID(rawValue: $0) }
    let hookLines = await lines(of: failed)
    XCTAssertEqual(listener.waits(of: failed), [.hook("captcha")])
    XCTAssertTrue(hookLines.contains("resumed"), "\(hookLines)")

    struct Resolver: HostResolver {
      func resolve(_ name: String) async throws -> HostResolution {
        HostResolution(["10.0.0.1"], timeToLive: .seconds(60))
      }
    }
    stub.on("/api/list", .json(someJSON))
    let pooled = manager {
      $0.environments = ServiceEnvironments("https://named.test/api")
      $0.hosts = .still([], source: .resolver(Resolver(), fallback: .system))
    }
    let flight = try await pooled.response().flightID
    let poolLines = await lines(of: flight)
    XCTAssertEqual(listener.waits(of: flight), [.servers(of: "named.test")])
    XCTAssertTrue(poolLines.contains { $0.hasPrefix("server 10.0.0.1") }, "\(poolLines)")
  }
}
