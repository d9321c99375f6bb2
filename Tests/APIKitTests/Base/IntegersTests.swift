import XCTest

@testable import APIKit

/// The core's own forms of the standard library's functions of integers do the same as those.
final class IntegersTests: XCTestCase {
  // In a generic function the standard library's are meant.
  private func converted<A: FixedWidthInteger, B: FixedWidthInteger>(_ value: A, to: B.Type = B.self) -> B {
    B(value)
  }

  private func shifted<A: FixedWidthInteger>(_ value: A, by count: Int) -> (left: A, right: A) {
    (value << count, value >> count)
  }

  private func most<A: FixedWidthInteger>(_: A.Type) -> A { A.max }

  func testNumbersAreConvertedAsByTheStandardLibrary() {
    for byte: UInt8 in [0, 1, 127, 128, 255] {
      XCTAssertEqual(Int(byte), converted(byte))
      XCTAssertEqual(Int64(byte), converted(byte))
      XCTAssertEqual(UInt64(byte), converted(byte))
      XCTAssertEqual(UInt32(byte), converted(byte))
      XCTAssertEqual(UInt16(byte), converted(byte))
    }
    for number: Int32 in [.min, -1, 0, 1, 0x7FFF_FFFF] { XCTAssertEqual(Int(number), converted(number)) }
    for number: Int32 in [0, 1, 65_535] {
      XCTAssertEqual(UInt32(number), converted(number))
      XCTAssertEqual(UInt16(number), converted(number))
    }
    for number: UInt32 in [0, 1, 0x7FFF_FFFF] { XCTAssertEqual(Int(number), converted(number)) }
    for number: UInt64 in [0, 1, 255] {
      XCTAssertEqual(Int(number), converted(number))
      XCTAssertEqual(UInt8(number), converted(number))
    }
    for number: Int64 in [0, 1, 0x7FFF_FFFF] {
      XCTAssertEqual(Int(number), converted(number))
      XCTAssertEqual(UInt64(number), converted(number))
    }
    for number in [0, 1, 0x7FFF_FFFF] {
      XCTAssertEqual(Int64(number), converted(number))
      XCTAssertEqual(Int32(number), converted(number))
      XCTAssertEqual(UInt64(number), converted(number))
      XCTAssertEqual(UInt32(number), converted(number))
    }
    XCTAssertEqual(Int64(-1 as Int), -1)
    XCTAssertEqual(Int32(-0x8000_0000 as Int), converted(-0x8000_0000 as Int))
  }

  func testNumbersAreShiftedAsByTheStandardLibraryAlsoTooFarAndBackwards() {
    for count in [0, 1, 7, 8, 31, 32, 63, 64, 65, 1000, -1, -64] {
      for value in [1, -1, 0x1234_5678] {
        XCTAssertEqual(value << count, shifted(value, by: count).left, "\(value), \(count)")
        XCTAssertEqual(value >> count, shifted(value, by: count).right, "\(value), \(count)")
        XCTAssertEqual(Int64(value) << count, shifted(Int64(value), by: count).left, "\(value), \(count)")
      }
      for value: UInt64 in [1, 0x8000_0000_0000_0001] {
        XCTAssertEqual(value << count, shifted(value, by: count).left, "\(value), \(count)")
        XCTAssertEqual(value >> count, shifted(value, by: count).right, "\(value), \(count)")
      }
      XCTAssertEqual((0x8000_0001 as UInt32) << count, shifted(0x8000_0001 as UInt32, by: count).left)
      XCTAssertEqual((0x8001 as UInt16) << count, shifted(0x8001 as UInt16, by: count).left)
      XCTAssertEqual((0x8001 as UInt16) >> count, shifted(0x8001 as UInt16, by: count).right)
      XCTAssertEqual((0x81 as UInt8) << count, shifted(0x81 as UInt8, by: count).left)
      XCTAssertEqual((0x81 as UInt8) >> count, shifted(0x81 as UInt8, by: count).right)
    }
  }

  func testTheLargestNumbersAreThoseOfTheStandardLibrary() {
    XCTAssertEqual(Int.max, most(Int.self))
    XCTAssertEqual(Int64.max, most(Int64.self))
    XCTAssertEqual(Int32.max, most(Int32.self))
    XCTAssertEqual(UInt64.max, most(UInt64.self))
    XCTAssertEqual(UInt32.max, most(UInt32.self))
  }
}
