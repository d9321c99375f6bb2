import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// What becomes of the bytes of a response.
@MainActor final class DecodingTests: XCTestCase {
  private let stub = StubTransport()
  private lazy var manager = TestManager(stub)
  private let reversed = Array(someJSON.utf8.reversed())

  func testABodyIsDecipheredBeforeItIsDecoded() async throws {
    stub.on("/api/list", .bytes(reversed, contentType: "application/json"))
    manager.service.transform = { Array($0.reversed()) }
    let response = try await manager.response()
    XCTAssertEqual(response.raw["total"].int, 1)
    XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), someJSON)
  }

  func testABodyThatCannotBeDecipheredStaysReadableInTheError() async throws {
    struct WrongKey: Error {}
    stub.on("/api/list", .bytes(reversed, contentType: "application/json"))
    manager.service.transform = { _ in throw WrongKey() }
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.label, "response.undecipherable-body")
    XCTAssertTrue(error.underlying is WrongKey)
    XCTAssertEqual(error.response?.bytes, reversed)
  }

  /// A proxy or load balancer knows nothing of the service's cipher.
  func testARefusedStatusIsToldAndRetriedThoughItsBodyCannotBeDeciphered() async throws {
    struct WrongKey: Error {}
    let busy = Array("<html>busy</html>".utf8)
    stub.on(
      "/api/list", .bytes(busy, status: 503, contentType: "text/html"),
      .bytes(busy, status: 404, contentType: "text/html"))
    manager.service.transform = { _ in throw WrongKey() }
    manager.service.retryPolicy = RetryPolicy(attempts: 2)
    manager.service.retryPolicy.backoff = .constant(.zero)
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(stub.requests.count, 2)
    XCTAssertEqual(error.detail, "status 404")
    XCTAssertEqual(error.response?.bytes, busy)
  }

  func testTheServicesWordsInTheBodyOfARefusedStatusAreDecipheredToo() async throws {
    stub.on(
      "/api/list",
      .bytes(Array(#"{"code": "44"}"#.utf8.reversed()), status: 404, contentType: "application/json"))
    manager.service.transform = { Array($0.reversed()) }
    manager.service.findBusinessError = {
      BusinessError(code: $0["code"].string ?? "", message: "no such home")
    }
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.detail, "status 404: the service reported 44: no such home")
  }

  func testA304ConfirmsWhatIsStoredAndNothingIsDecodedAgain() async throws {
    let fields: HTTPHeaders = ["ETag": "\"a\"", "Cache-Control": "no-cache", "Content-Type": "x/counted"]
    stub.on("/api/list", .bytes([1], headers: fields), .status(304, headers: fields))
    let decodings = Counter()
    manager.service.store = ResponseCache()
    manager.cachePolicy = .http
    manager.expectation.format = .decoder(CountingDecoder(decodings: decodings))
    _ = try await manager.response()
    let second = try await manager.response()
    XCTAssertEqual(second.provenance, .revalidated)
    XCTAssertEqual(second.raw.string, "decoded")
    XCTAssertEqual(stub.requests.map { $0.headers["If-None-Match"] }, [nil, "\"a\""])
    XCTAssertEqual(decodings.value, 1)
  }
}

private struct CountingDecoder: BodyDecoder {
  let decodings: Counter

  func decode(_ bytes: [UInt8], limits: RawData.Limits) throws(APIError) -> RawData {
    decodings.increment()
    return "decoded"
  }
}
