import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// Tests of the events of loads, with a listener.
@MainActor class FlightEventsCase: XCTestCase {
  let stub = StubTransport(.json(someJSON))
  var listener = Listener()

  override func setUp() async throws {
    let listener = listener
    FlightEvents.shared.add(listener)
    addTeardownBlock { FlightEvents.shared.remove(listener) }
  }

  func manager(_ change: (inout TestService) -> Void = { _ in }) -> TestManager {
    var service = TestService(stub)
    service.name = listener.service
    change(&service)
    return TestManager(service)
  }

  /// The lines of a load, once it has landed.
  func lines(of flight: FlightID?) async -> [String] {
    await waitUntil { self.listener.events.contains { $0.flight == flight && $0.event.isLanding } }
    return listener.events.filter { $0.flight == flight }.map { Self.line($0) }.withoutNotices
  }

  static func line(_ event: LiveEvent) -> String {
    switch event.event {
    case .responded(let status, _): "responded \(status)"
    case .redirected(let status, let target, _): "redirected \(status) to \(target)"
    case .broken: "broken"
    case .options: "options"
    default: event.event.description
    }
  }
}

/// Keeps what it is told of the loads of one service.
final class Listener: FlightListener {
  let service: String
  private let record = Record<LiveEvent>()
  private let action = Mutex<@Sendable (LiveEvent) throws -> Void>({ _ in })

  init(service: String = "Live-\(FlightID.next())") { self.service = service }

  var events: [LiveEvent] { record.all }
  var onEvent: @Sendable (LiveEvent) throws -> Void {
    get { action.withLock { $0 } }
    set { action.withLock { $0 = newValue } }
  }

  var dropped: Int {
    events.reduce(0) { if case .dropped(let count) = $1.event { $0 + count } else { $0 } }
  }

  func waits(of flight: FlightID?) -> [FlightWait] {
    events.filter { $0.flight == flight }.compactMap {
      if case .waits(let wait) = $0.event { wait } else { nil }
    }
  }

  func phases(of flight: FlightID?) -> [RequestPhase] {
    events.filter { $0.flight == flight }.compactMap {
      if case .phase(let phase) = $0.event { phase } else { nil }
    }
  }

  func receive(_ event: LiveEvent) throws {
    guard event.api.service == service else { return }
    record.add(event)
    try onEvent(event)
  }
}

extension FlightEvent {
  var isLanding: Bool { if case .landed = self { true } else { false } }
  var isDrop: Bool { if case .dropped = self { true } else { false } }
}
