import XCTest

/// Lets others run until a condition holds; fails the test after ten seconds.
@MainActor func waitUntil(
  file: StaticString = #filePath, line: UInt = #line, _ condition: @MainActor () -> Bool
) async {
  let end = ContinuousClock.now + .seconds(10)
  while !condition() {
    guard ContinuousClock.now < end else {
      return XCTFail("the condition did not come true in ten seconds", file: file, line: line)
    }
    try? await Task.sleep(for: .milliseconds(1))
  }
}
