@testable import TestSupport
import XCTest

@testable import APIKit

/// A jar with the cookies of many sites.
final class CookieGrowthTests: XCTestCase {
  func testALoadIsNotComparedWithTheCookiesOfOtherSites() {
    let jar = CookieJar()
    for number in 0..<3_000 { jar.set(Cookie("id", "1", domain: "site\(number).example")) }
    jar.set(Cookie("id", "2", domain: "example.org", isHostOnly: false))
    jar.set(Cookie("id", "3", domain: "a.example.org"))
    jar.set(Cookie("id", "4", domain: "9.9.9.9", isHostOnly: false))
    let start = Duration.ofProcessor
    for _ in 0..<2_000 {
      XCTAssertEqual(jar.senders(to: "a.example.org").sorted(), ["a.example.org/ id=3", "example.org/ id=2"])
      XCTAssertEqual(jar.senders(to: "b.a.example.org"), ["example.org/ id=2"])
      XCTAssertEqual(jar.senders(to: "badexample.org"), [])
      XCTAssertEqual(jar.senders(to: "9.9.9.9"), ["9.9.9.9/ id=4"])
      XCTAssertEqual(jar.senders(to: "9.9.9.9.9"), [])
    }
    XCTAssertLessThan(.ofProcessor - start, .seconds(2), "it was three seconds")
  }
}
