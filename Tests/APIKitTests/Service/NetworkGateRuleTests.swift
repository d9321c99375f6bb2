import XCTest

@testable import APIKit

/// What a gate has against a network, without tasks, time or a network.
final class NetworkGateRuleTests: XCTestCase {
  private let tethered = NetworkCondition(.online, over: .wifi, isExpensive: true, isConstrained: true)

  func testOnlyACertainLackOfANetworkClosesAGate() {
    for gate in [NetworkGate.refuse, .wait(upTo: .seconds(1)), .fly] {
      XCTAssertEqual(gate.objection(to: .offline), gate.rule == .fly ? nil : "there is no network")
      for condition in [NetworkCondition.unknown, .wifi, .wired, .cellular, tethered] {
        XCTAssertNil(gate.objection(to: condition), condition.description)
      }
    }
  }

  func testANetworkThatCostsIsRefusedWhereTheGateSaysSo() {
    let gate = NetworkGate.refuse.unmetered
    XCTAssertEqual(gate.objection(to: .cellular), "the network costs by volume")
    XCTAssertEqual(gate.objection(to: tethered), "the network costs by volume")
    XCTAssertNil(gate.objection(to: .wifi))
    XCTAssertNil(gate.objection(to: .unknown), "it may cost nothing")
    XCTAssertEqual(gate.rule, .refuse, "the rest of it is as it was")
  }

  func testASavingUserIsHeardWhereTheGateSaysSo() {
    var gate = NetworkGate.wait(upTo: .seconds(1))
    gate.allowsConstrained = false
    XCTAssertEqual(gate.objection(to: tethered), "the user saves data on the network")
    XCTAssertNil(gate.objection(to: .cellular))
  }
}
