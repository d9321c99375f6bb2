import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// What the service and the manager make of a response before it is stored.
@MainActor final class StorableResponseTests: CachePolicyCase {
  func testARefusedResponseLandsAndIsNotStored() async throws {
    script(.json("[1]"))
    manager.onWillStore = { $0.raw[0].int == 1 ? nil : $0 }
    let first = try await lands()
    XCTAssertEqual(first.raw[0].int, 1)
    XCTAssertEqualProvenance(try await lands(), .network)
    XCTAssertEqual(cache.statistics.memory.stores, 0)
    let story = first.record?.description ?? ""
    XCTAssertTrue(story.contains("not stored: its service or manager refused it"), story)
  }

  func testTheServiceIsAskedFirstAndItsRefusalIsFinal() async throws {
    script(.json("[1]"))
    var asked = 0
    manager.onWillStore = {
      asked += 1; return $0
    }
    manager.service.onWillStore = { _ in nil }
    _ = try await lands()
    XCTAssertEqual(asked, 0)
    manager.service.onWillStore = { stored in
      var stored = stored
      stored.http.headers["X-Service"] = "1"
      return stored
    }
    manager.onWillStore = { stored in
      var stored = stored
      stored.http.headers["X-Manager"] = stored.http.headers["X-Service"]
      return stored
    }
    _ = try await lands()
    let stored = try await lands()
    XCTAssertEqualProvenance(stored, .memory(age: .zero))
    XCTAssertEqual(stored.headers["X-Manager"], "1")
  }

  func testAChangedBodyIsParsedAgainAndTheLandingIsNotChanged() async throws {
    script(.json(#"{"name": "a", "token": "t"}"#))
    manager.onWillStore = { stored in
      var stored = stored
      stored.http.body = .bytes(Array(#"{"name": "a"}"#.utf8))
      return stored
    }
    let first = try await lands()
    XCTAssertEqual(first.raw["token"].string, "t")
    let second = try await lands()
    XCTAssertEqualProvenance(second, .memory(age: .zero))
    XCTAssertEqual(second.raw["name"].string, "a")
    XCTAssertFalse(second.raw["token"].exists)
    XCTAssertEqual(second.http.bytes, Array(#"{"name": "a"}"#.utf8))
  }

  func testABodyThatCannotBeParsedIsNotStored() async throws {
    script(.json("[1]"))
    manager.onWillStore = { stored in
      var stored = stored
      stored.http.body = .bytes(Array("[".utf8))
      return stored
    }
    for _ in 0..<2 { XCTAssertEqualProvenance(try await lands(), .network) }
  }

  func testAChangedFieldChangesTheFreshness() async throws {
    manager.cachePolicy = .http
    script(.json("[1]", headers: ["Cache-Control": "max-age=60"]), .json("[2]"))
    manager.onWillStore = { stored in
      var stored = stored
      stored.http.headers["Cache-Control"] = "max-age=600"
      return stored
    }
    _ = try await lands()
    time.advance(by: .seconds(599))
    XCTAssertEqualProvenance(try await lands(), .memory(age: .seconds(599)))
    time.advance(by: .seconds(1))
    XCTAssertEqualProvenance(try await lands(), .network)
  }

  func testTagsAndSecrecyMayDependOnTheResponse() async throws {
    let folder = temporaryFolder()
    cache = ResponseCache(disk: DiskCacheConfiguration(folder: folder.path), time: time)
    manager = makeManager()
    manager.onWillStore = { stored in
      var stored = stored
      stored.tags = ["owner \(stored.raw["owner"].int ?? 0)"]
      stored.isSensitive = stored.raw["isPrivate"].bool ?? false
      return stored
    }
    stub.on(
      "/api/list",
      .computed { .json($0.url.query == nil ? #"{"owner": 1}"# : #"{"owner": 2, "isPrivate": true}"#) })
    _ = try await lands()
    _ = try await lands(["page": 2])
    await cache.flush()
    XCTAssertEqual(cache.statistics.disk.stores, 1, "the secret stays in memory")
    XCTAssertEqualProvenance(try await lands(["page": 2]), .memory(age: .zero))
    cache.expire(tags: ["owner 1"])
    XCTAssertEqualProvenance(try await lands(["page": 2]), .memory(age: .zero))
    XCTAssertEqualProvenance(try await lands(), .network)
  }

  func testOnlyWhatThePolicyStoresIsPassed() async throws {
    script(.json("[1]"))
    var passed = 0
    manager.onWillStore = {
      passed += 1; return $0
    }
    manager.cachePolicy = .none
    _ = try await lands()
    XCTAssertEqual(passed, 0)
    manager.cachePolicy = .fresh()
    _ = try await lands()
    _ = try await lands()
    XCTAssertEqual(passed, 1)
  }
}
