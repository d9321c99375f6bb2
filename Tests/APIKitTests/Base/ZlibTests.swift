import XCTest

@testable import APIKit

final class ZlibTests: XCTestCase {
  func testWhatGzipPacksIsUnpackedInChunksOfEverySize() throws {
    let plain = Self.text(bytes: 100_000)
    let packed = Self.gzip(plain)
    XCTAssertLessThan(packed.count, plain.count / 4)
    for size in [1, 2, 7, 1024, 65_536, 1 << 20] {
      XCTAssertEqual(try Self.unpack(packed, .gzip, chunk: size), plain, "in chunks of \(size)")
    }
  }

  func testAChunkThatUnpacksToManyTimesItsSizeComesOutWhole() throws {
    let plain = [UInt8](repeating: 7, count: 5_000_000)
    XCTAssertEqual(try Self.unpack(Self.gzip(plain), .gzip, chunk: 100), plain)
  }

  func testMembersThatFollowEachOtherAreOneBody() throws {
    let packed = Self.gzip(Array("first, ".utf8)) + Self.gzip([]) + Self.gzip(Array("second".utf8))
    for size in [1, 5, 1000] {
      XCTAssertEqual(try Self.unpack(packed, .gzip, chunk: size), Array("first, second".utf8))
    }
  }

  func testZerosBehindTheLastMemberAreIgnored() throws {
    let packed = Self.gzip(Array("padded".utf8)) + [0, 0, 0]
    XCTAssertEqual(try Self.unpack(packed, .gzip, chunk: 2), Array("padded".utf8))
  }

  func testOtherBytesBehindTheLastMemberAreDamage() {
    let packed = Self.gzip(Array("body".utf8)) + Array("rubbish".utf8)
    XCTAssertEqual(Self.failure(packed, .gzip), .undecodableContent)
    XCTAssertEqual(Self.failure(Self.zlibHello + [1], .deflate), .undecodableContent)
  }

  func testACutAtEveryByteIsSeen() {
    let packed = Self.gzip(Array("a body that is cut somewhere".utf8))
    for end in 1..<packed.count {
      XCTAssertEqual(Self.failure(Array(packed[..<end]), .gzip), .truncatedBody, "cut at \(end)")
    }
    for end in 1..<Self.zlibHello.count {
      XCTAssertEqual(Self.failure(Array(Self.zlibHello[..<end]), .deflate), .truncatedBody, "cut at \(end)")
    }
  }

  /// As a chunk of 4 GiB is.
  func testAChunkOfMoreBytesThanZlibTakesAtOnceIsTakenInPieces() throws {
    let plain = Self.text(bytes: 20_000)
    for most in [1, 7, 1000] {
      var encoder = GzipEncoder(inputAtOnce: most)
      var packed: [UInt8] = []
      encoder.encode(plain, into: &packed)
      encoder.finish(into: &packed)
      XCTAssertEqual(packed, Self.gzip(plain))
      var decoder = ContentDecoder(.gzip, inputAtOnce: most)
      var unpacked: [UInt8] = []
      try decoder.decode(packed + packed + [UInt8](repeating: 0, count: 20), into: &unpacked)
      try decoder.finish()
      XCTAssertEqual(unpacked, plain + plain)
    }
  }

  func testNoBytesAtAllAreAnEmptyBody() throws {
    XCTAssertEqual(try Self.unpack([], .gzip, chunk: 1), [])
    XCTAssertEqual(try Self.unpack([], .deflate, chunk: 1), [])
  }

  func testDeflateIsReadInBothItsForms() throws {
    let bare = Array(Self.zlibHello[2..<(Self.zlibHello.count - 4)])
    for size in [1, 2, 3, 100] {
      XCTAssertEqual(try Self.unpack(Self.zlibHello, .deflate, chunk: size), Array("hello hello hello".utf8))
      XCTAssertEqual(try Self.unpack(bare, .deflate, chunk: size), Array("hello hello hello".utf8))
    }
  }

  func testADamagedChecksumIsDamage() {
    var packed = Self.gzip(Array("checked".utf8))
    packed[packed.count - 8] ^= 1
    XCTAssertEqual(Self.failure(packed, .gzip), .undecodableContent)
    XCTAssertEqual(Self.failure(Array("{\"not\": \"packed\"}".utf8), .gzip), .undecodableContent)
  }

  func testTheLimitHoldsToTheByte() throws {
    let plain = [UInt8](repeating: 65, count: 70_000)
    let packed = Self.gzip(plain)
    XCTAssertEqual(try Self.unpack(packed, .gzip, chunk: 10, maximumBytes: 70_000), plain)
    XCTAssertEqual(Self.failure(packed, .gzip, maximumBytes: 69_999), .responseTooLarge)
    XCTAssertEqual(Self.failure(packed, .gzip, maximumBytes: 0), .responseTooLarge)
  }

  func testABombIsRefusedBeforeItFillsTheMemory() {
    let packed = Self.gzip([UInt8](repeating: 0, count: 20_000_000))
    var decoder = ContentDecoder(.gzip, maximumBytes: 1000)
    var output: [UInt8] = []
    XCTAssertThrowsError(try decoder.decode(packed, into: &output))
    XCTAssertLessThanOrEqual(output.count, 1001)
  }

  func testNamesOfCodingsAreReadInAnyCase() {
    XCTAssertEqual(ContentDecoder.Coding("GZip"), .gzip)
    XCTAssertEqual(ContentDecoder.Coding("x-gzip"), .gzip)
    XCTAssertEqual(ContentDecoder.Coding("deflate"), .deflate)
    XCTAssertNil(ContentDecoder.Coding("br"))
  }

  /// `zlib.compress(b"hello hello hello")` of Python.
  private static let zlibHello = Hex.decode("789ccb48cdc9c957c84090003a2e067d") ?? []

  private static func text(bytes: Int) -> [UInt8] {
    var text: [UInt8] = []
    var number = 1
    while text.count < bytes {
      text += "line \(number), ".utf8
      number = number &* 31 % 10_007
    }
    return text
  }

  private static func gzip(_ plain: [UInt8]) -> [UInt8] {
    var encoder = GzipEncoder()
    var packed: [UInt8] = []
    for start in stride(from: 0, to: plain.count, by: 50_000) {
      encoder.encode(Array(plain[start..<min(start + 50_000, plain.count)]), into: &packed)
    }
    encoder.finish(into: &packed)
    return packed
  }

  private static func unpack(
    _ packed: [UInt8], _ coding: ContentDecoder.Coding, chunk: Int, maximumBytes: Int = .max
  ) throws -> [UInt8] {
    var decoder = ContentDecoder(coding, maximumBytes: maximumBytes)
    var output: [UInt8] = []
    for start in stride(from: 0, to: packed.count, by: chunk) {
      try decoder.decode(Array(packed[start..<min(start + chunk, packed.count)]), into: &output)
    }
    try decoder.finish()
    return output
  }

  private static func failure(
    _ packed: [UInt8], _ coding: ContentDecoder.Coding, maximumBytes: Int = .max
  ) -> APIError.Reason? {
    do {
      _ = try unpack(packed, coding, chunk: 3, maximumBytes: maximumBytes)
      return nil
    } catch {
      return (error as? APIError)?.reason
    }
  }
}
