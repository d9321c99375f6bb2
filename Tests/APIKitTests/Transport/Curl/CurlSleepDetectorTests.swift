#if os(Linux)
  import XCTest

  @testable import APIKit

  final class CurlSleepDetectorTests: XCTestCase {
    func testATurnThatBeginsMuchTooLateFollowsAStop() {
      var standstill = CurlSleepDetector()
      XCTAssertFalse(standstill.isSeen(at: 1_000_000, sinceBoot: 1_000_000, alarm: .max))
      XCTAssertFalse(
        standstill.isSeen(at: 9_000_000, sinceBoot: 9_000_000, alarm: .max), "it waited for no time")
      XCTAssertFalse(standstill.isSeen(at: 12_000_000, sinceBoot: 12_000_000, alarm: 10_000_001))
      XCTAssertTrue(standstill.isSeen(at: 42_000_000, sinceBoot: 42_000_000, alarm: 30_000_000))
      XCTAssertFalse(standstill.isSeen(at: 43_000_000, sinceBoot: 43_000_000, alarm: 43_000_000), "once")
    }

    func testASleepOfTheMachineIsSeenByTheClockThatGoesOn() {
      var standstill = CurlSleepDetector()
      // The machine has slept before the loop began.
      XCTAssertFalse(standstill.isSeen(at: 1_000_000, sinceBoot: 901_000_000, alarm: .max))
      XCTAssertFalse(standstill.isSeen(at: 2_000_000, sinceBoot: 902_000_100, alarm: .max))
      XCTAssertTrue(standstill.isSeen(at: 3_000_000, sinceBoot: 963_000_000, alarm: 4_000_000))
      XCTAssertFalse(standstill.isSeen(at: 4_000_000, sinceBoot: 964_000_000, alarm: .max))
    }

    func testItsTwoClocksGoAlike() {
      let before = CurlClock.sinceBoot() - CurlClock.now()
      XCTAssertGreaterThanOrEqual(before, -1)
      XCTAssertLessThan(abs(CurlClock.sinceBoot() - CurlClock.now() - before), 1_000_000)
    }
  }
#endif
