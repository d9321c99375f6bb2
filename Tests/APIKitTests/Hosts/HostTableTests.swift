import XCTest

@testable import APIKit

final class HostTableTests: XCTestCase {
  private var table = HostTable(["10.0.0.1", "10.0.0.2", "10.0.0.3"])
  private var now = Duration.seconds(1000)

  private func measure(_ times: Int...) {
    for (index, time) in times.enumerated() {
      table.measured(.milliseconds(time), of: table.hosts[index], now: now)
    }
  }

  private func choose(except tried: [PooledHost] = []) -> HostTable.Choice? {
    table.choose(except: tried, now: now)
  }

  func testTheFirstOfTheListIsUsedUntilSomethingIsMeasured() {
    XCTAssertEqual(choose()?.host, "10.0.0.1")
    XCTAssertEqual(choose()?.reason, .first)
    XCTAssertEqual(choose()?.isFresh, false)
  }

  func testAPoolOfOneNeitherComparesNorAsksForTheTime() {
    table = HostTable(["10.0.0.1"])
    var hasAsked = false
    func ask() -> Duration {
      hasAsked = true
      return now
    }
    XCTAssertEqual(table.choose(now: ask())?.reason, .only)
    XCTAssertFalse(hasAsked)
    XCTAssertNil(table.choose(except: ["10.0.0.1"], now: ask()))
  }

  func testTheFastestIsUsedOnceMeasured() {
    measure(50, 330, 1)
    XCTAssertEqual(choose()?.host, "10.0.0.3")
    XCTAssertEqual(choose()?.reason, .fastest(.milliseconds(1), of: 3))
    XCTAssertEqual(choose()?.others, ["10.0.0.1", "10.0.0.2"])
  }

  func testASwitchNeedsAFifthAndTenMilliseconds() {
    for (own, other, switches) in [
      (100, 81, false), (100, 80, true), (40, 31, false), (40, 30, true), (12, 1, true), (11, 2, false),
    ] {
      table = HostTable(["10.0.0.1", "10.0.0.2"])
      measure(own)
      XCTAssertEqual(choose()?.host, "10.0.0.1")
      table.measured(.milliseconds(other), of: "10.0.0.2", now: now)
      XCTAssertEqual(choose()?.host == "10.0.0.2", switches, "\(own) against \(other)")
      XCTAssertEqual(choose()?.reason == .kept, !switches)
    }
  }

  func testTwoThatAreNearlyEqualAreNotSwitchedBetween() {
    table = HostTable(["10.0.0.1", "10.0.0.2"])
    var random = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      now += .seconds(1)
      for host in table.hosts {
        table.measured(.milliseconds(Int.random(in: 95...105, using: &random)), of: host, now: now)
      }
      let host = choose()?.host
      if let host { table.report(.good, of: host, now: now) }
    }
    XCTAssertLessThanOrEqual(table.switches, 2)
  }

  func testAPeakIsFollowedAtOnceAndForgottenSlowly() {
    var cost = HostCost()
    cost.add(.milliseconds(10), now: now)
    cost.add(.milliseconds(900), now: now)
    XCTAssertEqual(cost.value, .milliseconds(900))
    cost.add(.milliseconds(10), now: now + .seconds(1))
    XCTAssertGreaterThan(cost.value ?? .zero, .milliseconds(700))
    cost.add(.milliseconds(10), now: now + .seconds(60))
    XCTAssertLessThan(cost.value ?? .zero, .milliseconds(15))
  }

  func testOneThatFailedIsPassedOverAndComesBack() {
    measure(1, 50, 330)
    XCTAssertEqual(choose()?.host, "10.0.0.1")
    table.report(.bad, of: "10.0.0.1", now: now)
    XCTAssertEqual(choose()?.host, "10.0.0.2")
    XCTAssertEqual(choose()?.others.last, "10.0.0.1", "it is the last resort")
    table.report(.good, of: "10.0.0.1", now: now)
    XCTAssertEqual(choose()?.host, "10.0.0.1", "the gain is large")
  }

  func testAWrongCertificatePutsAsideAtOnce() {
    table.report(.wrong, of: "10.0.0.1", now: now)
    XCTAssertEqual(choose()?.host, "10.0.0.2")
    XCTAssertEqual(choose()?.others, ["10.0.0.3"])
  }

  func testWhenAllAreAsideAllAreUsed() {
    for host in table.hosts { for _ in 0..<5 { table.report(.bad, of: host, now: now) } }
    XCTAssertEqual(choose()?.reason, .allAside)
    XCTAssertEqual(choose()?.host, "10.0.0.1")
    XCTAssertEqual(choose()?.others.count, 2)
    table.report(.good, of: "10.0.0.2", now: now)
    XCTAssertEqual(choose()?.host, "10.0.0.2", "who responds is back")
  }

  func testALoadProbesWhereNothingMeasures() {
    for _ in 0..<5 { table.report(.bad, of: "10.0.0.1", now: now) }
    now += .seconds(31)
    XCTAssertEqual(table.choose(now: now, probes: false)?.host, "10.0.0.2")
    XCTAssertEqual(table.choose(now: now, probes: true)?.reason, .probe)
    XCTAssertEqual(table.choose(now: now, probes: true)?.host, "10.0.0.2", "one probe, not two")
    table.report(.bad, of: "10.0.0.1", now: now)
    now += .seconds(59)
    XCTAssertEqual(table.choose(now: now, probes: true)?.host, "10.0.0.2", "its rest is longer now")
  }

  func testARoundOfMeasuringAsksThoseThatAreDueAndNotThoseAtRest() {
    for _ in 0..<5 { table.report(.bad, of: "10.0.0.1", now: now) }
    XCTAssertEqual(table.beginRound(now: now), ["10.0.0.2", "10.0.0.3"])
    now += .seconds(30)
    XCTAssertEqual(table.beginRound(now: now), ["10.0.0.1", "10.0.0.2", "10.0.0.3"])
    table.connected(to: "10.0.0.1", in: .milliseconds(1), now: now)
    XCTAssertEqual(choose()?.host, "10.0.0.1")
  }

  func testWhoWasTriedIsNotAskedAgainInALoad() {
    measure(1, 2, 3)
    XCTAssertEqual(choose(except: ["10.0.0.1"])?.host, "10.0.0.2")
    XCTAssertEqual(choose(except: ["10.0.0.1"])?.reason, .afterFailure)
    XCTAssertNil(choose(except: table.hosts))
  }

  func testOneThatTakesTheLoadOfAnotherStaysInUse() {
    measure(1, 5, 6)
    XCTAssertEqual(choose()?.host, "10.0.0.1")
    table.report(.bad, of: "10.0.0.1", now: now)
    XCTAssertEqual(choose(except: ["10.0.0.1"])?.host, "10.0.0.2")
    // Its own connection took a little longer than measured: no reason to make a third one.
    table.measured(.milliseconds(9), of: "10.0.0.2", now: now)
    XCTAssertEqual(choose()?.host, "10.0.0.2")
    XCTAssertEqual(choose()?.reason, .kept)
    XCTAssertEqual(table.switches, 1)
  }

  func testANewListKeepsWhatIsKnownOfThoseThatStay() {
    measure(9, 5, 7)
    XCTAssertEqual(choose()?.host, "10.0.0.2")
    table.replace(["10.0.0.9", "10.0.0.2", "10.0.0.2"])
    XCTAssertEqual(table.hosts, ["10.0.0.9", "10.0.0.2"])
    XCTAssertEqual(choose()?.host, "10.0.0.2")
    table.replace(["10.0.0.9"])
    XCTAssertEqual(choose()?.reason, .only)
  }

  func testAnotherNetworkForgetsEverything() {
    measure(1, 2, 3)
    table.report(.good, of: "10.0.0.1", now: now)
    for _ in 0..<5 { table.report(.bad, of: "10.0.0.2", now: now) }
    table.forget()
    XCTAssertEqual(choose()?.reason, .first)
    XCTAssertEqual(choose()?.isFresh, false)
    XCTAssertEqual(choose()?.others, ["10.0.0.2", "10.0.0.3"])
  }

  func testAPoolOfOneUsesItWhateverItsHealth() {
    table = HostTable(["10.0.0.1"])
    for _ in 0..<9 { table.report(.bad, of: "10.0.0.1", now: now) }
    XCTAssertEqual(choose()?.host, "10.0.0.1")
    XCTAssertEqual(choose()?.reason, .only)
  }

  func testAResponseIsFreshForTenSeconds() {
    table.report(.good, of: "10.0.0.1", now: now)
    XCTAssertEqual(choose()?.isFresh, true)
    now += .seconds(10)
    XCTAssertEqual(choose()?.isFresh, false)
  }

  func testEqualServersCanBeAskedInAnOrderOfEachClient() {
    let hosts: [PooledHost] = (1...8).map { .address(HostAddress(stringLiteral: "10.0.0.\($0)")) }
    let first = Set((0..<200).map { HostTable(hosts, seed: $0).hosts[0] })
    XCTAssertEqual(first, Set(hosts), "each is the first of some clients")
    let table = HostTable(hosts, seed: 7)
    XCTAssertEqual(HostTable(hosts.reversed(), seed: 7).hosts, table.hosts)
    var shorter = table
    shorter.replace(hosts.filter { $0 != table.hosts[3] })
    XCTAssertEqual(shorter.hosts, table.hosts.filter { $0 != table.hosts[3] }, "the others keep their order")
    XCTAssertEqual(HostTable(hosts).hosts, hosts)
    XCTAssertFalse(HostPool("a.test").shuffles)
  }
}
