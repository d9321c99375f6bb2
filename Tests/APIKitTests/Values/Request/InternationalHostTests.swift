import XCTest

@testable import APIKit

final class InternationalHostTests: XCTestCase {
  func testInternationalNamesTravelInASCII() throws {
    let names = [
      "bücher.example": "xn--bcher-kva.example", "BÜCHER.Example": "xn--bcher-kva.example",
      "例え.テスト": "xn--r8jz45g.xn--zckzah", "münchen。de": "xn--mnchen-3ya.de",
      "пример.рф": "xn--e1afmkfd.xn--p1ai", "faß.de": "xn--fa-hia.de", "plain.test": "plain.test",
      "苏州.cn": "xn--6rt453f.cn", "xn--bcher-kva.example": "xn--bcher-kva.example", "ＧＯ.com": "go.com",
      "XN--BCHER-KVA.苏州": "xn--bcher-kva.xn--6rt453f", "a_ü.de": "xn--a_-yka.de", "ü.de.": "xn--tda.de.",
      "b%C3%BCcher.example": "xn--bcher-kva.example", "ü%41.de": "xn--a-dha.de",
      "r3---sn-4g5.test": "r3---sn-4g5.test",
    ]
    for (name, ascii) in names { XCTAssertEqual(try HTTPURL("http://\(name)/").host, ascii, name) }
  }

  func testWhatIsNoInternationalNameIsRefused() {
    let long = String(repeating: "ü", count: 70)
    let huge = String(repeating: "苏", count: 100_000)
    for name in [
      "\(long).test", "\(huge).test", "\u{2100}.test", "\u{FC}.test\u{FF0F}x", "\u{FC}\u{FF1A}80.test",
      "-ü.de", "xn--ü.de", "xn--zz.ü", "ü..de", "\u{300}a.de", "aאב.com", "ü%4.de", "ü%25.de", "xn--zz.test",
      "XN--a.test", "ü b.de", "ü\\b.de",
      "ü[b.de", "ü\u{FF20}b.de",
    ] {
      XCTAssertThrowsError(try HTTPURL("http://\(name)/"), String(name.prefix(80))) { error in
        XCTAssertEqual((error as? APIError)?.reason, .invalidURL)
      }
    }
  }

  func testTheTimeForAnInternationalNameIsBounded() {
    // Ten times the letters once took a hundred times as long.
    let huge = String(repeating: "苏", count: 1_000_000)
    let start = ContinuousClock.now
    XCTAssertThrowsError(try HTTPURL("http://\(huge).test/"))
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(12))
  }

  func testARedirectLeadsToAnInternationalName() throws {
    for location in ["//bücher.test/a", "http://b%C3%BCcher.test/a", "http://B%c3%bcCHER.test/a"] {
      XCTAssertEqual(try HTTPURL("http://a/").resolving(location).string, "http://xn--bcher-kva.test/a")
    }
  }

  func testAURLHoldsItsHostInASCII() throws {
    let text = "http://B\u{FC}cher.test:81/a"
    let url = try HTTPURL(text)
    XCTAssertEqual(url.host, "xn--bcher-kva.test")
    XCTAssertEqual(url.string, "http://xn--bcher-kva.test:81/a")
    for bad in ["http://b\u{FC}cher.test/\u{FC}", "http://\u{2100}.test/", "http://\u{FC}.test\u{FF0F}x/"] {
      XCTAssertThrowsError(try HTTPURL(bad), bad) { error in
        XCTAssertEqual((error as? APIError)?.reason, .invalidURL)
      }
    }
  }
}
