import APIKit
import XCTest

@testable import APIKitImages

/// The size in which an image is decoded, by that of its view.
final class ImageTargetTests: XCTestCase {
  private func target(_ width: Double, _ height: Double, fills: Bool = true) throws -> ImageTarget {
    try XCTUnwrap(ImageTarget(width: width, height: height, fills: fills))
  }

  /// The head of a PNG of this size.
  private func head(_ width: Int, _ height: Int) -> ImageHead? { ImageHead(of: PNG.head(width, height)) }

  func testSizesAreRoundedUpSoThatNearOnesShareAPicture() throws {
    XCTAssertEqual(try target(61, 64), try target(64, 33))
    XCTAssertNotEqual(try target(64, 64), try target(65, 64))
    let scaled = try XCTUnwrap(ImageTarget(width: 40, height: 20.5, scale: 3, fills: true))
    XCTAssertEqual([scaled.width, scaled.height], [128, 64])
  }

  func testAViewWithoutAnAreaHasNoTarget() {
    for (width, height) in [(0, 10), (10, 0), (-1, 10), (.nan, 10), (.infinity, 10)] as [(Double, Double)] {
      XCTAssertNil(ImageTarget(width: width, height: height, fills: true), "\(width) × \(height)")
    }
    XCTAssertNil(ImageTarget(width: 10, height: 10, scale: 0, fills: true), "the scale is not known yet")
  }

  func testAnImageThatFillsCoversTheViewAndOneThatFitsLiesWithin() throws {
    let image = head(4000, 2000)
    XCTAssertEqual(try target(320, 320).longestSide(of: image), 640)
    XCTAssertEqual(try target(320, 320, fills: false).longestSide(of: image), 320)
    XCTAssertEqual(try target(320, 640).longestSide(of: image), 1280)
    XCTAssertEqual(try target(640, 320, fills: false).longestSide(of: image), 640)
  }

  func testASmallImageIsNotMadeLarger() throws {
    XCTAssertEqual(try target(640, 640).longestSide(of: head(100, 40)), 100)
    XCTAssertEqual(try target(640, 640, fills: false).longestSide(of: head(1, 1)), 1)
  }

  func testTheLongestSideStaysWithinWhatThumbnailsMayHave() throws {
    XCTAssertEqual(try target(1e9, 1e9).longestSide(of: head(100_000, 50_000)), 16_384)
    XCTAssertEqual(try target(1e9, 1e9).longestSide(of: nil), 16_384)
  }

  func testWithoutAKnownSizeOneThatFillsHasRoomForItsProportions() throws {
    XCTAssertEqual(try target(320, 160).longestSide(of: nil), 640)
    XCTAssertEqual(try target(320, 160, fills: false).longestSide(of: nil), 320)
  }

  func testAPictureServesSmallerViewsAndOneThatFillsThoseThatFit() throws {
    let large = try target(320, 320)
    XCTAssertTrue(large.covers(try target(320, 64)))
    XCTAssertTrue(large.covers(try target(64, 64, fills: false)))
    XCTAssertFalse(large.covers(try target(321, 64)))
    XCTAssertFalse(try target(320, 320, fills: false).covers(try target(64, 64)))
  }
}

/// Beginnings of PNG images.
enum PNG {
  static func head(_ width: Int, _ height: Int) -> [UInt8] {
    func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + number(width)
      + number(height) + [8, 2, 0, 0, 0, 0, 0, 0, 0]
  }
}
