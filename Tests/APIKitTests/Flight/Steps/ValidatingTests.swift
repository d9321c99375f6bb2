import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// What becomes of a response: decoding, then status, content type, emptiness, business code, shape.
@MainActor final class ValidatingTests: XCTestCase {
  private func response(
    _ response: StubResponse, _ set: (TestManager) -> Void = { _ in }
  ) async throws(APIError) -> APIResponse {
    let manager = TestManager(StubTransport(response))
    set(manager)
    return try await manager.response()
  }

  private func error(
    _ response: StubResponse, _ set: @escaping (TestManager) -> Void = { _ in }
  ) async throws -> APIError {
    try await errorThrown { () throws(APIError) in try await self.response(response, set) }
  }

  func testA404WithAJSONBodyKeepsTheBodyReadable() async throws {
    let error = try await error(.json(#"{"message": "no such home"}"#, status: 404))
    XCTAssertEqual(error.label, "response.unacceptable-status")
    XCTAssertEqual(error.context.status, 404)
    XCTAssertEqual(error.description, "GET list (Homes) failed in response: status 404")
    let raw = try RawData(parsing: error.response!.bytes)
    XCTAssertEqual(raw["message"].string, "no such home")
    XCTAssertTrue(error.expandedDescription.contains("no such home"))
  }

  func testTheServicesOwnWordsJoinTheErrorOfABadStatus() async throws {
    var service = TestService(StubTransport(.json(#"{"code": 44, "message": "no such home"}"#, status: 404)))
    service.findBusinessError = { raw in
      raw["code"].int.map { BusinessError(code: String($0), message: raw["message"].string ?? "") }
    }
    let manager = TestManager(service)
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.reason, .unacceptableStatus)
    XCTAssertEqual(error.detail, "status 404: the service reported 44: no such home")
    XCTAssertEqual((error.underlying as? BusinessError)?.code, "44")
  }

  func testTheAcceptableStatusesAreTheManagers() async throws {
    let conflict = StubResponse.json(#"{"a": 1}"#, status: 409)
    let response = try await self.response(conflict) { $0.expectation.statuses = 200..<500 }
    XCTAssertEqual(response.status, 409)
    XCTAssertEqual(response.raw["a"].int, 1)
  }

  func testABodyThatIsNotJSONIsAnErrorWithItsPlace() async throws {
    let error = try await error(.json("{\"a\": 1,\n \"b\": tru}"))
    XCTAssertEqual(error.reason, .malformedBody)
    XCTAssertTrue(error.detail.contains("line 2"), error.detail)
    XCTAssertEqual(error.response?.status, 200)
  }

  func testTruncatedJSONIsAnErrorOfItsOwnPlace() async throws {
    let error = try await error(.json(#"{"items": [{"id": 1}, {"id""#))
    XCTAssertEqual(error.label, "response.malformed-body")
  }

  func testAnHTMLPageIsReportedAsSuchAndNotAsBadJSON() async throws {
    let error = try await error(
      .bytes(Array("<html>login</html>".utf8), headers: ["Content-Type": "text/html; charset=utf-8"]))
    XCTAssertEqual(error.reason, .unacceptableContentType)
    XCTAssertTrue(error.detail.contains("text/html"), error.detail)
  }

  func testTheAcceptableContentTypesAreTheManagers() async throws {
    let response = StubResponse.json(someJSON)
    let error = try await error(response) { $0.expectation.contentTypes = ["application/problem+json"] }
    XCTAssertEqual(error.reason, .unacceptableContentType)
    XCTAssertTrue(error.detail.contains("expected application/problem+json"), error.detail)
    _ = try await self.response(response) { $0.expectation.contentTypes = ["application/*"] }
  }

  func testEmptyBodiesAreGoodUnlessTheChildSaysOtherwise() async throws {
    for status in [200, 204, 205] {
      let response = try await self.response(.status(status))
      XCTAssertFalse(response.raw.exists)
      XCTAssertEqual(response.raw.kind, .missing)
    }
    let head = try await self.response(.status(200)) { $0.method = .head }
    XCTAssertEqual(head.bytes, [])
    let error = try await error(.status(204)) { $0.expectation.requiresBody = true }
    XCTAssertEqual(error.reason, .emptyBody)
  }

  func testABusinessErrorInsideA200IsAFailureWithCodeAndMessage() async throws {
    var service = TestService(StubTransport(.json(#"{"code": 1003, "message": "bad signature"}"#)))
    service.findBusinessError = { raw in
      guard let code = raw["code"].int, code != 0 else { return nil }
      return BusinessError(code: String(code), message: raw["message"].string ?? "")
    }
    let manager = TestManager(service)
    manager.expectation.shape = ["data.items": .array]
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.reason, .businessError, "the business error is the cause of the missing shape")
    XCTAssertEqual(error.detail, "the service reported 1003: bad signature")
    XCTAssertEqual((error.underlying as? BusinessError)?.code, "1003")
  }

  func testAShapeThatDoesNotFitIsReportedPathByPath() async throws {
    let error = try await error(.json(#"{"items": {}, "total": "1"}"#)) {
      $0.expectation.shape = [
        "items": .array, "total": [.number, .null], "next": [.string, .absent], "x.y": .any,
      ]
    }
    XCTAssertEqual(error.reason, .unexpectedShape)
    XCTAssertEqual(
      error.detail,
      "items: expected array, found object; total: expected number or null, found string; "
        + "x.y: expected object or array or string or number or boolean or null, found absent")
  }

  func testBytesCanBeAskedForUndecoded() async throws {
    let image: [UInt8] = [0x89, 0x50, 0x4E, 0x47]
    let response = try await self.response(.bytes(image, headers: ["Content-Type": "image/png"])) {
      $0.expectation.format = .bytes
    }
    XCTAssertEqual(response.bytes, image)
    XCTAssertFalse(response.raw.exists)
  }

  func testADecoderCanBeNamedWhateverTheContentTypeSays() async throws {
    let response = try await self.response(
      .bytes(Array("city=Suzhou&beds=3".utf8), headers: ["Content-Type": "text/html"])
    ) { $0.expectation.format = .decoder(FormBodyDecoder()) }
    XCTAssertEqual(response.raw["city"].string, "Suzhou")
  }

  func testHeadersWithControlCharactersAreRefusedBeforeAnythingIsSent() async throws {
    let stub = StubTransport(.json(someJSON))
    for (name, value) in [
      ("X-A", "a\r\nX-Evil: 1"), ("X-A", "a\0b"), ("X A", "b"), ("", "b"), ("X-A\n", "b"),
    ] {
      let manager = TestManager(stub)
      manager.headers = HTTPHeaders([.init(name, value)])
      let error = try await errorThrown { () throws(APIError) in try await manager.response() }
      XCTAssertEqual(error.label, "assembly.invalid-header")
      XCTAssertFalse(error.description.contains("Evil"), "the value is not printed")
    }
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testAMethodThatIsNoTokenIsRefused() async throws {
    let error = try await error(.json(someJSON)) { $0.method = "GET / HTTP/1.1\r\nX" }
    XCTAssertEqual(error.label, "assembly.invalid-method")
  }

  func testAnAPINameThatWouldLeaveTheBasePathIsRefused() async throws {
    let error = try await error(.json(someJSON)) { $0.apiName = "../admin" }
    XCTAssertEqual(error.label, "assembly.invalid-url")
  }

  func testAParameterThatCannotBeEncodedIsNamed() async throws {
    let manager = TestManager(StubTransport(.json(someJSON)))
    manager.method = .post
    let error = try await errorThrown { () throws(APIError) in
      try await manager.response(["a": ["b": [1, Double.nan]]])
    }
    XCTAssertEqual(error.label, "assembly.unencodable-parameter")
    XCTAssertTrue(error.detail.contains("a"), error.detail)
  }
}
