import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitImages

/// The heads of images: what the first bytes say.
final class ImageHeadTests: XCTestCase {
  func testEveryFormatSaysItsSizeAndItsOrientation() {
    for sample in ImageSample.all {
      let head = ImageHead(of: sample.bytes)
      XCTAssertEqual(head?.format, sample.format, sample.name)
      XCTAssertEqual(head?.size, sample.size, sample.name)
      XCTAssertEqual(head?.orientation, sample.orientation, sample.name)
    }
  }

  func testTheSizeForDisplayIsTurned() throws {
    let head = try XCTUnwrap(ImageHead(of: ImageSample.named("pngTurned")))
    XCTAssertEqual(head.displaySize, ImageHead.Size(width: 5, height: 7))
    XCTAssertEqual(head.pixelCount, 35)
  }

  func testOtherBytesAreNoImage() {
    for bytes: [UInt8] in [
      [], [0x89], Array("GIF88a".utf8), Array("BM is no picture, although it begins so".utf8),
      Array("{\"a\": 1}".utf8), Array("RIFF0000WAVE".utf8),
      [0, 0, 0, 16] + Array("ftypmp42\0\0\0\0isom".utf8),
    ] {
      XCTAssertNil(ImageHead(of: bytes))
    }
  }

  func testASizeBeyondTheFirst64KiBIsNotKnown() throws {
    // Segments of a JPEG before the one that has the size.
    let jpeg = try ImageSample.named("jpegProgressive")
    let comment: [UInt8] = [0xFF, 0xFE, 0xFF, 0xFF] + [UInt8](repeating: 0x20, count: 65533)
    let far = Array(jpeg[..<2]) + comment + Array(jpeg[2...])
    XCTAssertEqual(ImageHead(of: far)?.format, .jpeg)
    XCTAssertNil(ImageHead(of: far)?.size)
    let near: [UInt8] = [0xFF, 0xFE, 0x7F, 0xFF] + [UInt8](repeating: 0x20, count: 0x7FFD)
    XCTAssertEqual(ImageHead(of: Array(jpeg[..<2]) + near + Array(jpeg[2...]))?.size?.width, 7)
    for sample in ImageSample.all where sample.bytes.count > 20 {
      let head = ImageHead(of: sample.bytes.prefix(20))
      if let head { XCTAssertEqual(head.format, sample.format) }
    }
  }

  func testNoMutationCrashesTheReader() {
    var random = SeededGenerator(seed: 5)
    let inputs = ProcessInfo.processInfo.environment["IMAGE_FUZZ_INPUTS"].flatMap(Int.init) ?? 20_000
    for round in 0..<inputs {
      var bytes = ImageSample.all[round % ImageSample.all.count].bytes
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] =
          [0, 1, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &random)]
          .randomElement(using: &random) ?? 0
      }
      let cut = bytes.prefix(Int.random(in: 0...bytes.count, using: &random))
      let head = ImageHead(of: cut)
      XCTAssertGreaterThan(head?.pixelCount ?? 1, 0)
      XCTAssertTrue((1...8).contains(head?.orientation ?? 1))
    }
  }

  /// The bytes are one image of 64 KiB each, in which thousands of blocks state far more entries than they have.
  func testEntriesBehindTheirBlockAreNotReadForEachBlock() {
    func big(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 255) } }
    func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
      big(content.count + 8) + Array(type.utf8) + content
    }
    let associations = Array(
      repeatElement(box("ipma", [0, 0, 0, 0, 0, 0, 0xFF, 0xFF]), count: 4000).joined())
    let properties = box("iprp", box("ipco", []) + associations)
    let heic =
      box("ftyp", Array("heic".utf8) + big(0) + Array("mif1".utf8))
      + box("meta", [0, 0, 0, 0] + box("pitm", [0, 0, 0, 0, 0x55, 0x55]) + properties)
    let tiff: [UInt8] = Array("II".utf8) + [42, 0, 8, 0, 0, 0, 0xFF, 0xFF]
    let jpeg: [UInt8] =
      [0xFF, 0xD8]
      + Array(repeatElement([0xFF, 0xE1, 0, 18] + Array("Exif\0\0".utf8) + tiff, count: 3200).joined())
    for bytes in [heic, jpeg] {
      let took = ContinuousClock().measure { XCTAssertNil(ImageHead(of: bytes)?.size) }
      XCTAssertLessThan(took, .seconds(3))
    }
  }

  /// A picture of 30,000 × 30,000 of which one pixel is shown, or none: a decoder needs the memory of the whole.
  func testACropHidesNoPixelsFromTheLimit() {
    func big(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 255) } }
    func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
      big(content.count + 8) + Array(type.utf8) + content
    }
    for (shown, size) in [(1, 1), (0, 30_000), (29_999, 29_999)] {
      let crop = box("clap", [shown, 1, shown, 1, 0, 1, 0, 1].flatMap(big))
      let list = box("ipco", box("ispe", big(0) + big(30_000) + big(30_000)) + crop)
      let own = box("ipma", [0, 0, 0, 0] + big(1) + [0, 1, 2, 1, 2])
      let heic =
        box("ftyp", Array("heic".utf8) + big(0) + Array("mif1".utf8))
        + box("meta", [0, 0, 0, 0] + box("pitm", [0, 0, 0, 0, 0, 1]) + box("iprp", list + own))
      let head = ImageHead(of: heic)
      XCTAssertEqual(head?.size, ImageHead.Size(width: size, height: size))
      XCTAssertEqual(head?.pixelCount, 900_000_000)
      XCTAssertThrowsError(try ImageBodyDecoder().decode(heic)) {
        XCTAssertEqual(($0 as? APIError)?.reason, .bodyLimitExceeded)
      }
    }
  }

  // MARK: As a body

  @MainActor
  func testAnImageLandsWithItsHeadWhateverItsContentTypeSays() async throws {
    let png = try ImageSample.named("pngTurned")
    let stub = StubTransport(.bytes(png, contentType: "image/jpeg"))
    let manager = TestManager(stub)
    manager.expectation = .image
    let response = try await manager.response([:])
    XCTAssertEqual(response.raw.type.string, "image/png")
    XCTAssertEqual(response.raw.width.int, 7)
    XCTAssertEqual(response.raw.height.int, 5)
    XCTAssertEqual(response.raw.orientation.int, 6)
    XCTAssertEqual(response.bytes, png)
    XCTAssertEqual(response.http.imageHead?.format, .png)
  }

  func testTooManyPixelsAreRefusedBeforeAnybodyDecodesThem() throws {
    var png = try ImageSample.named("png")
    png.replaceSubrange(16..<24, with: [0, 1, 0, 0, 0, 1, 0, 0])
    XCTAssertThrowsError(try ImageBodyDecoder().decode(png)) { error in
      XCTAssertEqual((error as? APIError)?.reason, .bodyLimitExceeded)
      XCTAssertEqual(
        (error as? APIError)?.detail, "the image has 65536 × 65536 pixels, the limit is 100000000 in all")
    }
    XCTAssertNoThrow(try ImageBodyDecoder(maximumPixels: .max).decode(png))
  }

  func testWhatIsNotKnownIsNull() throws {
    let raw = try ImageBodyDecoder().decode(Array("II*\0".utf8))
    XCTAssertEqual(raw.jsonText(), #"{"type":null,"width":null,"height":null,"orientation":null}"#)
  }
}

/// Compares with what `Scripts/oracles/images` has had read by another library.
final class ImageOracleTests: XCTestCase {
  func testEverySizeIsThatOfTheOtherLibrary() throws {
    guard let folder = ProcessInfo.processInfo.environment["APIKIT_IMAGES"] else {
      throw XCTSkip("run by Scripts/oracles/images")
    }
    func read(_ name: String) throws -> [UInt8] {
      [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")))
    }
    let cases = try RawData(parsing: read("cases.json")).elements
    XCTAssertGreaterThan(cases.count, 0)
    for one in cases {
      let name: String = try one.file.require()
      let head = try XCTUnwrap(ImageHead(of: read(name)), name)
      XCTAssertEqual(head.format.rawValue, one.type.string, name)
      // Where the first 64 KiB end before the orientation, the stored size is all there is.
      XCTAssertEqual(
        [head.displaySize?.width, head.displaySize?.height], one.display.elements.map(\.int), name)
      if one.stored.kind == .array {
        XCTAssertEqual([head.size?.width, head.size?.height], one.stored.elements.map(\.int), name)
      }
      if let orientation = one.orientation.int { XCTAssertEqual(head.orientation, orientation, name) }
    }
    print("\(cases.count) images have the sizes of the other library")
  }
}
