import APIKit
import APIKitTesting
import XCTest

extension ManualTime {
  /// Moves the clock once somebody sleeps on it; fails the test when nobody comes within some seconds.
  func advanceOnceAsleep(
    by duration: Duration, sleepers count: Int = 1, file: StaticString = #filePath, line: UInt = #line
  ) async {
    let start = ContinuousClock.now
    while sleeperCount < count {
      guard ContinuousClock.now - start < .seconds(10) else {
        return XCTFail("\(sleeperCount) of \(count) sleep", file: file, line: line)
      }
      try? await Task.sleep(for: .microseconds(200))
    }
    advance(by: duration)
  }
}
