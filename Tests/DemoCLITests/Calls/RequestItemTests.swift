import APIKit
import Foundation
import XCTest

@testable import DemoCLI

/// The words of a call: items, URLs, header fields, logins.
@MainActor
final class RequestItemTests: XCTestCase {
  func testTheFirstAndLongestMarkSaysWhatAnItemIs() async throws {
    let items: [String: (RequestItem.Kind, String, String)] = [
      "X-Trace:7": (.header, "X-Trace", "7"), "X-Url:http://a/?b=c": (.header, "X-Url", "http://a/?b=c"),
      "X-Empty;": (.emptyHeader, "X-Empty", ""), "q==a b": (.query, "q", "a b"),
      "name=Ann": (.text, "name", "Ann"),
      "a=b;": (.text, "a", "b;"), "sum=1:2": (.text, "sum", "1:2"), "age:=41": (.json, "age", "41"),
      "note=@/tmp/n": (.textOfFile, "note", "/tmp/n"), "data:=@/tmp/d": (.jsonOfFile, "data", "/tmp/d"),
      "photo@/tmp/p.jpg": (.file, "photo", "/tmp/p.jpg"), "@/tmp/whole": (.file, "", "/tmp/whole"),
      "a\\:b=c": (.text, "a:b", "c"), "a\\=b:=1": (.json, "a=b", "1"), "é=\u{301}x": (.text, "é", "\u{301}x"),
    ]
    for (word, (kind, name, value)) in items {
      let item = try RequestItem(word)
      XCTAssertEqual(item.kind, kind, word)
      XCTAssertEqual(item.name, name, word)
      XCTAssertEqual(item.value, value, word)
    }
    for word in ["", "plain", "=x", ":x", "==x", "a\\=b"] {
      XCTAssertThrowsError(try RequestItem(word), word)
    }
  }

  func testAURLMayBeShort() async throws {
    for (text, url) in [
      (":8080/a?b=c", "http://localhost:8080/a?b=c"), (":/a", "http://localhost/a"),
      (":", "http://localhost/"),
      ("localhost:1", "http://localhost:1/"), ("127.0.0.1/x", "http://127.0.0.1/x"),
      ("[::1]:80/x", "http://[::1]:80/x"), ("example.org", "https://example.org/"),
      ("example.org/?u=http://a", "https://example.org/?u=http://a"), ("http://a.test/x", "http://a.test/x"),
    ] {
      XCTAssertEqual(try HTTPURL(typed: text).string, url)
    }
    XCTAssertEqual(try HTTPURL(typed: "wss://a.test/x", isSocket: true).string, "https://a.test/x")
    XCTAssertEqual(try HTTPURL(typed: ":1/x", isSocket: true).string, "http://localhost:1/x")
  }

  func testBadInputIsNamedAndNothingIsSent() async {
    for (words, message) in [
      (["get"], "URL is missing"),
      (["get", "http://"], "the URL \"http://\" is not valid: "),
      (["get", "ftp://a.test/x"], "the URL begins with ftp"),
      (["get", "http://u:p@a.test/"], "user and password do not belong in a URL"),
      (["get", ":1/a b"], "the character 32 must be percent-encoded"),
      (["get", ":1", "word"], "word is no item: "), (["get", ":1", "X:"], "X: has no value"),
      (["get", ":1", "-H", "nonsense"], "nonsense is no header field: Name: value"),
      (["get", ":1", "-H", "a b: c"], "\"a b\" is not a header name"),
      (["get", ":1", "-H", "a: b\u{1}"], "the value of a has the control character 1"),
      (["get", ":1", "--outptu", "x"], "there is no option --outptu; did you mean --output?"),
      (["get", ":1", "--base-url", "x"], "there is no option --base-url"),
      (["get", ":1", "photo@README.md"], "get sends no body"),
      (["get", ":1", "--form"], "get sends no body"),
      (["get", ":1", "--resume"], "--resume is about a file"),
      (["post", ":1", "--resume"], "there is no option --resume"),
      (["post", ":1", "a@/nowhere"], "the file /nowhere cannot be read"),
      (["post", ":1", "a:=nonsense"], "a: "), (["post", ":1", "a=1", "a=2"], "a is given twice"),
      (["post", ":1", "@README.md", "a=1"], "@README.md is the whole body"),
      (["get", ":1", "--auth", "ann"], "--auth is USER:PASSWORD"),
      (["get", ":1", "--auth-type", "digest"], "--auth-type needs"),
      (["get", ":1", "--auth", "@/nowhere"], "--auth: /nowhere cannot be read"),
      (["get", ":1", "--auth", "", "--auth-type", "bearer"], "--auth is empty"),
      (
        ["get", ":1", "--redirects", "maybe"], "--redirects must be follow, refuse or same-origin, not maybe"
      ),
      (["get", ":1", "--sign", "hmac"], "--sign needs --key FILE"),
      (["get", ":1", "--sign", "magic:1"], "--sign must be "),
      (["get", ":1", "--key", "x"], "--key is the key of --sign"),
      (["get", ":1", "--sign", "hmac", "--key", "/nowhere"], "--key: /nowhere cannot be read"),
      (["get", ":1", "--show", "tail"], "--show must be head, body or all, not tail"),
      (
        ["get", ":1", "--output", "README.md"],
        "--output: README.md is there already; --overwrite replaces it"
      ),
      (["get", ":1", "--output", "/nowhere/x"], "--output: there is no folder /nowhere"),
      (
        ["get", ":1", "--output", "/tmp/./apikit-none", "--har", "/tmp/apikit-none"],
        "--har and --output name the same file"
      ),
      (["list", "--base-url", "http://a.test/x?y=1"], "--base-url has a query"),
      (["ws", "ftp://a"], "the URL begins with ftp"),
      (["ws", ":1", "a=1"], "ws sends no data when it opens"),
      (["events", ":1", "a=1"], "events sends no data"),
    ] {
      let run = await CommandLineRun(words)
      XCTAssertEqual(run.status, .wrongUsage, "\(words)")
      XCTAssertTrue(run.errors.first?.contains(message) == true, "\(words): \(run.errors)")
      XCTAssertEqual(run.output + run.progress, [])
    }
  }
}
