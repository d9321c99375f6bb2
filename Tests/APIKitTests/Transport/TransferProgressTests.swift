import XCTest

@testable import APIKit

/// What a report of progress says beside its counts.
final class TransferProgressTests: XCTestCase {
  func testTheDirectionUnderWayIsTheRequestsUntilSomethingOfTheResponseIsKnown() {
    let sending = TransferProgress(sent: 25, totalToSend: 100)
    XCTAssertEqual([sending.total, sending.expected], [25, 100])
    XCTAssertEqual(sending.fraction, 0.25)
    let receiving = TransferProgress(sent: 100, totalToSend: 100, received: 10, totalToReceive: 40)
    XCTAssertEqual([receiving.total, receiving.expected], [10, 40])
    XCTAssertEqual(receiving.fraction, 0.25)
    let unknown = TransferProgress(received: 10)
    XCTAssertTrue(unknown.isReceiving)
    XCTAssertNil(unknown.fraction)
    XCTAssertNil(unknown.timeLeft)
    XCTAssertEqual(TransferProgress(totalToReceive: 0).fraction, 1, "an empty body is there")
  }

  func testATimeThatNoDurationHoldsIsNotKnown() {
    XCTAssertNil(TransferProgress(received: 1, totalToReceive: .max, rate: 0.01).timeLeft)
  }

  func testDeltaRateAndTimeLeftComeWithTime() throws {
    var meter = TransferMeter(at: 0)
    let none = meter.completing(TransferProgress(totalToReceive: 1000), at: 500_000)
    XCTAssertNil(none.rate, "nothing has moved")
    let first = meter.completing(TransferProgress(received: 100, totalToReceive: 1000), at: 1_000_000)
    XCTAssertEqual(first.delta, 100)
    XCTAssertEqual(first.rate, 100, "the mean of the first second")
    XCTAssertEqual(first.timeLeft, .seconds(9))
    let second = meter.completing(TransferProgress(received: 500, totalToReceive: 1000), at: 2_000_000)
    XCTAssertEqual(second.delta, 400)
    XCTAssertEqual(second.rate, 250, "half of what it was, half of what it is")
    let stalled = meter.completing(TransferProgress(received: 500, totalToReceive: 1000), at: 5_000_000)
    XCTAssertEqual(stalled.delta, 0)
    XCTAssertEqual(stalled.rate, 62.5)
    let same = meter.completing(TransferProgress(received: 500, totalToReceive: 1000), at: 5_000_000)
    XCTAssertEqual(same.rate, 62.5, "no time has passed")
  }

  func testTheRateOfAnUploadIsNotThatOfItsResponse() {
    var meter = TransferMeter(at: 0)
    _ = meter.completing(TransferProgress(sent: 1000, totalToSend: 1000), at: 1_000_000)
    let report = meter.completing(
      TransferProgress(sent: 1000, totalToSend: 1000, received: 10, totalToReceive: 20), at: 2_000_000)
    XCTAssertEqual(report.rate, 10)
    XCTAssertEqual(report.timeLeft, .seconds(1))
  }
}
