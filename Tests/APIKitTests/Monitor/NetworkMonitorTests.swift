import Foundation
import XCTest

@testable import APIKit

final class NetworkMonitorTests: XCTestCase {
  func testChangesAreToldAsAStreamThatBeginsWithThePresent() async {
    let monitor = NetworkMonitor(watchesSystem: false)
    var iterator = monitor.changes().makeAsyncIterator()
    var told: [NetworkCondition?] = [await iterator.next()]
    for condition in [NetworkCondition.wifi, .offline, .cellular] {
      monitor.force(condition)
      told.append(await iterator.next())
    }
    XCTAssertEqual(told, [.unknown, .wifi, .offline, .cellular])
    XCTAssertEqual(monitor.condition, .cellular)
    monitor.force(nil)
    XCTAssertEqual(monitor.condition, .unknown)
  }

  func testASlowListenerHearsTheLatest() async {
    let monitor = NetworkMonitor(watchesSystem: false)
    var iterator = monitor.changes().makeAsyncIterator()
    for condition in [NetworkCondition.wifi, .offline, .wired] { monitor.force(condition) }
    let first = await iterator.next()
    XCTAssertEqual(first, .wired)
  }

  func testTheStreamEndsWithItsMonitor() async {
    var monitor: NetworkMonitor? = NetworkMonitor(watchesSystem: false)
    let changes = monitor?.changes()
    monitor?.force(.wifi)
    monitor = nil
    var told: [NetworkCondition] = []
    if let changes { for await condition in changes { told.append(condition) } }
    XCTAssertEqual(told, [.wifi])
  }

  func testOnlyAChangeIsPostedAndItCarriesTheCondition() async {
    let monitor = NetworkMonitor(watchesSystem: false)
    let posted = expectation(description: "posted")
    posted.expectedFulfillmentCount = 2
    posted.assertForOverFulfill = true
    let token = NotificationCenter.default.addObserver(
      forName: NetworkMonitor.didChange, object: monitor, queue: nil
    ) { note in
      XCTAssertTrue(Thread.isMainThread)
      XCTAssertNotNil(note.userInfo?[NetworkMonitor.conditionKey] as? NetworkCondition)
      posted.fulfill()
    }
    for condition in [NetworkCondition.wifi, .wifi, .offline, .offline] { monitor.force(condition) }
    await fulfillment(of: [posted], timeout: 10)
    NotificationCenter.default.removeObserver(token)
  }

  func testAForcedConditionStandsUntilItIsTakenBack() {
    let monitor = NetworkMonitor()
    monitor.force(.offline)
    XCTAssertEqual(monitor.condition, .offline)
    monitor.force(nil)
    #if os(Linux)
      XCTAssertEqual(monitor.condition, SystemNetwork.condition, "the tables are read on the first question")
    #endif
  }

  #if os(Linux)
    func testOfManyWhoAskFirstNobodyIsToldThatNothingIsKnown() {
      for _ in 0..<20 {
        let monitor = NetworkMonitor()
        let unknown = Counter()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
          if monitor.condition == .unknown { unknown.increment() }
        }
        XCTAssertEqual(unknown.value, 0)
      }
    }
  #endif

  func testConditionsReadWell() {
    XCTAssertEqual(NetworkCondition.offline.description, "offline")
    XCTAssertEqual(NetworkCondition.cellular.description, "online over cellular, expensive")
  }
}

final class RouteTableTests: XCTestCase {
  private let head = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"

  private func condition(
    ipv4: String = "", ipv6: String = "", down: Set<String> = []
  ) -> NetworkCondition {
    RouteTable(ipv4: head + ipv4, ipv6: ipv6).condition(
      isUp: { !down.contains($0) }, kind: RouteTable.kind(ofName:))
  }

  private let wired = "eth0\t00000000\t010011AC\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
  private let wifi = "wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n"
  private let local = "eth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n"

  func testADefaultRouteIsTheWayOut() {
    XCTAssertEqual(condition(ipv4: wired + local), .wired)
    XCTAssertEqual(condition(ipv4: local), .offline)
    XCTAssertEqual(condition(), .offline)
  }

  func testTheSmallestMetricWinsUnlessItsInterfaceIsDown() {
    XCTAssertEqual(condition(ipv4: wifi + wired), .wired)
    XCTAssertEqual(condition(ipv4: wifi + wired, down: ["eth0"]), .wifi)
    XCTAssertEqual(condition(ipv4: wifi + wired, down: ["eth0", "wlan0"]), .offline)
  }

  func testAnIPv6RouteWillDoAndTheKernelsRejectRouteWillNot() {
    let zero = String(repeating: "0", count: 32)
    let real =
      "\(zero) 00 \(zero) 00 fe80000000000000000000000000000a 00000400 00000001 00000000 00000003 wwan0\n"
    let reject = "\(zero) 00 \(zero) 00 \(zero) ffffffff 00000001 00000000 00200200       lo\n"
    XCTAssertEqual(condition(ipv6: reject), .offline)
    XCTAssertEqual(condition(ipv6: real + reject), .cellular)
  }

  func testNonsenseIsNoRoute() {
    XCTAssertEqual(condition(ipv4: "\n\neth0\t00000000\nx y z\n", ipv6: "zz"), .offline)
  }
}
