import XCTest

@testable import APIKit

/// What a watch and a television differ in.
final class DeviceKindTests: XCTestCase {
  func testAWatchAndATelevisionHaveSmallerCaches() {
    let bounds = DeviceKind.allCases.map {
      [$0.responseBytes >> 20, $0.diskBytes >> 20, $0.pictureBytes >> 20]
    }
    XCTAssertEqual(bounds, [[4, 32, 16], [16, 256, 32], [32, 256, 96]])
  }

  func testOnlyATelevisionMayLoseItsFiles() {
    XCTAssertEqual(DeviceKind.allCases.filter { !$0.keepsFiles }, [.television])
  }

  func testTheDefaultsOfTheCacheAreThoseOfTheDevice() {
    let kind = DeviceKind.present
    XCTAssertEqual(ResponseCache().memory.maximumBytes, kind.responseBytes)
    XCTAssertEqual(ResponseCache.defaultMemoryBytes, kind.responseBytes)
    XCTAssertEqual(DiskCacheConfiguration.standard.maximumBytes, kind.diskBytes)
    XCTAssertEqual(DiskCacheConfiguration.defaultMaximumBytes, kind.diskBytes)
  }
}
