import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// What the network's condition makes of the policies.
@MainActor final class CacheConditionTests: CachePolicyCase {
  func testTheConditionOfTheNetworkHasAMeaningForTheCache() {
    XCTAssertEqual(CacheConditionTable.Condition(NetworkCondition.wifi), .unrestricted)
    XCTAssertEqual(CacheConditionTable.Condition(NetworkCondition.unknown), .unrestricted)
    XCTAssertEqual(CacheConditionTable.Condition(NetworkCondition.cellular), .expensive)
    XCTAssertEqual(CacheConditionTable.Condition(NetworkCondition.offline), .offline)
  }

  func testTheCacheOfAPresetFollowsTheNetworkWithoutBeingAskedTo() async throws {
    let folder = temporaryFolder().path
    defer { NetworkMonitor.shared.force(nil) }
    let conditions: [(NetworkCondition, CacheConditionTable.Preference)] = [
      (.wifi, .asPolicy), (.wired, .asPolicy), (.unknown, .asPolicy), (.cellular, .stored),
      (.offline, .storedOnly),
    ]
    for preset in [TransportConfiguration.production, .background, .standard, .debug, .ephemeral] {
      let cache = ResponseCache(for: preset, disk: DiskCacheConfiguration(folder: "\(folder)/\(UUID())"))
      for (condition, preference) in conditions {
        NetworkMonitor.shared.force(condition)
        XCTAssertEqual(cache.preference, preset.cacheFollowsNetwork ? preference : .asPolicy)
      }
      await cache.flush()
    }
  }

  func testALoadOverThePresetsCacheLandsStaleOnCellularAndWithoutANetwork() async throws {
    var preset = TransportConfiguration.production
    preset.persistence = .memory
    defer { NetworkMonitor.shared.force(nil) }
    let stub = StubTransport(.json("[1]", headers: ["Cache-Control": "max-age=0"]))
    var service = TestService(stub)
    service.store = ResponseCache(for: preset)
    let manager = TestManager(service)
    manager.cachePolicy = .http
    NetworkMonitor.shared.force(.wifi)
    _ = try await manager.response()
    let onWiFi = try await manager.response()
    XCTAssertEqual(onWiFi.provenance, .network)
    for condition in [NetworkCondition.cellular, .offline] {
      NetworkMonitor.shared.force(condition)
      let stored = try await manager.response()
      guard case .stale = stored.provenance else { return XCTFail("\(condition): \(stored.provenance)") }
    }
    XCTAssertEqual(stub.requests.count, 2)
    let error = try await errorThrown { () throws(APIError) in try await manager.response(["page": 2]) }
    XCTAssertEqual(error.reason, .notCached)
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
