@testable import TestSupport
import XCTest

@testable import APIKit

final class HTTPURLTests: XCTestCase {
  func testDataOfOtherBytesMakeAnotherURL() throws {
    let urls = try ["data:,Caf\u{E9}", "data:,Cafe\u{301}"].map { text throws(APIError) in try HTTPURL(text) }
    XCTAssertNotEqual(urls[0], urls[1])
    XCTAssertEqual(Set(urls).count, 2)
  }

  func testAURLComesApartAndTogetherAgain() throws {
    let url = HTTPURL("HTTPS://API.Example.com:8443/a/b%20c?x=1&y=%E5%9F%8E#part")
    XCTAssertEqual(url.scheme, "https")
    XCTAssertEqual(url.host, "api.example.com")
    XCTAssertEqual(url.port, 8443)
    XCTAssertEqual(url.path, "/a/b%20c")
    XCTAssertEqual(url.query, "x=1&y=%E5%9F%8E")
    XCTAssertEqual(url.string, "https://api.example.com:8443/a/b%20c?x=1&y=%E5%9F%8E")
    XCTAssertEqual(url.location, "https://api.example.com:8443/a/b%20c")
    XCTAssertEqual(url.description, "https://api.example.com:8443/a/b%20c?…")
  }

  func testAnAddressKeepsItsBracketsOnTheWireAlone() throws {
    let url = HTTPURL("http://[::1]:80")
    XCTAssertEqual(url.host, "::1")
    XCTAssertEqual(url.string, "http://[::1]:80/")
    XCTAssertEqual(url.origin, "http://[::1]:80")
  }

  func testAnEmptyQueryAndAQueryBehindTheHostAreKept() throws {
    XCTAssertEqual(HTTPURL("http://a?").string, "http://a/?")
    XCTAssertEqual(HTTPURL("http://a?x/y?z").query, "x/y?z")
    XCTAssertEqual(HTTPURL("http://a#b/c?d").string, "http://a/")
    XCTAssertEqual(HTTPURL("http://a:/b").port, nil)
  }

  func testTheOriginHoldsTheSchemesOwnPort() throws {
    XCTAssertEqual(HTTPURL("https://a/x").origin, HTTPURL("HTTPS://A:443/y?z").origin)
    XCTAssertNotEqual(HTTPURL("https://a").origin, HTTPURL("http://a:443").origin)
    XCTAssertNotEqual(HTTPURL("https://a").origin, HTTPURL("https://a:8443").origin)
  }

  func testWhatCannotStandInARequestIsRefused() {
    let refused = [
      "", "a", "//a/b", "1http://a", "http:a", "http:/a", "http://", "http:///a", "http://:80/", "http://a:0",
      "http://a:65536", "http://a:8x", "http://a:-1", "http://a:80:81", "http://[::1", "http://[abc]/",
      "http://[::1]x", "http://a b/", "http://a\u{0}/", "http://a/b c", "http://a/é", "http://a/%",
      "http://a/%4",
      "http://a/%zz", "http://a/?%", "http://a/?%1", "http://a/\"", "http://a/<", "http://a/\\b",
      "http://a/{b}",
      "http://a/?q=a\r\nX: y", "http://a/\u{7F}", "http://a\t/", "http://a<b/", "http://\u{2100}.jp/",
      "http://[::Ａ]/", "http://a%4/", "http://a]/",
    ]
    for text in refused { assertFails(.invalidURL) { try HTTPURL(text) } }
  }

  func testAPasswordInAURLIsRefusedAndNotRepeated() {
    for text in [
      "http://user:hunter2@a/", "http://a/?token=hunter2 x", "http://user:hunter2/x@a/",
      "http://user:hunter2#x@a/",
      "http://user:hunter2?x@a/", "http://user:x/hunter2@a/", "http://user:hunter2 x@a/", "user:hunter2@a",
    ] {
      do {
        let url = try HTTPURL(text)
        XCTFail("\(url) was read")
      } catch {
        XCTAssertFalse(error.description.contains("hunter2"), error.description)
        XCTAssertFalse(error.expandedDescription.contains("hunter2"))
      }
    }
  }
}

final class URLAppendingTests: XCTestCase {
  func testAPathIsJoinedByExactlyOneSlash() throws {
    for (base, path, joined) in [
      ("http://a", "rents", "http://a/rents"), ("http://a/", "/rents", "http://a/rents"),
      ("http://a/v2", "rents/list", "http://a/v2/rents/list"),
      ("http://a/v2/", "rents/", "http://a/v2/rents/"),
      ("http://a/v2//", "//rents", "http://a/v2/rents"), ("http://a/v2/", "", "http://a/v2/"),
      ("http://a/v2/", "/", "http://a/v2/"), ("http://a/v2?k=1", "x", "http://a/v2/x?k=1"),
      ("http://a", "b//c", "http://a/b//c"),
    ] {
      XCTAssertEqual(try HTTPURL(base).appending(path: path).string, joined)
    }
  }

  func testWhatMayNotStandInAPathIsEncodedOnce() throws {
    let base: HTTPURL = "http://a/v1"
    XCTAssertEqual(
      try base.appending(path: "苏 州/\"<>\\^`{|}[]").path,
      "/v1/%E8%8B%8F%20%E5%B7%9E/%22%3C%3E%5C%5E%60%7B%7C%7D%5B%5D")
    XCTAssertEqual(try base.appending(path: "a:b@c!$&'()*+,;=-._~").path, "/v1/a:b@c!$&'()*+,;=-._~")
    XCTAssertEqual(try base.appending(path: "a%20b%2Fc").path, "/v1/a%20b%2Fc")
    XCTAssertEqual(try base.appending(path: "100%/5%z1").path, "/v1/100%25/5%25z1")
    XCTAssertNoThrow(try HTTPURL(try base.appending(path: "%/%1/é\u{10FFFF}").string))
  }

  func testAPathThatLeadsElsewhereIsRefused() {
    let base: HTTPURL = "http://a/v1"
    for path in ["..", "../x", "a/../b", "a/..", ".", "a/./b", "%2e%2e/x", "a/.%2E", "%2E./x", "%2e"] {
      assertFails(.invalidURL, "leads elsewhere") { try base.appending(path: path) }
    }
    for path in ["...", "..a", "a..", ".well-known/x", "%2e%2e%2e"] {
      XCTAssertNoThrow(try base.appending(path: path), path)
    }
  }

  func testControlCharactersAndQueriesInAPathAreRefused() {
    let base: HTTPURL = "http://a/v1"
    for path in ["a\r\nHost: b", "a\u{0}", "a\tb", "a\u{7F}"] {
      assertFails(.invalidURL, "control character") { try base.appending(path: path) }
    }
    assertFails(.invalidURL, "parameters") { try base.appending(path: "a?b=1") }
    assertFails(.invalidURL, "#") { try base.appending(path: "a#b") }
  }

  func testPairsAreAddedBehindThoseThatStand() throws {
    for (base, added, joined) in [
      ("http://a/b", "x=1", "http://a/b?x=1"), ("http://a/b?", "x=1", "http://a/b?x=1"),
      ("http://a/b?y=2", "x=1", "http://a/b?y=2&x=1"), ("http://a/b?y=2&", "x=1", "http://a/b?y=2&x=1"),
      ("http://a/b?y=2", "", "http://a/b?y=2"), ("http://a/b", "", "http://a/b"),
    ] {
      XCTAssertEqual(try HTTPURL(base).appending(query: added).string, joined)
    }
    for query in ["a b", "a\r\nb", "é", "a#b", "a%", "a%4x"] {
      assertFails(.invalidURL) { try HTTPURL("http://a/").appending(query: query) }
    }
  }
}

final class PathTemplateTests: XCTestCase {
  func testPlacesAreFilledAndTheirNamesTold() throws {
    let template: PathTemplate = "rent/{id}/photos/{number}"
    let (path, used) = try template.fill(["number": 7, "id": "a-1", "page": 2])
    XCTAssertEqual(path, "rent/a-1/photos/7")
    XCTAssertEqual(used, ["id", "number"])
    XCTAssertEqual(try PathTemplate("{a}{b}-{a}").fill(["a": 1, "b": true]).path, "1true-1")
  }

  func testATextWithoutPlacesIsItself() throws {
    let (path, used) = try PathTemplate("rent/list").fill(["id": 1])
    XCTAssertEqual(path, "rent/list")
    XCTAssertEqual(used, [])
  }

  func testAValueStaysOneSegment() throws {
    let base: HTTPURL = "http://a/v1"
    for value in ["../admin", "a/b", "a?b#c", "%2e%2e", "苏州 +", "a\r\nb", "%"] {
      let path = try PathTemplate("rent/{id}/x").fill(["id": value]).path
      let url = try base.appending(path: path)
      let segments = url.path.split(separator: "/")
      XCTAssertEqual(segments.count, 4)
      XCTAssertEqual(PercentEncoding.decode(segments[2]), value)
      XCTAssertNil(url.query)
    }
  }

  func testAPlaceThatCannotBeFilledIsNamed() {
    let template: PathTemplate = "rent/{id}"
    let refused: [Parameters] = [
      [:], ["id": ParameterValue.null], ["id": ""], ["id": [1]], ["id": ["a": 1]], ["id": "."], ["id": ".."],
      ["id": Double.nan],
    ]
    for parameters in refused { assertFails(.invalidURL, "{id}") { try template.fill(parameters) } }
  }

  func testABraceWithoutAPartnerIsRefused() {
    for text in ["a/{b", "a/b}", "{a{b}}", "}{"] {
      assertFails(.invalidURL, "brace") { try PathTemplate(text).fill(["a": 1, "b": 1]) }
    }
  }
}
