@testable import TestSupport
import XCTest

@testable import APIKit

final class ServerSelectorTests: XCTestCase {
  private var selector = ServerSelector(["10.0.0.1", "10.0.0.2", "10.0.0.3"])
  private var now = Duration.seconds(1000)

  private func measure(_ times: Int...) {
    for (index, time) in times.enumerated() {
      selector.measured(.milliseconds(time), of: selector.hosts[index], now: now)
    }
  }

  private func choose(except tried: [PooledHost] = []) -> ServerSelector.Choice? {
    selector.choose(except: tried, now: now)
  }

  func testALongListIsReplacedAsFastAsAShortOne() {
    let hosts = (0..<4_000).map {
      PooledHost.address(HostAddress(stringLiteral: "10.0.\($0 / 250).\($0 % 250)"))
    }
    var selector = ServerSelector(hosts)
    selector.measured(.milliseconds(1), of: hosts[3_999], now: .zero)
    let start = Duration.ofProcessor
    selector.replace(hosts.reversed())
    XCTAssertLessThan(.ofProcessor - start, .milliseconds(800), "it was more than a second")
    XCTAssertEqual(selector.hosts, hosts.reversed())
    XCTAssertEqual(selector.candidates.first?.cost.value, .milliseconds(1), "what is known of it is kept")
  }

  func testTheFirstOfTheListIsUsedUntilSomethingIsMeasured() {
    XCTAssertEqual(choose()?.host, "10.0.0.1")
    XCTAssertEqual(choose()?.reason, .first)
    XCTAssertEqual(choose()?.isFresh, false)
  }

  func testAPoolOfOneNeitherComparesNorAsksForTheTime() {
    selector = ServerSelector(["10.0.0.1"])
    var hasAsked = false
    func ask() -> Duration {
      hasAsked = true
      return now
    }
    XCTAssertEqual(selector.choose(now: ask())?.reason, .only)
    XCTAssertFalse(hasAsked)
    XCTAssertNil(selector.choose(except: ["10.0.0.1"], now: ask()))
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
      selector = ServerSelector(["10.0.0.1", "10.0.0.2"])
      measure(own)
      XCTAssertEqual(choose()?.host, "10.0.0.1")
      selector.measured(.milliseconds(other), of: "10.0.0.2", now: now)
      XCTAssertEqual(choose()?.host == "10.0.0.2", switches, "\(own) against \(other)")
      XCTAssertEqual(choose()?.reason == .kept, !switches)
    }
  }

  func testTwoThatAreNearlyEqualAreNotSwitchedBetween() {
    selector = ServerSelector(["10.0.0.1", "10.0.0.2"])
    var random = SystemRandomNumberGenerator()
    var favourites: [PooledHost] = []
    for _ in 0..<500 {
      now += .seconds(1)
      for host in selector.hosts {
        selector.measured(.milliseconds(Int.random(in: 95...105, using: &random)), of: host, now: now)
      }
      let host = choose()?.host
      if let host { selector.report(.good, of: host, now: now) }
      if let favourite = selector.favourite, favourite != favourites.last { favourites.append(favourite) }
    }
    XCTAssertLessThanOrEqual(favourites.count, 3, "more than two switches")
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
    selector.report(.bad, of: "10.0.0.1", now: now)
    XCTAssertEqual(choose()?.host, "10.0.0.2")
    XCTAssertEqual(choose()?.others.last, "10.0.0.1", "it is the last resort")
    selector.report(.good, of: "10.0.0.1", now: now)
    XCTAssertEqual(choose()?.host, "10.0.0.1", "the gain is large")
  }

  func testAWrongCertificatePutsAsideAtOnce() {
    selector.report(.wrong, of: "10.0.0.1", now: now)
    XCTAssertEqual(choose()?.host, "10.0.0.2")
    XCTAssertEqual(choose()?.others, ["10.0.0.3"])
  }

  func testWhenAllAreAsideAllAreUsed() {
    for host in selector.hosts { for _ in 0..<5 { selector.report(.bad, of: host, now: now) } }
    XCTAssertEqual(choose()?.reason, .allAside)
    XCTAssertEqual(choose()?.host, "10.0.0.1")
    XCTAssertEqual(choose()?.others.count, 2)
    selector.report(.good, of: "10.0.0.2", now: now)
    XCTAssertEqual(choose()?.host, "10.0.0.2", "who responds is back")
  }

  func testALoadProbesWhereNothingMeasures() {
    for _ in 0..<5 { selector.report(.bad, of: "10.0.0.1", now: now) }
    now += .seconds(31)
    XCTAssertEqual(selector.choose(now: now, probes: false)?.host, "10.0.0.2")
    XCTAssertEqual(selector.choose(now: now, probes: true)?.reason, .probe)
    XCTAssertEqual(selector.choose(now: now, probes: true)?.host, "10.0.0.2", "one probe, not two")
    selector.report(.bad, of: "10.0.0.1", now: now)
    now += .seconds(59)
    XCTAssertEqual(selector.choose(now: now, probes: true)?.host, "10.0.0.2", "its rest is longer now")
  }

  func testARoundOfMeasuringAsksThoseThatAreDueAndNotThoseAtRest() {
    for _ in 0..<5 { selector.report(.bad, of: "10.0.0.1", now: now) }
    XCTAssertEqual(selector.beginRound(now: now), ["10.0.0.2", "10.0.0.3"])
    now += .seconds(30)
    XCTAssertEqual(selector.beginRound(now: now), ["10.0.0.1", "10.0.0.2", "10.0.0.3"])
    selector.connected(to: "10.0.0.1", in: .milliseconds(1), now: now)
    XCTAssertEqual(choose()?.host, "10.0.0.1")
  }

  func testWhoWasTriedIsNotAskedAgainInALoad() {
    measure(1, 2, 3)
    XCTAssertEqual(choose(except: ["10.0.0.1"])?.host, "10.0.0.2")
    XCTAssertEqual(choose(except: ["10.0.0.1"])?.reason, .afterFailure)
    XCTAssertNil(choose(except: selector.hosts))
  }

  func testOneThatTakesTheLoadOfAnotherStaysInUse() {
    measure(1, 5, 6)
    XCTAssertEqual(choose()?.host, "10.0.0.1")
    selector.report(.bad, of: "10.0.0.1", now: now)
    XCTAssertEqual(choose(except: ["10.0.0.1"])?.host, "10.0.0.2")
    // Its own connection took a little longer than measured: no reason to make a third one.
    selector.measured(.milliseconds(9), of: "10.0.0.2", now: now)
    XCTAssertEqual(choose()?.host, "10.0.0.2")
    XCTAssertEqual(choose()?.reason, .kept)
    XCTAssertEqual(selector.favourite, "10.0.0.2")
  }

  func testANewListKeepsWhatIsKnownOfThoseThatStay() {
    measure(9, 5, 7)
    XCTAssertEqual(choose()?.host, "10.0.0.2")
    selector.replace(["10.0.0.9", "10.0.0.2", "10.0.0.2"])
    XCTAssertEqual(selector.hosts, ["10.0.0.9", "10.0.0.2"])
    XCTAssertEqual(choose()?.host, "10.0.0.2")
    selector.replace(["10.0.0.9"])
    XCTAssertEqual(choose()?.reason, .only)
  }

  func testAnotherNetworkForgetsEverything() {
    measure(1, 2, 3)
    selector.report(.good, of: "10.0.0.1", now: now)
    for _ in 0..<5 { selector.report(.bad, of: "10.0.0.2", now: now) }
    selector.forget()
    XCTAssertEqual(choose()?.reason, .first)
    XCTAssertEqual(choose()?.isFresh, false)
    XCTAssertEqual(choose()?.others, ["10.0.0.2", "10.0.0.3"])
  }

  func testAServerThatHasAskedToBeLeftAloneIsLeftAloneOnAnotherNetworkToo() {
    selector.leave("10.0.0.1", for: .seconds(60), now: now)
    selector.forget()
    XCTAssertEqual(choose()?.host, "10.0.0.2")
    now += .seconds(60)
    XCTAssertEqual(choose()?.others.contains("10.0.0.1"), true)
  }

  func testAPoolOfOneUsesItWhateverItsHealth() {
    selector = ServerSelector(["10.0.0.1"])
    for _ in 0..<9 { selector.report(.bad, of: "10.0.0.1", now: now) }
    XCTAssertEqual(choose()?.host, "10.0.0.1")
    XCTAssertEqual(choose()?.reason, .only)
  }

  func testAResponseIsFreshForTenSeconds() {
    selector.report(.good, of: "10.0.0.1", now: now)
    XCTAssertEqual(choose()?.isFresh, true)
    now += .seconds(10)
    XCTAssertEqual(choose()?.isFresh, false)
  }

  func testEqualServersCanBeAskedInAnOrderOfEachClient() {
    let hosts: [PooledHost] = (1...8).map { .address(HostAddress(stringLiteral: "10.0.0.\($0)")) }
    let first = Set((0..<200).map { ServerSelector(hosts, seed: $0).hosts[0] })
    XCTAssertEqual(first, Set(hosts), "each is the first of some clients")
    let selector = ServerSelector(hosts, seed: 7)
    XCTAssertEqual(ServerSelector(hosts.reversed(), seed: 7).hosts, selector.hosts)
    var shorter = selector
    shorter.replace(hosts.filter { $0 != selector.hosts[3] })
    XCTAssertEqual(
      shorter.hosts, selector.hosts.filter { $0 != selector.hosts[3] }, "the others keep their order")
    XCTAssertEqual(ServerSelector(hosts).hosts, hosts)
    XCTAssertFalse(HostPool("a.test").shuffles)
  }
}
