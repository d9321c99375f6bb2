import XCTest

@testable import APIKit

final class PunycodeTests: XCTestCase {
  func testInternationalNamesTravelInASCII() {
    let names = [
      "bücher.example": "xn--bcher-kva.example", "BÜCHER.Example": "xn--bcher-kva.example",
      "例え.テスト": "xn--r8jz45g.xn--zckzah", "münchen。de": "xn--mnchen-3ya.de",
      "пример.рф": "xn--e1afmkfd.xn--p1ai",
      "faß.de": "xn--fa-hia.de", "plain.test": "plain.test", "苏州.cn": "xn--6rt453f.cn",
    ]
    for (name, ascii) in names { XCTAssertEqual(Punycode.ascii(name), ascii, name) }
  }

  func testALabelBeyondItsLengthIsRefused() {
    XCTAssertNil(Punycode.ascii(String(repeating: "ü", count: 70) + ".test"))
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
