import Foundation
import XCTest

@testable import APIKit

final class StandardFolderTests: XCTestCase {
  func testAProgramHasAFolderForEachUse() {
    let (caches, state) = (StandardFolder.caches.path, StandardFolder.state.path)
    XCTAssertEqual(caches == state, !DeviceKind.present.keepsFiles)
    for path in [caches, state] { XCTAssertTrue(path.hasPrefix("/"), path) }
    XCTAssertEqual(DiskCacheConfiguration.standard.folder, caches + "/responses")
    XCTAssertEqual(try CookieStore.standard(key: .random()).path, state + "/cookies")
  }
}
