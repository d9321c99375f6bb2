import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

final class PinSetTests: XCTestCase {
  private let zeros = [UInt8](repeating: 0, count: 32)

  func testEveryCustomarySpellingOfAPinIsRead() throws {
    let base64 = String(repeating: "A", count: 43) + "="
    let hex = String(repeating: "00", count: 32)
    let colons = Array(repeating: "00", count: 32).joined(separator: ":")
    for text in ["sha256/" + base64, "sha256//" + base64, base64, hex, colons] {
      XCTAssertEqual(try PinSet.Pin(text).digest, zeros, text)
    }
    XCTAssertEqual(try PinSet.Pin(hex).description, "sha256/" + base64)
  }

  func testAMalformedPinIsAnErrorOfTheConfiguration() {
    for text in ["", "sha256/", "sha256/AAAA", "sha1/AAAA", String(repeating: "0", count: 63), "zz"] {
      XCTAssertThrowsError(try PinSet.Pin(text), text) { error in
        XCTAssertEqual((error as? APIError)?.reason, .misconfigured)
      }
    }
    XCTAssertThrowsError(try PinSet.Pin(digest: [1]))
  }

  func testTheNearestHostCountsAndExpiredPinsDoNot() throws {
    let pin = try PinSet.Pin(digest: zeros)
    let now = Date(timeIntervalSince1970: 1000)
    let set = PinSet([
      .init("example.com", includesSubdomains: true, pins: [pin]),
      .init("API.example.com", pins: [pin], expires: Date(timeIntervalSince1970: 1001)),
      .init("old.example.com", pins: [pin], expires: now),
    ])
    XCTAssertEqual(set.entry(for: "api.example.com", at: now)?.name, "api.example.com")
    XCTAssertEqual(set.entry(for: "a.b.example.com", at: now)?.name, "example.com")
    XCTAssertEqual(set.entry(for: "example.com", at: now)?.name, "example.com")
    XCTAssertNil(set.entry(for: "old.example.com", at: now))
    XCTAssertNil(set.entry(for: "badexample.com", at: now))
  }

  func testATrailingDotDoesNotEvadeThePins() throws {
    let pin = try PinSet.Pin(digest: zeros)
    let now = Date(timeIntervalSince1970: 1000)
    let plain = PinSet([.init("example.com", includesSubdomains: true, pins: [pin])])
    let dotted = PinSet([.init("Example.com.", includesSubdomains: true, pins: [pin])])
    for url: HTTPURL in [
      "https://example.com", "https://example.com./", "https://api.example.com.", "https://EXAMPLE%2ecom.",
    ] {
      for set in [plain, dotted] {
        XCTAssertEqual(set.entry(for: url.host, at: now)?.name, "example.com", "\(url)")
      }
    }
  }

  func testPinsNameHostsInTheFormThatURLsHave() throws {
    let pin = try PinSet.Pin(digest: zeros)
    for (name, url): (String, HTTPURL) in [
      ("127.1", "https://0x7f000001/"), ("[0:0::1]", "https://[::1]/"), ("0::1", "https://[::0001]/"),
      ("Bücher.test", "https://xn--bcher-kva.test/"),
    ] {
      let set = PinSet([.init(name, pins: [pin])])
      XCTAssertEqual(set.entry(for: url.host, at: Date())?.name, url.host)
      XCTAssertNoThrow(try set.validate())
    }
    var entry = PinSet.Host("a.test", pins: [pin])
    entry.name = "B.test."
    XCTAssertEqual(entry.name, "b.test")
    for name in [
      "https://a.test", "a.test/x", "1.2.3.256", "a b", ".a.test", "a..test", "a.test..", "..", "*.a.test",
      "*",
    ] {
      assertFails(.misconfigured, "not a host") { try PinSet([.init(name, pins: [pin])]).validate() }
    }
  }

  func testAnExpiredEntryHidesNoOtherOfItsName() throws {
    let (now, pin) = (
      Date(timeIntervalSince1970: 1000), try PinSet.Pin(digest: [UInt8](repeating: 1, count: 32))
    )
    func host(_ name: String, _ includesSubdomains: Bool, expires: Date?) -> PinSet.Host {
      PinSet.Host(name, includesSubdomains: includesSubdomains, pins: [pin], expires: expires)
    }
    for includesSubdomains in [true, false] {
      let set = PinSet([
        host("a.example", includesSubdomains, expires: now),
        host("a.example", includesSubdomains, expires: nil),
      ])
      XCTAssertNil(set.entry(for: "a.example", at: now)?.expires)
      XCTAssertNotNil(set.entry(for: "a.example", at: now))
    }
    // The name below is trusted without pins once its own have expired.
    let below = PinSet([host("example", true, expires: nil), host("a.example", false, expires: now)])
    XCTAssertNil(below.entry(for: "a.example", at: now))
  }
}
