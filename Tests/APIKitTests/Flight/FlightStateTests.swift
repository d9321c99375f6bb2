import XCTest

@testable import APIKit

/// The life of a flight: which moves are legal.
final class FlightStateTests: XCTestCase {
  func testOnlyTheListedMovesAreLegal() {
    let legal: Set<[FlightState]> = [
      [.waiting, .flying], [.waiting, .cancelled], [.flying, .succeeded], [.flying, .failed],
      [.flying, .cancelled], [.flying, .suspended], [.suspended, .flying], [.suspended, .succeeded],
      [.suspended, .failed], [.suspended, .cancelled],
    ]
    for from in FlightState.allCases {
      for to in FlightState.allCases {
        XCTAssertEqual(from.canMove(to: to), legal.contains([from, to]), "\(from) to \(to)")
      }
    }
  }

  func testAFinalStateCannotBeLeft() {
    for state in FlightState.allCases where state.isFinal {
      XCTAssertTrue(FlightState.allCases.allSatisfy { !state.canMove(to: $0) })
    }
    XCTAssertFalse(FlightState.flying.isFinal)
  }
}
