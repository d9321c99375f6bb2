import XCTest

@testable import APIKit

/// What the way to the network that Apple's system describes comes to.
final class SystemPathTests: XCTestCase {
  func testAWayThatStandsOnceItIsAskedForIsNotOffline() {
    var path = SystemPath(status: .requiresConnection, interface: .cellular, isExpensive: true)
    XCTAssertEqual(path.report.condition, .cellular)
    XCTAssertNil(NetworkGate.refuse.objection(to: path.report.condition))
    path.status = .unsatisfied
    XCTAssertEqual(path.report, NetworkHub.Report(condition: .offline))
  }

  func testAWatchIsNotOfflineBecauseAnApplicationMayOpenNoConnectionsItself() {
    let path = SystemPath(status: .unsatisfied, device: .watch)
    XCTAssertEqual(path.report, NetworkHub.Report(condition: .unknown))
    XCTAssertNil(NetworkGate.refuse.objection(to: path.report.condition))
    XCTAssertEqual(SystemPath(status: .satisfied, interface: .wifi, device: .watch).report.condition, .wifi)
  }

  func testTheConditionIsThatOfTheInterfaceInUse() {
    let path = SystemPath(
      status: .satisfied, interface: .cellular, isExpensive: true, isConstrained: true, generation: .fifth,
      interfaces: ["pdp_ip0", "en0"], gateways: ["10.0.0.2", "10.0.0.1"])
    XCTAssertEqual(
      path.report.condition,
      NetworkCondition(.online, over: .cellular, isExpensive: true, isConstrained: true, generation: .fifth))
    XCTAssertEqual(path.report.way, "pdp_ip0 en0 10.0.0.1 10.0.0.2")
    var wifi = path
    wifi.interface = .wifi
    XCTAssertNil(wifi.report.condition.generation, "the card is not in use")
  }
}
