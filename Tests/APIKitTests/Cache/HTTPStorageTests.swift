import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// What is stored, and for which requests: RFC 9111, 3 and 4.1.
@MainActor class HTTPStorageTests: HTTPCacheCase {
  // MARK: Storing

  /// RFC 9111, 3 and RFC 9110, 15.1.
  func testWhichStatusesAreStored() async throws {
    for status in [200, 203, 300, 404, 405, 410, 414, 501, 599] {
      try await assertUsed(["Cache-Control": "max-age=60"], status: status)
    }
    for status in [206, 304] where status == 206 {
      try await assertAsked(["Cache-Control": "max-age=60"], status: status)
    }
  }

  /// RFC 9111, 5.2.2.5 and 5.2.1.5.
  func testNoStoreOfEitherSideForbidsStoring() async throws {
    try await assertAsked(["Cache-Control": "no-store, max-age=60"])
    try begin()
    stub.on("/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60"]), .json("[2]"))
    manager.headers = ["Cache-Control": "no-store"]
    _ = try await manager.response([:])
    manager.headers = [:]
    let response = try await manager.response([:])
    XCTAssertEqual(response.raw[0].int, 2)
  }

  /// RFC 9111, 5.2.2.3: with must-understand, no-store gives way for a status that is understood.
  func testMustUnderstand() async throws {
    try await assertUsed(["Cache-Control": "must-understand, no-store, max-age=60"])
    try await assertAsked(["Cache-Control": "must-understand, max-age=60"], status: 599)
  }

  /// RFC 9111, 3.5 and 5.2.2.7: this cache is private.
  func testPrivateAndAuthorizedResponsesAreStored() async throws {
    try await assertUsed(["Cache-Control": "private, max-age=60"])
    try begin()
    stub.on("/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60"]))
    manager.headers = ["Authorization": "Bearer x"]
    _ = try await manager.response([:])
    let response = try await manager.response([:])
    XCTAssertEqual(response.provenance, .memory(age: .zero))
  }

  /// RFC 9111, 7.3.
  func testSetCookieDoesNotHinderStoring() async throws {
    try await assertUsed(["Cache-Control": "max-age=60", "Set-Cookie": "a=1"])
  }

  /// RFC 9111, 3.1: fields of the connection are not stored.
  func testFieldsOfTheConnectionAreNotStored() async throws {
    let response = try await second([
      "Cache-Control": "max-age=60", "Connection": "x-hop, close", "X-Hop": "1", "X-End": "2",
      "Proxy-Authenticate": "Basic",
    ])
    XCTAssertNil(response.headers["X-Hop"])
    XCTAssertNil(response.headers["Connection"])
    XCTAssertNil(response.headers["Proxy-Authenticate"])
    XCTAssertEqual(response.headers["X-End"], "2")
  }

  /// RFC 9111, 3 and 4: responses to other methods than GET and HEAD are not stored.
  func testWhichMethodsAreStored() async throws {
    for (method, isStored): (HTTPMethod, Bool) in [
      (.put, false), (.delete, false), (.patch, false), (.options, false), (.post, false),
      (.get, true), (.head, true),
    ] {
      try begin()
      stub.on("/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60"]), .json("[2]"))
      manager.method = method
      _ = try await manager.response([:])
      _ = try await manager.response([:])
      XCTAssertEqual(stub.requests.count, isStored ? 1 : 2, "\(method)")
    }
  }

  // MARK: Vary

  /// RFC 9111, 4.1.
  func testVaryTellsResponsesApart() async throws {
    try begin()
    stub.when(
      { $0.headers["Accept-Language"] == "de" },
      .json("[\"de\"]", headers: ["Cache-Control": "max-age=60", "Vary": "Accept-Language, X-A"]))
    stub.when(
      { $0.headers["Accept-Language"] != "de" },
      .json("[\"other\"]", headers: ["Cache-Control": "max-age=60", "Vary": "accept-language"]))
    for (fields, text, asked): (HTTPHeaders, String, Int) in [
      (["Accept-Language": "de"], "de", 1), (["Accept-Language": "de"], "de", 1),
      (["accept-language": "de", "X-B": "1"], "de", 1), (["Accept-Language": "zh"], "other", 2),
      (["Accept-Language": "de"], "de", 2), (["Accept-Language": "zh"], "other", 2), ([:], "other", 3),
      (["Accept-Language": "de", "X-A": "1"], "de", 4),
    ] {
      manager.headers = fields
      let response = try await manager.response([:])
      XCTAssertEqual(response.raw[0].string, text)
      XCTAssertEqual(stub.requests.count, asked, "\(fields)")
    }
  }

  /// RFC 9111, 4.1.
  func testVaryStarNeverMatches() async throws {
    try await assertAsked(["Cache-Control": "max-age=60", "Vary": "*"])
    try await assertAsked(["Cache-Control": "max-age=60", "Vary": "Accept, *"])
  }

  /// RFC 9111, 3.3: what was asked for in part is not stored, not even when the server sends all of it.
  func testAResponseToARangeIsNotStored() async throws {
    try begin()
    stub.on("/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60"]), .json("[2]"))
    manager.headers = ["Range": "bytes=0-100"]
    _ = try await manager.response([:])
    manager.headers = [:]
    let response = try await manager.response([:])
    XCTAssertEqual(response.raw[0].int, 2)
  }

  /// RFC 9111, 4: a response to HEAD is none to GET.
  func testAResponseToHeadIsNotOneToGet() async throws {
    try begin()
    manager.expectation = ResponseExpectation(format: .automatic)
    stub.when({ _ in true }, .json("[1]", headers: ["Cache-Control": "max-age=60"]))
    manager.method = .head
    _ = try await manager.response([:])
    manager.method = .get
    let first = try await manager.response([:])
    XCTAssertEqual(first.provenance, .network)
    let second = try await manager.response([:])
    XCTAssertEqual(second.raw[0].int, 1)
    XCTAssertEqual(second.provenance, .memory(age: .zero))
  }
}
