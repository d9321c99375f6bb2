import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSettings

/// Single values within written forms: read as they were written, or refused.
final class WrittenValueTests: XCTestCase {
  func testAnIdentityWhoseBytesAreNoBase64IsRefused() throws {
    func read(_ text: String) throws -> ClientIdentity.Source {
      try JSONDecoder().decode(CodedCase<ClientIdentity.Source>.self, from: Data(text.utf8)).value
    }
    XCTAssertEqual(try read(#"{"bytes":"AQI="}"#), .bytes([1, 2]))
    assertFails(.unreadableForm) { try read(#"{"bytes":"AQI=?"}"#) }
  }
}
