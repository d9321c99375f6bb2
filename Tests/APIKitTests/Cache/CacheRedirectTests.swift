import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Stored responses of URLs that redirect.
@MainActor final class CacheRedirectTests: CachePolicyCase {
  /// A resource whose validator is that of the others as well.
  private func resource(_ text: String, _ control: String) -> StubResponse {
    .computed { request in
      request.headers.contains("If-None-Match")
        ? .status(304, headers: ["ETag": "\"1\""])
        : .json(text, headers: ["ETag": "\"1\"", "Cache-Control": control])
    }
  }

  /// RFC 9111, 4.2.2.
  func testAResponseBehindARedirectIsStoredWhereTheNextLeadsThereToo() async throws {
    for (status, number) in [(301, 1), (302, 2), (303, 2), (307, 2), (308, 1)] {
      stub.reset()
      stub.on("/api/list", .redirect(to: "/v/1", status: status), .redirect(to: "/v/2", status: status))
      for number in 1...2 { stub.on("/v/\(number)", resource("[\(number)]", "max-age=60")) }
      manager = makeManager(.http)
      cache.removeAll()
      _ = try await lands()
      let second = try await lands()
      XCTAssertEqual(second.raw[0].int, number, "\(status)")
    }
  }

  /// RFC 9110, 15.4.
  func testConditionsDoNotFollowARedirectToAnotherResource() async throws {
    for policy in [CachePolicy.http, .networkElseStale(upTo: .seconds(60))] {
      stub.reset()
      stub.on("/api/list", .redirect(to: "/v/1", status: 301), .redirect(to: "/v/2", status: 301))
      for number in 1...2 { stub.on("/v/\(number)", resource("[\(number)]", "no-cache")) }
      manager = makeManager(policy)
      cache.removeAll()
      _ = try await lands()
      let second = try await lands()
      XCTAssertEqual(second.raw[0].int, 2)
      XCTAssertEqualProvenance(second, .network)
      let third = try await lands()
      XCTAssertEqual(third.raw[0].int, 2)
      XCTAssertEqualProvenance(third, .revalidated)
    }
  }

  /// A jar with a cookie of each of these.
  private func jar(_ cookies: (url: HTTPURL, field: String)...) -> CookieJar {
    let jar = CookieJar()
    for cookie in cookies { jar.store(["Set-Cookie": cookie.field], from: cookie.url) }
    return jar
  }

  func testWhatAnotherHostRespondsToItsCookiesIsNotStoredForTheNextUser() async throws {
    stub.on("/api/list", .redirect(to: "https://people.test/me"))
    stub.on(
      "/me",
      .computed { request in .json("[\"\(request.headers["Cookie"] ?? "nobody")\"]") })
    manager = makeManager(.fresh(for: .seconds(60)))
    manager.service.cachePartition = nil
    for user in ["anna", "bert"] {
      manager.service.client.cookies = jar(("https://people.test/", "user=\(user)"))
      let response = try await lands()
      XCTAssertEqual(response.raw[0].string, "user=\(user)")
    }
    // The first host knows these cookies, too, so the partition does.
    stub.reset()
    stub.on("/api/list", .redirect(to: "https://img.homes.test/me"))
    stub.on("/me", .json("{}"))
    manager.service.client.cookies = jar(
      ("https://homes.test/", "user=anna; Domain=homes.test"), ("https://people.test/", "user=anna"))
    _ = try await lands()
    XCTAssertNotNil(stub.requests.last?.headers["Cookie"])
    let again = try await lands()
    XCTAssertNotEqual(again.provenance, .network)
  }

  func testWhatALoginWasGivenOnTheWayIsNotStoredForTheNextUser() async throws {
    var redirect = HTTPResponse(status: 302, headers: ["Location": "/people/anna"])
    redirect.isPersonal = true
    stub.on("/api/list", .response(redirect), .redirect(to: "/people/bert"))
    for user in ["anna", "bert"] { stub.on("/people/\(user)", .json("[\"\(user)\"]")) }
    manager = makeManager(.fresh(for: .seconds(60)))
    manager.service.cachePartition = nil
    for user in ["anna", "bert"] {
      let response = try await lands()
      XCTAssertEqual(response.raw[0].string, user)
    }
  }
}
