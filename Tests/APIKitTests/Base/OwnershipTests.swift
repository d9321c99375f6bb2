import XCTest

@testable import APIKit

final class OwnershipTests: XCTestCase {
  /// In a debug build any other use would end the process.
  func testATaskOwnsAnObjectAcrossItsWaitsAndTheNextOneTakesWhatItReleases() async {
    final class Object: Sendable { let ownership = Ownership() }
    let object = Object()
    for _ in 0..<3 {
      await Task.detached {
        object.ownership.take()
        for _ in 0..<10 {
          await Task.yield()
          object.ownership.check()
        }
        object.ownership.release()
      }.value
    }
    object.ownership.take()
    object.ownership.take()
    object.ownership.check()
    object.ownership.release()
  }
}
