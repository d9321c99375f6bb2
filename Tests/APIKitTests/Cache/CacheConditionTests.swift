import APIKitTesting
import XCTest

@testable import APIKit

/// What the network's condition makes of the policies.
@MainActor final class CacheConditionTests: CachePolicyCase {
  func testTheConditionOfTheNetworkHasAMeaningForTheCache() {
    XCTAssertEqual(CacheCondition(NetworkCondition.wifi), .unrestricted)
    XCTAssertEqual(CacheCondition(NetworkCondition.unknown), .unrestricted)
    XCTAssertEqual(CacheCondition(NetworkCondition.cellular), .expensive)
    XCTAssertEqual(CacheCondition(NetworkCondition.offline), .offline)
  }

  func testOnCellularAStoredResponseIsPreferred() async throws {
    script(.json("[1]"))
    _ = try await lands()
    time.advance(by: .seconds(1000))
    cache.followCondition { .expensive }
    XCTAssertEqualProvenance(try await lands(), .stale(age: .seconds(1000)))
    XCTAssertEqualProvenance(try await lands(["page": 2]), .network)
  }

  func testOfflineOnlyStoredResponsesLand() async throws {
    script(.json("[1]"))
    _ = try await lands()
    time.advance(by: .seconds(1000))
    cache.followCondition { .offline }
    XCTAssertEqualProvenance(try await lands(), .stale(age: .seconds(1000)))
    let error = await fails(["page": 2])
    XCTAssertEqual(error?.reason, .notCached)
    XCTAssertEqual(asked, 1)
  }

  func testTheTableOfConditionsMayBeReplaced() async throws {
    script(.json("[1]"))
    _ = try await lands()
    time.advance(by: .seconds(1000))
    cache.conditionTable = CacheConditionTable()
    cache.followCondition { .offline }
    XCTAssertEqualProvenance(try await lands(), .network)
  }

  func testALoadThatAsksForConfirmationIsAskedOnCellularToo() async throws {
    script(.json("[1]", headers: ["ETag": "\"a\""]), .status(304))
    _ = try await lands()
    cache.followCondition { .expensive }
    XCTAssertEqualProvenance(try await lands(cache: .revalidating), .revalidated)
    cache.followCondition { .offline }
    XCTAssertEqualProvenance(try await lands(cache: .revalidating), .memory(age: .zero))
  }
}
