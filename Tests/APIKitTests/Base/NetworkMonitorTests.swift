import Foundation
@testable import TestSupport
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
      XCTAssertEqual(
        monitor.condition, SystemNetwork.report.condition, "the tables are read on the first question")
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

  func testAnotherNetworkOfTheSameKindIsToldToThoseWhoAskForThat() async throws {
    let told = Mutex<(@Sendable (NetworkHub.Report) -> Void)?>(nil)
    let hub = NetworkHub { tell in
      told.withLock { $0 = tell }
      tell(NetworkHub.Report(condition: .wifi, way: "one"))
      return nil
    }
    var monitor: NetworkMonitor? = NetworkMonitor { tell in hub.observe(tell) }
    let tell = try XCTUnwrap(monitor).condition == .wifi ? told.withLock { $0 } : nil
    var conditions = monitor?.changes().makeAsyncIterator()
    var networks = monitor?.networkChanges().makeAsyncIterator()
    _ = await conditions?.next()
    tell?(NetworkHub.Report(condition: .wifi, way: "one"))
    tell?(NetworkHub.Report(condition: .wifi, way: "two"))
    let other = await networks?.next()
    XCTAssertEqual(other, .wifi)
    tell?(NetworkHub.Report(condition: .cellular, way: "three"))
    let (moved, changed) = (await networks?.next(), await conditions?.next())
    XCTAssertEqual(moved, .cellular)
    XCTAssertEqual(changed, .cellular, "nothing was told of two networks that are alike")
    monitor?.force(.offline)
    let forced = await networks?.next()
    XCTAssertEqual(forced, .offline)
    monitor = nil
    let end = await networks?.next()
    XCTAssertNil(end)
  }

  func testTheGenerationOfAMobileNetworkIsToldBySystemNames() {
    let rows: [(String, CellularGeneration?)] = [
      ("CTRadioAccessTechnologyGPRS", .second), ("CTRadioAccessTechnologyEdge", .second),
      ("CTRadioAccessTechnologyHSDPA", .third), ("CTRadioAccessTechnologyeHRPD", .third),
      ("CTRadioAccessTechnologyLTE", .fourth), ("CTRadioAccessTechnologyNRNSA", .fifth),
      ("CTRadioAccessTechnologyNR", .fifth), ("CTRadioAccessTechnologySixth", nil), ("", nil),
    ]
    for (name, generation) in rows {
      XCTAssertEqual(CellularGeneration(radioAccess: name), generation, name)
    }
    XCTAssertLessThan(CellularGeneration.second, .fifth)
    XCTAssertNil(NetworkCondition.cellular.generation)
    let fast = NetworkCondition(.online, over: .cellular, isExpensive: true, generation: .fifth)
    XCTAssertEqual(fast.description, "online over cellular (5G), expensive")
    XCTAssertNotEqual(fast, .cellular)
  }

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

  func testTheWayOutTellsNetworksApart() {
    func way(_ ipv4: String, _ addresses: [String] = ["10.0.0.1"]) -> String {
      RouteTable(ipv4: head + ipv4, ipv6: "").way { _ in addresses }
    }
    let other = wifi.replacingOccurrences(of: "0101A8C0", with: "0102A8C0")
    XCTAssertEqual(way(wifi + wired + local), way(wired + wifi))
    XCTAssertNotEqual(way(wifi), way(other), "another gateway")
    XCTAssertNotEqual(way(wifi), way(wifi, ["10.0.0.2"]), "another address")
    XCTAssertEqual(way(wifi, ["a", "b"]), way(wifi, ["b", "a"]))
    XCTAssertEqual(way(local), "")
  }

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

  func testAnObserverThatIsCancelledWhileAChangeIsToldHoldsNobodyUp() async {
    let monitor = NetworkMonitor(watchesSystem: false)
    for round in 0..<2000 {
      let observer = Task.detached { for await _ in monitor.changes() {} }
      await Task.yield()
      async let change: Void = monitor.force(round.isMultiple(of: 2) ? .offline : .wifi)
      observer.cancel()
      await change
      await observer.value
    }
  }
}
