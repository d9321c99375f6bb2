import XCTest

@testable import APIKit

/// No two attempts share a nonce.
final class NonceTests: XCTestCase {
  func testNoncesAre32HexadecimalDigitsAndNeverRepeat() {
    var seen: Set<String> = []
    for _ in 0..<10_000 {
      let nonce = Nonce.make()
      XCTAssertEqual(nonce.utf8.count, 32)
      XCTAssertTrue(nonce.allSatisfy { $0.isHexDigit && !$0.isUppercase }, nonce)
      seen.insert(nonce)
    }
    XCTAssertEqual(seen.count, 10_000)
  }
}
