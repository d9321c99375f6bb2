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
}
