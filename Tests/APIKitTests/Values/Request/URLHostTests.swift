@testable import TestSupport
import XCTest

@testable import APIKit

final class URLHostTests: XCTestCase {
  func testAnIPv4AddressHasOneFormWhateverItsNumbersLookLike() throws {
    for text in [
      "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f.1", "0x7F000001", "0177.0.0.1", "017700000001",
      "127.0.0.1.", "0x7f.0.0x0.01", "%31%32%37.1", "１２７.1", "127。0。0。1", "0x7f.0x.1",
    ] {
      let url = try HTTPURL("http://\(text):80/")
      XCTAssertEqual(url.host, "127.0.0.1", text)
      XCTAssertEqual(url.origin, "http://127.0.0.1:80", text)
      XCTAssertEqual(url.string, "http://127.0.0.1:80/", text)
    }
    XCTAssertEqual(HTTPURL("http://0/").host, "0.0.0.0")
    XCTAssertEqual(HTTPURL("http://4294967295/").host, "255.255.255.255")
    XCTAssertEqual(HTTPURL("http://1.2.0x304/").host, "1.2.3.4")
  }

  func testAHostThatEndsInANumberAndIsNoAddressIsRefused() {
    for text in [
      "256.0.0.1", "1.2.3.256", "1.2.3.4.5", "4294967296", "0x100000000", "99999999999999999999999", "08.1",
      "1.2.3.09", "a.1", "example.0x1f", "foo.0x", "1..2", ".1", "1.2.65536", "0x1.0xg.1",
      "-1.5", "%3256.0.0.1",
    ] {
      assertFails(.invalidURL, "IPv4") { try HTTPURL("http://\(text)/") }
    }
  }

  func testANameWithNumbersElsewhereStaysAName() throws {
    for text in [
      "1.example", "0x1.example", "1e3", "127.0.0.1.example", "0xg", "1.a0", "3com.test", "_1._2x",
    ] {
      XCTAssertEqual(try HTTPURL("http://\(text)/").host, text)
    }
  }

  func testAnIPv6AddressIsCompressedAtItsLongestZeros() throws {
    for (text, host) in [
      ("0:0:0:0:0:0:0:1", "::1"), ("::", "::"), ("2001:DB8::0001", "2001:db8::1"),
      ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:0:0:2:3:0:0:4", "1::2:3:0:0:4"),
      ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"),
      ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::ffff:127.0.0.1", "::ffff:7f00:1"), ("::1:0:0", "::1:0:0"),
      ("00AB::", "ab::"),
    ] {
      let url = try HTTPURL("https://[\(text)]/")
      XCTAssertEqual(url.host, host, text)
      XCTAssertEqual(url.origin, "https://[\(host)]:443", text)
    }
    for text in [
      "", ":", ":::", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "::1%eth0", "::1%25eth0", "::1.2.3",
      "::1.2.3.04",
      "::1\u{0}", "1:2:3:4:5:6:7", "::g",
    ] {
      assertFails(.invalidURL) { try HTTPURL("http://[\(text)]/") }
    }
  }

  func testForbiddenCharactersAreRefusedPlainAndEncoded() {
    for byte in Array(0...0x20 as ClosedRange<UInt8>) + Array("#%/:<>?@[\\]^|\"`{}\u{7F}".utf8) {
      let encoded = "%" + Hex.encode([byte])
      assertFails(.invalidURL) { try HTTPURL("http://a\(encoded)b/") }
    }
    for byte in "!$&'()*+,;=-._~".utf8 {
      XCTAssertNoThrow(try HTTPURL("http://a%\(Hex.encode([byte]))b/"))
    }
    for text in ["http://a%FFb/", "http://a%/", "http://%/"] {
      assertFails(.invalidURL) { try HTTPURL(text) }
    }
  }

  func testATrailingDotIsKeptInANameAndDroppedFromAnAddress() throws {
    XCTAssertEqual(HTTPURL("http://Example.COM./").host, "example.com.")
    XCTAssertEqual(HTTPURL("http://1.2.3.4./").host, "1.2.3.4")
  }

  func testLimitsAndCacheSeeOneHost() throws {
    let urls = try ["http://127.1/a", "http://0x7f000001:80/a"].map { try HTTPURL($0) }
    XCTAssertEqual(HostKey(urls[0]), HostKey(urls[1]))
    XCTAssertEqual(urls[0].cacheText, urls[1].cacheText)
    XCTAssertEqual(urls[0].fingerprint, urls[1].fingerprint)
  }

  func testSettingsNameHostsInTheSameForm() {
    let proxy = HTTPProxy(
      .http, host: "p", port: 1, exceptions: ["127.1", "[0::1]", ".Bücher.test", "a.test."])
    for host in ["127.0.0.1", "::1", "xn--bcher-kva.test", "x.xn--bcher-kva.test", "a.test", "a.test."] {
      XCTAssertTrue(proxy.isException(host), host)
    }
    XCTAssertFalse(proxy.isException("xxn--bcher-kva.test"))
    XCTAssertEqual(Cookie("a", "b", domain: "Bücher.test").domain, "xn--bcher-kva.test")
    XCTAssertEqual(Cookie("a", "b", domain: "0x7f.1").domain, "127.0.0.1")
  }
}
