import APIKit
import XCTest

/// The examples of RFC 3986, section 5.4, fragments dropped as everywhere.
final class HTTPURLResolvingTests: XCTestCase {
  private let base: HTTPURL = "http://a/b/c/d;p?q"

  private func check(_ cases: [(String, String)], line: UInt = #line) throws {
    for (reference, expected) in cases {
      XCTAssertEqual(try base.resolving(reference).string, expected, "for \(reference)", line: line)
    }
  }

  func testTheNormalExamplesResolve() throws {
    try check([
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
      ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
      ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"),
      (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y"),
      ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
      ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
      ("../../g", "http://a/g"),
    ])
  }

  func testTheAbnormalExamplesResolve() throws {
    try check([
      ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
      ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
      ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
      ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
      ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
      ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
      ("g#s/./x", "http://a/b/c/g"), ("g#s/../x", "http://a/b/c/g"),
    ])
  }

  func testAReferenceWithASchemeStandsForItself() throws {
    try check([("https://h:8443/x/../y?z", "https://h:8443/y?z"), ("http://h", "http://h/")])
    for reference in ["g:h", "http:g"] {
      XCTAssertThrowsError(try base.resolving(reference), reference) { error in
        XCTAssertEqual((error as? APIError)?.reason, .invalidURL)
      }
    }
  }

  func testAFragmentThatBeginsWithACombiningMarkIsDropped() throws {
    try check([("/g#\u{301}", "http://a/g"), ("#\u{301}", "http://a/b/c/d;p?q")])
  }

  func testStrayCharactersArePercentEncoded() throws {
    try check([
      ("/caf\u{e9} au lait?q=\"1\"&r=100%", "http://a/caf%C3%A9%20au%20lait?q=%221%22&r=100%25"),
      ("/a%20b", "http://a/a%20b"),
    ])
  }
}
