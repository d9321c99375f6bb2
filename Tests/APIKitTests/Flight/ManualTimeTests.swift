import APIKitTesting
import XCTest

final class ManualTimeTests: XCTestCase {
  func testASleepThatIsCancelledOnceItIsWokenLeavesNothing() async throws {
    let time = ManualTime()
    for _ in 1...200 {
      let task = Task { try? await time.sleep(for: .seconds(1)) }
      while time.sleeperCount == 0 { await Task.yield() }
      time.advance(by: .seconds(1))
      task.cancel()
      await task.value
    }
    let early = Task { try await time.sleep(for: .seconds(1)) }
    early.cancel()
    if case .success = await early.result { XCTFail("it was cancelled") }
    XCTAssertEqual(time.cancelledCount, 0)
    XCTAssertEqual(time.sleeperCount, 0)
  }
}
