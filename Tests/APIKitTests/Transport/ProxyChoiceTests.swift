@testable import TestSupport
import XCTest

@testable import APIKit

/// Which proxies a choice comes to.
final class ProxyChoiceTests: XCTestCase {
  private func table(_ environment: [String: String]) throws -> ProxyTable {
    try ProxyTable(.system, environment: environment)
  }

  private func way(_ environment: [String: String], _ url: HTTPURL) throws -> String {
    guard let proxy = try table(environment).proxy(for: url) else { return "direct" }
    let login = proxy.login.map { "\($0.user):\($0.password)@" } ?? ""
    return "\(proxy.kind) \(login)\(proxy.host):\(proxy.port)"
  }

  func testTheEnvironmentSaysTheProxyOfEachScheme() throws {
    let rows: [([String: String], HTTPURL, String)] = [
      (["http_proxy": "p.test:8080"], "http://a.test/", "http p.test:8080"),
      (["http_proxy": "p.test:8080"], "https://a.test/", "direct"),
      (["https_proxy": "http://p.test:3128/"], "https://a.test/", "http p.test:3128"),
      (["HTTPS_PROXY": "http://p.test:3128"], "https://a.test/", "http p.test:3128"),
      (["https_proxy": "one:1", "HTTPS_PROXY": "two:2"], "https://a.test/", "http one:1"),
      (["HTTP_PROXY": "p.test:8080"], "http://a.test/", "direct"),
      (["all_proxy": "socks5://p.test"], "http://a.test/", "socks5 p.test:1080"),
      (["ALL_PROXY": "socks5h://p.test:9", "http_proxy": "q:8"], "http://a.test/", "http q:8"),
      (["ALL_PROXY": "socks5h://p.test:9", "http_proxy": "q:8"], "https://a.test/", "socks5 p.test:9"),
      (["http_proxy": "http://us%40er:p:w@p.test:8"], "http://a.test/", "http us@er:p:w@p.test:8"),
      (["http_proxy": "[::1]:8"], "http://a.test/", "http ::1:8"),
      (["http_proxy": ""], "http://a.test/", "direct"), ([:], "http://a.test/", "direct"),
    ]
    for (environment, url, expected) in rows {
      XCTAssertEqual(try way(environment, url), expected, "\(environment)")
    }
  }

  func testTheEnvironmentSaysWhatGoesDirect() throws {
    let no = "localhost, .corp.test,example.com 10.0.0.0/8,::1,fd00::/8,192.168.1.7"
    for host in [
      "localhost", "a.localhost", "corp.test", "x.corp.test", "example.com", "www.example.com", "10.255.0.1",
      "[::1]", "[fd12::1]", "192.168.1.7",
    ] {
      let url = try HTTPURL("http://\(host)/")
      XCTAssertEqual(try way(["http_proxy": "p:1", "no_proxy": no], url), "direct", host)
    }
    for host in ["a.test", "notexample.com", "11.0.0.1", "[fe80::1]", "192.168.1.8", "10.0.0.0.example"] {
      let url = try HTTPURL("http://\(host)/")
      XCTAssertEqual(try way(["http_proxy": "p:1", "NO_PROXY": no], url), "http p:1", host)
    }
    XCTAssertEqual(try way(["http_proxy": "p:1", "no_proxy": "*"], "http://a.test/"), "direct")
  }

  func testAProxyThatCannotBeReadIsRefusedByTheVariablesName() {
    for text in ["https://p:1", "ftp://p:1", "p:x", "p:99999", ":1", "p p:1", "p:+1"] {
      assertFails(.misconfigured, "https_proxy") { try table(["https_proxy": text]) }
    }
  }

  func testAChoiceOfNoneIsNone() throws {
    XCTAssertTrue(try ProxyTable(.none, environment: ["http_proxy": "p:1"]).isEmpty)
    let own = HTTPProxy(.http, host: "own", port: 1, exceptions: ["a.test"])
    let table = try ProxyTable(.through(own), environment: ["http_proxy": "p:1"])
    XCTAssertEqual(table.proxy(for: "https://b.test/"), own)
    XCTAssertNil(table.proxy(for: "https://a.test/"))
    XCTAssertFalse(table.isByScheme)
  }

  func testTheSettingsOfASessionSayTheSame() throws {
    XCTAssertNil(try ProxySettings(.system).values)
    XCTAssertEqual(try ProxySettings(.none).values, [:])
    let plain = HTTPProxy(.http, host: "p.test", port: 8080, exceptions: ["a.test", ".b.test", "*"])
    XCTAssertEqual(
      try ProxySettings(.through(plain)).values,
      [
        "HTTPEnable": .number(1), "HTTPProxy": .text("p.test"), "HTTPPort": .number(8080),
        "HTTPSEnable": .number(1), "HTTPSProxy": .text("p.test"), "HTTPSPort": .number(8080),
        "ExceptionsList": .list(["a.test", "b.test", "*.b.test", "*"]),
      ])
    XCTAssertEqual(
      try ProxySettings(.through(HTTPProxy(.socks5, host: "s", port: 1))).values,
      ["SOCKSEnable": .number(1), "SOCKSProxy": .text("s"), "SOCKSPort": .number(1)])
    let login = HTTPLogin(user: "a", password: "b")
    let refused: [(HTTPProxy, String)] = [
      (HTTPProxy(.connect, host: "p", port: 1), "tunnels"),
      (HTTPProxy(.socks5, host: "p", port: 1, login: login), "SOCKS"),
      (HTTPProxy(.http, host: "p", port: 1, exceptions: ["10.0.0.0/8"]), "ranges"),
    ]
    for (proxy, words) in refused {
      assertFails(.unsupportedCapability, words) { try ProxySettings(.through(proxy)) }
    }
  }
}
