import APIKitTransfers
import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// Loads whose body is a file, a stream or a form: what they make stale, and what they have a key for.
@MainActor final class CacheBodyTests: CachePolicyCase {
  private func bodies() throws -> [(String, HTTPBody)] {
    let path = temporaryFolder().path + "/photo"
    try Data("photo".utf8).write(to: URL(fileURLWithPath: path))
    var form = MultipartForm()
    form.append("name", text: "photo")
    form.append("photo", file: path)
    return [
      ("bytes", .bytes(Array("photo".utf8))), ("file", .file(path: path)), ("multipart", try form.body()),
      ("stream", .stream(HTTPBodyStream(length: 0) { { nil } })),
    ]
  }

  func testAnUnsafeLoadWithAnyBodyMakesTaggedResponsesStale() async throws {
    stub.on(.get, "/api/list", .json("[1]"))
    stub.on(.post, "/api/photos", .json("{}"))
    manager.cacheTraits.tags = ["photos"]
    for (what, body) in try bodies() {
      _ = try await lands()
      let before = try await lands()
      XCTAssertEqual(before.provenance, .memory(age: .zero), what)
      let editor = makeManager(.none)
      (editor.method, editor.apiName, editor.body) = (.post, "photos", body)
      editor.cacheTraits.expires = ["photos"]
      _ = try await editor.response()
      let after = try await lands()
      XCTAssertEqual(after.provenance, .network, what)
    }
  }

  func testAnUnsafeLoadWithAnyBodyMakesTheResponsesOfItsURLStale() async throws {
    stub.on(.get, "/api/list", .json("[1]"))
    stub.on(.put, "/api/list", .json("{}"))
    for (what, body) in try bodies() {
      _ = try await lands()
      let before = try await lands()
      XCTAssertEqual(before.provenance, .memory(age: .zero), what)
      let editor = makeManager(.none)
      (editor.method, editor.body) = (.put, body)
      _ = try await editor.response()
      let after = try await lands()
      XCTAssertEqual(after.provenance, .network, what)
    }
  }

  func testASafeLoadWhoseBodyIsNotInMemoryIsSentAndSaysSo() async throws {
    stub.on(.get, "/api/list", .json("[1]"))
    for (what, body) in try bodies() where what == "file" || what == "stream" {
      manager.body = body
      for _ in 0..<2 {
        let response = try await lands()
        XCTAssertEqualProvenance(response, .network)
        let record = manager.record(of: try XCTUnwrap(response.flightID))?.description ?? ""
        XCTAssertTrue(record.contains("the request's body is not in memory"), record)
      }
    }
  }

  func testOnlyALoadThatFindsOrStoresHasAKey() throws {
    func key(_ method: HTTPMethod, _ policy: CachePolicy) throws -> CacheKey? {
      let manager = makeManager(policy)
      (manager.method, manager.body) = (method, .bytes([1, 2, 3]))
      manager.cacheTraits.expires = ["photos"]
      let recorder = FlightRecorder(flight: .next(), manager: TestManager.self, time: SystemTime())
      let call = try manager.makeCall(recorder, with: [:])
      return try XCTUnwrap(FlightCache.make(for: call)).key
    }
    for method in [HTTPMethod.post, .put, .patch, .delete] {
      XCTAssertNil(try key(method, .fresh()), "\(method): its body is not to be copied and hashed")
      XCTAssertNil(try key(method, .none))
    }
    XCTAssertNil(try key(.get, .none))
    XCTAssertNotNil(try key(.get, .fresh()))
  }
}
