import XCTest

@testable import APIKit
@testable import APIKitImages

/// What is checked before anything decodes an image.
final class ImageThumbnailTests: XCTestCase {
  private func png(_ width: [UInt8], _ height: [UInt8]) -> [UInt8] {
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + width + height
      + [8, 2, 0, 0, 0, 0, 0, 0, 0]
  }

  private func fails(
    _ reason: APIError.Reason, _ bytes: [UInt8], side: Int = 100, pixels: Int = 100_000_000,
    line: UInt = #line
  ) async {
    do throws(APIError) {
      _ = try await ImageThumbnail(of: bytes, longestSide: side, maximumPixels: pixels)
      XCTFail("a thumbnail was made", line: line)
    } catch {
      XCTAssertEqual(error.reason, reason, "\(error)", line: line)
    }
  }

  func testTheLimitOfPixelsIsCheckedBeforeAnythingDecodes() async {
    await fails(.bodyLimitExceeded, png([0, 0, 0xFF, 0xFF], [0, 0, 0xFF, 0xFF]))
    await fails(.bodyLimitExceeded, png([0, 0, 0, 10], [0, 0, 0, 10]), pixels: 99)
    await fails(.malformedBody, Array("no image".utf8))
    await fails(.misconfigured, png([0, 0, 0, 10], [0, 0, 0, 10]), side: 0)
    await fails(.misconfigured, png([0, 0, 0, 10], [0, 0, 0, 10]), side: 20_000)
  }

  #if !canImport(ImageIO)
    func testWithoutImageIOItIsRefusedByName() async {
      await fails(.unsupportedCapability, png([0, 0, 0, 10], [0, 0, 0, 10]))
    }
  #endif
}
