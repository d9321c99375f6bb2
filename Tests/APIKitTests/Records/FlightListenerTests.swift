import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// What it costs a load that those who listen to it are slow, throw, or leave.
@MainActor final class FlightListenerTests: FlightEventsCase {
  func testALoopReadsTheSameEventsAndEndsWithItsTask() async throws {
    let events = FlightEvents.shared.events()
    let flight = try await manager().response().flightID
    let service = listener.service
    let task = Task {
      var lines: [String] = []
      for await event in events where event.api.service == service {
        lines.append(Self.line(event))
        if event.event.isLanding { break }
      }
      return lines
    }
    let read = await task.value.withoutNotices
    let told = await lines(of: flight)
    XCTAssertEqual(read, told)
    let endless = Task { for await _ in FlightEvents.shared.events() {} }
    endless.cancel()
    await endless.value
  }

  func testASlowListenerHoldsUpNoLoadAndIsToldWhatItHasMissed() async throws {
    let (latch, slow) = (Latch(), Listener(service: listener.service))
    slow.onEvent = { _ in latch.wait() }
    FlightEvents.shared.add(slow, capacity: 10)
    defer { FlightEvents.shared.remove(slow) }
    let manager = manager()
    for _ in 1...10 { _ = try await manager.response() }
    let all = listener
    await waitUntil { all.events.filter { $0.event.isLanding }.count == 10 }
    latch.open()
    // Each event is told or counted; where the gap is depends on when the listener's queue has taken the first ones.
    await waitUntil { slow.events.filter { !$0.event.isDrop }.count + slow.dropped == all.events.count }
    XCTAssertGreaterThan(slow.dropped, 0)
    XCTAssertTrue(slow.events.contains { $0.event.isDrop })
    let last = try await manager.response().flightID
    await waitUntil { slow.events.last.map { $0.event.isLanding && $0.flight == last } == true }
  }

  func testAListenerThatBlocksHoldsUpNoOther() async throws {
    let (latch, begun, other) = (Latch(), Latch(), Listener(service: listener.service))
    listener.onEvent = { _ in
      begun.open()
      latch.wait()
    }
    FlightEvents.shared.add(other)
    defer { FlightEvents.shared.remove(other) }
    let manager = manager()
    var flights: [FlightID?] = [try await manager.response().flightID]
    begun.wait()
    for _ in 1...2 {
      let flight = try await manager.response().flightID
      await waitUntil { other.events.contains { $0.flight == flight && $0.event.isLanding } }
      flights.append(flight)
    }
    XCTAssertEqual(listener.events.count, 1)
    latch.open()
    for flight in flights {
      let lines = await lines(of: flight)
      XCTAssertEqual(lines.count, 4)
    }
    XCTAssertEqual(listener.events.count, other.events.count)
  }

  func testALoopThatDoesNotReadKeepsABoundedNumberAndIsTold() async throws {
    let events = FlightEvents.shared.events(capacity: 3)
    let manager = manager()
    for _ in 1...5 { _ = try await manager.response() }
    XCTAssertGreaterThanOrEqual(events.dropped, 17)
    var iterator = events.makeAsyncIterator()
    for _ in 1...3 { _ = await iterator.next() }
    let last = await iterator.next()
    guard case .dropped(let count)? = last?.event else { return XCTFail("\(String(describing: last))") }
    XCTAssertGreaterThanOrEqual(count, 17)
  }

  func testAListenerThatThrowsIsToldOfTheNext() async throws {
    listener.onEvent = { _ in throw CancellationError() }
    let flight = try await manager().response().flightID
    let lines = await lines(of: flight)
    XCTAssertEqual(lines.count, 4)
  }

  func testAListenerMayRemoveItselfFromWithinItsCallback() async throws {
    let leaving = Listener(service: listener.service)
    leaving.onEvent = { [weak leaving] _ in if let leaving { FlightEvents.shared.remove(leaving) } }
    FlightEvents.shared.add(leaving)
    FlightEvents.shared.add(leaving)
    let manager = manager()
    for _ in 1...3 { _ = await lines(of: try await manager.response().flightID) }
    XCTAssertEqual(leaving.events.count, 1)
  }

  func testAListenerThatWasRemovedIsNotKeptWhileAnotherIsTold() async throws {
    FlightEvents.shared.remove(listener)
    // No thread gathers any more, so the next one does so on the queue of the first listener.
    try await Task.sleep(for: .milliseconds(200))
    var removed: Listener? = Listener(service: listener.service)
    let other = Listener(service: listener.service)
    for listener in [removed, other].compactMap({ $0 }) { FlightEvents.shared.add(listener) }
    defer { FlightEvents.shared.remove(other) }
    weak let kept = removed
    let manager = manager()
    // Never so long without an event that gathering would end by itself. It is removed before it is first told.
    for _ in 1...1_000 where kept != nil {
      _ = try await manager.response()
      if let listener = removed.take() { FlightEvents.shared.remove(listener) }
      try await Task.sleep(for: .milliseconds(1))
    }
    XCTAssertNil(kept)
    let last = try await manager.response().flightID
    await waitUntil { other.events.contains { $0.flight == last && $0.event.isLanding } }
  }

  func testAListenerMayLoadAndWaitForNothingOnTheMainActor() async throws {
    let manager = manager()
    let second = Mutex<FlightID?>(nil)
    listener.onEvent = { event in
      guard event.event.isLanding, second.withLock({ $0 == nil }) else { return }
      let id = DispatchQueue.main.sync { MainActor.assumeIsolated { manager.load().flightID } }
      second.withLock { $0 = id }
    }
    _ = try await manager.response()
    await waitUntil { second.withLock { $0 } != nil }
    listener.onEvent = { _ in }
    _ = await lines(of: second.withLock { $0 })
  }

  func testNobodyIsToldOfAnythingWhenTheLastListenerHasLeft() async throws {
    XCTAssertTrue(FlightEvents.shared.wants(.events))
    FlightEvents.shared.remove(listener)
    var events: LiveEvents? = FlightEvents.shared.events()
    XCTAssertNotNil(events)
    XCTAssertTrue(FlightEvents.shared.wants(.events))
    events = nil
    XCTAssertFalse(FlightEvents.shared.wants(.events))
    _ = try await manager().response()
    XCTAssertEqual(listener.events.count, 0)
  }
}
