import Dispatch
import XCTest

@testable import APIKit

final class CryptoTests: XCTestCase {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  func testTheSuiteOfRFC1321() {
    let suite = [
      "": "d41d8cd98f00b204e9800998ecf8427e", "a": "0cc175b9c0f1b6a831c399e269772661",
      "abc": "900150983cd24fb0d6963f7d28e17f72", "message digest": "f96b697d7cb7938d525a2f31aaf161d0",
      "abcdefghijklmnopqrstuvwxyz": "c3fcd3d76192e4007dfb496cca67e13b",
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789": "d174ab98d277d9f5a5611c2c9f419d9f",
      String(repeating: "1234567890", count: 8): "57edf4a22be3c955ac49da2e2107b67a",
    ]
    for (text, digest) in suite {
      XCTAssertEqual(Crypto.md5(bytes(text)).map { Hex.encode($0) }, digest, text)
    }
  }

  func testTheExamplesOfFIPS180() {
    let long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    let million = [UInt8](repeating: 0x61, count: 1_000_000)
    XCTAssertEqual(
      Crypto.sha1(bytes("abc")).map { Hex.encode($0) }, "a9993e364706816aba3e25717850c26c9cd0d89d")
    XCTAssertEqual(
      Crypto.sha1(bytes(long)).map { Hex.encode($0) }, "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
    XCTAssertEqual(Crypto.sha1(million).map { Hex.encode($0) }, "34aa973cd4c4daa4f61eeb2bdbad27316534016f")
    XCTAssertEqual(Crypto.sha1([]).map { Hex.encode($0) }, "da39a3ee5e6b4b0d3255bfef95601890afd80709")
    let sha256: [([UInt8], String)] = [
      (bytes("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (bytes(long), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
      (million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
      ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ]
    for (message, digest) in sha256 {
      XCTAssertEqual(Hex.encode(Crypto.sha256(message)), digest)
      var rest = message[...]
      let chunked = Crypto.sha256 {
        defer { rest = rest.dropFirst(1000) }
        return Array(rest.prefix(1000))
      }
      XCTAssertEqual(Hex.encode(chunked), digest)
    }
  }

  func testTheCasesOfRFC4231() {
    let largeKey = [UInt8](repeating: 0xAA, count: 131)
    let cases: [(key: [UInt8], message: [UInt8], code: String)] = [
      (
        [UInt8](repeating: 0x0B, count: 20), bytes("Hi There"),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        bytes("Jefe"), bytes("what do ya want for nothing?"),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
      ),
      (
        Array(1...25), [UInt8](repeating: 0xCD, count: 50),
        "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
      ),
      (
        largeKey, bytes("Test Using Larger Than Block-Size Key - Hash Key First"),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
      (
        largeKey,
        bytes(
          "This is a test using a larger than block-size key and a larger than block-size data."
            + " The key needs to be hashed before being used by the HMAC algorithm."),
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
      ),
    ]
    for (key, message, code) in cases {
      let prepared = Crypto.HMACKey(key)
      XCTAssertEqual(Hex.encode(prepared.code(message)), code)
      XCTAssertEqual(Hex.encode(prepared.code(message)), code, "the second code of one key")
    }
    XCTAssertEqual(
      Hex.encode(Crypto.HMACKey([]).code([])),
      "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
  }

  func testACodeIsTheSameFromManyThreads() {
    let key = Crypto.HMACKey(bytes("Jefe"))
    let expected = key.code([1, 2, 3])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<500 { XCTAssertEqual(key.code([1, 2, 3]), expected) }
    }
  }

  /// Cases 13 to 16 of the specification of GCM that NIST's SP 800-38D takes over.
  func testTheCasesOfAESGCM() throws {
    func hex(_ text: String) throws -> [UInt8] { try XCTUnwrap(Hex.decode(text)) }
    let key = try hex(String(repeating: "feffe9928665731c6d6a8f9467308308", count: 2))
    let plain = try hex(
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
        + "b16aedf5aa0de657ba637b391aafd255")
    let sealed =
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
      + "c5f61e6393ba7a0abcc9f662898015ad"
    let zeros = [UInt8](repeating: 0, count: 32)
    let cases: [(key: [UInt8], nonce: [UInt8], plain: [UInt8], context: [UInt8], sealed: String)] = [
      (zeros, Array(zeros[..<12]), [], [], "530f8afbc74536b9a963b4f1c4cb738b"),
      (
        zeros, Array(zeros[..<12]), Array(zeros[..<16]), [],
        "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
      ),
      (key, try hex("cafebabefacedbaddecaf888"), plain, [], sealed + "b094dac5d93471bdec1a502270e3cc6c"),
      (
        key, try hex("cafebabefacedbaddecaf888"), Array(plain[..<60]),
        try hex("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
        String(sealed.prefix(120)) + "76fc6ece0f4e1768cddf8853bb2d551b"
      ),
    ]
    for (key, nonce, plain, context, expected) in cases {
      let made = try XCTUnwrap(Crypto.seal(plain, key: key, nonce: nonce, authenticating: context))
      XCTAssertEqual(Hex.encode(made), expected)
      XCTAssertEqual(Crypto.open(made, key: key, nonce: nonce, authenticating: context), plain)
    }
  }

  func testASealThatWasTouchedDoesNotOpen() throws {
    let key = [UInt8](repeating: 1, count: 32)
    let nonce = [UInt8](repeating: 2, count: 12)
    let sealed = try XCTUnwrap(Crypto.seal([1, 2, 3], key: key, nonce: nonce, authenticating: [9]))
    for index in sealed.indices {
      var touched = sealed
      touched[index] ^= 1
      XCTAssertNil(Crypto.open(touched, key: key, nonce: nonce, authenticating: [9]), "byte \(index)")
    }
    XCTAssertNil(Crypto.open(sealed, key: key, nonce: nonce, authenticating: []))
    XCTAssertNil(Crypto.open(sealed, key: key, nonce: Array(nonce.dropLast()) + [3], authenticating: [9]))
    XCTAssertNil(Crypto.open(Array(sealed.dropLast()), key: key, nonce: nonce, authenticating: [9]))
    XCTAssertNil(Crypto.open([], key: key, nonce: nonce))
    XCTAssertNil(Crypto.seal([1], key: Array(key.dropLast()), nonce: nonce))
    XCTAssertNil(Crypto.seal([1], key: key, nonce: nonce + [0]))
  }

  func testRandomBytesDiffer() {
    XCTAssertEqual(Crypto.random(0), [])
    XCTAssertEqual(Crypto.random(16).count, 16)
    XCTAssertNotEqual(Crypto.random(16), Crypto.random(16))
  }

  func testBytesAreEqualOnlyWhenAllOfThemAre() {
    XCTAssertTrue(Crypto.constantTimeEquals([1, 2, 3], [1, 2, 3]))
    XCTAssertTrue(Crypto.constantTimeEquals([], []))
    for other in [[1, 2], [1, 2, 4], [0, 2, 3], [1, 2, 3, 0]] as [[UInt8]] {
      XCTAssertFalse(Crypto.constantTimeEquals([1, 2, 3], other))
    }
  }

  #if os(Linux)
    func testMoreThanOpenSSLTakesAtOnceIsNotSealed() {
      // Memory that is never touched takes no room.
      let huge = [UInt8](unsafeUninitializedCapacity: 1 << 31) { $1 = 1 << 31 }
      let key = [UInt8](repeating: 1, count: 32)
      XCTAssertNil(Crypto.seal(huge, key: key, nonce: [UInt8](repeating: 2, count: 12)))
      let sealed = [UInt8](unsafeUninitializedCapacity: 1 << 32) { $1 = 1 << 32 }
      XCTAssertNil(Crypto.open(sealed, key: key, nonce: [UInt8](repeating: 2, count: 12)))
    }
  #endif
}
