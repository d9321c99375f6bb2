import XCTest

@testable import APIKit

/// What a client says of itself.
final class StandardHeadersTests: XCTestCase {
  func testTheUserAgentNamesApplicationVersionFrameworkAndSystem() {
    let text = HTTPHeaders.userAgent(application: "Listings", version: "2.4")
    XCTAssertNotNil(text.wholeMatch(of: /Listings\/2\.4 APIKit\/[0-9.]+ \([A-Za-z]+ [0-9]+\.[0-9]+\)/), text)
    XCTAssertTrue(HTTPHeaders.userAgent(application: "Listings").hasPrefix("Listings APIKit/"))
  }

  func testAProductsNameIsAToken() throws {
    XCTAssertTrue(HTTPHeaders.userAgent(application: "My App/2 (x)").hasPrefix("My-App-2--x- APIKit/"))
    XCTAssertTrue(HTTPHeaders.userAgent(application: "", version: "1\r\nX: 1").hasPrefix("-/1--X--1 APIKit/"))
    try HTTPHeaders.standard.validate()
  }

  func testLanguagesHaveFallingWeights() {
    XCTAssertEqual(HTTPHeaders.acceptLanguage([]), "")
    XCTAssertEqual(HTTPHeaders.acceptLanguage(["de"]), "de")
    XCTAssertEqual(
      HTTPHeaders.acceptLanguage(["zh-Hans", "en", "de", "fr", "it", "es", "ja"]),
      "zh-Hans, en;q=0.9, de;q=0.8, fr;q=0.7, it;q=0.6, es;q=0.5")
  }

  func testTheLanguagesOfAnEnvironment() {
    let cases: [(environment: [String: String], languages: [String])] = [
      ([:], []), (["LANG": "C.UTF-8"], []), (["LC_ALL": "POSIX", "LANG": "de_DE"], []),
      (["LANG": "de_DE.UTF-8@euro"], ["de-DE"]), (["LC_ALL": "", "LC_MESSAGES": "fr", "LANG": "de"], ["fr"]),
      (["LANG": "zh_CN.UTF-8", "LANGUAGE": "zh_CN:en_GB:en"], ["zh-CN", "en-GB", "en"]),
      (["LANG": "C", "LANGUAGE": "de"], []), (["LANG": "de\r\nX: 1"], []),
    ]
    for (environment, languages) in cases {
      XCTAssertEqual(ClientDescription.languages(in: environment), languages, "\(environment)")
    }
  }

  func testEveryReadyMadeConfigurationSaysThem() {
    for configuration in [TransportConfiguration.standard, .ephemeral, .production, .debug, .background] {
      XCTAssertEqual(configuration.headers["User-Agent"], HTTPHeaders.standard["User-Agent"])
    }
  }

  func testWhatDescribesTheClientDoesNotKeepStoredResponsesApart() {
    var configuration = TransportConfiguration()
    XCTAssertEqual(configuration.caller, "")
    configuration.headers["X-Api-Key"] = "k"
    let caller = configuration.caller
    XCTAssertNotEqual(caller, "")
    configuration.headers["User-Agent"] = "Listings/3"
    configuration.headers["Accept-Language"] = "de"
    XCTAssertEqual(configuration.caller, caller)
  }
}
