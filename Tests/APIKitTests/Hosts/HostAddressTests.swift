import XCTest

@testable import APIKit

final class HostAddressTests: XCTestCase {
  func testAnAddressIsReadInEveryForm() throws {
    for (text, host, port) in [
      ("10.0.0.4", "10.0.0.4", nil), ("10.0.0.4:8443", "10.0.0.4", 8443), ("::1", "::1", nil),
      ("[::1]", "::1", nil), ("[2001:DB8:0:0::7]:81", "2001:db8::7", 81),
    ] as [(String, String, Int?)] {
      let address = try HostAddress(text)
      XCTAssertEqual(address.host, host, text)
      XCTAssertEqual(address.port, port, text)
      XCTAssertEqual(try HostAddress(address.description), address)
    }
  }

  func testWhatNeedsALookUpIsNoAddress() {
    for text in [
      "", "localhost", "api.example.com", "https://10.0.0.4", "10.0.0", "127.1", "0x7f000001", "10.0.0.256",
      "10.0.0.4:", "10.0.0.4:0", "10.0.0.4:65536", "10.0.0.4:x", "[::1", "[::1]x", "::g", "<html>",
      "10.0.0.4/24",
      "10.0.0.4 ", "fe80::1%eth0", "10.0.0.4\r\n",
    ] {
      XCTAssertThrowsError(try HostAddress(text), text) { error in
        XCTAssertEqual((error as? APIError)?.reason, .misconfigured)
      }
    }
  }

  func testFamiliesTakeTurnsBeginningWithThatOfTheFirst() {
    let hosts: [PooledHost] = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "::1", "::2"]
    XCTAssertEqual(PooledHost.alternatingFamilies(hosts), ["10.0.0.1", "::1", "10.0.0.2", "::2", "10.0.0.3"])
    XCTAssertEqual(PooledHost.alternatingFamilies(["::1", "10.0.0.1"]), ["::1", "10.0.0.1"])
    XCTAssertEqual(PooledHost.alternatingFamilies([]), [])
  }

  func testAServerChangesTheConnectionOrTheOriginOfARequestAndNothingElse() {
    let asked = HTTPRequest(url: "https://named.test/a/b?c=d")
    var direct = asked
    PooledHost.address("[::1]:8443").direct(&direct)
    XCTAssertEqual(direct.url, asked.url)
    XCTAssertEqual(direct.options.connectTo, "[::1]:8443")
    var elsewhere = asked
    PooledHost.origin("https://other.test:444/ignored").direct(&elsewhere)
    XCTAssertEqual(elsewhere.url, "https://other.test:444/a/b?c=d")
    XCTAssertNil(elsewhere.options.connectTo)
  }

  func testAnAddressThatNoServerHasIsRefused() {
    for text in [
      "0.0.0.0", "0.0.0.0:80", "::", "[::]:80", "224.0.0.1", "239.255.255.250", "255.255.255.255", "ff02::1",
      "[ff0e::1]:443", "::ffff:0.0.0.0", "::ffff:224.0.0.1",
    ] {
      XCTAssertThrowsError(try HostAddress(text), text) { error in
        XCTAssertEqual((error as? APIError)?.reason, .misconfigured, text)
        XCTAssertTrue((error as? APIError)?.detail.contains("no server's") == true, "\(error)")
      }
    }
    for text in ["127.0.0.1", "10.0.0.1", "::1", "fe80::1", "223.255.255.254", "::ffff:10.0.0.1", "0.0.0.1"] {
      XCTAssertNoThrow(try HostAddress(text), text)
    }
  }
}
