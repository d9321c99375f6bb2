import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Asking whether a stored response is still good, and what makes it stale: RFC 9111, 4.3 and 4.4.
@MainActor class HTTPValidationTests: HTTPCacheCase {
  // MARK: Validation

  /// RFC 9111, 4.3.1.
  func testAStaleResponseIsAskedAboutByItsValidators() async throws {
    let modified = date(-1000)
    _ = try await second(
      after: 70, ["Cache-Control": "max-age=60", "ETag": "W/\"a\"", "Last-Modified": modified])
    XCTAssertEqual(stub.requests[1].headers["If-None-Match"], "W/\"a\"")
    XCTAssertEqual(stub.requests[1].headers["If-Modified-Since"], modified)
    _ = try await second(after: 70, ["Cache-Control": "max-age=60"])
    XCTAssertNil(stub.requests[1].headers["If-None-Match"])
    XCTAssertNil(stub.requests[1].headers["If-Modified-Since"])
  }

  /// RFC 9110, 8.8.3: none of these can be sent back.
  func testAValidatorThatNoFieldCanHaveIsNotSent() async throws {
    if responsesComeFromDemoServer { return }
    for name in ["ETag", "Last-Modified"] {
      let response = try await second(after: 70, ["Cache-Control": "max-age=60", name: "\"a\u{7}\""])
      XCTAssertEqual(response.raw[0].int, 2)
      XCTAssertEqual(stub.requests.count, 2)
    }
  }

  /// RFC 9111, 4.3.3 and 4.3.4: the stored body, with the fields of the 304 over the stored ones.
  func testA304FreshensTheStoredResponse() async throws {
    let response = try await second(
      after: 70, ["Cache-Control": "max-age=60", "ETag": "\"a\"", "X-A": "1", "X-B": "1", "Age": "3"],
      then: .status(
        304,
        headers: [
          "Cache-Control": "max-age=100", "X-A": "2", "X-C": "3", "Content-Length": "0",
          "Content-Type": "text/html", "Content-Encoding": "gzip",
        ]))
    XCTAssertEqual(response.provenance, .revalidated)
    XCTAssertEqual(response.status, 200)
    XCTAssertEqual(response.raw[0].int, 1)
    XCTAssertEqual(response.headers.values("X-A"), ["2"])
    XCTAssertEqual(response.headers["X-B"], "1")
    XCTAssertEqual(response.headers["X-C"], "3")
    XCTAssertEqual(response.headers["Content-Type"], "application/json")
    XCTAssertNil(response.headers["Content-Encoding"])
    XCTAssertNil(response.headers["Age"])
    time.advance(by: .seconds(99))
    let third = try await manager.response([:])
    XCTAssertEqual(third.provenance, .memory(age: .seconds(99)), "the 304 began a new lifetime")
    XCTAssertEqual(cache.statistics.revalidations, 1)
  }

  /// RFC 9111, 3 and 4.1: what a 304 forbids holds for the response that it confirms.
  func testA304ThatForbidsStoringDoesNotFreshenTheStoredResponse() async throws {
    for fields: HTTPHeaders in [
      ["Cache-Control": "no-store"], ["Cache-Control": "max-age=60", "Vary": "*"],
    ] {
      // By its age, as a response without a lifetime, it would be fresh for a day.
      let stored: HTTPHeaders = [
        "Cache-Control": "max-age=60", "ETag": "\"a\"", "Last-Modified": date(-100_000_000),
      ]
      let response = try await second(after: 70, stored, then: .status(304, headers: fields))
      XCTAssertEqual(response.provenance, .revalidated)
      _ = try await manager.response([:])
      XCTAssertEqual(stub.requests.count, 3, "\(fields)")
    }
  }

  /// RFC 9111, 4.3.3: a full response takes the stored one's place.
  func testAFullResponseReplacesTheStoredOne() async throws {
    let response = try await second(
      after: 70, ["Cache-Control": "max-age=60", "ETag": "\"a\""],
      then: .json("[2]", headers: ["Cache-Control": "max-age=60", "ETag": "\"b\""]))
    XCTAssertEqual(response.provenance, .network)
    let third = try await manager.response([:])
    XCTAssertEqual(third.raw[0].int, 2)
    XCTAssertEqual(stub.requests.count, 2)
  }

  /// RFC 9111, 4.3.4: a 304 with another validator is not about what is stored.
  func testA304AboutSomethingElseIsNotTheStoredResponse() async throws {
    // The last two are one text of other bytes.
    for (stored, other) in [("a", "b"), ("\u{E9}", "e\u{301}")] {
      try begin()
      stub.on(
        "/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60", "ETag": "\"\(stored)\""]),
        .status(304, headers: ["ETag": "\"\(other)\""]))
      _ = try await manager.response([:])
      time.advance(by: .seconds(70))
      let error = try await errorThrown { [manager] () async throws(APIError) in
        try await manager.response([:])
      }
      XCTAssertEqual(error.reason, .unacceptableStatus)
    }
  }

  /// RFC 9111, 4.3.1: the manager's own condition is its own affair.
  func testAConditionOfTheManagersOwnIsLeftAlone() async throws {
    let response = try await second(
      after: 70, ["Cache-Control": "max-age=60", "ETag": "\"a\""], request: ["If-None-Match": "\"z\""],
      then: .status(304))
    XCTAssertEqual(stub.requests[1].headers.values("If-None-Match"), ["\"z\""])
    XCTAssertEqual(response.status, 304)
  }

  /// RFC 9111, 5.2.1.1: caches on the way are asked as well.
  func testRevalidatingAsksEveryCacheOnTheWay() async throws {
    let stored: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"a\""]
    let response = try await second(after: 5, stored, then: .status(304), use: .revalidating)
    XCTAssertEqual(response.provenance, .revalidated)
    XCTAssertEqual(stub.requests[0].headers.values("Cache-Control"), [])
    XCTAssertEqual(stub.requests[1].headers.values("Cache-Control"), ["max-age=0"])
    _ = try await second(stored, request: ["cache-control": "no-cache"], use: .revalidating)
    XCTAssertEqual(stub.requests[1].headers.values("Cache-Control"), ["no-cache"])
    for use in [CacheUse.asPolicy, .ignoring] {
      _ = try await second(after: 70, stored, use: use)
      XCTAssertEqual(stub.requests[1].headers.values("Cache-Control"), [])
    }
  }

  // MARK: Invalidation

  /// RFC 9111, 4.4.
  func testAnUnsafeRequestMakesItsURLAndItsLocationStale() async throws {
    for (status, fields, isStale): (Int, HTTPHeaders, Bool) in [
      (200, [:], true), (204, [:], true), (302, [:], true), (404, [:], false), (500, [:], false),
    ] {
      try begin()
      stub.on(.get, "/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60"]), .json("[2]"))
      stub.on(.put, "/api/list", .status(status, headers: fields))
      _ = try await manager.response([:])
      let editor = TestManager(manager.service)
      editor.method = .put
      editor.expectation = ResponseExpectation(statuses: 200..<600)
      _ = try await editor.response([:])
      let response = try await manager.response([:])
      XCTAssertEqual(response.raw[0].int, isStale ? 2 : 1, "\(status)")
    }
    for (location, isStale) in [
      ("/api/list", true), ("https://homes.test/api/list", true), ("https://other.test/api/list", false),
    ] {
      for name in ["Location", "Content-Location"] {
        try begin()
        stub.on(.get, "/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60"]), .json("[2]"))
        stub.on(.post, "/api/add", .status(201, headers: HTTPHeaders([HTTPHeaders.Field(name, location)])))
        _ = try await manager.response([:])
        let editor = TestManager(manager.service)
        editor.apiName = "add"
        editor.method = .post
        _ = try await editor.response([:])
        let response = try await manager.response([:])
        XCTAssertEqual(response.raw[0].int, isStale ? 2 : 1, "\(name): \(location)")
      }
    }
  }

  func testAURLThatWasChangedBehindARedirectIsStaleWhateverItsSignatureAndItsResponse() async throws {
    struct QuerySigner: RequestSigner {
      let runsInline = true
      let volatileParameters: Set = ["sign"]
      func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
        request.url.query = (request.url.query.map { $0 + "&" } ?? "") + "sign=\(subject.nonce)"
      }
    }
    for (signer, answer) in [
      (QuerySigner(), StubResponse.status(204)), (nil, .json("{")), (QuerySigner(), .json("{")),
    ] as [((any RequestSigner)?, StubResponse)] {
      try begin()
      manager.service.signer = signer
      stub.on(.get, "/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60"]), .json("[2]"))
      stub.on(.post, "/api/old", .redirect(to: "/api/list", status: 307))
      let gate = StubGate()
      stub.on(.post, "/api/list", .held(by: gate, answer))
      let editor = TestManager(manager.service)
      editor.apiName = "old"
      editor.method = .post
      async let edited = try? editor.response([:])
      try await gate.waitForArrivals(1)
      _ = try await manager.response([:])
      gate.open()
      _ = await edited
      let response = try await manager.response([:])
      XCTAssertEqual(response.raw[0].int, 2, "\(signer != nil) \(answer)")
    }
  }

  /// RFC 9111, 4.4: the URL that was changed is the one to which a redirect has led the request.
  func testAnUnsafeRequestMakesTheURLStaleToWhichItWasRedirected() async throws {
    for status in [307, 308] {
      try begin()
      let gate = StubGate()
      stub.on(.get, "/api/list", .json("[1]", headers: ["Cache-Control": "max-age=60"]), .json("[2]"))
      stub.on(.post, "/api/old", .redirect(to: "/api/list", status: status))
      stub.on(.post, "/api/list", .held(by: gate, .status(204)))
      let editor = TestManager(manager.service)
      editor.apiName = "old"
      editor.method = .post
      async let edited = editor.response([:])
      try await gate.waitForArrivals(1)
      _ = try await manager.response([:])
      gate.open()
      _ = try await edited
      let response = try await manager.response([:])
      XCTAssertEqual(response.raw[0].int, 2, "\(status)")
    }
  }
}
