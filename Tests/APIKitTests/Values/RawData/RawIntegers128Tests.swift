import APIKit
import XCTest

/// Integers of 128 bits, which systems have from iOS 18 and macOS 15 on.
final class RawIntegers128Tests: XCTestCase {
  override func setUp() async throws {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
      throw XCTSkip("this system has no integers of 128 bits")
    }
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  private struct Wide: Codable, Equatable {
    var signed: Int128
    var unsigned: UInt128
    var list: [Int128]
    var none: UInt128?
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func testIntegersOf128BitsAreRead() throws {
    let raw = try RawData(
      parsing: """
        {"signed": \(Int128.min), "unsigned": \(UInt128.max), "list": [1, -2.0, 1e30, 18446744073709551616.0],
        "over": 340282366920938463463374607431768211456, "half": 1.5, "small": 1e-40}
        """)
    XCTAssertEqual(raw.signed.integer(Int128.self), .min)
    XCTAssertEqual(try raw.unsigned.require(UInt128.self), .max)
    XCTAssertEqual(
      try raw.decode(as: Wide.self),
      Wide(signed: .min, unsigned: .max, list: [1, -2, 1_000_000_000_000_000_000_000_000_000_000, 1 << 64]))
    XCTAssertNil(raw.over.integer(UInt128.self))
    XCTAssertNil(raw.half.integer(Int128.self))
    XCTAssertNil(raw.small.integer(Int128.self))
    XCTAssertThrowsError(try raw.signed.require(UInt128.self)) { error in
      XCTAssertTrue("\(error)".contains("an integer from 0 to \(UInt128.max)"), "\(error)")
    }
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func testIntegersOf128BitsAreParametersWithinTheRangeOfInt() throws {
    XCTAssertEqual(
      Parameters(encoding: Wide(signed: -7, unsigned: 7, list: [1])).pairs.map(\.value), [-7, 7, .array([1])])
    XCTAssertEqual(try RawData(plain: ["a": Int128.min]).a.integer(Int128.self), .min)
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func testTheLargestIntegerOf64BitsIsOneInEveryForm() throws {
    for text in ["18446744073709551615", "18446744073709551615.000", "1844674407370955161500e-2"] {
      XCTAssertEqual(try RawData(parsing: text).integer(UInt128.self), UInt128(UInt64.max), text)
    }
  }
}
